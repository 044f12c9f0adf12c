// An unsafe request that was sent but brought no answer may have been carried out. Stored answers that it may have made
// wrong are not served again.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct UnknownOutcomeScenarios {
    private static let path = "/raw/api/a?x=1"

    /// How a request ends without an answer.
    enum End: String, CaseIterable, Sendable {
        case reset, closed, unparsable, timedOut, left
    }

    /// Numbers its answers to GET requests. Other requests end without an answer.
    private func origin(_ end: End, _ gate: Gate, fields: String = "") -> ScriptedOrigin {
        let count = Lock(0)
        return ScriptedOrigin { request in
            guard request.method == "GET" else {
                return switch end {
                case .reset: [.reset]
                case .closed: [.close]
                case .unparsable: [.send("HTTP/1.1 2xx what\r\n\r\n"), .close]
                case .timedOut, .left: [.await(gate), .close]
                }
            }
            let number = count.withLock { count -> Int in
                count += 1
                return count
            }
            return [.send(ok("answer \(number)", fields: "Cache-Control: max-age=600\r\n\(fields)"))]
        }
    }

    private func settings(_ base: String, _ end: End? = nil, rate: String = "off", more: String = "") -> String {
        """
        fetch: { deadline: 60s }\(end == .timedOut ? "\nserver: { loops: 1 }" : "")
        providers: { api: { kind: passthrough, baseURL: "\(base)", rate: \(rate), quota: off\(more) } }
        """
    }

    /// Sends a request that ends in the given way, and waits until it is over.
    /// - Parameter time: the clock of the daemon, which only a request that times out needs.
    private func ask(
        _ method: String, _ target: String, _ end: End, _ larder: RunningLarder, _ origin: ScriptedOrigin,
        time: ManualTime? = nil
    ) async throws {
        let before = origin.requests.count
        switch end {
        case .reset, .closed, .unparsable:
            let answer = try await larder.send(method, target, body: "x")
            #expect(answer.status == 502, "\(answer)")
        case .timedOut:
            async let late = larder.send(method, target, body: "x")
            try await larder.eventually("it is under way") { origin.requests.count == before + 1 }
            time?.advance(by: .seconds(61))
            try await larder.giveLoopsATurn()
            let answer = try await late
            #expect(answer.status == 504, "\(answer)")
        case .left:
            try await leave(method, target, larder, origin)
        }
    }

    /// Sends a request, leaves when the origin has it, and waits until it is over.
    private func leave(
        _ method: String, _ target: String, _ larder: RunningLarder, _ origin: ScriptedOrigin
    ) async throws {
        let before = origin.requests.count
        let ended = try await larder.counter("larder_requests_total", "route=\"raw\",status=\"4xx\"")
        var client: WireClient? = try await larder.talk { client in
            try client.send("\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx")
            return client
        }
        try await larder.eventually("it is under way") { client != nil && origin.requests.count == before + 1 }
        client?.resetAtEnd()
        client = nil
        try await larder.eventually("it has ended") {
            try await larder.counter("larder_requests_total", "route=\"raw\",status=\"4xx\"") == ended + 1
        }
    }

    @Test(arguments: End.allCases, ["PUT", "POST", "DELETE"])
    func whatWasSentAndNotAnsweredInvalidates(_ end: End, _ method: String) async throws {
        let gate = Gate()
        let origin = origin(end, gate)
        defer { origin.stop() }
        defer { gate.open() }
        let time = ManualTime()
        // Only a request that times out needs its deadline on the clock of the test.
        let timers: any TimeSource = end == .timedOut ? time : SystemTime()
        try await withLarder(settings(origin.base, end), time: time, timers: timers) { larder async throws in
            #expect(try await larder.get(Self.path).text == "answer 1")
            #expect(try await larder.get(Self.path).text == "answer 1")
            try await ask(method, Self.path, end, larder, origin, time: time)
            #expect(try await larder.get(Self.path).text == "answer 2")
        }
    }

    @Test func nothingAnswersItFromUnderAnotherQueryEither() async throws {
        let gate = Gate()
        let origin = origin(.reset, gate, fields: "No-Vary-Search: params=(\"utm\")\r\n")
        defer { origin.stop() }
        try await withLarder(settings(origin.base)) { larder async throws in
            #expect(try await larder.get(Self.path).text == "answer 1")
            #expect(try await larder.get(Self.path + "&utm=1").text == "answer 1")
            try await ask("PUT", Self.path + "&utm=1", .reset, larder, origin)
            #expect(try await larder.get(Self.path + "&utm=1").text == "answer 2")
        }
    }

    @Test(arguments: ["OPTIONS", "QUERY"])
    func whatOnlyReadsInvalidatesNothing(_ method: String) async throws {
        let origin = origin(.reset, Gate())
        defer { origin.stop() }
        try await withLarder(settings(origin.base)) { larder async throws in
            #expect(try await larder.get(Self.path).text == "answer 1")
            try await ask(method, Self.path, .reset, larder, origin)
            #expect(try await larder.get(Self.path).text == "answer 1")
        }
    }

    @Test func aPOSTThatIsDeclaredToReadInvalidatesNothing() async throws {
        let origin = origin(.reset, Gate())
        defer { origin.stop() }
        let posts = ", readOnlyPosts: [{ path: /a, ttl: 1h, kind: any }]"
        try await withLarder(settings(origin.base, more: posts)) { larder async throws in
            #expect(try await larder.get(Self.path).text == "answer 1")
            try await ask("POST", Self.path, .reset, larder, origin)
            #expect(try await larder.get(Self.path).text == "answer 1")
        }
    }

    @Test func whatNeverLeftInvalidatesNothing() async throws {
        let origin = origin(.reset, Gate())
        try await withLarder(settings(origin.base)) { larder async throws in
            #expect(try await larder.get(Self.path).text == "answer 1")
            origin.stop()
            #expect(try await larder.send("PUT", Self.path, body: "x").status == 502)
            #expect(try await larder.get(Self.path).text == "answer 1")
        }
        withExtendedLifetime(origin) {}
    }

    @Test func whatTheBudgetRefusesInvalidatesNothing() async throws {
        let origin = origin(.reset, Gate())
        defer { origin.stop() }
        try await withLarder(settings(origin.base, rate: "1/day")) { larder async throws in
            #expect(try await larder.get(Self.path).text == "answer 1")
            #expect(try await larder.send("PUT", Self.path, body: "x").status == 429)
            #expect(try await larder.get(Self.path).text == "answer 1")
            #expect(origin.requests.count == 1)
        }
    }
}

