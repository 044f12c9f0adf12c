// A host that may have missed removals uses nothing that it received before without a validation, whoever fetched it.
import LarderCore
import LarderDaemon
import LarderTestSupport
import Testing

@Suite(.enabled(if: SharedEngine.mayRun, "there is no redis-server or valkey-server on this machine"))
struct FleetGapScenarios {
    /// What breaks the chain of removals while a host does not listen.
    enum Break: CaseIterable {
        case restarted, flushed, trimmed

        func happen(to engine: SharedEngine) throws {
            switch self {
            case .restarted:
                engine.kill()
                try engine.start()
            case .flushed: try engine.command("FLUSHALL")
            case .trimmed: try engine.command("XTRIM", "larder:x", "MAXLEN", "1")
            }
        }
    }

    /// Answers with a tag that stays valid, for ten minutes and as stale for longer.
    private static func tagged() -> ScriptedOrigin {
        ScriptedOrigin { request in
            let fields = "Cache-Control: max-age=600, stale-while-revalidate=600\r\nETag: \"a\"\r\n"
            guard request.field("If-None-Match") != nil else { return [.send(ok("whole", fields: fields))] }
            return [.send("HTTP/1.1 304 Not Modified\r\n\(fields)\r\n")]
        }
    }

    private static func settings(_ origin: ScriptedOrigin, _ url: String) -> String {
        """
        providers:
          house: { kind: passthrough, baseURL: "\(origin.base)", shared: yes }
          apart: { kind: passthrough, baseURL: "\(origin.base)", shared: no }
        shared: { url: "\(url)", key: "\(Fleet.key)", timeout: 10s }
        admin: { token: \(Fleet.token) }
        """
    }

    /// Removes the thing, then another one, so that a stream that is trimmed to one order lacks the first.
    private func change(_ larder: RunningLarder) async throws {
        for query in ["url=/raw/house/thing", "url=/raw/house/other"] {
            let purged = try await larder.send(
                "DELETE", "/v1/cache?\(query)", fields: [("Authorization", "Bearer \(Fleet.token)")])
            #expect(try purged.json()["told"]?.bool == true, "\(purged)")
        }
    }

    @Test(arguments: Break.allCases)
    func aHostThatWasStoppedValidatesWhatItFetchedItself(_ way: Break) async throws {
        let engine = try SharedEngine()
        let origin = Self.tagged()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let settings = Self.settings(origin, engine.url)
        try await withLarder(settings, directory: directory) { two in
            try await Fleet.follow(two)
            _ = try await two.get("/raw/house/thing")
        }
        try await withLarder(settings) { one in
            try await Fleet.follow(one)
            try await change(one)
            try way.happen(to: engine)
        }
        try await withLarder(settings, directory: directory) { two in
            try await Fleet.follow(two)
            let answer = try await two.get("/raw/house/thing")
            #expect(origin.requests.last?.field("If-None-Match") == "\"a\"", "\(answer)")
            #expect(answer.status == 200 && answer.text == "whole" && origin.requests.count == 2, "\(answer)")
            let next = try await two.get("/raw/house/thing")
            #expect(origin.requests.count == 2, "once validated it is fresh: \(next)")
        }
    }

    @Test(arguments: Break.allCases)
    func aHostThatWasCutOffValidatesWhatItFetchedItself(_ way: Break) async throws {
        let engine = try SharedEngine()
        let origin = Self.tagged()
        defer { origin.stop() }
        let proxy = EngineProxy(to: engine.socket)
        defer { proxy.stop() }
        try await Fleet.two(Self.settings(origin, engine.url), Self.settings(origin, proxy.url)) { one, two in
            _ = try await two.get("/raw/house/thing")
            try await Fleet.published(two, 1)
            let gaps = try await Fleet.heard(two, "gap")
            proxy.set(.refuse)
            try await two.eventually("it is cut off") {
                try await two.get("/v1/status").json()["shared"]?["following"]?.bool == false
            }
            try await change(one)
            try way.happen(to: engine)
            proxy.set(.pass)
            try await two.eventually("it may have missed something") { try await Fleet.heard(two, "gap") > gaps }
            let answer = try await two.get("/raw/house/thing")
            #expect(origin.requests.last?.field("If-None-Match") == "\"a\"", "\(answer)")
        }
    }

    @Test func aProviderThatSharesNothingIsNotTouchedByAGap() async throws {
        let engine = try SharedEngine()
        let origin = Self.tagged()
        defer { origin.stop() }
        try await withLarder(Self.settings(origin, engine.url)) { larder in
            try await Fleet.follow(larder)
            _ = try await larder.get("/raw/apart/thing")
            try await gap(larder, engine)
            let answer = try await larder.get("/raw/apart/thing")
            #expect(origin.requests.count == 1, "\(answer)")
        }
    }

    @Test func afterAGapNothingOldCoversForAnUpstreamThatFails() async throws {
        let engine = try SharedEngine()
        let moods = CacheScenarios.Moods()
        let origin = ScriptedOrigin { _ in moods.current.withLock { $0 } }
        defer { origin.stop() }
        try await withLarder(Fleet.settings(origin, engine.url)) { larder in
            try await Fleet.follow(larder)
            _ = try await larder.get(CacheScenarios.search)
            let before = try await larder.get("/v1/local?q=upside").json()["results"]?.elements.map { $0 }.count
            #expect(before ?? 0 > 0)
            moods.set("HTTP/1.1 503 Away\r\nContent-Length: 0\r\n\r\n")
            try await gap(larder, engine)
            let answer = try await larder.get(CacheScenarios.search)
            #expect(answer.status >= 500, "\(answer)")
            let found = try await larder.get("/v1/local?q=upside").json()["results"]?.elements.map { $0 }.count
            #expect(found == 0, "what may have been removed is not found either")
        }
    }

    /// Lets a host miss what the engine forgot.
    private func gap(_ larder: RunningLarder, _ engine: SharedEngine) async throws {
        let gaps = try await Fleet.heard(larder, "gap")
        try Break.restarted.happen(to: engine)
        try await larder.eventually("it may have missed something") { try await Fleet.heard(larder, "gap") > gaps }
    }
}
