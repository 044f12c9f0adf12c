// If an API tells one host that it calls too often, or a person suspends the API there, all hosts stop calling it.
import LarderCore
import LarderDaemon
import LarderTestSupport
import Testing

@Suite(.enabled(if: SharedEngine.mayRun, "there is no redis-server or valkey-server on this machine"))
struct FleetSuspensionScenarios {
    private static let limited = "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 600\r\nContent-Length: 0\r\n\r\n"

    private func settings(_ origin: ScriptedOrigin, _ engine: SharedEngine) -> String {
        Fleet.settings(origin, engine.url, quota: "on")
    }

    private func heard(_ larder: RunningLarder) async throws -> Int {
        try await larder.counter("larder_shared_suspensions_heard_total", "result=\"begun\"")
    }

    /// Two hosts. The first one has its own clock.
    private func withHosts(
        _ settings: String, time: any TimeSource, _ body: (RunningLarder, RunningLarder) async throws -> Void
    ) async throws {
        try await withLarder(settings, time: time) { one in
            try await withLarder(settings) { two in try await body(one, two) }
        }
    }

    @Test func whatTheAPITellsOneHostTheOthersHeed() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin { _ in [.send(Self.limited)] }
        defer { origin.stop() }
        try await Fleet.two(settings(origin, engine)) { one, two in
            try await Fleet.follow(one, two)
            _ = try await one.get("/v1/itunes/search?q=first")
            #expect(origin.requests.count == 1)
            try await two.eventually("the other has heard") { try await heard(two) >= 1 }
            let answer = try await two.get("/v1/itunes/search?q=second")
            #expect(answer.status == 429 && origin.requests.count == 1, "\(answer)")
        }
    }

    @Test func aHostThatComesLaterHeedsItToo() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin { _ in [.send(Self.limited)] }
        defer { origin.stop() }
        try await withLarder(settings(origin, engine)) { one in
            _ = try await one.get("/v1/itunes/search?q=first")
            try await one.eventually("it is told") { try engine.command("KEYS", "larder:s:*").contains("larder:s:") }
            try await withLarder(settings(origin, engine)) { late in
                try await Fleet.follow(late)
                try await late.eventually("it rests there") {
                    try await late.get("/v1/itunes/search?q=second").status == 429
                }
                #expect(origin.requests.count == 1)
            }
        }
    }

    @Test func aConnectionThatFailsIsTheHostsOwnMatter() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin { _ in [.reset] }
        defer { origin.stop() }
        try await withLarder(settings(origin, engine)) { one in
            try await Fleet.follow(one)
            for number in 0..<6 { _ = try await one.get("/v1/itunes/search?q=a\(number)") }
            #expect(try await one.counter("larder_suspensions_total", "provider=\"itunes\"") >= 1)
            #expect(try !engine.command("KEYS", "larder:s:*").contains("larder:s:"))
        }
    }

    @Test func aRestThatAPersonBeganHoldsForAllUntilItIsEnded() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let fields = [("Authorization", "Bearer \(Fleet.token)")]
        try await Fleet.two(settings(origin, engine)) { one, two in
            try await Fleet.follow(one, two)
            let begun = try await one.send("POST", "/v1/providers/itunes/suspend?for=10m", fields: fields)
            #expect(begun.status == 200, "\(begun)")
            try await two.eventually("the other has heard") { try await heard(two) >= 1 }
            #expect(try await two.get("/v1/itunes/search?q=a").status == 503)
            let ended = try await two.send("POST", "/v1/providers/itunes/resume", fields: fields)
            #expect(ended.status == 200, "\(ended)")
            try await one.eventually("the first calls again") {
                try await one.get("/v1/itunes/search?q=a").status == 200
            }
            #expect(try !engine.command("KEYS", "larder:s:*").contains("larder:s:"))
        }
    }

    @Test func aForgedSuspensionIsNotHeeded() async throws {
        let engine = try SharedEngine()
        let isLimited = Lock(true)
        let origin = ScriptedOrigin { _ in
            [.send(isLimited.withLock { $0 } ? Self.limited : CacheScenarios.song)]
        }
        defer { origin.stop() }
        try await withLarder(settings(origin, engine)) { one in
            _ = try await one.get("/v1/itunes/search?q=first")
            try await one.eventually("it is told") { try engine.command("KEYS", "larder:s:*").contains("larder:s:") }
        }
        let keys = try engine.command("KEYS", "larder:s:*")
        let key = try #require(keys.split(separator: "\r\n").first { $0.hasPrefix("larder:s:") })
        try engine.command("APPEND", String(key), "x")
        isLimited.withLock { $0 = false }
        try await withLarder(settings(origin, engine)) { late in
            try await Fleet.follow(late)
            #expect(try await late.get("/v1/itunes/search?q=second").status == 200)
        }
    }

    @Test func aRestOfAnotherHostsOwnConnectionIsNotEnded() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin { _ in [.reset] }
        defer { origin.stop() }
        let fields = [("Authorization", "Bearer \(Fleet.token)")]
        // The rest lasts a few seconds. With a real clock it would end by itself on a slow machine.
        try await withHosts(settings(origin, engine), time: ManualTime()) { one, two in
            try await Fleet.follow(one, two)
            for number in 0..<6 { _ = try await one.get("/v1/itunes/search?q=a\(number)") }
            #expect(try await one.counter("larder_suspensions_total", "provider=\"itunes\"") == 1)
            _ = try await two.send("POST", "/v1/providers/itunes/resume", fields: fields)
            try await one.eventually("it has heard") {
                try await one.counter("larder_shared_suspensions_heard_total", "result=\"ended\"") >= 1
            }
            let calls = origin.requests.count
            _ = try await one.get("/v1/itunes/search?q=again")
            #expect(origin.requests.count == calls, "it rests")
        }
    }

    @Test func anEndThatCouldNotBeToldIsToldWhenTheEngineIsBack() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let proxy = EngineProxy(to: engine.socket)
        defer { proxy.stop() }
        let fields = [("Authorization", "Bearer \(Fleet.token)")]
        try await Fleet.two(Fleet.settings(origin, proxy.url, timeout: "300ms", quota: "on"), settings(origin, engine))
        {
            one, two in
            try await Fleet.follow(one, two)
            _ = try await one.send("POST", "/v1/providers/itunes/suspend?for=10m", fields: fields)
            try await two.eventually("the other has heard") { try await heard(two) >= 1 }
            proxy.set(.refuse)
            _ = try await one.send("POST", "/v1/providers/itunes/resume", fields: fields)
            proxy.set(.pass)
            try await two.eventually("the other calls again") {
                try await two.get("/v1/itunes/search?q=a").status == 200
            }
        }
    }
}
