// `/v1/events`: a client that listens receives each event about a provider when it happens.
import LarderCore
import LarderHTTP
import LarderTestSupport
import Synchronization
import Testing

@Suite struct EventScenarios {
    private typealias Told = (name: String, data: JSONValue)

    private func listen(_ larder: RunningLarder) async throws -> EventStream {
        let address = larder.address
        return try await onOwnThread { try EventStream(WireClient(address), "/v1/events") }
    }

    /// Returns the next `count` events.
    private func next(_ stream: inout EventStream, _ count: Int) async throws -> [Told] {
        let before = stream
        let (after, events) = try await onOwnThread {
            var stream = before
            var events: [EventTextReader.Event] = []
            while events.count < count, let event = try stream.next() { events.append(event) }
            return (stream, events)
        }
        stream = after
        return try events.map { ($0.name, try JSON.parse($0.data)) }
    }

    /// Whether a return is told before the stream ends. The failure before it may be told after the snapshot too.
    private func hearsOfAReturn(_ stream: inout EventStream) async throws -> Bool {
        while let told = try await next(&stream, 1).first {
            if told.name == "reachability", told.data["reachable"]?.bool == true { return true }
        }
        return false
    }

    @Test func changesAreToldAsTheyHappen() async throws {
        let moods = CacheScenarios.Moods()
        let origin = ScriptedOrigin { _ in moods.current.withLock { $0 } }
        defer { origin.stop() }
        let time = ManualTime()
        let configuration = """
            providers:
              itunes: { baseURL: "\(origin.base)", rate: "5/h", quota: off }
              hackernews: { enabled: false }
            """
        try await withLarder(configuration, time: time) { larder in
            var stream = try await listen(larder)
            #expect(stream.head.status == 200)
            #expect(stream.head["Content-Type"] == "text/event-stream")
            #expect(stream.head["Cache-Control"] == "no-store")
            let first = try await next(&stream, 1)
            let snapshot = try #require(first.first)
            #expect(snapshot.name == "snapshot")
            let providers = try #require(snapshot.data["providers"]?.elements.map { $0 })
            let itunes = try #require(providers.first { $0["provider"]?.string == "itunes" })
            #expect(itunes["reachable"] == nil, "nobody knows yet")
            #expect(itunes["suspended"]?.bool == false)
            let budget = try #require(itunes["budgets"]?.elements.map { $0 }.first)
            #expect(budget["limit"]?.string == "rate" && budget["remaining"]?.integer == 5)
            #expect(!providers.contains { $0["provider"]?.string == "hackernews" })

            for term in 1...5 {
                let answer = try await larder.get("/v1/itunes/search?q=\(term)")
                #expect(answer.status == 200)
            }
            let told = try await next(&stream, 3)
            #expect(told.map(\.name) == ["reachability", "budget", "budget"])
            #expect(told[0].data["reachable"]?.bool == true && told[0].data["provider"]?.string == "itunes")
            #expect(told[1].data["level"]?.string == "scarce" && told[1].data["remaining"]?.integer == 1)
            #expect(told[2].data["level"]?.string == "spent" && told[2].data["calls"]?.integer == 5)

            time.advance(by: .seconds(3600))
            _ = try await larder.get("/v1/status")
            let whole = try await next(&stream, 1)
            #expect(whole[0].data["level"]?.string == "whole", "\(whole)")

            moods.set(ok("", status: "429 Too Many Requests", fields: "Retry-After: 60\r\n"))
            _ = try await larder.get("/v1/itunes/search?q=six")
            let rest = try await next(&stream, 1)
            #expect(rest[0].name == "suspension" && rest[0].data["suspended"]?.bool == true, "\(rest)")
            #expect(rest[0].data["class"]?.string == "limited")
            #expect(rest[0].data["until"]?.string != nil)
            time.advance(by: .seconds(120))
            moods.set(CacheScenarios.song)
            #expect(try await larder.get("/v1/itunes/search?q=seven").status == 200)
            let back = try await next(&stream, 1)
            #expect(back[0].name == "suspension" && back[0].data["suspended"]?.bool == false, "\(back)")

            // A client that connects now needs no history.
            var other = try await listen(larder)
            let late = try await next(&other, 1)
            let now = late.first?.data["providers"]?.elements.first { $0["provider"]?.string == "itunes" }
            #expect(now?["reachable"]?.bool == true)
        }
    }

    @Test func aRestThatIsOverIsToldAsOneWhoseNextCallTriesTheProvider() async throws {
        let origin = ScriptedOrigin(answering: ok("", status: "429 Too Many Requests", fields: "Retry-After: 60\r\n"))
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(BasicScenarios.itunes(origin), time: time) { larder in
            func told() async throws -> (status: JSONValue, event: JSONValue) {
                let status = try await larder.get("/v1/status").json()
                var stream = try await listen(larder)
                let snapshot = try #require(try await next(&stream, 1).first).data
                return (
                    try #require(status["providers"]?.elements.first { $0["name"]?.string == "itunes" }),
                    try #require(snapshot["providers"]?.elements.first { $0["provider"]?.string == "itunes" })
                )
            }
            #expect(try await larder.get("/v1/itunes/search?q=one").status == 429)
            let resting = try await told()
            #expect(resting.status["state"]?.string == "suspended" && resting.status["suspendedUntil"] != nil)
            #expect(resting.event["suspended"]?.bool == true && resting.event["probing"] == nil)

            time.advance(by: .seconds(120))
            let over = try await told()
            #expect(over.status["state"]?.string == "probing" && over.status["suspendedUntil"] == nil)
            #expect(over.event["suspended"]?.bool == false && over.event["probing"]?.bool == true)
            #expect(over.event["until"] == nil && over.event["class"]?.string == "limited")
        }
    }

