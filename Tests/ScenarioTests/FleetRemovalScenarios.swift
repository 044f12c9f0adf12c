// What one host removes, the other hosts remove from their stores: soon if they listen, else when they listen again.
import LarderCore
import LarderDaemon
import LarderTestSupport
import Testing

@Suite(.enabled(if: SharedEngine.mayRun, "there is no redis-server or valkey-server on this machine"))
struct FleetRemovalScenarios {
    private static let target = "/raw/itunes/search?term=a"

    private func purge(_ larder: RunningLarder, _ query: String) async throws -> WireResponse {
        try await larder.send("DELETE", "/v1/cache?\(query)", fields: [("Authorization", "Bearer \(Fleet.token)")])
    }

    @Test(arguments: ["provider=itunes", "term=a", "all=1", "url=/raw/itunes/search?term=a", "prefix=/raw/itunes"])
    func aPurgeOnOneOfThreeHostsRemovesFromTheStoresOfAll(_ query: String) async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let settings = Fleet.settings(origin, engine.url)
        try await Fleet.two(settings) { one, two in
            try await withLarder(settings) { three in
                try await Fleet.follow(one, two, three)
                _ = try await one.get(Self.target)
                try await Fleet.published(one, 1)
                for host in [two, three] { _ = try await host.get(Self.target) }
                #expect(origin.requests.count == 1)
                let purged = try await purge(three, query).json()
                #expect(purged["told"]?.bool == true, "\(purged)")
                for host in [one, two] {
                    try await host.eventually("it is removed there") { try await Fleet.heard(host) >= 1 }
                }
                try await one.eventually("the stores of the others are empty") {
                    for host in [one, two] {
                        let answer = try await host.get("/v1/entries?provider=itunes").json()
                        guard answer["entries"].map({ Array($0.elements) })?.isEmpty == true else { return false }
                    }
                    return true
                }
            }
        }
    }

    @Test func aPurgeSaysWhichHostsHaveNotCarriedItOut() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let proxy = EngineProxy(to: engine.socket)
        defer { proxy.stop() }
        try await Fleet.two(
            Fleet.settings(origin, engine.url), Fleet.settings(origin, proxy.url)
        ) { one, two in
            try await Fleet.follow(one, two)
            try await one.eventually("both have given a sign of life") {
                try engine.command("HLEN", "larder:h").hasPrefix(":2")
            }
            try await one.eventually("the other has carried one out") {
                let reached = try await purge(one, "provider=itunes").json()
                return reached["unconfirmed"].map { Array($0.elements).isEmpty } == true
            }
            proxy.set(.stall)
            let missed = try await purge(one, "provider=itunes").json()
            #expect(missed["unconfirmed"]?.elements.map { $0.string }.count == 1, "\(missed)")
        }
    }

    @Test func anUnsafeRequestOnOneHostRemovesOnTheOthers() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin { _ in [.send(ok("text", fields: "Cache-Control: max-age=600\r\n"))] }
        defer { origin.stop() }
        let settings = """
            providers:
              house: { kind: passthrough, baseURL: "\(origin.base)", shared: yes }
            shared: { url: "\(engine.url)", key: "\(Fleet.key)", timeout: 10s }
            """
        try await Fleet.two(settings) { one, two in
            try await Fleet.follow(two)
            for host in [one, two] { _ = try await host.get("/raw/house/thing") }
            let before = origin.requests.count
            _ = try await one.send("POST", "/raw/house/thing", body: "new")
            try await two.eventually("it has heard") { try await Fleet.heard(two) >= 1 }
            let answer = try await two.get("/raw/house/thing")
            #expect(origin.requests.count == before + 2, "\(answer)")
        }
    }

    @Test func aGroupThatAnUnsafeRequestInvalidatesIsRemovedOnTheOthers() async throws {
        let engine = try SharedEngine()
        let groups = "Cache-Groups: \"shelf\"\r\nCache-Group-Invalidation: \"shelf\"\r\n"
        let origin = ScriptedOrigin { _ in [.send(ok("text", fields: "Cache-Control: max-age=600\r\n" + groups))] }
        defer { origin.stop() }
        let settings = """
            providers:
              house: { kind: passthrough, baseURL: "\(origin.base)", shared: yes }
            shared: { url: "\(engine.url)", key: "\(Fleet.key)", timeout: 10s }
            """
        try await Fleet.two(settings) { one, two in
            try await Fleet.follow(two)
            _ = try await two.get("/raw/house/thing")
            let before = origin.requests.count
            _ = try await one.send("POST", "/raw/house/other", body: "new")
            try await two.eventually("it has heard of the URL and of the group") { try await Fleet.heard(two) >= 2 }
            _ = try await two.get("/raw/house/thing")
            #expect(origin.requests.count == before + 2)
        }
    }

    @Test func aSilentHostHasNotCarriedOutAPurge() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(Fleet.settings(origin, engine.url)) { try await Fleet.follow($0) }
        // That host has left. Its last sign of life gets older by a minute.
        try engine.command(
            "EVAL",
            "local h=redis.call('HGETALL','larder:h') "
                + "return redis.call('HSET','larder:h',h[1],(string.gsub(h[2],'^%d+',function(t) return t-60 end)))",
            "0")
        try await withLarder(Fleet.settings(origin, engine.url)) { larder in
            try await Fleet.follow(larder)
            let purged = try await purge(larder, "provider=itunes").json()
            #expect(purged["unconfirmed"]?.elements.map { $0.string }.count == 1, "\(purged)")
        }
    }

    @Test func aStreamThatCannotBeReadIsAGap() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(Fleet.settings(origin, engine.url)) { larder in
            try await Fleet.follow(larder)
            let gaps = try await Fleet.heard(larder, "gap")
            try engine.command("SET", "larder:x", "no stream")
            try await larder.eventually("it may have missed something") {
                try await Fleet.heard(larder, "gap") > gaps
            }
        }
    }

    @Test func whoMayHaveMissedARemovalUsesNothingThatItHasWhoeverFetchedIt() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await Fleet.two(Fleet.settings(origin, engine.url)) { one, two in
            try await Fleet.follow(one, two)
            _ = try await one.get(Self.target)
            try await Fleet.published(one, 1)
            _ = try await two.get(Self.target)
            _ = try await two.get("/raw/itunes/search?term=own")
            try await Fleet.published(two, 1)
            #expect(origin.requests.count == 2)
            let gaps = try await Fleet.heard(two, "gap")
            engine.kill()
            try engine.start()
            try await two.eventually("it has found another stream") { try await Fleet.heard(two, "gap") > gaps }
            _ = try await two.get("/raw/itunes/search?term=own")
            #expect(origin.requests.count == 3, "its own answer is fetched anew")
            try await one.eventually("so has the first") { try await Fleet.heard(one, "gap") > gaps }
            _ = try await two.get(Self.target)
            #expect(origin.requests.count == 4, "and so is what came from the tier, which is gone there too")
        }
    }

    @Test func aPurgeThatCouldNotBeToldIsToldAfterARestart() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let proxy = EngineProxy(to: engine.socket)
        defer { proxy.stop() }
        let directory = TemporaryDirectory()
        try await withLarder(Fleet.settings(origin, engine.url)) { two in
            try await Fleet.follow(two)
            _ = try await two.get(Self.target)
            try await withLarder(Fleet.settings(origin, proxy.url), directory: directory) { one in
                try await Fleet.follow(one)
                proxy.set(.refuse)
                let purged = try await purge(one, "provider=itunes").json()
                #expect(purged["told"]?.bool == false, "\(purged)")
            }
            proxy.set(.pass)
            try await withLarder(Fleet.settings(origin, proxy.url), directory: directory) { _ in
                try await two.eventually("it has heard") { try await Fleet.heard(two) >= 1 }
            }
            _ = try await two.get(Self.target)
            #expect(origin.requests.count == 2)
        }
    }
}
