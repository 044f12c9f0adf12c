// States of an engine besides up and down: silent, full, a replica, with a password, with another clock, with foreign
// keys. None of them is an error to a client, and each is counted. The refusals are those of a real engine.
import LarderCore
import LarderDaemon
import LarderTestSupport
import Testing

@Suite(.enabled(if: SharedEngine.mayRun, "there is no redis-server or valkey-server on this machine"))
struct FleetEngineScenarios {
    private static let target = "/raw/itunes/search?term=a"

    private func failures(_ larder: RunningLarder, _ word: String) async throws -> Int {
        try await larder.counter("larder_shared_failures_total", "class=\"\(word)\"")
    }

    /// Sends this many requests, none of which may fail.
    private func ask(_ larder: RunningLarder, _ count: Int) async throws {
        for number in 0..<count {
            let answer = try await larder.get("/raw/itunes/search?term=song+\(number)")
            #expect(answer.status == 200, "\(answer)")
        }
    }

    // MARK: Silence

    /// `SharedClientTests` tests how long one operation takes, with its own clock. This test counts how many requests
    /// wait: three failures open the breaker, then one request tries the engine after each pause: not ten a minute.
    @Test func anEngineThatSaysNothingHoldsNobodyUpForLong() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let proxy = EngineProxy(to: engine.socket)
        defer { proxy.stop() }
        try await withLarder(Fleet.settings(origin, proxy.url, timeout: "50ms")) { larder in
            proxy.set(.stall)
            try await ask(larder, 40)
            let asked = try await larder.counter("larder_shared_lookups_total", #"result="failed""#)
            let notAsked = try await larder.counter("larder_shared_lookups_total", #"result="notAsked""#)
            #expect((1...13).contains(asked) && asked + notAsked == 40, "\(asked), \(notAsked)")
            #expect(origin.requests.count == 40)
        }
    }

    @Test func whatWaitsForAConnectionThatEndsWithItsGreetingIsAMiss() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let proxy = EngineProxy(to: engine.socket)
        defer { proxy.stop() }
        // "+PONG" with its line end, and no further byte.
        proxy.set(.cut(7))
        try await withLarder(Fleet.settings(origin, proxy.url)) { larder in
            try await withThrowingTaskGroup(of: WireResponse.self) { group in
                for number in 0..<24 {
                    group.addTask { try await larder.get("/raw/itunes/search?term=song+\(number)") }
                }
                for try await answer in group { #expect(answer.status == 200, "\(answer)") }
            }
            #expect(try await failures(larder, "cut") > 0)
            #expect(origin.requests.count == 24)
        }
    }

    // MARK: Clocks

    @Test(arguments: [-3600, 3600])
    func hostsWhoseClocksAreAnHourApartTellTheSameTimeLeft(_ seconds: Int) async throws {
        func left(_ answer: WireResponse) throws -> Int {
            let status = try #require(answer["Cache-Status"])
            let word = try #require(status.split(separator: ";").first { $0.hasPrefix(" ttl=") }, "\(answer)")
            return try #require(Int(word.dropFirst(5)))
        }
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let (time, other) = (ManualTime(), ManualTime())
        other.step(by: .seconds(seconds))
        let settings = Fleet.settings(origin, engine.url, provider: "    ttl: 30min")
        try await withLarder(settings, time: time) { one in
            try await withLarder(settings, time: other) { two in
                _ = try await one.get(Self.target)
                try await Fleet.published(one, 1)
                let mine = try await one.get(Self.target)
                let shared = try await two.get(Self.target)
                #expect(shared["Cache-Status"]?.contains("detail=shared") == true, "\(shared)")
                // The engine's clock advanced in the meantime. The hosts' clocks did not.
                let difference = try left(mine) - left(shared)
                #expect((-1...120).contains(difference), "\(mine) \(shared)")
                #expect(try (1600...1800).contains(left(shared)))
                #expect(origin.requests.count == 1)
            }
        }
    }

    // MARK: A full engine

    /// A body that no coding makes much smaller.
    private static func large(_ number: Int) -> String {
        var state = UInt64(number) &+ 0x9E37_79B9_7F4A_7C15
        let text = (0..<12_000).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return String(state, radix: 36)
        }
        return ok(
            "{\"resultCount\":0,\"results\":[],\"text\":\"\(text.joined())\"}",
            fields: "Content-Type: application/json\r\n")
    }