@Suite(.enabled(if: SharedEngine.mayRun, "there is no redis-server or valkey-server on this machine"))
struct FleetUnknownOutcomeScenarios {
    @Test func whatAnotherHostAndTheTierHoldGoesToo() async throws {
        let engine = try SharedEngine()
        let count = Lock(0)
        let origin = ScriptedOrigin { request in
            guard request.method == "GET" else { return [.reset] }
            let number = count.withLock { count -> Int in
                count += 1
                return count
            }
            return [.send(ok("answer \(number)", fields: "Cache-Control: max-age=600\r\n"))]
        }
        defer { origin.stop() }
        let settings = """
            providers: { api: { kind: passthrough, baseURL: "\(origin.base)", shared: yes } }
            shared: { url: "\(engine.url)", key: "\(Fleet.key)", timeout: 10s }
            admin: { token: \(Fleet.token) }
            """
        try await Fleet.two(settings) { one, two async throws in
            #expect(try await one.get("/raw/api/a").text == "answer 1")
            try await Fleet.published(one, 1)
            #expect(try await two.get("/raw/api/a").text == "answer 1")
            #expect(try await one.send("PUT", "/raw/api/a", body: "x").status == 502)
            try await two.eventually("the other host has heard of it") {
                try await two.get("/raw/api/a").text == "answer 2"
            }
            // Whether the second answer is published depends on whether the host heard of the removal before it asked.
            #expect(try await one.get("/raw/api/a").text != "answer 1")
        }
    }
}
