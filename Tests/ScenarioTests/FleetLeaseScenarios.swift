// One call for a fleet: a host that misses what another host is fetching waits for that fetch, and for nothing longer.
import LarderCore
import LarderDaemon
import LarderTestSupport
import Testing

@Suite(.enabled(if: SharedEngine.mayRun, "there is no redis-server or valkey-server on this machine"))
struct FleetLeaseScenarios {
    static let target = "/raw/itunes/search?term=a"
    /// A fetch and the wait for it must not end by themselves while a slow machine takes its time.
    private static let patience = Duration.seconds(120)

    private func settings(_ origin: ScriptedOrigin, _ engine: SharedEngine) -> String {
        Fleet.settings(origin, engine.url, more: "fetch: { deadline: 120s }")
    }

    private func waits(_ larder: RunningLarder, _ result: String = "waited") async throws -> Int {
        try await larder.counter("larder_shared_lease_waits_total", "result=\"\(result)\"")
    }

    @Test func identicalMissesOfSeveralHostsAreOneCall() async throws {
        let engine = try SharedEngine()
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .send(CacheScenarios.song)] }
        defer { origin.stop() }
        let settings = settings(origin, engine)
        try await Fleet.two(settings, patience: Self.patience) { one, two in
            try await withLarder(settings, fleetPatience: Self.patience) { three in
                try await Fleet.follow(three)
                async let first = one.get(Self.target)
                try await one.eventually("it is under way") { origin.requests.count == 1 }
                async let second = two.get(Self.target)
                async let third = three.get(Self.target)
                try await two.eventually("the second waits") { try await waits(two) == 1 }
                try await three.eventually("the third waits") { try await waits(three) == 1 }
                gate.open()
                for answer in [try await first, try await second, try await third] {
                    #expect(answer.status == 200, "\(answer)")
                }
                #expect(origin.requests.count == 1)
            }
        }
    }

    @Test func aThousandIdenticalMissesOfThreeHostsAreOneCall() async throws {
        let engine = try SharedEngine()
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .send(CacheScenarios.song)] }
        defer { origin.stop() }
        let settings = settings(origin, engine)
        try await Fleet.two(settings, patience: Self.patience) { one, two in
            try await withLarder(settings, fleetPatience: Self.patience) { three in
                try await Fleet.follow(three)
                async let first = crowd(334, on: one)
                try await one.eventually("all have joined") {
                    try await one.counter("larder_joined_total") == 333
                }
                async let second = crowd(333, on: two)
                async let third = crowd(333, on: three)
                for host in [two, three] {
                    try await host.eventually("all have joined, and the host waits") {
                        let joined = try await host.counter("larder_joined_total")
                        return try await waits(host) == 1 && joined == 332
                    }
                }
                gate.open()
                let answered = try await first + second + third
                #expect(answered == 1000)
                #expect(origin.requests.count == 1)
            }
        }
    }

    /// This many clients ask for the same at once. Returns how many were answered.
    private func crowd(_ count: Int, on larder: RunningLarder) async throws -> Int {
        let address = larder.address
        return try await onOwnThread {
            var clients: [WireClient] = []
            for _ in 0..<count { clients.append(try WireClient(address)) }
            for client in clients { try client.send("GET \(Self.target) HTTP/1.1\r\nHost: localhost\r\n\r\n") }
            return try clients.reduce(0) { try $0 + ($1.receive().status == 200 ? 1 : 0) }
        }
    }

    @Test func callsOfAFleetAreWithinATenthOfThoseOfOneSharedCache() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let settings = settings(origin, engine)
        try await Fleet.two(settings, patience: Self.patience) { one, two in
            try await withLarder(settings, fleetPatience: Self.patience) { three in
                try await Fleet.follow(three)
                var random = SeededGenerator(7)
                // A few answers are asked for often, many seldom.
                let asked = (0..<240).map { _ in
                    min(Int.random(in: 1...60, using: &random), Int.random(in: 1...60, using: &random))
                }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for worker in 0..<12 {
                        group.addTask {
                            for place in stride(from: worker, to: asked.count, by: 12) {
                                let host = [one, two, three][place % 3]
                                let answer = try await host.get("/raw/itunes/search?term=song+\(asked[place])")
                                #expect(answer.status == 200, "\(answer)")
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let different = Set(asked).count
                #expect(different > 20 && origin.requests.count >= different)
                #expect(origin.requests.count * 10 <= different * 11, "\(origin.requests.count) of \(different)")
            }
        }
    }

    @Test func theLeaseOfAFetchHasNeverMoreThanItsTermLeft() async throws {
        let engine = try SharedEngine()
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .send(CacheScenarios.song)] }
        defer { origin.stop() }
        try await withLarder(settings(origin, engine)) { larder in
            async let answer = larder.get(Self.target)
            let left = Lock(0)
            try await larder.eventually("the lease is out") {
                let names = try engine.command("KEYS", "*:v1:*:l").split(separator: "\r\n")
                guard let name = names.last, names.count > 1 else { return false }
                let milliseconds = try engine.command("PTTL", String(name)).dropFirst().prefix { $0 != "\r\n" }
                left.withLock { $0 = Int(milliseconds) ?? 0 }
                return left.withLock { $0 > 0 }
            }
            #expect(left.withLock { $0 } <= 2000)
            gate.open()
            #expect(try await answer.status == 200)
        }
    }

    @Test func theLeaseOfAHostThatDiedLapses() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await Fleet.two(settings(origin, engine), patience: Self.patience) { one, two in
            _ = try await one.get(Self.target)
            try await Fleet.published(one, 1)
            let name = try #require(try engine.values().first)
            try engine.command("DEL", name)
            try engine.command("SET", "\(name):l", "a-host-that-died")
            async let waiting = two.get(Self.target)
            try await two.eventually("it waits") { try await waits(two) == 1 }
            try engine.command("PEXPIRE", "\(name):l", "1")
            let answer = try await waiting
            #expect(answer.status == 200 && origin.requests.count == 2, "\(answer)")
            #expect(try await waits(two) == 1)
        }
    }

    @Test func whereNothingIsPublishedTheOthersGoThemselves() async throws {
        let engine = try SharedEngine()
        let gate = Gate()
        let origin = ScriptedOrigin { _ in
            [.await(gate), .send(ok(BasicScenarios.song, fields: "Cache-Control: no-store\r\n"))]
        }
        defer { origin.stop() }
        try await Fleet.two(settings(origin, engine), patience: Self.patience) { one, two in
            async let first = one.get(Self.target)
            try await one.eventually("it is under way") { origin.requests.count == 1 }
            async let second = two.get(Self.target)
            try await two.eventually("the second waits") { try await waits(two) == 1 }
            gate.open()
            for answer in [try await first, try await second] { #expect(answer.status == 200, "\(answer)") }
            #expect(origin.requests.count == 2)
            #expect(try await waits(two, "settled") == 1)
        }
    }

    @Test func withLeasesSwitchedOffNobodyWaits() async throws {
        let engine = try SharedEngine()
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .send(CacheScenarios.song)] }
        defer { origin.stop() }
        let settings = settings(origin, engine).replacing("timeout:", with: "leases: off, timeout:")
        try await Fleet.two(settings, patience: Self.patience) { one, two in
            async let first = one.get(Self.target)
            async let second = two.get(Self.target)
            try await one.eventually("both are under way") { origin.requests.count == 2 }
            gate.open()
            for answer in [try await first, try await second] { #expect(answer.status == 200, "\(answer)") }
        }
    }
}
