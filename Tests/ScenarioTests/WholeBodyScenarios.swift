// Many large answers that are collected whole at once. Together they hold no more than fetch.maxMemory, those without
// room get 503, and nothing suffers from it afterwards.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct WholeBodyScenarios {
    private static let size = 1 << 20

    /// An answer of `size` bytes without results.
    private static func body(_ start: String = "{\"resultCount\":0,\"results\":[") -> Bytes {
        let end = "]}"
        let padding = size - start.utf8.count - end.utf8.count
        return Bytes(text: start) + Bytes(repeating: 0x20, count: padding) + Bytes(text: end)
    }

    /// Sends the head and half of the body, then the rest when the gate opens.
    private func origin(_ gate: Gate, framing: String, body: Bytes = WholeBodyScenarios.body()) -> ScriptedOrigin {
        let isChunked = framing == "chunked"
        let halves = [Bytes(body[..<(Self.size / 2)]), Bytes(body[(Self.size / 2)...])].map { half in
            isChunked ? Bytes(text: String(half.count, radix: 16) + "\r\n") + half + Bytes(text: "\r\n") : half
        }
        let field = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(Self.size)"
        return ScriptedOrigin { request in
            guard request.target.contains("large") else { return [.send(CacheScenarios.song)] }
            return [
                .send("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n"), .sendBytes(halves[0]), .await(gate),
                .sendBytes(halves[1]), .send(isChunked ? "0\r\n\r\n" : ""),
            ]
        }
    }

    /// The target of a raw request, which makes no results of the response.
    private func raw(_ term: String) -> String { "/raw/itunes/lookup?id=\(term)" }

    /// With a length, the head tells the size. Without one, half of each answer has arrived when there is no more room.
    @Test(arguments: [("length", 5), ("chunked", 2)])
    func manyLargeAnswersAtOnceStayWithinTheBound(_ framing: String, _ refused: Int) async throws {
        let gate = Gate()
        let origin = origin(gate, framing: framing)
        defer {
            gate.open()
            origin.stop()
        }
        let configuration = """
            fetch: { maxMemory: 3 MiB, deadline: 5min }
            providers: { itunes: { baseURL: "\(origin.base)", rate: off, quota: off } }
            """
        try await withLarder(configuration) { larder async throws in
            let asked = (0..<8).map { number in Task { try await larder.get(raw("large\(number)")) } }
            // An answer without room ends before any of the others does.
            try await larder.eventually("some were given up") {
                try await larder.counter("larder_fetch_memory_refusals_total") >= refused
            }
            let held = try await larder.counter("larder_fetch_held_bytes")
            #expect(held > 0 && held <= 3 << 20, "\(held)")
            // A small answer needs no room.
            #expect(try await larder.get(raw("small")).status == 200)
            gate.open()
            var answered = 0
            for task in asked {
                let answer = try await task.value
                if answer.status == 200 {
                    answered += 1
                    #expect(answer.body.count == Self.size)
                } else {
                    #expect(answer.status == 503 && answer["Retry-After"] == "2", "\(answer)")
                    #expect(try answer.json()["class"]?.string == "overloaded", "\(answer)")
                }
            }
            // An answer that its client has taken whole leaves its room to the next.
            #expect(answered >= 1 && answered <= asked.count - refused)
            try await larder.eventually("the room is given back") {
                try await larder.counter("larder_fetch_held_bytes") == 0
            }
            let later = try await larder.get(raw("large9"))
            #expect(later.status == 200 && later.body.count == Self.size, "nobody suspended the provider: \(later)")
        }
    }

    /// The answer is larger than what the sockets of both sides hold.
    @Test func theRoomOfAnAnswerIsKeptUntilItsSlowReaderHasItOrLeaves() async throws {
        let size = 32 << 20
        let origin = ScriptedOrigin { _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"),
                .sendBytes(Bytes(text: "[") + Bytes(repeating: 0x20, count: size - 2) + Bytes(text: "]")),
            ]
        }
        defer { origin.stop() }
        let configuration = """
            fetch: { deadline: 5min }
            server: { writeTimeout: 5min }
            providers: { hackernews: { baseURL: '\(origin.base)', searchURL: '\(origin.base)' } }
            """
        try await withLarder(configuration) { larder async throws in
            var (client, head): (WireClient?, WireResponse) = try await larder.talk { client in
                try client.send(ServerScenarios.request("/raw/hackernews/v0/topstories.json"))
                return (client, try client.receiveHead())
            }
            #expect(head.status == 200, "\(head)")
            try await larder.eventually("the fetch is over") {
                try await larder.counter("larder_flights_under_way") == 0
            }
            #expect(try await larder.counter("larder_fetch_held_bytes") == size)
            #expect(client != nil)
            client = nil
            try await larder.eventually("the room is given back") {
                try await larder.counter("larder_fetch_held_bytes") == 0
            }
        }
    }

    @Test func theOnlyLargeAnswerMayBeAsLargeAsItsOwnLimit() async throws {
        let gate = Gate()
        gate.open()
        let origin = origin(gate, framing: "length")
        defer { origin.stop() }
        let configuration = """
            fetch: { maxMemory: 1 MiB, maxBody: 2 MiB }
            providers: { itunes: { baseURL: "\(origin.base)", rate: off, quota: off } }
            """
        try await withLarder(configuration) { larder async throws in
            for number in 0..<3 {
                #expect(try await larder.get(raw("large\(number)")).status == 200)
                // The client has the answer a moment before the last holder of its body lets go.
                try await larder.eventually("the room is given back") {
                    try await larder.counter("larder_fetch_held_bytes") == 0
                }
            }
        }
    }

    /// A failure is remembered for a moment, but the page that came with it is not.
    @Test func aLargeAnswerThatIsBrokenKeepsNoRoom() async throws {
        let gate = Gate()
        gate.open()
        let origin = origin(gate, framing: "length", body: Self.body("<html>["))
        defer { origin.stop() }
        let configuration = """
            fetch: { maxMemory: 1 MiB, failurePause: 1h }
            providers: { itunes: { baseURL: "\(origin.base)", rate: off, quota: off } }
            """
        try await withLarder(configuration) { larder async throws in
            let broken = try await larder.get("/v1/itunes/search?q=large")
            #expect(broken.status == 502, "\(broken)")
            try await larder.eventually("the room is given back") {
                try await larder.counter("larder_fetch_held_bytes") == 0
            }
        }
    }
}
