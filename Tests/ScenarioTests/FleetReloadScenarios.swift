// A reload, a restart or a time without the tier loses no removal. A removed answer is not read from the tier again.
import LarderCore
import LarderDaemon
import LarderTestSupport
import Testing

@Suite(.enabled(if: SharedEngine.mayRun, "there is no redis-server or valkey-server on this machine"))
struct FleetReloadScenarios {
    private static let target = "/raw/itunes/search?term=a"

    private func purge(_ larder: RunningLarder) async throws -> WireResponse {
        try await larder.send(
            "DELETE", "/v1/cache?provider=itunes", fields: [("Authorization", "Bearer \(Fleet.token)")])
    }

    @Test func aRemovalThatWaitsIsToldByTheTierAfterAReload() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let proxy = EngineProxy(to: engine.socket)
        defer { proxy.stop() }
        try await withLarder(Fleet.settings(origin, engine.url)) { two in
            _ = try await two.get(Self.target)
            try await Fleet.published(two, 1)
            try await withReloadable(Fleet.settings(origin, proxy.url)) { one, reload in
                _ = try await one.get(Self.target)
                #expect(origin.requests.count == 1)
                proxy.set(.refuse)
                #expect(try await purge(one).json()["told"]?.bool == false)
                await reload(Fleet.settings(origin, engine.url))
                _ = try await one.get(Self.target)
                #expect(origin.requests.count == 2, "what was removed is not read from the new tier")
                try await two.eventually("the other host has heard") {
                    try await two.counter("larder_shared_removals_heard_total", "result=\"order\"") >= 1
                }
            }
        }
    }

    @Test func whatWasRemovedWhileAHostStoodAloneIsNotReadFromTheTierLater() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let shared = Fleet.settings(origin, engine.url)
        let alone = BasicScenarios.itunes(origin) + "\nadmin: { token: \(Fleet.token) }"
        try await withLarder(shared, directory: directory) { larder in
            _ = try await larder.get(Self.target)
            try await Fleet.published(larder, 1)
        }
        try await withLarder(alone, directory: directory) { _ = try await purge($0) }
        try await withLarder(shared, directory: directory) { larder in
            _ = try await larder.get(Self.target)
            #expect(origin.requests.count == 2)
        }
    }

    @Test func aRestartAloneRemovesNothingFromTheTier() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let shared = Fleet.settings(origin, engine.url)
        try await withLarder(shared, directory: directory) { larder in
            _ = try await larder.get(Self.target)
            try await Fleet.published(larder, 1)
        }
        try await withLarder(shared, directory: directory) { _ in }
        try await withLarder(shared) { other in
            let answer = try await other.get(Self.target)
            #expect(origin.requests.count == 1, "\(answer)")
        }
    }

    @Test func aCallThatWaitsForItsBudgetGoesOnWithTheTierAfterAReload() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        // A new ledger grants nothing for three seconds.
        try await withReloadable(Fleet.settings(origin, engine.url, quota: "on")) { larder, reload in
            async let answer = larder.get(Self.target)
            try await larder.eventually("it has asked the ledger") {
                try engine.command("KEYS", "larder:q:*").contains("larder:q:")
            }
            await reload(Fleet.settings(origin, engine.url, timeout: "9s", quota: "on"))
            #expect(try await answer.status == 200)
        }
    }

    /// Runs a host whose settings the body can change.
    private func withReloadable(
        _ settings: String, _ body: (RunningLarder, (String) async -> Void) async throws -> Void
    ) async throws {
        let directory = TemporaryDirectory()
        try await withLarder(settings, directory: directory) { larder in
            try await body(larder) { text in
                directory.write("larder.yaml", "listen: [\"127.0.0.1:0\"]\n" + text)
                await larder.daemon.reload()
            }
        }
    }
}
