// Several hosts and one engine: each host serves what another has fetched, and no host needs the engine.
import LarderCore
import LarderDaemon
import LarderTestSupport
import Testing

/// What tests with several hosts share.
enum Fleet {
    static let key = "0123456789abcdef0123456789abcdef"
    static let token = PurgeScenarios.token

    /// The settings of a host. By default it counts its calls for itself. The timeout is long, because on a busy
    /// machine the engine may take long for what it has. Tests of a silent or missing engine set a short one.
    static func settings(
        _ origin: ScriptedOrigin, _ url: String, key: String = key, timeout: String = "10s", more: String = "",
        provider: String = "", quota: String = "off"
    ) -> String {
        BasicScenarios.itunes(origin, provider) + """

            shared: { url: "\(url)", key: "\(key)", timeout: \(timeout), quota: \(quota) }
            admin: { token: \(token) }
            \(more)
            """
    }

    /// Runs two hosts, after they have found the stream of removals.
    /// - Parameters:
    ///   - follow: false if they cannot find the stream, or if the test is about that.
    ///   - patience: how long hosts wait for each other, if not as usual.
    static func two(
        _ first: String, _ second: String? = nil, follow: Bool = true, patience: Duration? = nil,
        _ body: (RunningLarder, RunningLarder) async throws -> Void
    ) async throws {
        try await withLarder(first, fleetPatience: patience) { one in
            try await withLarder(second ?? first, fleetPatience: patience) { two in
                if follow { try await Self.follow(one, two) }
                try await body(one, two)
            }
        }
    }

    /// The number of removals that a host has heard of: `order`, or `gap` if it may have missed some.
    static func heard(_ larder: RunningLarder, _ result: String = "order") async throws -> Int {
        try await larder.counter("larder_shared_removals_heard_total", "result=\"\(result)\"")
    }

    /// Waits until the hosts have found the stream of removals. An answer that a host fetches earlier might count as
    /// older than a removal, and is then not published.
    static func follow(_ hosts: RunningLarder...) async throws {
        for host in hosts {
            try await host.eventually("it has found the stream") { try await heard(host, "gap") >= 1 }
        }
    }

    /// Waits until a host has published this many answers.
    static func published(_ larder: RunningLarder, _ count: Int) async throws {
        do {
            try await larder.eventually("\(count) answers are published") {
                try await larder.counter("larder_shared_published_total", #"result="done""#) >= count
            }
        } catch {
            let lines = try await larder.get("/metrics").text.split(separator: "\n")
            let reasons = lines.filter {
                $0.hasPrefix("larder_shared_") && !$0.hasSuffix(" 0") && !$0.contains("bucket")
            }
            throw WireError("\(error)\n\(reasons.joined(separator: "\n"))")
        }
    }
}

@Suite(.enabled(if: SharedEngine.mayRun, "there is no redis-server or valkey-server on this machine"))
struct FleetScenarios {
    static let search = CacheScenarios.search

    private func purge(_ larder: RunningLarder, _ query: String) async throws -> WireResponse {
        try await larder.send("DELETE", "/v1/cache?\(query)", fields: [("Authorization", "Bearer \(Fleet.token)")])
    }

    @Test func theMissOfOneHostIsTheHitOfAnother() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        // Results with artwork are equal on all hosts that share one key for artwork handles.
        let settings = Fleet.settings(origin, engine.url, more: "artwork: { key: \"\(Fleet.key)\" }")
        try await Fleet.two(settings) { one, two in
            let first = try await one.get(Self.search)
            #expect(first["Cache-Status"]?.contains("fwd=uri-miss") == true, "\(first)")
            try await Fleet.published(one, 2)
            let second = try await two.get(Self.search)
            #expect(second["Cache-Status"]?.hasPrefix("larder; hit; ") == true, "\(second)")
            #expect(second["Cache-Status"]?.contains("detail=shared") == true, "\(second)")
            #expect(second.body == first.body && second["ETag"] == first["ETag"])
            #expect(origin.requests.count == 1)
            let third = try await two.get(Self.search)
            #expect(third["Cache-Status"]?.contains("shared") == false, "it is stored here by now: \(third)")
        }
    }

