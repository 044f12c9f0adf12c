// A miss of which nothing is stored is fetched without a task on its client's loop, and by a task on the home loop if the
// provider's connections are few. Both ways must come to the same.
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderDaemon
@testable import LarderEngine

@Suite struct PassExchangeTests {
    private static let kept = "Cache-Control: max-age=600\r\n"

    /// What an origin answers, by the path that is asked for.
    private static let answers: [(path: String, answer: String)] = [
        ("plain", ok("plain", fields: kept)),
        ("vary", ok("vary", fields: kept + "Vary: Accept-Language\r\n")),
        ("any", ok("any", fields: kept + "Vary: *\r\n")),
        ("private", ok("private", fields: "Cache-Control: private\r\n")),
        ("nostore", ok("nostore", fields: "Cache-Control: no-store\r\n")),
        ("missing", ok("missing", status: "404 Not Found", fields: kept)),
        ("error", ok("error", status: "500 Internal Server Error")),
        ("moved", ok("moved", status: "301 Moved Permanently", fields: kept + "Location: /plain\r\n")),
        ("empty", "HTTP/1.1 204 No Content\r\n\(kept)\r\n"),
        ("unasked", "HTTP/1.1 304 Not Modified\r\n\r\n"),
        ("part", ok("part", status: "206 Partial Content", fields: kept + "Content-Range: bytes 0-3/9\r\n")),
        ("digest", ok("digest", fields: kept + "Content-Digest: sha-256=:AAAA:\r\n")),
        ("chunked", "HTTP/1.1 200 OK\r\n\(kept)Transfer-Encoding: chunked\r\n\r\n7\r\nchunked\r\n0\r\n\r\n"),
        ("broken", "HTTP/1.1 abc\r\n\r\n"),
    ]

    /// Asks for each answer twice, and says what came and what `Cache-Status` told.
    private func told(_ limits: String) async throws -> [String] {
        let origin = ScriptedOrigin { request in
            let name = request.target.dropFirst()
            return [.send(Self.answers.first { $0.path == name }?.answer ?? "")]
        }
        defer { origin.stop() }
        let seen = Lock<[String]>([])
        let configuration = """
            providers: { api: { kind: passthrough, baseURL: "\(origin.base)"\(limits) } }
            fetch: { failurePause: 0s }
            """
        try await withLarder(configuration) { (larder) async throws in
            for (path, _) in Self.answers {
                for _ in 0..<2 {
                    let answer = try? await larder.get("/raw/api/\(path)")
                    // The rest of the lifetime depends on the moment.
                    let status = (answer?["Cache-Status"] ?? "").split(separator: ";").filter { !$0.contains("ttl=") }
                    seen.withLock {
                        $0.append("\(path) \(answer?.status ?? 0) \(answer?.text.prefix(20) ?? "") \(status)")
                    }
                }
            }
        }
        return seen.withLock { $0 }
    }

    @Test func aFetchWithoutATaskComesToTheSameAsOneInATask() async throws {
        #expect(try await told("") == told(", maxConnections: 1"))
    }

    @Test func aBodyThatIsLateIsPassedOnAsItComesAndStored() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in
            [
                .send("HTTP/1.1 200 OK\r\n\(Self.kept)Transfer-Encoding: chunked\r\n\r\n3\r\nold\r\n"), .await(gate),
                .send("3\r\ner!\r\n0\r\n\r\n"),
            ]
        }
        defer { origin.stop() }
        try await withLarder("providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }") {
            (larder) async throws in
            let body = try await larder.talk { client in
                try client.send("GET /raw/api/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                #expect(try client.receiveHead().status == 200)
                gate.open()
                return try client.receiveRest()
            }
            #expect(body.lossyText.contains("er!"))
            try await larder.eventually("it is stored") {
                try await larder.get("/raw/api/a")["Cache-Status"]?.contains("hit") == true
            }
            #expect(try await larder.get("/raw/api/a").text == "older!")
            #expect(origin.requests.count == 1)
        }
    }

    @Test func aClientThatLeavesBeforeTheHeadEndsItsFetch() async throws {
        let origin = ScriptedOrigin { _ in [.hold] }
        defer { origin.stop() }
        try await withLarder("providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }") {
            (larder) async throws in
            try await larder.talk { client in
                try client.send("GET /raw/api/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
                try blockUntil("it was asked") { origin.requests.count == 1 }
                client.resetAtEnd()
            }
            try await larder.eventually("no fetch is left") {
                try await larder.counter("larder_flights_abandoned_total") == 1
            }
        }
    }
}
