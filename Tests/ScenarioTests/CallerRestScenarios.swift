// A limit that an answer states concerns the callers with the same credentials, and no others.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct CallerRestScenarios {
    private static let key = ("X-Api-Key", "one")

    private static func configuration(_ origin: ScriptedOrigin, _ more: String = "") -> String {
        "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\"\(more) } }"
            + "\nadmin: { token: open-sesame-0123456789 }"
    }

    private static func busy(_ status: String, _ wait: String = "60") -> String {
        ok("slow down", status: status, fields: "Retry-After: \(wait)\r\n")
    }

    @Test(arguments: [("429 Too Many Requests", 429), ("503 Busy", 503)])
    func aPassThroughProviderThatAsksForAPauseIsNotAskedBeforeItsEnd(_ status: String, _ code: Int) async throws {
        let moods = CacheScenarios.Moods()
        moods.set(Self.busy(status))
        let origin = ScriptedOrigin { _ in moods.current.withLock { $0 } }
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(Self.configuration(origin), time: time) { larder async throws in
            let told = try await larder.get("/raw/api/a")
            #expect(told.status == code && told.text == "slow down", "the API's own answer: \(told)")
            for (method, path) in [("GET", "b"), ("HEAD", "c"), ("POST", "d")] {
                let refused = try await larder.send(method, "/raw/api/\(path)")
                #expect(refused.status == code && refused["Retry-After"] == "60", "\(refused)")
            }
            #expect(try await larder.get("/raw/api/e").text.contains("asked for a pause"))
            #expect(origin.requests.count == 1)
            #expect(try await larder.counter("larder_caller_rests_total", "provider=\"api\",event=\"refused\"") == 4)
            moods.set(ok("fine"))
            time.advance(by: .seconds(60))
            #expect(try await larder.get("/raw/api/b").text == "fine")
        }
    }

    @Test func aPauseWithoutATimeIsNone() async throws {
        let origin = ScriptedOrigin(answering: ok("no", status: "429 Too Many Requests"))
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin)) { larder async throws in
            for path in ["a", "b"] { #expect(try await larder.get("/raw/api/\(path)").status == 429) }
            #expect(origin.requests.count == 2)
        }
    }

    @Test func aPauseLastsAnHourAtMostAndAResumeEndsIt() async throws {
        let moods = CacheScenarios.Moods()
        moods.set(Self.busy("429 Too Many Requests", "7200"))
        let origin = ScriptedOrigin { _ in moods.current.withLock { $0 } }
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin), time: ManualTime()) { larder async throws in
            _ = try await larder.get("/raw/api/a")
            #expect(try await larder.get("/raw/api/b")["Retry-After"] == "3600")
            moods.set(ok("fine"))
            let authority = [("Authorization", "Bearer open-sesame-0123456789")]
            #expect(try await larder.send("POST", "/v1/providers/api/resume", fields: authority).status == 200)
            #expect(try await larder.get("/raw/api/c").text == "fine")
        }
    }

    @Test func aStaleAnswerServesDuringThePause() async throws {
        let moods = CacheScenarios.Moods()
        moods.set(ok("old", fields: "Cache-Control: max-age=1\r\n"))
        let origin = ScriptedOrigin { _ in moods.current.withLock { $0 } }
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(Self.configuration(origin), time: time) { larder async throws in
            #expect(try await larder.get("/raw/api/a").text == "old")
            moods.set(Self.busy("429 Too Many Requests"))
            #expect(try await larder.get("/raw/api/b").status == 429)
            time.advance(by: .seconds(5))
            #expect(try await larder.get("/raw/api/a").text == "old")
            #expect(origin.requests.count == 2)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 429 No\r\nRetry-After: 600\r\nContent-Length: 0\r\n\r\n",
        ok("x", fields: "RateLimit: \"default\";r=0;t=600\r\n"),
    ])
    func aLimitOfOneClientsKeyBindsNobodyElse(_ limited: String) async throws {
        let origin = ScriptedOrigin { request in
            let isOne = request.field("X-Api-Key") == "one" || request.target.contains("apiKey=one")
            return [.send(isOne ? limited : ok("fine"))]
        }
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin), time: ManualTime()) { larder async throws in
            _ = try await larder.get("/raw/api/a", Self.key)
            let resting = try await larder.get("/raw/api/b", Self.key)
            #expect(resting.status == 429 && resting["Retry-After"] == "600", "\(resting)")
            #expect(try await larder.get("/raw/api/c", ("X-Api-Key", "two")).text == "fine")
            #expect(try await larder.get("/raw/api/d").text == "fine")
            _ = try await larder.get("/raw/api/e?apiKey=one")
            #expect(try await larder.get("/raw/api/f?apiKey=one").status == 429)
            #expect(try await larder.get("/raw/api/f?apiKey=two").text == "fine")
        }
    }

    @Test func theLimitOfAClientsOwnKeyForABuiltInAPIBindsNobodyElse() async throws {
        let films = ok(#"{"page":1,"results":[{"id":1,"title":"A"}]}"#)
        let origin = ScriptedOrigin { request in
            let isOne = request.target.contains("api_key=0123456789abcdef0123456789abcde1")
            return [.send(isOne ? Self.busy("429 Too Many Requests") : films)]
        }
        defer { origin.stop() }
        func path(_ page: Int, _ client: Int) -> String {
            "/raw/tmdb/3/movie/popular?page=\(page)&api_key=0123456789abcdef0123456789abcde\(client)"
        }
        try await withLarder("providers: { tmdb: { baseURL: \"\(origin.base)\" } }", time: ManualTime()) {
            larder async throws in
            #expect(try await larder.get(path(1, 1)).status == 429)
            #expect(try await larder.get(path(2, 1)).status == 429)
            #expect(origin.requests.count == 1, "this client rests")
            #expect(try await larder.get(path(1, 2)).status == 200)
        }
    }
}