    @Test func aProviderThatCannotBeReachedIsToldOnce() async throws {
        let moods = CacheScenarios.Moods()
        let origin = ScriptedOrigin { _ in moods.current.withLock { $0 } }
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(BasicScenarios.itunes(origin), time: time) { larder in
            var stream = try await listen(larder)
            _ = try await next(&stream, 1)
            moods.set([.reset])
            _ = try await larder.get("/v1/itunes/search?q=one")
            _ = try await larder.get("/v1/itunes/search?q=two")
            moods.set(CacheScenarios.song)
            _ = try await larder.get("/v1/itunes/search?q=three")
            let told = try await next(&stream, 2)
            #expect(told.map(\.name) == ["reachability", "reachability"])
            #expect(told[0].data["reachable"]?.bool == false && told[0].data["class"]?.string == "unreachable")
            #expect(told[1].data["reachable"]?.bool == true)
        }
    }

    /// Three failures suspend the provider, one does not.
    @Test(arguments: [1, 3])
    func whoListensLearnsOfAReturnWithoutARequestOfAnybody(_ failures: Int) async throws {
        let moods = CacheScenarios.Moods()
        moods.set([.reset])
        let origin = ScriptedOrigin { _ in moods.current.withLock { $0 } }
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(BasicScenarios.itunes(origin), time: time) { larder in
            for number in 0..<failures { _ = try await larder.get("/v1/itunes/search?q=\(number)") }
            let provider = #"provider="itunes""#
            time.advance(by: .seconds(3600))
            #expect(try await larder.counter("larder_return_trials_total", provider) == 0, "nobody listens")
            var stream = try await listen(larder)
            let snapshot = try await next(&stream, 1)
            let known = snapshot.first?.data["providers"]?.elements.first { $0["provider"]?.string == "itunes" }
            #expect(known?["reachable"]?.bool == false)
            moods.set(ok("", status: "404 Not Found"))
            let calls = origin.requests.count
            try await larder.eventually("a trial") {
                time.advance(by: .seconds(5))
                return try await larder.counter("larder_return_trials_total", provider) > 0
            }
            #expect(try await hearsOfAReturn(&stream))
            // A refresh of what was asked for meanwhile may follow.
            let made = origin.requests.dropFirst(calls).map(\.method)
            #expect(made.first == "HEAD" && made.filter { $0 == "HEAD" }.count == 1, "\(made)")
        }
    }

    /// Some APIs answer every request to their root with an error.
    @Test(arguments: [("503 Service Unavailable", true), ("500 Internal Server Error", false)])
    func aProviderWhoseRootFailsIsTriedWithWhatItAnswered(_ root: String, _ hasAnswered: Bool) async throws {
        let isAway = Atomic(!hasAnswered)
        let origin = ScriptedOrigin { request in
            if isAway.load(ordering: .acquiring) { return [.reset] }
            return [.send(request.method == "HEAD" ? ok("", status: root) : CacheScenarios.song)]
        }
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(BasicScenarios.itunes(origin), time: time) { larder in
            if hasAnswered { #expect(try await larder.get("/v1/itunes/search?q=known").status == 200) }
            isAway.store(true, ordering: .releasing)
            _ = try await larder.get("/v1/itunes/search?q=away")
            var stream = try await listen(larder)
            _ = try await next(&stream, 1)
            isAway.store(false, ordering: .releasing)
            try await larder.eventually("a trial") {
                time.advance(by: .seconds(5))
                return try await larder.counter("larder_return_trials_total", #"provider="itunes""#) > 0
            }
            #expect(try await hearsOfAReturn(&stream))
        }
    }

    @Test func aTrialIsACallOfTheBudgetAndIsNotMadeWithoutOne() async throws {
        let origin = ScriptedOrigin { _ in [.reset] }
        defer { origin.stop() }
        let time = ManualTime()
        let settings = "providers: { itunes: { baseURL: \"\(origin.base)\", rate: off, quota: 2/day } }"
        try await withLarder(settings, time: time) { larder in
            _ = try await larder.get("/v1/itunes/search?q=a")
            let calls = origin.requests.count
            let stream = try await listen(larder)
            // The first trial takes the last call of the day. The later ones find none.
            try await larder.eventually("three trials") {
                time.advance(by: .seconds(1))
                return try await larder.counter("larder_return_trials_total", #"provider="itunes""#) >= 3
            }
            #expect(origin.requests.count == calls + 1)
            _ = stream
        }
    }
}
