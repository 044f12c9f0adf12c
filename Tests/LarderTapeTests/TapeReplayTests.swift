// Which recording answers, in which order, and what a miss tells.
import LarderCore
import LarderHTTP
import Testing

@testable import LarderTape

struct TapeReplayTests {
    private func replay(_ exchanges: [TapeExchange], _ rules: String = "version: 1\n") throws -> TapeReplay {
        let ground = try Ground()
        try ground.write("tape.yaml", rules)
        let tape = try ground.tape()
        for exchange in exchanges { try tape.keep(exchange) }
        return try tape.replay()
    }

    private static let json: HeaderFields = ["Content-Type": "application/json"]
    private static let form: HeaderFields = ["Content-Type": "application/x-www-form-urlencoded"]

    private func posted(_ content: String, _ fields: HeaderFields = json) throws -> TapeExchange {
        try exchange("https://a.test/", fields, method: .post, content: content)
    }

    private func post(_ content: String, _ fields: HeaderFields = json) throws -> TapeRequest {
        try asked("https://a.test/", fields: fields, method: .post, content: content)
    }

    // MARK: Matching

    @Test(arguments: [
        "https://a.test/x%7Ey?q=caf%C3%A9&n=1", "https://A.test:443/x~y?n=1&q=caf%c3%a9",
        "https://a.test/x~y?q=caf%C3%A9&n=%31#f",
    ])
    func spellingsOfOneURLMatch(_ text: String) throws {
        let replay = try replay([exchange("https://a.test/x~y?q=caf%C3%A9&n=1")])
        #expect(replay.body(try asked(text)) != nil)
    }

    @Test(arguments: [
        "http://a.test/x?q=1", "https://b.test/x?q=1", "https://a.test/X?q=1", "https://a.test/x/?q=1",
        "https://a.test/x?q=2",
        "https://a.test/x?q=1&q=1", "https://a.test/x", "https://a.test/x?Q=1",
    ])
    func anotherURLDoesNotMatch(_ text: String) throws {
        #expect(try replay([exchange("https://a.test/x?q=1")]).body(asked(text)) == nil)
    }

    @Test func repeatedParametersKeepTheirOrder() throws {
        let replay = try replay([exchange("https://a.test/?a=1&a=2")])
        #expect(replay.body(try asked("https://a.test/?a=2&a=1")) == nil)
    }

    @Test func theMethodIsCompared() throws {
        #expect(try replay([exchange()]).body(asked("https://api.example.test/v1/search?q=a", method: .head)) == nil)
    }

    @Test func theRangeIsCompared() throws {
        let replay = try replay([exchange("https://a.test/", ["Range": "bytes=0-1"], status: 206)])
        #expect(replay.body(try asked("https://a.test/", fields: ["Range": "bytes=0-1"])) != nil)
        #expect(replay.body(try asked("https://a.test/", fields: ["Range": "bytes=2-3"])) == nil)
        #expect(replay.body(try asked("https://a.test/")) == nil)
    }

