// One budget for a fleet: three hosts together stay within the API's limit with the engine, without it, and afterwards.
import LarderCore
import LarderDaemon
import LarderTestSupport
import Testing

@Suite(.enabled(if: SharedEngine.mayRun, "there is no redis-server or valkey-server on this machine"))
struct FleetQuotaScenarios {
    private func settings(_ origin: ScriptedOrigin, _ url: String, limit: String) -> String {
        Fleet.settings(origin, url, quota: "on").replacing("rate: off", with: "rate: \(limit)")
    }

    private func three(_ settings: String, _ body: ([RunningLarder]) async throws -> Void) async throws {
        try await Fleet.two(settings) { one, two in
            try await withLarder(settings) { three in try await body([one, two, three]) }
        }
    }

    /// Asks each host for this many different answers. Returns how many were given.
    private func ask(_ hosts: [RunningLarder], _ count: Int, _ word: String) async throws -> Int {
        var answered = 0
        for number in 0..<count {
            for (place, host) in hosts.enumerated() {
                let answer = try await host.get("/raw/itunes/search?term=\(word)+\(place)+\(number)")
                #expect([200, 429, 503].contains(answer.status), "\(answer)")
                if answer.status == 200 { answered += 1 }
            }
        }
        return answered
    }

    @Test func threeHostsTogetherCallNoMoreThanTheApiAllows() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await three(settings(origin, engine.url, limit: "12/h")) { hosts in
            let answered = try await ask(hosts, 10, "a")
            #expect(origin.requests.count <= 12)
            #expect(answered == origin.requests.count)
            #expect(answered >= 9, "what is out in leases may be missing, and no more: \(answered)")
        }
    }

    @Test(arguments: [true, false])
    func withTheEngineLostAndBackTheBudgetHolds(_ isKilled: Bool) async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        // The largest limit whose leases are of one call. A question that ends without its reply may cost a call, and a
        // slow machine loses several replies.
        let quick = settings(origin, engine.url, limit: "31/h").replacing("timeout: 10s", with: "timeout: 500ms")
        try await three(quick) { hosts in
            _ = try await ask(hosts, 2, "before")
            let before = origin.requests.count
            #expect(before > 0)
            if isKilled { engine.kill() } else { engine.freeze() }
            _ = try await ask(hosts, 4, "while")
            // One lease is one call in this test.
            #expect(origin.requests.count <= before + hosts.count)
            if isKilled { try engine.start() } else { engine.thaw() }
            let word = Lock(0)
            try await hosts[0].eventually("calls are made again, as far as there are any") {
                let number = word.withLock { number -> Int in
                    number += 1
                    return number
                }
                let now = origin.requests.count
                _ = try await ask(hosts, 1, "after\(number)")
                return origin.requests.count > now || now == 31
            }
            // More than are left.
            _ = try await ask(hosts, 12, "last")
            #expect(origin.requests.count <= 31)
        }
    }

    @Test func theReserveHoldsForTheWholeFleet() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let reserved = settings(origin, engine.url, limit: "12/h") + "\nquota: { reserve: 50 % }\n"
        try await three(reserved) { hosts in
            let answered = try await ask(hosts, 10, "mass")
            #expect(answered >= 3, "what is out in leases may be missing, and no more: \(answered)")
            #expect(origin.requests.count <= 6)
            var persons = 0
            for number in 0..<10 {
                for (place, host) in hosts.enumerated() {
                    let answer = try await host.get("/raw/itunes/search?term=p+\(place)+\(number)", ("Priority", "u=0"))
                    if answer.status == 200 { persons += 1 }
                }
            }
            #expect(persons >= 3, "\(persons)")
            #expect(origin.requests.count <= 12)
        }
    }

    @Test func hostsThatCountForThemselvesAreSeparate() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let own = settings(origin, engine.url, limit: "3/h").replacing("quota: on", with: "quota: off")
        try await Fleet.two(own) { one, two in
            _ = try await ask([one, two], 4, "a")
            #expect(origin.requests.count == 6)
        }
    }

    @Test func theFleetTellsOfItsHosts() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await Fleet.two(Fleet.settings(origin, engine.url)) { one, _ in
            try await one.eventually("both are seen") {
                let fleet = try await one.get("/v1/fleet").json()
                let hosts = fleet["hosts"].map { Array($0.elements) } ?? []
                return hosts.count == 2 && hosts.allSatisfy { $0["alive"]?.bool == true && $0["place"] != nil }
                    && hosts.filter { $0["self"]?.bool == true }.count == 1
            }
        }
    }

    @Test(arguments: [true, false])
    func rowsOfNoHostAreNotTold(_ areSilent: Bool) async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(Fleet.settings(origin, engine.url)) { larder in
            let seen = areSilent ? "1" : "redis.call('TIME')[1]"
            let fill = "for i=1,3000 do redis.call('HSET','larder:h','h'..i,\(seen)..' {}') end return 1"
            try engine.command("EVAL", fill, "0")
            try await larder.eventually("the host is there alone") {
                let fleet = try await larder.get("/v1/fleet").json()
                guard fleet["reached"]?.bool == true else { return false }
                return fleet["hosts"].map { Array($0.elements).count } == 1
            }
        }
    }

    @Test func aHostThatStandsAloneSaysSo() async throws {
        try await withLarder { larder in
            let fleet = try await larder.get("/v1/fleet").json()
            #expect(fleet["shared"]?.bool == false, "\(fleet)")
        }
    }
}
