// RFC 9111 §3 and §4.2 for a shared cache, one row per rule. Spans are seconds of freshness and of total use.
import LarderCache
import LarderCore
import Testing

@Suite struct RFCStorageTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var fields: HeaderFields
        var status = 200
        var expected: [Int64]?

        init(_ name: String, _ fields: HeaderFields, status: Int = 200, _ expected: [Int64]?) {
            self.name = name
            self.fields = fields
            self.status = status
            self.expected = expected
        }

        var testDescription: String { name }
    }

    /// The rule allows responses to be stale for 3600 s.
    static let freshness: [Row] = [
        Row("max-age", ["Cache-Control": "max-age=100"], [100, 3700]),
        Row("max-age and Age", ["Cache-Control": "max-age=100", "Age": "30"], [70, 3670]),
        Row("the first of several ages", ["Cache-Control": "max-age=100", "Age": "30, 50"], [70, 3670]),
        Row("an invalid Age is ignored", ["Cache-Control": "max-age=100", "Age": "-30"], [100, 3700]),
        Row("Age larger than the lifetime", ["Cache-Control": "max-age=100", "Age": "500"], [0, 3600]),
        Row("an old Date", ["Cache-Control": "max-age=7200", "Date": Sample.hourAgoText], [3600, 7200]),
        Row(
            "Date and Age: the older counts",
            ["Cache-Control": "max-age=7200", "Date": Sample.hourAgoText, "Age": "60"],
            [3600, 7200]),
        Row("a Date ahead", ["Cache-Control": "max-age=100", "Date": Sample.inAnHourText], [100, 3700]),
        Row("an unreadable Date", ["Cache-Control": "max-age=100", "Date": "today"], [100, 3700]),
        Row("s-maxage over max-age, never stale", ["Cache-Control": "max-age=100, s-maxage=50"], [50, 50]),
        Row("max-age over Expires", ["Cache-Control": "max-age=100", "Expires": "0"], [100, 3700]),
        Row(
            "invalid max-age over Expires", ["Cache-Control": "max-age=x", "Expires": Sample.inAnHourText], [0, 3600]),
        Row("Expires", ["Date": Sample.nowText, "Expires": Sample.inAnHourText], [3600, 7200]),
        Row("Expires without Date", ["Expires": Sample.inAnHourText], [3600, 7200]),
        Row("Expires counts from Date", ["Date": Sample.hourAgoText, "Expires": Sample.nowText], [0, 3600]),
        Row("Expires and Age", ["Date": Sample.nowText, "Expires": Sample.inAnHourText, "Age": "600"], [3000, 6600]),
        Row("Expires 0", ["Expires": "0"], [0, 3600]),
        Row("two different Expires", ["Expires": Sample.inAnHourText, "expires": Sample.nowText], [0, 3600]),
        Row("the same Expires twice", ["Expires": Sample.inAnHourText, "expires": Sample.inAnHourText], [3600, 7200]),
        Row("max-age=0 is kept for outages", ["Cache-Control": "max-age=0"], [0, 3600]),
        Row("heuristic: a tenth", ["Date": Sample.nowText, "Last-Modified": Sample.tenHoursAgoText], [3600, 7200]),
        Row(
            "heuristic: a day at most", ["Date": Sample.nowText, "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"],
            [86_400, 90_000]),
        Row(
            "heuristic and Age", ["Date": Sample.nowText, "Last-Modified": Sample.tenHoursAgoText, "Age": "60"],
            [3540, 7140]),
    ]

    static let heuristics: [Row] = [
        Row("no heuristic without Last-Modified", ["Date": Sample.nowText], nil),
        Row("no heuristic for a change to come", ["Date": Sample.nowText, "Last-Modified": Sample.inAnHourText], nil),
        Row("no heuristic for an unreadable date", ["Last-Modified": "x"], nil),
        Row("no heuristic for 302", ["Last-Modified": Sample.tenHoursAgoText], status: 302, nil),
        Row(
            "public makes 302 heuristic", ["Cache-Control": "public", "Last-Modified": Sample.tenHoursAgoText],
            status: 302, [3600, 7200]),
        Row("404 is heuristic", ["Last-Modified": Sample.tenHoursAgoText], status: 404, [3600, 7200]),
        Row("302 with max-age", ["Cache-Control": "max-age=9"], status: 302, [9, 3609]),
        Row("503 with max-age", ["Cache-Control": "max-age=9"], status: 503, [9, 3609]),
        Row("an unknown status", ["Cache-Control": "max-age=9"], status: 299, nil),
        Row("an unknown status, public", ["Cache-Control": "public, max-age=9"], status: 599, nil),
    ]

    static let refusals: [Row] = [
        Row("no-store", ["Cache-Control": "no-store, max-age=100"], nil),
        Row("no-store beside must-understand", ["Cache-Control": "must-understand, no-store, max-age=100"], nil),
        Row("private", ["Cache-Control": "private, max-age=100"], nil),
        Row("private for one field", ["Cache-Control": "private=\"x\", max-age=100"], nil),
        Row("Set-Cookie", ["Cache-Control": "max-age=100", "set-cookie": "a=b"], nil),
        Row("Vary *", ["Cache-Control": "max-age=100", "Vary": "*"], nil),
        Row("Vary by language", ["Cache-Control": "max-age=100", "Vary": "Accept-Encoding, Accept-Language"], nil),
        Row("Vary by encoding", ["Cache-Control": "max-age=100", "Vary": "accept-encoding"], [100, 3700]),
        Row("no word at all", [:], nil),
        Row("Pragma in an answer means nothing", ["Pragma": "no-cache", "Cache-Control": "max-age=100"], [100, 3700]),
        Row("no-cache can never be reused unasked", ["Cache-Control": "no-cache, max-age=100"], nil),
        Row(
            "a directive the connection field lists still counts",
            ["Connection": "Cache-Control", "Cache-Control": "no-store"],
            nil),
    ]

    static let staleness: [Row] = [
        Row("must-revalidate", ["Cache-Control": "max-age=100, must-revalidate"], [100, 100]),
        Row("proxy-revalidate", ["Cache-Control": "max-age=100, proxy-revalidate"], [100, 100]),
        Row("must-revalidate and nothing left", ["Cache-Control": "max-age=0, must-revalidate"], nil),
        Row("stale-while-revalidate", ["Cache-Control": "max-age=100, stale-while-revalidate=30"], [100, 130]),
        Row("stale-if-error", ["Cache-Control": "max-age=100, stale-if-error=60"], [100, 160]),
        Row(
            "the wider of both", ["Cache-Control": "max-age=100, stale-if-error=60, stale-while-revalidate=30"],
            [100, 160]),
        Row("the rule is the bound", ["Cache-Control": "max-age=100, stale-if-error=999999"], [100, 3700]),
        Row("a window of 0 forbids", ["Cache-Control": "max-age=100, stale-while-revalidate=0"], [100, 100]),
        Row(
            "validation over a window", ["Cache-Control": "max-age=9, must-revalidate, stale-if-error=60"], [9, 9]),
    ]

    @Test(arguments: freshness + heuristics + refusals + staleness)
    func answerIsKeptAsTheRuleSays(_ row: Row) {
        #expect(spans(decide(.rfc, status: row.status, row.fields)) == row.expected)
    }

    /// corrected_age_value = age_value + response_delay (RFC 9111 §4.2.3).
    @Test func timeUnderWayCountsAsAge() {
        let decision = decide(
            .rfc, ["Cache-Control": "max-age=100", "Age": "10"], requestTime: Sample.now + .seconds(-5))
        guard case .store(let lifetimes) = decision else {
            Issue.record("stored")
            return
        }
        #expect(lifetimes.initialAge == 15_000)
        #expect(lifetimes.freshUntil == Sample.now + .seconds(85))
    }

    @Test func absenceIsNeverServedStale() {
        let decision = decide(.rfc, status: 404, ["Cache-Control": "max-age=100"], classification: .notFound)
        #expect(spans(decision) == [100, 100])
    }
}
