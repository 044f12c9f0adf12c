// Transfers that clients hold open at an origin leave room for other requests to it. Calls that were never sent cost
// nothing.
import Glibc
import LarderCore
import LarderDaemon
import LarderTestSupport
import Testing

@Suite struct PlaceScenarios {
    /// Answers `/events…` with one event and then stays silent. Answers everything else at once.
    private func origin(_ gate: Gate) -> ScriptedOrigin {
        ScriptedOrigin { request in
            guard request.target.hasPrefix("/events") else { return [.send(ok("plain"))] }
            let fields =
                "Content-Type: text/event-stream\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n"
            return [.send("HTTP/1.1 200 OK\r\n\(fields)\r\n9\r\ndata: a\n\n\r\n"), .await(gate)]
        }
    }

    /// A configured provider with two places for transfers that clients pace.
    private static func narrow(_ origin: ScriptedOrigin, _ more: String = "") -> String {
        """
        \(more)
        providers: { api: { kind: passthrough, baseURL: "\(origin.base)", maxStreams: 2 } }
        """
    }

    /// Opens an event stream through the daemon and keeps it.
    private func stream(_ larder: RunningLarder, _ target: String) async throws -> (WireClient, WireResponse) {
        try await larder.talk { client in
            try client.send(ServerScenarios.request(target))
            return (client, try client.receiveHead())
        }
    }

    @Test func eightOpenEventStreamsHoldUpNoOrdinaryRequest() async throws {
        let gate = Gate()
        let origin = origin(gate)
        defer {
            gate.open()
            origin.stop()
        }
        try await withLarder(ServerScenarios.passthrough(origin)) { larder in
            var clients: [WireClient] = []
            for number in 0..<8 {
                let (client, head) = try await stream(larder, "/raw/api/events\(number)")
                #expect(head.status == 200, "\(head)")
                clients.append(client)
            }
            try await larder.eventually("all have places of their own") {
                try await larder.counter("larder_fetch_paced") == 8
            }
            let answer = try await larder.get("/raw/api/a")
            #expect(answer.status == 200 && answer.text == "plain", "\(answer)")
            #expect(clients.count == 8)
        }
    }

    @Test func eightUploadsThatDripHoldUpNoOrdinaryRequest() async throws {
        let origin = ScriptedOrigin(answering: ok("plain"))
        defer { origin.stop() }
        // No upload is given up while the test takes its time.
        try await withLarder(ServerScenarios.passthrough(origin, "server: { headTimeout: 5min }")) { larder in
            var clients: [WireClient] = []
            for number in 0..<8 {
                clients.append(
                    try await larder.talk { client in
                        try client.send(
                            ServerScenarios.request("/raw/api/\(number)", "POST", "Transfer-Encoding: chunked\r\n")
                                + "1\r\na\r\n")
                        return client
                    })
            }
            try await larder.eventually("the uploads are under way") {
                try await larder.counter("larder_fetch_paced") == 8
            }
            let answer = try await larder.get("/raw/api/a")
            #expect(answer.status == 200 && answer.text == "plain", "\(answer)")
            #expect(clients.count == 8)
        }
    }

    /// A body that may be stored is taken at the store's pace, until the store has no room for it.
    @Test func aBodyThatTheStoreGivesUpLeavesItsPlaceToOthers() async throws {
        let gate = Gate()
        let piece = Bytes(repeating: 0x61, count: 0x50000)
        let origin = ScriptedOrigin { request in
            guard request.target.hasPrefix("/long") else { return [.send(ok("plain"))] }
            let fields = "Cache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n"
            return [
                .send("HTTP/1.1 200 OK\r\n\(fields)\r\n50000\r\n"), .sendBytes(piece), .send("\r\n"), .await(gate),
            ]
        }
        defer {
            gate.open()
            origin.stop()
        }
        let configuration = ServerScenarios.passthrough(origin, "cache: { maxObject: 64 KiB }")
        try await withLarder(configuration) { larder in
            var clients: [WireClient] = []
            for number in 0..<8 { clients.append(try await stream(larder, "/raw/api/long\(number)").0) }
            try await larder.eventually("all have moved aside") {
                try await larder.counter("larder_fetch_paced") == 8
            }
            #expect(try await larder.get("/raw/api/a").text == "plain")
            #expect(clients.count == 8)
        }
    }

