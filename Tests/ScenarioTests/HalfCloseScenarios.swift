// A client that closes its sending side after the request, as `nc -N` does, still gets its answer (RFC 9112 §9.6). Over
// TCP a client that is gone looks the same, so its queued calls end after server.halfClose.
import LarderCore
import LarderHTTP
import LarderTestSupport
import Testing

@Suite struct HalfCloseScenarios {
    /// Sends the bytes, ends the sending side, and returns the answers and whether the connection then ended.
    private func ask(
        _ larder: RunningLarder, _ bytes: String, answers count: Int = 1, at address: String? = nil
    ) async throws -> [WireResponse] {
        try await larder.talk(to: address) { client in
            try client.send(bytes)
            client.finishSending()
            let answers = try (0..<count).map { _ in try client.receive() }
            #expect(try client.isClosed())
            return answers
        }
    }

    @Test(arguments: ["tcp", "unix"])
    func everyFormOfARequestIsAnsweredAfterTheEndOfInput(_ kind: String) async throws {
        let origin = ScriptedOrigin { request in
            if request.target == "/stream" {
                return [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n")]
            }
            return [.send(ok("\(request.method) \(request.target)", fields: "Cache-Control: max-age=600\r\n"))]
        }
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let socket = "\(directory.path)/larder.sock"
        let listen = kind == "tcp" ? "\"127.0.0.1:0\"" : "\"unix:\(socket)\""
        try await withLarder(ServerScenarios.passthrough(origin), listen: [listen], directory: directory) { larder in
            let get = ServerScenarios.request("/raw/api/a")
            #expect(try await ask(larder, get)[0].text == "GET /a")
            let hits = try await ask(larder, get + get, answers: 2)
            #expect(hits.allSatisfy { $0["Cache-Status"]?.hasPrefix("larder; hit") == true }, "\(hits)")
            let put = ServerScenarios.request("/raw/api/b", "PUT", "Content-Length: 1\r\n") + "x"
            #expect(try await ask(larder, put)[0].text == "PUT /b")
            #expect(try await ask(larder, ServerScenarios.request("/raw/api/stream"))[0].text == "abc")
            let mixed = try await ask(larder, ServerScenarios.request("/raw/api/c") + put + get, answers: 3)
            #expect(mixed.map(\.text) == ["GET /c", "PUT /b", "GET /a"])
        }
    }

    @Test func aSearchAndALiveSearchAreAnsweredAfterTheEndOfInput() async throws {
        let origin = ScriptedOrigin { _ in [.send(CacheScenarios.song)] }
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            let whole = try await ask(larder, ServerScenarios.request("/v1/itunes/search?q=one"))[0]
            #expect(try whole.json()["state"]?.string == "results", "\(whole)")
            let begun = try await ask(
                larder, ServerScenarios.request("/v1/itunes/search?q=two", "GET", "Prefer: respond-async\r\n"))[0]
            #expect(begun.status == 202, "\(begun)")
            let path = try #require(begun["Location"])
            let events = try await ask(larder, ServerScenarios.request(path + "/events"))[0]
            #expect(events.text.contains("results"), "\(events)")
        }
    }

    /// The client is gone before the answer. Its call was sent, so the answer is stored.
    @Test func aCallThatWasSentIsStoredThoughItsClientIsGone() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .send(ok("late", fields: "Cache-Control: max-age=600\r\n"))] }
        defer { origin.stop() }
        defer { gate.open() }
        let configuration = ServerScenarios.passthrough(origin, "server: { halfClose: 0s }")
        try await withLarder(configuration) { larder in
            try await larder.talk { client in
                try client.send(ServerScenarios.request("/raw/api/a"))
                try blockUntil("the call is sent") { origin.requests.count == 1 }
            }
            gate.open()
            try await larder.eventually("it is stored") {
                try await larder.get("/raw/api/a")["Cache-Status"]?.hasPrefix("larder; hit") == true
            }
            #expect(origin.requests.count == 1)
            #expect(try await larder.counter("larder_flights_abandoned_total") == 0)
        }
    }

    @Test func aQueuedCallWhoseClientsHaveAllEndedTheirInputIsDropped() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .send(CacheScenarios.song)] }
        defer { origin.stop() }
        defer { gate.open() }
        let configuration = """
            server: { halfClose: 100ms }
            fetch: { queueTimeout: 10min, deadline: 10min }
            providers: { itunes: { baseURL: "\(origin.base)", rate: off, quota: off, maxConnections: 1 } }
            """
        try await withLarder(configuration) { larder in
            async let first = larder.get("/v1/itunes/search?q=first")
            try await larder.eventually("it is sent") { origin.requests.count == 1 }
            let dropped = try await ask(larder, ServerScenarios.request("/v1/itunes/search?q=second"))[0]
            #expect(dropped.status == 503 && dropped.text.contains("server.halfClose"), "\(dropped)")
            #expect(try await larder.counter("larder_fetch_refused_total", #"reason="forsaken""#) == 1)
            #expect(try await larder.counter("larder_fetch_waiting") == 0)
            gate.open()
            #expect(try await first.status == 200)
            // The drop says nothing about the question.
            #expect(try await larder.get("/v1/itunes/search?q=second").status == 200)
        }
    }

    /// On a Unix socket the kernel tells that the client has closed it.
    @Test func closingAUnixSocketIsLeaving() async throws {
        let origin = ScriptedOrigin { _ in [.hold] }
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let socket = "unix:\(directory.path)/larder.sock"
        let listen = ["\"127.0.0.1:0\"", "\"\(socket)\""]
        try await withLarder(BasicScenarios.itunes(origin), listen: listen, directory: directory) { larder in
            try await larder.talk(to: socket) { client in
                try client.send(ServerScenarios.request("/v1/itunes/search?q=one"))
                try blockUntil("the call is sent") { origin.requests.count == 1 }
            }
            try await larder.eventually("the fetch is cancelled") {
                try await larder.counter("larder_flights_abandoned_total") >= 1
            }
        }
    }
}
