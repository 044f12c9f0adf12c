// Pages of the configured origins may read answers, also answers from memory. Pages of other origins must not.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct BrowserOriginScenarios {
    private static let app = ("Origin", "http://localhost:3000")
    private static let site = ("Sec-Fetch-Site", "same-site")

    private func withLarderForApp(_ body: (RunningLarder) async throws -> Void) async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let settings = "browserOrigins: [\"http://localhost:3000\"]\n" + BasicScenarios.itunes(origin)
        try await withLarder(settings) { larder in try await body(larder) }
    }

    @Test func anAllowedPageReads() async throws {
        try await withLarderForApp { larder in
            let answer = try await larder.get(CacheScenarios.search, Self.app, Self.site)
            #expect(answer.status == 200)
            #expect(answer["Access-Control-Allow-Origin"] == "http://localhost:3000")
            #expect(answer["Access-Control-Expose-Headers"]?.contains("Cache-Status") == true)
            #expect(answer["Access-Control-Allow-Credentials"] == nil)
            #expect(answer["Vary"]?.contains("Origin") == true)
        }
    }

    @Test func anAllowedPageReadsFromMemory() async throws {
        try await withLarderForApp { larder in
            for _ in 0..<2 { _ = try await larder.get(CacheScenarios.search) }
            let before = try await larder.counter("larder_memory_hits_total", #"provider="itunes""#)
            let answer = try await larder.get(CacheScenarios.search, Self.app, Self.site)
            #expect(answer["Access-Control-Allow-Origin"] == "http://localhost:3000")
            #expect(answer["Age"] != nil)
            #expect(try answer.json()["count"] != nil)
            #expect(try await larder.counter("larder_memory_hits_total", #"provider="itunes""#) == before + 1)
        }
    }

    @Test func aForeignPageReadsNothingFromMemory() async throws {
        try await withLarderForApp { larder in
            for _ in 0..<2 { _ = try await larder.get(CacheScenarios.search) }
            let answer = try await larder.get(CacheScenarios.search, ("Origin", "http://localhost:3001"), Self.site)
            #expect(answer.status == 403)
            #expect(answer["Access-Control-Allow-Origin"] == nil)
        }
    }

    @Test func aPageOfThisDaemonIsToldThatTheOriginCounts() async throws {
        try await withLarderForApp { larder in
            for _ in 0..<3 {
                let answer = try await larder.get(CacheScenarios.search, ("Sec-Fetch-Site", "same-origin"))
                #expect(answer["Vary"]?.contains("Origin") == true)
                #expect(answer["Access-Control-Allow-Origin"] == nil)
            }
        }
    }

    /// Caches between Larder and its clients must not give a page's answer to others, or theirs to a page. An API may
    /// say the same of its own answers, as TMDb does.
    @Test(arguments: ["", "Vary: Origin\r\n", "Vary: accept-encoding, origin\r\n"], ["16 MiB", "0"])
    func everyAnswerSaysOnceThatTheOriginCounts(_ vary: String, _ memory: String) async throws {
        let fields = "Content-Type: text/javascript; charset=utf-8\r\n" + vary
        let origin = ScriptedOrigin(answering: ok(BasicScenarios.song, fields: fields))
        defer { origin.stop() }
        let settings =
            "browserOrigins: [\"http://localhost:3000\"]\ncache: { memorySize: \(memory), minFree: 0 }\n"
            + BasicScenarios.itunes(origin)
        try await withLarder(settings) { larder in
            for target in ["/raw/itunes/search?term=jack+johnson", CacheScenarios.search] {
                for turn in 0..<4 {
                    for sender in [[], [Self.app, Self.site]] {
                        let answer = try await larder.send("GET", target, fields: sender)
                        #expect(answer.status == 200)
                        let names = (answer["Vary"] ?? "").lowercased().split(separator: ",")
                            .map { ASCII.trimmed($0) }
                        #expect(names.filter { $0 == "origin" }.count == 1, "\(target) \(turn): \(answer)")
                    }
                }
            }
            // The rest of the answers were hits.
            #expect(origin.requests.count == 1)
        }
    }

    @Test func theSettingDoesNotReachAListenerOfAProvider() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let listen = [#""127.0.0.1:0""#, #"{ address: "127.0.0.1:0", provider: itunes }"#]
        let settings = "browserOrigins: [\"http://localhost:3000\"]\n" + BasicScenarios.itunes(origin)
        try await withLarder(settings, listen: listen) { larder in
            for _ in 0..<3 {
                let plain = try await larder.send("GET", "/search?term=a", to: larder.addresses[1])
                #expect(plain.status == 200)
                #expect(plain["Vary"]?.contains("Origin") != true, "\(plain)")
                let page = try await larder.send(
                    "GET", "/search?term=a", fields: [Self.app, Self.site], to: larder.addresses[1])
                #expect(page.status == 403)
            }
        }
    }

    @Test func aBrowserIsToldWhatItMaySend() async throws {
        try await withLarderForApp { larder in
            let answer = try await larder.send(
                "OPTIONS", "/v1/search?q=a",
                fields: [Self.app, ("Access-Control-Request-Method", "GET"), Self.site])
            #expect(answer.status == 204)
            #expect(answer["Access-Control-Allow-Methods"] == "GET, HEAD")
            #expect(answer["Access-Control-Allow-Headers"]?.contains("Authorization") == false)
            #expect(answer["Access-Control-Allow-Origin"] == "http://localhost:3000")
        }
    }

    @Test(arguments: ["POST", "DELETE", "PUT"])
    func noChangeIsShared(_ method: String) async throws {
        try await withLarderForApp { larder in
            let answer = try await larder.send(method, "/v1/cache?all=1", fields: [Self.app, Self.site])
            #expect(answer.status == 403)
            #expect(try answer.json()["code"]?.string == "crossSite")
        }
    }

    @Test func noRouteThatNeedsAuthorityIsShared() async throws {
        let settings = "browserOrigins: [\"http://localhost:3000\"]\nadmin: { token: abc }"
        try await withLarder(settings) { larder in
            let answer = try await larder.get("/v1/uploads/a", Self.app, ("Authorization", "Bearer abc"))
            #expect(answer.status == 403)
            #expect(try answer.json()["code"]?.string == "crossSite")
        }
    }

    @Test func withoutOriginsNothingIsSaid() async throws {
        try await withLarder { larder in
            let answer = try await larder.get("/healthz", ("Sec-Fetch-Site", "same-origin"))
            #expect(answer["Vary"]?.contains("Origin") != true)
            #expect(try await larder.get("/healthz", Self.app).status == 403)
        }
    }
}
