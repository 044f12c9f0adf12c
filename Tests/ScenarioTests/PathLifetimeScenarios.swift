// Lifetimes by path of an API of one's own, and how a request is told of them.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct PathLifetimeScenarios {
    private static func origin() -> ScriptedOrigin {
        ScriptedOrigin { request in [.send(ok("answer", fields: request.target == "/told" ? told : ""))] }
    }
    private static let told = "Cache-Control: max-age=600\r\n"

    private static func settings(_ origin: ScriptedOrigin, _ more: String) -> String {
        """
        providers: { api: { kind: passthrough, baseURL: "\(origin.base)", \(more) } }
        cache: { jitter: 0 }
        """
    }

    @Test func theExplanationNamesTheSetting() async throws {
        let origin = Self.origin()
        defer { origin.stop() }
        try await withLarder(Self.settings(origin, "ttl: 1h")) { larder async throws in
            for (path, rule) in [("/a", "fallbackTTL"), ("/told", "maxAge")] {
                let id = try #require(try await larder.get("/raw/api\(path)")["X-Request-Id"])
                let explained = try await larder.get("/v1/explain/\(id)").json()
                let source = try #require(explained["sources"]?.elements.first { _ in true })
                #expect(source["storing"]?["name"]?.string == rule, "\(source)")
            }
        }
    }

    @Test func underTTLAPathHasItsOwnLifetimeWhateverTheAnswerSays() async throws {
        let origin = Self.origin()
        defer { origin.stop() }
        let settings = Self.settings(origin, "semantics: ttl, ttl: { /told: 100s, \"*\": 1h }")
        try await withLarder(settings, time: ManualTime()) { larder async throws in
            for (path, left) in [("/told", 100), ("/a", 3600)] {
                _ = try await larder.get("/raw/api\(path)")
                #expect(try await larder.get("/raw/api\(path)")["Cache-Status"] == "larder; hit; ttl=\(left)")
            }
        }
    }
}