    @Test func aLongAnswerThatIsNotStoredIsPacedByItsReader() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { request in
            request.target == "/a"
                ? [.send(ok("plain"))]
                : [
                    .send("HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: 9000000\r\n\r\nx"),
                    .await(gate),
                ]
        }
        defer {
            gate.open()
            origin.stop()
        }
        try await withLarder(ServerScenarios.passthrough(origin)) { larder in
            var clients: [WireClient] = []
            for number in 0..<8 { clients.append(try await stream(larder, "/raw/api/long\(number)").0) }
            try await larder.eventually("all have moved aside") {
                try await larder.counter("larder_fetch_paced") == 8
            }
            #expect(try await larder.get("/raw/api/a").text == "plain")
            #expect(clients.count == 8)
        }
    }

    @Test func whoFindsNoPlaceIsToldToComeBackAndTheUpstreamIsNotBlamed() async throws {
        let gate = Gate()
        let origin = origin(gate)
        defer {
            gate.open()
            origin.stop()
        }
        let configuration = Self.narrow(origin, "fetch: { queueTimeout: 300ms }")
        try await withLarder(configuration) { larder in
            var clients: [WireClient] = []
            for number in 0..<2 { clients.append(try await stream(larder, "/raw/api/events\(number)").0) }
            let head = try await larder.talk { client in
                try client.send(
                    ServerScenarios.request("/raw/api/up", "POST", "Transfer-Encoding: chunked\r\n") + "1\r\na\r\n")
                return try client.receive()
            }
            #expect(head.status == 503, "\(head)")
            #expect(head["Retry-After"] == "2", "\(head)")
            #expect(try head.json()["code"]?.string == "overloaded", "\(head)")
            #expect(try head.json()["retryable"]?.bool == true, "\(head)")
            #expect(!origin.requests.contains { $0.target == "/up" }, "it was not sent")
            #expect(try await larder.get("/raw/api/a").text == "plain")
            let status = try await larder.get("/v1/status").json()
            let provider = status["providers"]?.elements.first { $0["name"]?.string == "api" }
            #expect(provider?["reachability"]?.string == "reachable", "\(status)")
            #expect(clients.count == 2)
        }
    }

    /// A client that asks for events intends to stay.
    @Test func eventStreamsBeyondTheirPlacesAreToldToComeBack() async throws {
        let gate = Gate()
        let origin = origin(gate)
        defer {
            gate.open()
            origin.stop()
        }
        try await withLarder(Self.narrow(origin, "fetch: { queueTimeout: 300ms }")) { larder in
            var clients: [WireClient] = []
            for number in 0..<3 {
                let (client, head) = try await larder.talk { client in
                    let fields = "Accept: text/event-stream\r\n"
                    try client.send(ServerScenarios.request("/raw/api/events\(number)", "GET", fields))
                    return (client, try client.receiveHead())
                }
                #expect(head.status == (number < 2 ? 200 : 503), "\(head)")
                if number == 2 { #expect(head["Retry-After"] == "2", "\(head)") }
                clients.append(client)
            }
            #expect(!origin.requests.contains { $0.target == "/events2" }, "it was not sent")
            #expect(try await larder.get("/raw/api/a").text == "plain")
            #expect(clients.count == 3)
        }
    }

    @Test func eightSlowReadersOfALargeBodyHoldUpNoOrdinaryRequest() async throws {
        let piece = Bytes(repeating: 0x61, count: 20 << 20)
        let origin = ScriptedOrigin { request in
            request.target == "/a"
                ? [.send(ok("plain"))]
                : [
                    .send("HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: \(piece.count)\r\n\r\n"),
                    .sendBytes(piece),
                ]
        }
        defer { origin.stop() }
        try await withLarder(ServerScenarios.passthrough(origin)) { larder in
            var clients: [WireClient] = []
            for number in 0..<8 { clients.append(try await stream(larder, "/raw/api/large\(number)").0) }
            let answer = try await larder.get("/raw/api/a")
            #expect(answer.status == 200 && answer.text == "plain", "\(answer)")
            try await larder.eventually("all have places of their own") {
                try await larder.counter("larder_fetch_paced") == 8
            }
            #expect(clients.count == 8)
        }
    }

    /// Answers that stop in the middle are neither stored nor taken slowly. They look like a slow upstream's answers,
    /// so they fill both kinds of place of their provider until they are given up. They fill nothing else.
    @Test func whatOneProviderStallsTakesNothingFromAnother() async throws {
        let gate = Gate()
        let stalling = ScriptedOrigin { request in
            request.target == "/a"
                ? [.send(ok("plain"))]
                : [
                    .send("HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: 9000000\r\n\r\nx"),
                    .await(gate),
                ]
        }
        let other = origin(gate)
        defer {
            gate.open()
            stalling.stop()
            other.stop()
        }
        func configuration(_ queueTimeout: String) -> String {
            """
            fetch: { queueTimeout: \(queueTimeout), deadline: 10min }
            providers:
              stalling: { kind: passthrough, baseURL: "\(stalling.base)" }
              api: { kind: passthrough, baseURL: "\(other.base)" }
            """
        }
        try await withLarder(configuration("5min")) { larder in
            var clients: [WireClient] = []
            for number in 0..<40 { clients.append(try await stream(larder, "/raw/stalling/\(number)").0) }
            #expect(try await larder.counter("larder_fetch_active") == 40)
            #expect(try await larder.get("/raw/api/a").text == "plain")
            let (client, head) = try await stream(larder, "/raw/api/events")
            #expect(head.status == 200, "\(head)")
            clients.append(client)
            // Only this request is to be refused. All others had the time that they needed.
            await larder.reload(configuration("300ms"))
            let refused = try await larder.get("/raw/stalling/a")
            #expect(refused.status == 503 && refused["Retry-After"] == "2", "\(refused)")
            #expect(clients.count == 41)
        }
    }

    @Test func openEventStreamsTurnNoOtherRequestAway() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { request in
            guard request.target.hasPrefix("/events") else {
                return [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n")]
            }
            let fields = "Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
            return [.send("HTTP/1.1 200 OK\r\n\(fields)\r\n9\r\ndata: a\n\n\r\n"), .await(gate)]
        }
        defer {
            gate.open()
            origin.stop()
        }
        let configuration = Self.narrow(origin)
        try await withLarder(configuration) { larder in
            var clients: [WireClient] = []
            // One more than the number of places, and more than other requests have.
            for number in 0..<11 { clients.append(try await stream(larder, "/raw/api/events\(number)").0) }
            for (method, body) in [("GET", ""), ("DELETE", ""), ("POST", "a short one")] {
                let answer = try await larder.send(method, "/raw/api/a", body: body)
                #expect(answer.status == 200 && answer.text == "ok", "\(answer)")
            }
            let status = try await larder.get("/v1/status").json()
            let provider = status["providers"]?.elements.first { $0["name"]?.string == "api" }
            #expect(provider?["reachability"]?.string == "reachable", "\(status)")
            #expect(clients.count == 11)
        }
    }

    /// A client that reads "retryable" would send the request again.
    @Test func aRequestThatMayHaveTakenEffectIsNotSaidToBeRetryable() async throws {
        let origin = ScriptedOrigin { _ in [.close] }
        defer { origin.stop() }
        try await withLarder(ServerScenarios.passthrough(origin, "fetch: { failurePause: 0s }")) { larder in
            for (method, isRetryable) in [("POST", false), ("PATCH", false), ("PUT", true), ("DELETE", true)] {
                let answer = try await larder.send(method, "/raw/api/a", body: "x")
                #expect(answer.status == 502, "\(answer)")
                #expect(try answer.json()["retryable"]?.bool == isRetryable, "\(method) \(answer)")
            }
        }
    }

    @Test func aCallThatNeverLeftCostsNothingOfTheBudget() async throws {
        let closed = LoopbackPort()
        let directory = TemporaryDirectory()
        let configuration = """
            fetch: { failurePause: 0s }
            providers: { api: { kind: passthrough, baseURL: "http://127.0.0.1:\(closed.number)", quota: 2/day } }
            """
        // The record of calls outlives the daemon.
        for _ in 0..<2 {
            try await withLarder(configuration, directory: directory) { larder in
                for number in 0..<4 {
                    let answer = try await larder.get("/raw/api/\(number)")
                    #expect(answer.status == 502, "\(answer)")
                }
            }
        }
        let origin = ScriptedOrigin(answering: ok("here"))
        defer { origin.stop() }
        let there = configuration.replacing("127.0.0.1:\(closed.number)", with: "127.0.0.1:\(origin.port)")
        try await withLarder(there, directory: directory) { (larder) async throws in
            #expect(try await larder.get("/raw/api/a").status == 200)
            #expect(try await larder.get("/raw/api/b").status == 200)
            #expect(try await larder.get("/raw/api/c").status == 429)
        }
    }

    @Test func aProvidersOwnDeadlineCountsForTheHeadOfItsAnswer() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate)] }
        defer {
            gate.open()
            origin.stop()
        }
        let configuration = """
            fetch: { deadline: 10m }
            providers: { api: { kind: passthrough, baseURL: "\(origin.base)", deadline: 300ms } }
            """
        try await withLarder(configuration) { larder in
            let late = try await larder.get("/raw/api/slow")
            #expect(late.status == 504, "\(late)")
            #expect(late.text.contains("300ms"), "\(late)")
        }
    }
}