    @Test func anEngineThatEvictsCostsHitsAndNothingElse() async throws {
        let engine = try SharedEngine("--maxmemory", "4mb", "--maxmemory-policy", "allkeys-lru")
        let count = Lock(0)
        let origin = ScriptedOrigin { _ in
            let number = count.withLock { count -> Int in
                count += 1
                return count
            }
            return [.send(Self.large(number))]
        }
        defer { origin.stop() }
        try await Fleet.two(Fleet.settings(origin, engine.url)) { one, two in
            try await ask(one, 40)
            try await one.eventually("the engine evicts") {
                try !engine.command("INFO", "stats").contains("evicted_keys:0")
            }
            try await ask(two, 40)
            #expect(origin.requests.count > 40, "some were evicted")
            #expect(try await two.counter("larder_shared_lookups_total", #"result="absent""#) > 0)
            #expect(try await two.get("/v1/status").json()["shared"]?["breaker"]?.string == "closed")
        }
    }

    @Test func anEngineThatIsFullAndDoesNotEvictIsCounted() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await Fleet.two(Fleet.settings(origin, engine.url)) { one, two in
            try await ask(one, 1)
            try await Fleet.published(one, 1)
            try engine.command("CONFIG", "SET", "maxmemory", "1")
            try await ask(two, 6)
            #expect(try await failures(two, "outOfMemory") > 0)
            #expect(try await two.counter("larder_shared_lookups_total", #"result="hit""#) == 1, "look-ups go on")
            #expect(try await two.get("/v1/status").json()["shared"]?["breaker"]?.string == "closed")
            #expect(origin.requests.count == 6)
        }
    }

    // MARK: Refusals of a real engine

    @Test(arguments: [nil, "password: a-wrong-one"])
    func aPasswordThatIsMissingOrWrongIsCounted(_ words: String?) async throws {
        let engine = try SharedEngine("--requirepass", "a-password")
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        var settings = Fleet.settings(origin, engine.url)
        if let words { settings = settings.replacing("timeout:", with: "\(words), timeout:") }
        try await withLarder(settings) { larder in
            try await ask(larder, 6)
            #expect(try await failures(larder, "noAuth") > 0)
        }
    }

    @Test func aReplicaWhoseMasterDiedIsReadAndNotWritten() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await Fleet.two(Fleet.settings(origin, engine.url)) { one, two in
            try await ask(one, 1)
            try await Fleet.published(one, 1)
            // Nobody listens at that port.
            try engine.command("REPLICAOF", "127.0.0.1", "1")
            try await ask(two, 6)
            #expect(try await failures(two, "readOnly") > 0)
            #expect(try await two.counter("larder_shared_lookups_total", #"result="hit""#) == 1, "look-ups go on")
            #expect(try await two.get("/v1/status").json()["shared"]?["breaker"]?.string == "closed")
        }
    }

    @Test func aReplicaThatServesNothingStaleIsLeftAlone() async throws {
        let engine = try SharedEngine("--replicaof", "127.0.0.1", "1", "--replica-serve-stale-data", "no")
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(Fleet.settings(origin, engine.url)) { larder in
            try await ask(larder, 6)
            #expect(try await failures(larder, "loading") > 0)
            // The breaker is open for a short time only. On a slow machine that time may pass between two requests.
            let number = Lock(100)
            try await larder.eventually("a request does not ask it") {
                let next = number.withLock { number -> Int in
                    number += 1
                    return number
                }
                let answer = try await larder.get("/raw/itunes/search?term=song+\(next)")
                #expect(answer.status == 200, "\(answer)")
                return try await larder.counter("larder_shared_lookups_total", #"result="notAsked""#) > 0
            }
        }
    }

    @Test func aLeaseThatIsSomebodyElsesListIsCounted() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await Fleet.two(Fleet.settings(origin, engine.url)) { one, two in
            _ = try await one.get(Self.target)
            try await Fleet.published(one, 1)
            let name = try #require(try engine.values().first)
            try engine.command("DEL", name)
            // The host publishes first and gives its lease back after that.
            try await one.eventually("the lease is given back") {
                try engine.command("EXISTS", "\(name):l").hasPrefix(":0")
            }
            #expect(try engine.command("RPUSH", "\(name):l", "a").hasPrefix(":1"))
            let answer = try await two.get(Self.target)
            #expect(answer.status == 200 && origin.requests.count == 2, "\(answer)")
            #expect(try await failures(two, "wrongType") > 0)
        }
    }

    @Test func aValueThatIsSomebodyElsesListIsAMiss() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await Fleet.two(Fleet.settings(origin, engine.url)) { one, two in
            _ = try await one.get(Self.target)
            try await Fleet.published(one, 1)
            let name = try #require(try engine.values().first)
            try engine.command("DEL", name)
            try engine.command("RPUSH", name, "a")
            let answer = try await two.get(Self.target)
            #expect(answer.status == 200 && origin.requests.count == 2, "\(answer)")
        }
    }
}