    @Test func jsonMatchesInAnyOrderAndSpacing() throws {
        let replay = try replay([posted(#"{"a":[1,{"b":null,"c":"é"}],"n":1.0}"#)])
        #expect(replay.body(try post(#" { "n": 1, "a":[ 1e0, {"c":"\u00e9","b":null} ] } "#)) != nil)
    }

    @Test(arguments: [#"{"a":[2,1]}"#, #"{"a":["1",2]}"#, #"{"a":[1,2],"b":null}"#, #"{"a":[1,2,3]}"#, "{}", "[1,2]"])
    func otherJSONDoesNotMatch(_ content: String) throws {
        #expect(try replay([posted(#"{"a":[1,2]}"#)]).body(post(content)) == nil)
    }

    @Test func longNumbersAreComparedDigitByDigit() throws {
        let replay = try replay([posted(#"{"id":12345678901234567890123}"#)])
        #expect(replay.body(try post(#"{"id":12345678901234567890124}"#)) == nil)
    }

    @Test func formsMatchAsPairs() throws {
        let replay = try replay([posted("a=1+2&b=%7E", Self.form)])
        #expect(replay.body(try post("b=~&a=1%202", Self.form)) != nil)
        #expect(replay.body(try post("b=~&a=1", Self.form)) == nil)
    }

    @Test func multipartMatchesWithoutItsBoundary() throws {
        func form(_ boundary: String, _ text: String) -> (String, HeaderFields) {
            let part = "Content-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n\r\n\(text)\r\n"
            return (
                "--\(boundary)\r\n\(part)--\(boundary)--\r\n",
                ["Content-Type": "multipart/form-data; boundary=\(boundary)"]
            )
        }
        let (recorded, fields) = form("one", "text")
        let replay = try replay([posted(recorded, fields)])
        let (same, others) = form("two", "text")
        #expect(replay.body(try post(same, others)) != nil)
        let (different, same2) = form("two", "test")
        #expect(replay.body(try post(different, same2)) == nil)
    }

    @Test func otherContentMatchesByItsBytes() throws {
        let replay = try replay([posted("a  b", ["Content-Type": "text/plain"])])
        #expect(replay.body(try post("a  b", ["Content-Type": "text/plain"])) != nil)
        #expect(replay.body(try post("a b", ["Content-Type": "text/plain"])) == nil)
    }

    @Test func compressedContentMatchesItsPlainForm() throws {
        let replay = try replay([posted(#"{"a":1}"#)])
        var request = try post("")
        request.fields.add("Content-Encoding", "gzip")
        request.content = try ContentCoding.gzip(Bytes(text: #"{"a":1}"#))
        #expect(replay.body(request) != nil)
    }

    @Test func theFieldsThatVaryNamesAreCompared() throws {
        let replay = try replay(
            ["de", "en"].map {
                try exchange("https://a.test/", ["Accept-Language": $0], answer: ["Vary": "accept-language"], body: $0)
            })
        #expect(replay.body(try asked("https://a.test/", fields: ["Accept-Language": "en"])) == "en")
        #expect(replay.body(try asked("https://a.test/", fields: ["Accept-Language": "de"])) == "de")
        #expect(replay.body(try asked("https://a.test/")) == nil)
    }

    @Test func otherFieldsAreNotCompared() throws {
        let replay = try replay([exchange("https://a.test/", ["Accept": "a/b", "User-Agent": "x"])])
        #expect(replay.body(try asked("https://a.test/", fields: ["Accept": "c/d", "If-None-Match": "\"a\""])) != nil)
    }

    @Test func aVaryingCodingDoesNotCount() throws {
        let replay = try replay([
            exchange("https://a.test/", ["Accept-Encoding": "br"], answer: ["Vary": "Accept-Encoding"])
        ])
        #expect(replay.body(try asked("https://a.test/")) != nil)
    }

    @Test func ignoredParametersAreNotCompared() throws {
        let replay = try replay(
            [exchange("https://a.test/?q=1&nonce=5")], "version: 1\nignore:\n  parameters: [nonce]\n")
        #expect(replay.body(try asked("https://a.test/?nonce=6&q=1")) != nil)
        #expect(replay.body(try asked("https://a.test/?nonce=6&q=2")) == nil)
    }

    @Test func ignoredFieldsAreNotCompared() throws {
        let replay = try replay(
            [exchange("https://a.test/", ["X-Id": "1"], answer: ["Vary": "X-Id"])],
            "version: 1\nignore:\n  fields: [x-id]\n")
        #expect(replay.body(try asked("https://a.test/", fields: ["X-Id": "2"])) != nil)
    }

    @Test func ignoredJSONIsNotCompared() throws {
        let replay = try replay(
            [posted(#"{"at":1,"items":[{"id":1,"n":1}]}"#)], "version: 1\nignore:\n  json: [$.at, \"$.items[*].id\"]\n")
        #expect(replay.body(try post(#"{"at":{"x":2},"items":[{"id":3,"n":1}]}"#)) != nil)
        #expect(replay.body(try post(#"{"at":1,"items":[{"id":1,"n":2}]}"#)) == nil)
    }

    @Test func anAnswerToAConditionIsNoAnswerToThePlainRequest() throws {
        let replay = try replay([exchange("https://a.test/", ["If-None-Match": "\"a\""], status: 304, body: "")])
        #expect(replay.body(try asked("https://a.test/")) == nil)
        #expect(replay.body(try asked("https://a.test/", fields: ["If-None-Match": "\"b\""])) == nil)
        #expect(replay.body(try asked("https://a.test/", fields: ["If-None-Match": "\"a\""])) != nil)
    }

    @Test func whatIsRecordedMeanwhileIsPlayed() throws {
        let ground = try Ground()
        var replay = try ground.tape().replay()
        guard case .recorded(let recording) = try ground.tape().record(exchange()) else {
            throw TapeFault(.invalid, "", "")
        }
        replay.add(recording)
        #expect(replay.body(try asked("https://api.example.test/v1/search?q=a")) != nil)
    }

    // MARK: Series

    private func series() throws -> [TapeExchange] { try ["1", "2", "3"].map { try exchange(body: $0) } }

    @Test func aSeriesIsPlayedInOrderAndThenRepeatsItsLastAnswer() throws {
        let replay = try replay(series())
        var state = TapeReplay.State()
        let request = try asked("https://api.example.test/v1/search?q=a")
        #expect((0..<5).map { _ in replay.body(request, &state) } == ["1", "2", "3", "3", "3"])
    }

    @Test func aSeriesThatMustNotRepeatEnds() throws {
        let replay = try replay(series(), "version: 1\nrepeat: no\n")
        var state = TapeReplay.State()
        let request = try asked("https://api.example.test/v1/search?q=a")
        #expect((0..<4).map { _ in replay.body(request, &state) } == ["1", "2", "3", nil])
        guard case .miss(let miss) = replay.answer(request, &state) else { return #expect(Bool(false)) }
        #expect(miss.isOver)
        #expect(miss.text.contains("repeat: no"))
    }

    @Test func eachRunHasASeriesOfItsOwn() throws {
        let replay = try replay(series())
        let request = try asked("https://api.example.test/v1/search?q=a")
        #expect(replay.body(request) == "1")
        #expect(replay.body(request) == "1")
    }

    // MARK: Misses

    @Test func aMissNamesTheNearestRecordingAndWhatDiffers() throws {
        let replay = try replay([exchange("https://a.test/other?q=a"), exchange("https://a.test/search?q=a&page=1")])
        let miss = try replay.miss(asked("https://a.test/search?q=b&page=1&lang=de"))
        #expect(miss.nearest?.stem.hasPrefix("a.test-search-") == true)
        #expect(
            miss.differences == [
                TapeDifference(TapePlace(.parameter, "lang"), recorded: nil, now: "de"),
                TapeDifference(TapePlace(.parameter, "q"), recorded: "a", now: "b"),
            ])
    }

    @Test func aMissIsShownAsAShortDiff() throws {
        let miss = try replay([exchange("https://a.test/s?q=a")]).miss(asked("https://a.test/s?q=b"))
        #expect(
            try miss.text == """
                No recording answers GET https://a.test/s?q=b. Nearest is \(#require(miss.nearest)):
                - parameter q: a
                + parameter q: b

                """)
    }

    @Test func aMissIsOneLineOfDetail() throws {
        let miss = try replay([exchange("https://a.test/s?q=a")]).miss(asked("https://a.test/s?q=b"))
        let name = try #require(miss.nearest)
        #expect(
            miss.detail
                == "No recording answers GET https://a.test/s?q=b. Nearest is \(name): parameter q: recorded a, now b.")
    }

    @Test func aMissTellsMethodHostPathFieldAndJSON() throws {
        let recorded = try exchange(
            "https://a.test/x/1", Self.json, method: .post, content: #"{"a":{"b":[1]}}"#,
            answer: ["Vary": "Accept-Language"])
        let replay = try replay([recorded])
        func places(_ request: TapeRequest) throws -> [String] {
            try replay.miss(request).differences.map { "\($0.place)" }
        }
        var request = recorded.request
        request.method = .put
        #expect(try places(request) == ["method"])
        request = recorded.request
        request.url = try url("http://a.test/x/1")
        #expect(try places(request) == ["host"])
        request.url = try url("https://a.test/x/2")
        #expect(try places(request) == ["path"])
        request = recorded.request
        request.fields.add("Accept-Language", "de")
        #expect(try places(request) == ["field accept-language"])
        request = recorded.request
        request.content = Bytes(text: #"{"a":{"b":[2]}}"#)
        #expect(try places(request) == ["$.a.b[0]"])
        request.fields = ["Content-Type": "text/csv"]
        #expect(try places(request) == ["$.a.b[0]", "content"])
    }

    @Test func aMissObeysNoTerminal() throws {
        let miss = try replay([posted("a", ["Content-Type": "text/plain"])]).miss(
            post("\u{1B}[2J\u{9B}x\n", ["Content-Type": "text/plain"]))
        #expect(!miss.text.unicodeScalars.contains { $0.isControl && $0 != "\n" })
        #expect(!miss.detail.contains("\n"))
    }

    @Test func manyDifferencesAreCounted() throws {
        let many = (0..<20).map { "p\($0)=1" }.joined(separator: "&")
        let miss = try replay([exchange("https://a.test/")]).miss(asked("https://a.test/?\(many)"))
        #expect(miss.text.contains("and 12 more differences"))
    }

    @Test func anotherHostAndPathIsNotNear() throws {
        let miss = try replay([exchange("https://a.test/x")]).miss(asked("https://b.test/y"))
        #expect(miss.nearest == nil)
        #expect(miss.text == "No recording answers GET https://b.test/y.\n")
    }

    @Test func anEmptyTapeMisses() throws {
        #expect(try replay([]).miss(asked("https://b.test/y")).nearest == nil)
    }
}
