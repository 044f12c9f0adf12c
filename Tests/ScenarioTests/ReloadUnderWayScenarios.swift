// The configuration is read again while work is under way. Nothing that the old settings made outlives them, and no
// budget forgets a call.
import LarderCore
import LarderDaemon
import LarderTestSupport
import Testing

@Suite struct ReloadUnderWayScenarios {
    @Test func aShorterTTLAppliesAtOnceToWhatIsStoredAndALongerOneToWhatComes() async throws {
        let origin = ScriptedOrigin(answering: ok("a"))
        defer { origin.stop() }
        let time = ManualTime()
        func shop(_ ttl: String) -> String {
            "providers: { shop: { kind: passthrough, baseURL: \"\(origin.base)\", semantics: ttl, ttl: \(ttl), "
                + "staleWhileRefresh: 0s } }\ncache: { jitter: 0 }"
        }
        try await withLarder(shop("3600s"), time: time) { larder in
            _ = try await larder.get("/raw/shop/a")
            time.advance(by: .seconds(60))
            await larder.reload(shop("100s"))
            for _ in 0..<3 {
                let hit = try await larder.get("/raw/shop/a")
                #expect(hit["Cache-Status"] == "larder; hit; ttl=40", "\(hit)")
            }
            time.advance(by: .seconds(40))
            await larder.reload(shop("7200s"))
            let longer = try await larder.get("/raw/shop/a")
            #expect(longer["Cache-Status"] == "larder; hit; ttl=3500", "\(longer)")
            await larder.reload(shop("50s"))
            let anew = try await larder.get("/raw/shop/a")
            #expect(anew["Cache-Status"]?.hasPrefix("larder; fwd=stale") == true, "\(anew)")
            #expect(origin.requests.count == 2)
        }
    }

    @Test func aFlightOfTheOldSettingsDoesNotFillMemory() async throws {
        let gate = Gate()
        let old = ScriptedOrigin { _ in [.await(gate), .send(ok("old"))] }
        let new = ScriptedOrigin(answering: ok("new"))
        defer {
            old.stop()
            new.stop()
        }
        func shop(_ origin: ScriptedOrigin) -> String {
            "providers: { shop: { kind: passthrough, baseURL: \"\(origin.base)\", semantics: ttl, ttl: 3600s } }"
        }
        try await withLarder(shop(old)) { larder in
            let address = larder.address
            let client = try WireClient(address)
            try client.send("GET /raw/shop/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await larder.eventually("the flight is under way") { old.requests.count == 1 }
            await larder.reload(shop(new))
            gate.open()
            let first = try await onOwnThread { [client] in try client.receive() }
            #expect(first.text == "old")
            let second = try await larder.get("/raw/shop/a")
            #expect(second.text == "new", "\(second)")
        }
    }

    @Test func aLongerWindowKnowsTheCallsThatAShorterOneForgot() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let time = ManualTime()
        func limited(_ rate: String, _ quota: String) -> String {
            "providers: { itunes: { baseURL: \"\(origin.base)\", rate: \(rate), quota: \(quota) } }"
        }
        try await withLarder(limited("2/min", "off"), time: time) { larder in
            for number in 0..<4 {
                #expect(try await larder.get("/v1/itunes/search?q=term\(number)").status == 200)
                time.advance(by: .seconds(31))
            }
            await larder.reload(limited("off", "4/day"))
            let spent = try await larder.get("/v1/itunes/search?q=term4")
            #expect(spent.status == 429, "\(spent)")
            #expect(origin.requests.count == 4)
        }
    }

    @Test func theNameSentToUpstreamsChangesWithTheSettings() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            await larder.reload(BasicScenarios.itunes(origin, "fetch: { userAgent: \"another/1\" }"))
            _ = try await larder.get("/v1/itunes/search?q=a")
            #expect(origin.requests.first?.field("User-Agent") == "another/1")
        }
    }

    @Test func memorySwitchedOnByAReloadAnswers() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let configuration = BasicScenarios.itunes(origin)
        try await withLarder(configuration + "\ncache: { memorySize: 0 }") { larder in
            for _ in 0..<2 { _ = try await larder.get(CacheScenarios.search) }
            #expect(try await larder.counter("larder_memory_hits_total", #"provider="itunes""#) == 0)
            await larder.reload(configuration + "\ncache: { memorySize: \"8 MiB\" }")
            // A read that a commit overtakes puts nothing into memory. So this may take a few requests.
            try await larder.eventually("memory has the answer") {
                _ = try await larder.get(CacheScenarios.search)
                return try await larder.counter("larder_memory_hits_total", #"provider="itunes""#) > 0
            }
            let hits = try await larder.counter("larder_memory_hits_total", #"provider="itunes""#)
            _ = try await larder.get(CacheScenarios.search)
            #expect(try await larder.counter("larder_memory_hits_total", #"provider="itunes""#) == hits + 1)
        }
    }
}