    @Test func whatIsMadeOfAnAnswerThatLayHereIsNotPublished() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let raw = Lock("")
        try await withLarder(BasicScenarios.itunes(origin)) { alone in
            _ = try await alone.get(Self.search)
            raw.withLock { $0 = "/raw/itunes" + (origin.requests.first?.target ?? "") }
        }
        try await withLarder(Fleet.settings(origin, engine.url)) { larder in
            _ = try await larder.get(raw.withLock { $0 })
            try await Fleet.published(larder, 1)
            let calls = origin.requests.count
            _ = try await larder.get(Self.search)
            #expect(origin.requests.count == calls, "its raw answer lies here")
            _ = try await larder.get("/v1/itunes/search?q=other")
            try await Fleet.published(larder, 3)
            #expect(try engine.values().count == 3, "two raw answers, and the result that was made of a new one")
        }
    }

    @Test func withoutACommonKeyForHandlesTheRawAnswerIsSharedAllTheSame() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await Fleet.two(Fleet.settings(origin, engine.url)) { one, two in
            _ = try await one.get(Self.search)
            try await Fleet.published(one, 2)
            let answer = try await two.get(Self.search)
            #expect(answer.status == 200 && origin.requests.count == 1, "\(answer)")
        }
    }

    @Test func aHitOfTheSharedTierIsExplained() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let settings = Fleet.settings(origin, engine.url, more: "artwork: { key: \"\(Fleet.key)\" }")
        try await Fleet.two(settings) { one, two in
            _ = try await one.get(Self.search)
            try await Fleet.published(one, 2)
            let answer = try await two.get(Self.search)
            let id = try #require(answer["X-Request-Id"])
            let text = try await two.get("/v1/explain/\(id)").text
            #expect(text.contains("came from the shared tier"), "\(text)")
        }
    }

    @Test(arguments: [true, false])
    func killingOrStoppingTheEngineChangesNoAnswer(_ isKilled: Bool) async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await Fleet.two(Fleet.settings(origin, engine.url, timeout: "200ms")) { one, two in
            _ = try await one.get(Self.search)
            if isKilled { engine.kill() } else { engine.freeze() }
            for number in 0..<8 {
                for host in [one, two] {
                    let answer = try await host.get("/v1/itunes/search?q=song+\(number)")
                    #expect(answer.status == 200, "\(answer)")
                }
            }
            let status = try await one.get("/v1/status").json()
            #expect(status["shared"]?["breaker"]?.string != "closed", "\(status["shared"] as Any)")
            let answer = try await one.get("/v1/itunes/search?q=one+more")
            let id = try #require(answer["X-Request-Id"])
            let since = try #require(status["shared"]?["openSince"]?.string)
            let explained = try await one.get("/v1/explain/\(id)").text
            #expect(explained.contains("breaker was open after failures, since \(since)"), "\(explained)")
        }
    }

    @Test func anEngineThatComesBackIsUsedAgain() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(Fleet.settings(origin, engine.url)) { larder in
            engine.kill()
            for number in 0..<4 { _ = try await larder.get("/v1/itunes/search?q=song+\(number)") }
            #expect(try await larder.get("/v1/status").json()["shared"]?["breaker"]?.string != "closed")
            try engine.start()
            let number = Lock(100)
            try await larder.eventually("it is asked again") {
                let next = number.withLock { number -> Int in
                    number += 1
                    return number
                }
                _ = try await larder.get("/v1/itunes/search?q=song+\(next)")
                return try await larder.counter("larder_shared_published_total", #"result="done""#) > 0
            }
        }
    }

    @Test func aForgedValueIsAMiss() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let other = "another secret of more than 32 signs".replacing(" ", with: "-")
        try await Fleet.two(
            Fleet.settings(origin, engine.url), Fleet.settings(origin, engine.url, key: other)
        ) { one, two in
            _ = try await one.get("/raw/itunes/search?term=a")
            try await Fleet.published(one, 1)
            let answer = try await two.get("/raw/itunes/search?term=a")
            #expect(answer["Cache-Status"]?.contains("fwd=uri-miss") == true, "\(answer)")
            #expect(try await two.counter("larder_shared_lookups_total", #"result="forged""#) == 1)
            #expect(origin.requests.count == 2)
        }
    }

    @Test func aValueThatIsNotOursIsAMissAndReplaced() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await Fleet.two(Fleet.settings(origin, engine.url)) { one, two in
            _ = try await one.get("/raw/itunes/search?term=a")
            try await Fleet.published(one, 1)
            let name = try #require(try engine.values().first)
            try engine.command("SET", name, "something else")
            let answer = try await two.get("/raw/itunes/search?term=a")
            #expect(answer.status == 200 && origin.requests.count == 2, "\(answer)")
            #expect(try await two.counter("larder_shared_lookups_total", #"result="unreadable""#) == 1)
        }
    }

    @Test func anAnswerForOnePersonNeverArrivesInTheEngine() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(Fleet.settings(origin, engine.url)) { larder in
            _ = try await larder.get("/raw/itunes/search?term=a", ("Authorization", "Bearer personal"))
            _ = try await larder.get("/raw/itunes/search?term=b", ("Cache-Control", "no-store"))
            _ = try await larder.get("/raw/itunes/search?term=c")
            try await Fleet.published(larder, 1)
            let values = try engine.values()
            #expect(values.count == 1, "the one that is everybody's: \(values)")
            #expect(try engine.contents().values.allSatisfy { !$0.contains("personal") })
        }
    }

    @Test(arguments: ["no-store", "private"])
    func whatSaysThatItIsNotForStoringStaysHere(_ control: String) async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: ok(BasicScenarios.song, fields: "Cache-Control: \(control)\r\n"))
        defer { origin.stop() }
        try await withLarder(Fleet.settings(origin, engine.url)) { larder in
            let answer = try await larder.get(Self.search)
            #expect(answer.status == 200, "\(answer)")
            try await larder.eventually("it was judged") {
                try await larder.counter("larder_shared_published_total", #"result="noStore""#) == 1
            }
            #expect(try engine.values().isEmpty)
        }
    }

    @Test func aPurgeOnOneHostIsAMissOnTheOthers() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await Fleet.two(Fleet.settings(origin, engine.url)) { one, two in
            _ = try await one.get("/raw/itunes/search?term=a")
            try await Fleet.published(one, 1)
            let purged = try await purge(one, "provider=itunes")
            #expect(purged.status == 200, "\(purged)")
            _ = try await two.get("/raw/itunes/search?term=a")
            #expect(origin.requests.count == 2)
            #expect(try await two.counter("larder_shared_lookups_total", #"result="removed""#) == 1)
        }
    }

    @Test func whatWasUnderWayWhenAPurgePassedIsNotPublished() async throws {
        let engine = try SharedEngine()
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .send(CacheScenarios.song)] }
        defer { origin.stop() }
        try await Fleet.two(Fleet.settings(origin, engine.url)) { one, two in
            async let old = one.get("/raw/itunes/search?term=a")
            try await one.eventually("it is under way") { origin.requests.count == 1 }
            _ = try await purge(two, "provider=itunes")
            gate.open()
            _ = try await old
            try await one.eventually("it was refused by the engine") {
                try await one.counter("larder_shared_published_total", #"result="overtaken""#) == 1
            }
            #expect(try engine.values().isEmpty)
        }
    }

    @Test func aPurgeThatTheEngineCannotHearIsToldWhenItIsBack() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let proxy = EngineProxy(to: engine.socket)
        defer { proxy.stop() }
        try await Fleet.two(
            Fleet.settings(origin, proxy.url), Fleet.settings(origin, engine.url)
        ) { one, two in
            _ = try await two.get("/raw/itunes/search?term=a")
            try await Fleet.published(two, 1)
            proxy.set(.refuse)
            let purged = try await purge(one, "all=1")
            #expect(purged.status == 200, "\(purged)")
            #expect(try await one.get("/v1/status").json()["shared"]?["removalWaiting"]?.bool == true)
            let own = try await one.get("/raw/itunes/search?term=a")
            #expect(own["Cache-Status"]?.contains("fwd=") == true, "what was removed does not come back: \(own)")
            proxy.set(.pass)
            try await one.eventually("it is told") {
                try await one.counter("larder_shared_removals_total", #"result="done""#) == 1
            }
        }
    }

    @Test(arguments: [
        "-OOM command not allowed\r\n", "-READONLY You can't write\r\n", "-LOADING in memory\r\n",
        "-MOVED 1 127.0.0.1:1\r\n", "-NOAUTH Authentication required.\r\n", "-WRONGTYPE kind\r\n",
        "HTTP/1.1 400 No\r\n",
        "+OK\r\n", "*1\r\n:1\r\n", "$-1\r\n", ":1\r\n",
    ])
    func whateverTheEngineSaysNoClientGetsAnError(_ reply: String) async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let proxy = EngineProxy(to: engine.socket)
        defer { proxy.stop() }
        try await withLarder(Fleet.settings(origin, proxy.url)) { larder in
            _ = try await larder.get("/v1/itunes/search?q=first")
            proxy.set(.say(reply))
            for number in 0..<6 {
                let answer = try await larder.get("/v1/itunes/search?q=song+\(number)")
                #expect(answer.status == 200, "\(answer)")
            }
            #expect(try await larder.get("/metrics").text.contains("larder_shared_failures_total{"))
        }
    }

    @Test(arguments: [0, 1, 5, 30])
    func aReplyThatIsCutIsAMiss(_ count: Int) async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let proxy = EngineProxy(to: engine.socket)
        defer { proxy.stop() }
        try await withLarder(Fleet.settings(origin, proxy.url)) { larder in
            _ = try await larder.get("/v1/itunes/search?q=first")
            proxy.set(.cut(count))
            for number in 0..<6 {
                let answer = try await larder.get("/v1/itunes/search?q=song+\(number)")
                #expect(answer.status == 200, "\(answer)")
            }
        }
    }

    @Test func repliesThatComeByteByByteAreReplies() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let proxy = EngineProxy(to: engine.socket)
        defer { proxy.stop() }
        try await Fleet.two(
            Fleet.settings(origin, engine.url), Fleet.settings(origin, proxy.url)
        ) { one, two in
            _ = try await one.get("/raw/itunes/search?term=a")
            try await Fleet.published(one, 1)
            proxy.set(.drip)
            let answer = try await two.get("/raw/itunes/search?term=a")
            #expect(answer["Cache-Status"]?.contains("detail=shared") == true, "\(answer)")
        }
    }

    @Test func repliesThatAreLostAreMisses() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let proxy = EngineProxy(to: engine.socket)
        defer { proxy.stop() }
        try await withLarder(Fleet.settings(origin, proxy.url, timeout: "1s")) { larder in
            proxy.set(.drop)
            for number in 0..<6 {
                let answer = try await larder.get("/v1/itunes/search?q=song+\(number)")
                #expect(answer.status == 200, "\(answer)")
            }
            proxy.set(.pass)
            let number = Lock(100)
            try await larder.eventually("the engine is used again") {
                let next = number.withLock { number -> Int in
                    number += 1
                    return number
                }
                _ = try await larder.get("/v1/itunes/search?q=song+\(next)")
                return try await larder.counter("larder_shared_published_total", #"result="done""#) > 0
            }
        }
    }

    @Test func aPasswordIsSaidAndAWrongOneIsNoErrorToAClient() async throws {
        let engine = try SharedEngine("--requirepass", "a-password")
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let settings = BasicScenarios.itunes(origin)
        func shared(_ password: String) -> String {
            settings
                + "\nshared: { url: \"\(engine.url)\", key: \"\(Fleet.key)\", password: \(password), timeout: 10s }"
        }
        try await withLarder(shared("a-password")) { larder in
            _ = try await larder.get(Self.search)
            try await Fleet.published(larder, 2)
        }
        try await withLarder(shared("a-wrong-one")) { larder in
            let answer = try await larder.get(Self.search)
            #expect(answer.status == 200, "\(answer)")
            #expect(try await larder.counter("larder_shared_failures_total", #"class="noAuth""#) > 0)
        }
    }

    @Test func aReloadOpensAndClosesTheTier() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let listen = "listen: [\"127.0.0.1:0\"]\n"
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            #expect(try await larder.get("/v1/status").json()["shared"] == nil)
            larder.directory.write("larder.yaml", listen + Fleet.settings(origin, engine.url))
            await larder.daemon.reload()
            #expect(try await larder.get("/v1/status").json()["shared"]?["connected"]?.bool == true)
            _ = try await larder.get(Self.search)
            try await Fleet.published(larder, 2)
            larder.directory.write("larder.yaml", listen + BasicScenarios.itunes(origin))
            await larder.daemon.reload()
            #expect(try await larder.get("/v1/status").json()["shared"] == nil)
            #expect(try await larder.get("/v1/itunes/search?q=other").status == 200)
        }
    }

    @Test func aProviderThatIsLeftOutSharesNothing() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(Fleet.settings(origin, engine.url, provider: "    shared: no")) { larder in
            _ = try await larder.get(Self.search)
            #expect(try await larder.get("/v1/status").json()["shared"]?["misses"]?.integer == 0)
            #expect(try engine.contents().isEmpty)
        }
    }

    @Test func hostsWithOtherRulesShareNothing() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await Fleet.two(
            Fleet.settings(origin, engine.url), Fleet.settings(origin, engine.url, provider: "    ttl: 3h")
        ) { one, two in
            _ = try await one.get("/raw/itunes/search?term=a")
            try await Fleet.published(one, 1)
            _ = try await two.get("/raw/itunes/search?term=a")
            #expect(origin.requests.count == 2)
        }
    }

    /// A large image goes out while it arrives, and is published from the store.
    @Test(arguments: [ArtworkScenarios.png, ArtworkScenarios.largePNG(300_000)])
    func aHandleFromOneHostIsGoodOnAnother(_ png: Bytes) async throws {
        let engine = try SharedEngine()
        let own = Lock("")
        let gate = Gate()
        let origin = ScriptedOrigin { request in
            if request.target.hasPrefix("/search") {
                let url = "https://is1-ssl.mzstatic.com/image/thumb/a/b/source/100x100bb.jpg"
                return [
                    .send(ok(BasicScenarios.song.replacing(url, with: "\(own.withLock { $0 })/image/100x100bb.png")))
                ]
            }
            return [
                .send("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: \(png.count)\r\n\r\n"),
                .sendBytes(Bytes(png.prefix(40))), .await(gate), .sendBytes(Bytes(png.dropFirst(40))),
            ]
        }
        own.withLock { $0 = origin.base }
        defer { origin.stop() }
        let settings = Fleet.settings(
            origin, engine.url, more: "artwork: { key: \"\(Fleet.key)\" }",
            provider: "    imageHosts: [\"\(origin.base)\"]")
        try await Fleet.two(settings) { one, two in
            let answer = try await one.get(Self.search).json()
            let result = try #require(answer["results"]?.elements.first { _ in true })
            let handle = try #require(result["artwork"]?["small"]?.string)
            let first = try await one.talk { client in
                try client.send("GET \(handle) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let head = try client.receiveHead()
                gate.open()
                return try client.take(Int(head["Content-Length"] ?? "") ?? 0)
            }
            #expect(first == png)
            try await Fleet.published(one, 3)
            let picture = try await two.get(handle)
            #expect(picture.status == 200 && picture.body == png, "\(picture)")
            #expect(origin.requests.count == 2)
        }
    }
}
