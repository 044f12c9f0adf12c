// Generated conditions, the effects of a 304, and the effects of HEAD (RFC 9111 §3.2, §4.3).
import LarderCache
import LarderCore
import LarderHTTP
import Testing

@Suite struct ValidationTests {
    static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    static let otherDate = "Sun, 06 Nov 1994 08:49:38 GMT"

    @Test func conditionsNameEveryTagOnceAndTheDateOfOne() {
        let tagged = Sample.entry(["ETag": "\"a\"", "Last-Modified": Self.date])
        let weak = Sample.entry(["ETag": "W/\"b\""])
        let dated = Sample.entry(["Last-Modified": Self.date])
        #expect(
            Validation.conditionalFields(for: [tagged])
                == ["If-None-Match": "\"a\"", "If-Modified-Since": Self.date])
        #expect(Validation.conditionalFields(for: [tagged, weak, tagged]) == ["If-None-Match": "\"a\", W/\"b\""])
        #expect(Validation.conditionalFields(for: [dated]) == ["If-Modified-Since": Self.date])
        for fields in [[:], ["ETag": "a"], ["Last-Modified": "x"], ["ETag": "\"a\"", "etag": "\"b\""]] as [HeaderFields]
        {
            #expect(Validation.conditionalFields(for: [Sample.entry(fields)]) == [:])
        }
        #expect(Validation.conditionalFields(for: []) == [:])
    }

    /// The stored entries, given by their fields. Each was received one second later than the one before.
    @Test(
        arguments: [
            (["ETag": "\"a\""], [["ETag": "\"a\""], ["ETag": "\"b\""], ["ETag": "\"a\""]], [0, 2]),
            (["ETag": "\"a\""], [["ETag": "W/\"a\""]], []), (["ETag": "\"a\""], [["ETag": "\"b\""]], []),
            (["ETag": "W/\"a\""], [["ETag": "\"a\""], ["ETag": "W/\"a\""], ["ETag": "W/\"b\""]], [1]),
            (["Last-Modified": date], [["Last-Modified": date], ["Last-Modified": date]], [1]),
            (["Last-Modified": date], [["Last-Modified": otherDate]], []),
            ([:], [["ETag": "\"a\""]], [0]), ([:], [[:]], [0]), ([:], [["ETag": "\"a\""], ["ETag": "\"b\""]], []),
            (["ETag": "\"a\"", "Last-Modified": date], [["ETag": "\"b\"", "Last-Modified": date]], []),
        ] as [(HeaderFields, [HeaderFields], [Int])])
    func notModifiedConfirmsWhatItNames(_ head: HeaderFields, _ stored: [HeaderFields], _ expected: [Int]) {
        let entries = stored.enumerated().map { place, fields in
            var entry = Sample.entry(fields)
            entry.responseTime = Sample.now + .seconds(Int64(place))
            return entry
        }
        #expect(Validation.freshenedIndexes(by: Sample.head(status: 304, head), among: entries) == expected)
        #expect(Validation.freshenedIndexes(by: Sample.head(status: 200, head), among: entries) == [])
    }

    static let later = Sample.now + .seconds(500)

    @Test(arguments: [[:], ["Vary": "Origin"], ["Vary": "Accept-Encoding"]] as [HeaderFields])
    func whatSelectedTheCodingOfAConfirmedAnswerStaysNamed(_ told: HeaderFields) {
        let entry = Sample.entry([
            "Cache-Control": "max-age=100", "Content-Encoding": "gzip", "Vary": "Accept-Encoding",
        ])
        let out = Validation.freshening(entry, by: Sample.head(status: 304, told), rule: Sample.rule(.rfc), targets: [])
            .entry
        #expect(Vary(out.fields).names("accept-encoding"))
        #expect(Vary(out.fields).names("origin") == (told.first("Vary") == "Origin"))
    }

    @Test func confirmedAnswerTakesTheNewHeadAndKeepsItsBody() {
        var entry = Sample.entry([
            "X-A": "1", "ETag": "\"a\"", "Cache-Control": "max-age=100", "Age": "50", "x-a": "2",
            "Content-Length": "3", "Content-Encoding": "gzip", "Content-Type": "text/a",
        ])
        entry.body = Bytes(text: "abc")
        let head = Sample.head(
            status: 304,
            [
                "x-A": "3", "Cache-Control": "max-age=200", "Content-Length": "0", "Content-Encoding": "br",
                "Content-Range": "bytes 0-1/2", "Connection": "X-Hop", "X-Hop": "1", "Set-Cookie": "a=b",
                "Content-Type": "text/b", "X-New": "1", "Date": Sample.nowText,
            ], requestTime: Self.later, responseTime: Self.later)
        let out = Validation.freshening(entry, by: head, rule: Sample.rule(.rfc), targets: []).entry
        #expect(
            out.fields == [
                "x-A": "3", "ETag": "\"a\"", "Cache-Control": "max-age=200", "Content-Length": "3",
                "Content-Encoding": "gzip", "Content-Type": "text/b", "X-New": "1", "Date": Sample.nowText,
            ])
        #expect(out.body == entry.body)
        #expect(out.status == 200)
        #expect(out.responseTime == Self.later)
        // The Date of the 304 is 500 s old.
        #expect(out.initialAge == 500_000)
        #expect(out.freshUntil == Self.later + .seconds(-300))
    }

    @Test(arguments: [(600, 10), (3, 50_000)])
    func headThatGrowsBeyondThatOfOneAnswerIsNotKept(_ confirmations: Int, _ length: Int) throws {
        var entry = Sample.entry(["Cache-Control": "max-age=100", "ETag": "\"a\""])
        var isKept = true
        for number in 1...confirmations where isKept {
            let head = Sample.head(
                status: 304, ["ETag": "\"a\"", "X-\(number)": String(repeating: "x", count: length)],
                requestTime: Self.later, responseTime: Self.later)
            let news = Validation.freshening(entry, by: head, rule: Sample.rule(.rfc), targets: [])
            if case .store = news.verdict.decision { entry = news.entry } else { isKept = false }
            if isKept { continue }
            #expect(news.verdict.rule == .headTooLarge)
            #expect(news.entry.fields == entry.fields)
            #expect(news.entry.freshUntil == Self.later)
        }
        #expect(!isKept)
        #expect(entry.fields.count <= ResponseHeadReader.maxFields)
    }

    @Test func storedLifetimeCountsAnewWhereTheConfirmationIsSilent() {
        let entry = Sample.entry(["Cache-Control": "max-age=100", "Age": "50", "ETag": "\"a\""])
        let head = Sample.head(status: 304, ["ETag": "\"a\""], requestTime: Self.later, responseTime: Self.later)
        let out = Validation.freshening(entry, by: head, rule: Sample.rule(.rfc), targets: []).entry
        #expect(out.freshUntil == Self.later + .seconds(100))
        #expect(out.initialAge == 0)
    }

    @Test func confirmationThatForbidsStoringLeavesNothing() {
        let entry = Sample.entry(["Cache-Control": "max-age=100", "ETag": "\"a\""])
        let head = Sample.head(
            status: 304, ["Cache-Control": "no-store"], requestTime: Self.later, responseTime: Self.later)
        let out = Validation.freshening(entry, by: head, rule: Sample.rule(.rfc), targets: [])
        #expect(out.verdict.rule == .responseNoStore)
        #expect(out.entry.staleUntil == Self.later)
    }

    /// The effect of a HEAD response on a stored response of 3 bytes with tag "a" and no date.
    @Test(
        arguments: [
            (200, ["ETag": "\"a\"", "Content-Length": "3"], "freshen"), (200, [:], "freshen"),
            (200, ["ETag": "\"b\""], "invalidate"), (200, ["ETag": "\"a\"", "Content-Length": "4"], "invalidate"),
            (200, ["Content-Length": "x"], "invalidate"), (200, ["Last-Modified": date], "invalidate"),
            (200, ["ETag": "\"a\"", "Cache-Control": "no-store"], "invalidate"), (404, ["ETag": "\"b\""], "none"),
            (304, [:], "none"),
        ] as [(Int, HeaderFields, String)])
    func headTellsWhetherTheStoredAnswerHolds(_ status: Int, _ fields: HeaderFields, _ expected: String) {
        var entry = Sample.entry(["ETag": "\"a\"", "Cache-Control": "max-age=100"])
        entry.body = Bytes(text: "abc")
        let head = Sample.head(status: status, fields, requestTime: Self.later, responseTime: Self.later)
        switch Validation.headEffect(of: head, on: entry, rule: Sample.rule(.rfc), targets: []) {
        case .freshen(let out):
            #expect(expected == "freshen")
            #expect(out.freshUntil == Self.later + .seconds(100))
            #expect(out.body == entry.body)
        case .invalidate: #expect(expected == "invalidate")
        case .none: #expect(expected == "none")
        }
    }
}
