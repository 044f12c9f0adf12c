// A crowd waits in Larder's own queue. The wait is nobody's failure, costs no call, and has an end.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct QueueScenarios {
    private static let found = ok("{\"resultCount\":0,\"results\":[]}")

    private static func itunes(_ origin: ScriptedOrigin, _ own: String, _ more: String = "") -> String {
        """
        \(more)
        providers: { itunes: { baseURL: "\(origin.base)", quota: off, \(own) } }
        """
    }

    /// Sends this many different questions at once, each over its own connection.
    private func crowd(_ count: Int, of larder: RunningLarder) async throws -> [WireResponse] {
        try await withThrowingTaskGroup { group in
            for number in 0..<count {
                group.addTask { try await larder.get("/v1/itunes/search?q=term\(number)") }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func calls(_ origin: ScriptedOrigin) -> Int {
        origin.requests.count { $0.target.hasPrefix("/search") }
    }

    private func itunes(_ larder: RunningLarder) async throws -> JSONValue {
        let status = try await larder.get("/v1/status").json()
        return try #require(status["providers"]?.elements.first { $0["name"]?.string == "itunes" })
    }

    private func remaining(_ larder: RunningLarder) async throws -> Int {
        Int(try #require(try await itunes(larder)["budget"]?["rate"]?["remaining"]?.integer))
    }

    /// Unused calls that a crowd reserved ahead are given back within a second or two. Until then fewer calls are left.
    private func expectRemaining(_ count: Int, of larder: RunningLarder) async throws {
        try await larder.eventually("\(count) calls are left") { try await remaining(larder) == count }
        #expect(try await remaining(larder) == count)
    }

    /// All calls together take 15 s, which is longer than the deadline of one call. Only one call is under way at a time.
    @Test func aCrowdOfMissesIsNoFailureOfAHealthyOrigin() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .take(.milliseconds(100)), .send(Self.found)] }
        defer {
            gate.open()
            origin.stop()
        }
        let configuration = Self.itunes(
            origin, "rate: 1000/h, maxConnections: 1, deadline: 10s",
            "fetch: { queueTimeout: 5min, failurePause: 0s }")
        try await withLarder(configuration) { larder in
            async let crowd = crowd(150, of: larder)
            try await larder.eventually("all others wait") {
                try await larder.counter("larder_fetch_waiting") == 149
            }
            gate.open()
            let answers = try await crowd
            #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.filter { $0.status != 200 })")
            #expect(calls(origin) == 150)
            try await expectRemaining(850, of: larder)
            #expect(try await larder.counter("larder_suspensions_total", #"provider="itunes""#) == 0)
            #expect(try await larder.counter("larder_fetch_waited_total") > 0)
        }
    }

    @Test func beyondTheQueueIsOverloadedAndOnlyWhatIsSentIsCounted() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .send(Self.found)] }
        defer {
            gate.open()
            origin.stop()
        }
        let configuration = Self.itunes(
            origin, "rate: 1000/min, maxConnections: 4, maxQueue: 6",
            "fetch: { queueTimeout: 5min, deadline: 5min, failurePause: 0s }")
        try await withLarder(configuration) { larder in
            async let crowd = crowd(30, of: larder)
            try await larder.eventually("the rest is turned away") {
                try await larder.counter("larder_fetch_refused_total", #"reason="full""#) == 20
            }
            try await larder.eventually("those with a place are sent") { calls(origin) == 4 }
            #expect(try await larder.counter("larder_fetch_waiting") == 6)
            // The waiting requests have cost nothing.
            try await expectRemaining(996, of: larder)
            gate.open()
            let answers = try await crowd
            let refused = answers.filter { $0.status == 503 }
            #expect(answers.count { $0.status == 200 } == 10 && refused.count == 20)
            for answer in refused {
                #expect(answer["Retry-After"] == "2", "\(answer)")
                #expect(try answer.json()["code"]?.string == "overloaded", "\(answer)")
            }
            #expect(calls(origin) == 10)
            try await expectRemaining(990, of: larder)
            #expect(try await larder.counter("larder_suspensions_total", #"provider="itunes""#) == 0)
        }
    }

    @Test func whoseTurnDoesNotComeInTimeIsOverloadedAndNothingIsCounted() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .send(Self.found)] }
        defer {
            gate.open()
            origin.stop()
        }
        let configuration = Self.itunes(
            origin, "rate: 1000/min, maxConnections: 1", "fetch: { queueTimeout: 200ms, deadline: 5min }")
        try await withLarder(configuration) { larder in
            async let first = larder.get("/v1/itunes/search?q=first")
            try await larder.eventually("it is sent") { calls(origin) == 1 }
            let second = try await larder.get("/v1/itunes/search?q=second")
            #expect(second.status == 503 && second["Retry-After"] != nil, "\(second)")
            #expect(try second.json()["code"]?.string == "overloaded", "\(second)")
            #expect(try await remaining(larder) == 999)
            gate.open()
            #expect(try await first.status == 200)
            #expect(calls(origin) == 1)
        }
    }

    @Test func aFullQueueSpendsTheBudgetToItsLastCallAndNoFurther() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .send(Self.found)] }
        defer {
            gate.open()
            origin.stop()
        }
        let configuration = Self.itunes(
            origin, "rate: 12/hour", "fetch: { queueTimeout: 5min, deadline: 5min, failurePause: 0s }")
        try await withLarder(configuration) { larder in
            async let crowd = crowd(30, of: larder)
            try await larder.eventually("all wait") { try await larder.counter("larder_fetch_waiting") == 22 }
            try await larder.eventually("those with a place are counted") { try await remaining(larder) == 4 }
            gate.open()
            let answers = try await crowd
            #expect(answers.count { $0.status == 200 } == 12)
            #expect(answers.count { $0.status == 429 } == 18)
            #expect(calls(origin) == 12)
            // If no call is left, no request waits to learn so.
            let late = try await larder.get("/v1/itunes/search?q=late")
            #expect(late.status == 429, "\(late)")
            #expect(try await larder.counter("larder_fetch_waited_total") == 22)
        }
    }

    /// Each place that becomes free before the first answer is judged may let one call through.
    @Test func aProviderThatIsSuspendedMeanwhileIsNotCalledByThoseWhoWaited() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in
            [.await(gate), .send("HTTP/1.1 429 Too Many\r\nRetry-After: 600\r\nContent-Length: 0\r\n\r\n")]
        }
        defer {
            gate.open()
            origin.stop()
        }
        let configuration = Self.itunes(
            origin, "rate: 1000/min, maxConnections: 2",
            "fetch: { queueTimeout: 5min, deadline: 5min, failurePause: 0s }")
        try await withLarder(configuration) { larder in
            async let crowd = crowd(60, of: larder)
            try await larder.eventually("all wait") { try await larder.counter("larder_fetch_waiting") == 58 }
            gate.open()
            let answers = try await crowd
            #expect(answers.allSatisfy { $0.status == 429 })
            #expect(calls(origin) <= 20, "\(calls(origin)) calls")
            try await expectRemaining(1000 - calls(origin), of: larder)
        }
    }

    @Test func aUsersCrowdDelaysAnotherClientByOneTurn() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .send(ok("here"))] }
        let place = TemporaryDirectory()
        defer {
            gate.open()
            origin.stop()
        }
        let configuration = """
            fetch: { queueTimeout: 5min, deadline: 5min }
            providers: { api: { kind: passthrough, baseURL: "\(origin.base)", maxConnections: 1 } }
            """
        try await withLarder(configuration, listen: [#""127.0.0.1:0""#, "\"unix:\(place.path)/s\""]) { larder in
            try await withThrowingTaskGroup { group in
                for number in 0..<12 {
                    group.addTask { try await larder.get("/raw/api/crowd\(number)", at: larder.addresses[1]).status }
                }
                try await larder.eventually("they wait") { try await larder.counter("larder_fetch_waiting") == 11 }
                group.addTask { try await larder.get("/raw/api/single").status }
                try await larder.eventually("it waits too") { try await larder.counter("larder_fetch_waiting") == 12 }
                gate.open()
                for try await status in group { #expect(status == 200) }
            }
            let place = try #require(origin.requests.firstIndex { $0.target == "/single" })
            #expect(place <= 2, "it came after \(place) others")
        }
    }
}
