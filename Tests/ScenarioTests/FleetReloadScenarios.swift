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
        func settings(timeout: String) -> String {
            let more = "fetch: { deadline: 120s, queueTimeout: 120s }"
            return Fleet.settings(origin, engine.url, timeout: timeout, more: more, quota: "on")
                .replacing("rate: off", with: "rate: 60/h")
        }
        // A new ledger grants nothing while a host that gives signs of life has not reported its calls. The last sign
        // of this one lies ahead, so it does not get old.
        let sign = "local t=redis.call('TIME') return redis.call('HSET','larder:h','other',(t[1]+500)..' {}')"
        try engine.command("EVAL", sign, "0")
        try await withReloadable(settings(timeout: "10s"), patience: .seconds(120)) { larder, reload in
            async let answer = larder.get(Self.target)
            try await larder.eventually("the call waits for the ledger") {
                try await larder.counter("larder_shared_calls_total", #"result="waited""#) == 1
            }
            await reload(settings(timeout: "9s"))
            try await larder.eventually("it waits for the ledger of the tier that is in force now") {
                try await larder.counter("larder_shared_calls_total", #"result="waited""#) == 2
            }
            #expect(origin.requests.isEmpty)
            try engine.command("HDEL", "larder:h", "other")
            #expect(try await answer.status == 200)
            #expect(origin.requests.count == 1)
        }
    }

    /// Runs a host whose settings the body can change.
    private func withReloadable(
        _ settings: String, patience: Duration? = nil,
        _ body: (RunningLarder, (String) async -> Void) async throws -> Void
    ) async throws {
        let directory = TemporaryDirectory()
        try await withLarder(settings, directory: directory, fleetPatience: patience) { larder in
            try await body(larder) { await larder.reload($0) }
        }
    }
}
