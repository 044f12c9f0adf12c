// The client's cache directives are obeyed: an answer older than the client accepts is fetched again, a stale answer is
// marked as stale, and an answer that must not be stored is not fetched in vain.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct DirectiveScenarios {
    @Test(arguments: ["max-age=5", "min-fresh=3595"])
    func anAgeTheClientDoesNotAcceptIsFetchedAnew(_ directive: String) async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let time = ManualTime()
        let configuration = BasicScenarios.itunes(origin, "    ttl: 3600s\ncache: { jitter: 0 }")
        try await withLarder(configuration, time: time) { larder in
            for target in [CacheScenarios.search, "/raw/itunes/search?term=other"] {
                _ = try await larder.get(target)
                let calls = origin.requests.count
                time.advance(by: .seconds(10))
                let fresh = try await larder.get(target, ("Cache-Control", directive))
                #expect(fresh["Age"] == "0", "\(fresh)")
                #expect(origin.requests.count == calls + 1)
            }
        }
    }

    /// No call was made: no provider failed, nothing was waited for, and repeating the request will not help.
    @Test(arguments: [CacheScenarios.search, "/v1/search?q=x&source=itunes", "/raw/itunes/search?term=x"])
    func onlyIfCachedWithNothingStoredBlamesNobody(_ target: String) async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            let answer = try await larder.get(target, ("Cache-Control", "only-if-cached"))
            #expect(answer.status == 504, "\(answer)")
            let problem = try answer.json()
            #expect(problem["code"]?.string == "notStored" && problem["class"] == nil, "\(answer)")
            #expect(problem["retryable"]?.bool == false, "\(answer)")
            #expect(answer["Proxy-Status"] == "larder; error=proxy_internal_response", "\(answer)")
            #expect(answer["Cache-Status"] == "larder; detail=only-if-cached", "\(answer)")
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func aStaleAnswerMadeForOnlyIfCachedIsCalledStale() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let time = ManualTime()
        let configuration = BasicScenarios.itunes(origin, "    ttl: 60s")
        try await withLarder(configuration, time: time) { larder in _ = try await larder.get(CacheScenarios.search) }
        let target = try #require(origin.requests.first?.target)
        try await withLarder(configuration, time: time) { larder in
            #expect(try await larder.get("/raw/itunes\(target)").status == 200)
            time.advance(by: .seconds(100))
            let answer = try await larder.get(CacheScenarios.search, ("Cache-Control", "only-if-cached"))
            #expect(answer.status == 200, "\(answer)")
            #expect(answer["Cache-Status"]?.hasPrefix("larder; hit; ttl=-") == true, "\(answer)")
            #expect(try answer.json()["sources"]?.elements.first { _ in true }?["stale"]?.bool == true, "\(answer)")
            #expect(origin.requests.count == 2)
        }
    }

    @Test func whatMayNotBeStoredIsNotRefreshedForNothing() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(BasicScenarios.itunes(origin, "    ttl: 60s"), time: time) { larder in
            _ = try await larder.get(CacheScenarios.search)
            time.advance(by: .seconds(100))
            for _ in 0..<3 {
                let stale = try await larder.get(CacheScenarios.search, ("Cache-Control", "no-store"))
                #expect(stale["Age"] == "100", "\(stale)")
                try await larder.eventually("nothing is under way") {
                    try await larder.counter("larder_flights_under_way") == 0
                }
            }
            #expect(origin.requests.count == 1, "each of them cost a call and brought nothing to anybody")
        }
    }

    @Test func aSourceWhoseListIsMissingIsBrokenAmongOthers() async throws {
        let origin = ScriptedOrigin { request in
            [
                .send(
                    request.target.hasPrefix("/search") ? CacheScenarios.song : ok("Not Found", status: "404 Not Found")
                )
            ]
        }
        defer { origin.stop() }
        let configuration = """
            providers:
              itunes: { baseURL: "\(origin.base)", rate: off, quota: off }
              dnd5e: { baseURL: "\(origin.base)", rate: off, quota: off }
            """
        try await withLarder(configuration) { larder in
            for _ in 0..<2 {
                let answer = try await larder.get("/v1/search?q=a&source=itunes,dnd")
                #expect(answer.status == 200, "\(answer)")
                let dnd = try answer.json()["sources"]?.elements.first { $0["provider"]?.string == "dnd5e" }
                #expect(dnd?["error"]?["class"]?.string == "broken", "\(answer)")
            }
        }
    }

    @Test func aSearchThatMayNotBeStoredKeepsItsDeadline() async throws {
        let origin = ScriptedOrigin { request in
            request.target.hasPrefix("/search") ? [.send(CacheScenarios.song)] : [.hold]
        }
        defer { origin.stop() }
        let configuration = """
            search: { deadline: 20s }
            fetch: { deadline: 120s }
            providers:
              itunes: { baseURL: "\(origin.base)", rate: off, quota: off }
              dnd5e: { baseURL: "\(origin.base)", rate: off, quota: off }
            """
        // The deadline counts by the system's clock. It is long, because one source must answer before it.
        try await withLarder(configuration) { larder in
            let asked = Task {
                try await larder.get("/v1/search?q=a&source=itunes,dnd", ("Cache-Control", "no-store"))
            }
            // The silent source has two flights: one fetches, the other makes results of what is fetched.
            try await larder.eventually("one source has answered and the other has not") {
                guard origin.requests.count == 2 else { return false }
                return try await larder.counter("larder_flights_under_way") == 2
            }
            let answer = try await asked.value
            #expect(answer.status == 200, "\(answer)")
            #expect(try answer.json()["state"]?.string == "partial", "\(answer)")
            try await larder.eventually("what nobody else may have is given up") {
                try await larder.counter("larder_flights_under_way") == 0
            }
            #expect(try await larder.counter("larder_flights_abandoned_total") >= 1, "it ran to its own end")
        }
    }
}
