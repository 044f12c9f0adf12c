// `/raw/itunes/…` and similar paths: the API's own bytes, through the cache that the typed routes use.
import LarderCore
import LarderHTTP
import LarderTestSupport
import Testing

@Suite struct RawScenarios {
    static let typed = "/v1/itunes/search?q=jack+johnson"
    static let raw = "/raw/itunes/search?term=jack+johnson"

    @Test(arguments: [[typed, raw], [raw, typed], [raw, "/v1/search?q=jack%20johnson&source=itunes"]])
    func theRawAndTheTypedRouteShareOneCall(_ targets: [String]) async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            for target in targets {
                let answer = try await larder.get(target)
                #expect(answer.status == 200, "\(answer)")
            }
            #expect(origin.requests.count == 1, "\(origin.requests.map(\.target))")
        }
    }

    @Test func everySpellingOfARawQuestionIsOneEntry() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            for query in [
                "term=jack+johnson", "term=jack%20johnson", "limit=50&term=jack+johnson",
                "term=jack+johnson&country=us",
                "term=jack+johnson&media=all",
            ] {
                let answer = try await larder.get("/raw/itunes/search?" + query)
                #expect(answer.status == 200, "\(answer)")
            }
            #expect(origin.requests.count == 1, "\(origin.requests.map(\.target))")
        }
    }

    @Test func whoAcceptsEventStreamsAloneIsToldThatThereIsNone() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { (larder) async throws in
            // As browsers ask for an `EventSource` (WHATWG HTML §9.2.2).
            for accept in ["text/event-stream", "Text/Event-Stream; q=1"] {
                let answer = try await larder.get(Self.raw, ("Accept", accept), ("Cache-Control", "no-cache"))
                try BadInputScenarios.expectProblem(answer, 406, "notAcceptable")
                #expect(answer.text.contains("passthrough"))
            }
            #expect(origin.requests.isEmpty)
            for accept in ["text/event-stream, */*;q=0.1", "application/json", "*/*"] {
                #expect(try await larder.get(Self.raw, ("Accept", accept)).status == 200)
            }
        }
    }

    @Test func theBodyComesByteForByteWithTheUpstreamsFields() async throws {
        let body = BasicScenarios.song
        let fields = """
            Content-Type: text/javascript; charset=utf-8\r
            Content-Disposition: attachment; filename=1.txt\r
            ETag: "abc"\r
            X-Apple-Thing: kept\r
            Set-Cookie: of=somebody\r
            Connection: X-Hop\r
            X-Hop: gone\r
            Date: Thu, 01 Jan 2026 00:00:00 GMT\r

            """
        let origin = ScriptedOrigin(answering: ok(body, fields: fields))
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            for turn in ["fetched", "out of the store", "out of memory"] {
                let answer = try await larder.get(Self.raw)
                #expect(answer.body == Bytes(text: body), "\(turn): \(answer)")
                #expect(answer.text.hasPrefix("\n\n"), "\(turn)")
                #expect(answer["Content-Type"] == "text/javascript; charset=utf-8", "\(turn): \(answer)")
                // An upstream's page would otherwise have this daemon's own origin in a browser.
                #expect(answer["Content-Security-Policy"] == "sandbox", "\(turn): \(answer)")
                #expect(answer["X-Content-Type-Options"] == "nosniff", "\(turn): \(answer)")
                #expect(answer["Content-Disposition"] == "attachment; filename=1.txt", "\(turn)")
                #expect(answer["ETag"] == "\"abc\"", "\(turn)")
                #expect(answer["X-Apple-Thing"] == "kept", "\(turn)")
                #expect(answer["Date"] == "Thu, 01 Jan 2026 00:00:00 GMT", "\(turn): \(answer)")
                #expect(answer["X-Hop"] == nil, "\(turn)")
                #expect(answer["Set-Cookie"] == nil, "\(turn): what others share carries nobody's cookie")
                #expect(answer["Cache-Status"]?.hasPrefix("larder; ") == true, "\(turn)")
                #expect(answer["Age"] != nil, "\(turn)")
            }
            let head = try await larder.send("HEAD", Self.raw)
            #expect(head.status == 200)
            #expect(head["Content-Length"] == String(body.utf8.count))
            #expect(origin.requests.count == 1)
        }
    }

    @Test func aCodedAnswerStaysCodedForWhoTakesItAndIsPlainForTheOthers() async throws {
        let plain = Bytes(text: BasicScenarios.song)
        let coded = try ContentCoding.gzip(plain)
        let head = """
            HTTP/1.1 200 OK\r
            Content-Type: text/javascript\r
            Content-Encoding: gzip\r
            Vary: Accept-Encoding\r
            ETag: "abc"\r
            Content-Length: \(coded.count)\r
            \r

            """
        let origin = ScriptedOrigin { _ in [.send(head), .sendBytes(coded)] }
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            for turn in ["fetched", "out of the store", "out of memory"] {
                let kept = try await larder.get(Self.raw, ("Accept-Encoding", "br, gzip"))
                #expect(kept.body == coded, "\(turn)")
                #expect(kept["Content-Encoding"] == "gzip", "\(turn): \(kept)")
                #expect(kept["Content-Length"] == String(coded.count), "\(turn)")
                #expect(kept["ETag"] == "\"abc\"", "\(turn)")
                for accepted in [nil, "identity", "gzip;q=0", "br"] {
                    let fields = accepted.map { [("Accept-Encoding", $0)] } ?? []
                    let undone = try await larder.send("GET", Self.raw, fields: fields)
                    let who = "\(turn), \(accepted ?? "nothing")"
                    #expect(undone.body == plain, "\(who)")
                    #expect(undone["Content-Encoding"] == nil, "\(who): \(undone)")
                    #expect(undone["Content-Length"] == String(plain.count), "\(who)")
                    #expect(undone["ETag"] != "\"abc\"", "\(who): other bytes, so no strong tag of the first")
                    #expect(undone["Vary"]?.lowercased().contains("accept-encoding") == true, "\(who)")
                }
            }
            let typed = try await larder.get(Self.typed)
            #expect(try typed.json()["count"]?.integer == 1, "\(typed)")
            #expect(origin.requests.count == 1)
        }
    }

    @Test func whatAnUpstreamAnswersInErrorIsMirroredAndNotStored() async throws {
        let moods = CacheScenarios.Moods()
        let origin = ScriptedOrigin { _ in moods.current.withLock { $0 } }
        defer { origin.stop() }
        let pass = "  api: { kind: passthrough, baseURL: \"\(origin.base)\" }"
        let time = ManualTime()
        try await withLarder(BasicScenarios.itunes(origin, pass), time: time) { larder in
            for target in ["/raw/api/a", Self.raw] {
                for (status, fields) in [
                    ("500 Internal Server Error", ""), ("429 Too Many Requests", "Retry-After: 7\r\n"),
                ] {
                    let body = #"{"fault":"\#(status)"}"#
                    moods.set(ok(body, status: status, fields: "Content-Type: application/json\r\n" + fields))
                    // This is after any pause that the previous failure caused.
                    time.advance(by: .seconds(3600))
                    let answer = try await larder.get(target)
                    #expect(answer.statusLine == "HTTP/1.1 \(status)", "\(target): \(answer)")
                    #expect(answer.text == body, "\(target)")
                    #expect(answer["Content-Type"] == "application/json", "\(target)")
                    #expect(answer["Cache-Status"]?.contains("stored") == false, "\(target): \(answer)")
                    #expect(answer["Cache-Status"]?.contains("fwd-status=\(status.prefix(3))") == true)
                    if status.hasPrefix("429") { #expect(answer["Retry-After"] == "7", "\(target): \(answer)") }
                }
            }
            moods.set(ok("fine"))
            time.advance(by: .seconds(3600))
            #expect(try await larder.get("/raw/api/a").text == "fine", "an error was kept")
        }
    }

    @Test func aRawSearchThatFailsIsCoveredByWhatIsStale() async throws {
        let moods = CacheScenarios.Moods()
        let origin = ScriptedOrigin { _ in moods.current.withLock { $0 } }
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(BasicScenarios.itunes(origin, "    ttl: 60s"), time: time) { larder in
            let first = try await larder.get(Self.raw)
            moods.set(ok("oops", status: "500 Oops"))
            time.advance(by: .seconds(3 * 86_400))
            let covered = try await larder.get(Self.raw)
            #expect(covered.status == 200, "\(covered)")
            #expect(covered.body == first.body)
            #expect(covered["Cache-Status"]?.hasPrefix("larder; hit; ttl=-") == true, "\(covered)")
            #expect(covered["Age"] == "259200")
        }
    }

    @Test func dotSegmentsAreRefusedHoweverTheyAreSpelt() async throws {
        let origin = ScriptedOrigin(answering: ok("secret"))
        defer { origin.stop() }
        let configuration = "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)/below\" } }"
        let listen = [#""127.0.0.1:0""#, #"{ address: "127.0.0.1:0", provider: api }"#]
        try await withLarder(configuration, listen: listen) { larder in
            for path in [
                "/../a", "/a/../../b", "/./../a", "/%2e%2e/a", "/%2E./a", "/.%2e", "/a/%2e/%2e./b", "/..%2fa",
                "/a%2f..%2f..", "/%2e%2e%2f%2e%2e%2fa", "/a%2f.%2fb",
            ] {
                for (target, address) in [("/raw/api\(path)", larder.addresses[0]), (path, larder.addresses[1])] {
                    let answer = try await larder.get(target, at: address)
                    try BadInputScenarios.expectProblem(answer, 400, target)
                }
            }
            #expect(origin.requests.isEmpty, "\(origin.requests.map(\.target))")
            #expect(try await larder.get("/raw/api/a..b/c...").status == 200)
            #expect(origin.requests.map(\.target) == ["/below/a..b/c..."])
        }
    }

    /// The origin of a built-in API. Its first answer is a record. Every later answer says that there is no record.
    private static func removed(_ status: String) -> ScriptedOrigin {
        let count = Lock(0)
        return ScriptedOrigin { _ in
            let isFirst = count.withLock {
                $0 += 1
                return $0 == 1
            }
            guard isFirst else { return [.send(ok(#"{"error":"Not found"}"#, status: status))] }
            return [.send(ok(#"{"index":"aboleth","name":"Aboleth","url":"/api/2014/monsters/aboleth"}"#))]
        }
    }

    private static let record = "/raw/dnd5e/api/2014/monsters/aboleth"

    private static func rules(_ origin: ScriptedOrigin) -> String {
        "providers: { dnd5e: { baseURL: \"\(origin.base)\", rate: off, quota: off, staleFor: 1d } }"
    }

    @Test(arguments: ["404 Not Found", "410 Gone"])
    func anAbsenceThatMayNotBeStoredLeavesNoOlderAnswer(_ status: String) async throws {
        let origin = Self.removed(status)
        defer { origin.stop() }
        try await withLarder(Self.rules(origin)) { larder in
            #expect(try await larder.get(Self.record).status == 200)
            let gone = try await larder.get(Self.record, ("Cache-Control", "no-cache, no-store"))
            #expect(gone.status == 404 || gone.status == 410, "\(gone)")
            let stored = try await larder.get(Self.record, ("Cache-Control", "only-if-cached, max-stale"))
            #expect(stored.status == 504, "\(stored)")
        }
    }

    @Test(arguments: ["404 Not Found", "410 Gone"])
    func anAbsenceThatIsStoredTakesThePlaceOfTheOlderAnswer(_ status: String) async throws {
        let origin = Self.removed(status)
        defer { origin.stop() }
        try await withLarder(Self.rules(origin)) { larder in
            #expect(try await larder.get(Self.record).status == 200)
            _ = try await larder.get(Self.record, ("Cache-Control", "no-cache"))
            let stored = try await larder.get(Self.record, ("Cache-Control", "only-if-cached, max-stale"))
            #expect(stored.status != 200, "\(stored)")
            #expect(origin.requests.count == 2)
        }
    }
}
