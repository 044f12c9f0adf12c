// A hit from memory equals the answer of the slow way. Two daemons share one origin: one has a memory tier, the other
// has none. Each request goes to both. The answers must differ only in the request's id and in the seconds that passed
// in between.
import LarderCore
import LarderHTTP
import LarderTestSupport
import Testing

@Suite struct HotPathScenarios {
    private static let etag = "\"abc\""
    private static let modified = "Sun, 06 Nov 2022 08:49:37 GMT"

    /// The origin sends JSON. If `coded` is true, a client that asks for gzip gets gzip.
    private static func origin(coded: Bool) throws -> ScriptedOrigin {
        let plain = Bytes(text: String(repeating: #"{"a":1},"#, count: 3000))
        let gzip = try ContentCoding.gzip(plain)
        let date = HTTPDate.format(SystemTime().wall())
        return ScriptedOrigin { request in
            let isCoded = coded && request.field("Accept-Encoding")?.contains("gzip") == true
            let body = isCoded ? gzip : plain
            // The answer is one piece. A body that is still arriving when its head goes out is not kept in memory.
            return [
                .sendBytes(
                    Bytes(
                        text:
                            """
                            HTTP/1.1 200 OK\r
                            Date: \(date)\r
                            Content-Type: application/json\r
                            Cache-Control: max-age=600\r
                            ETag: \(etag)\r
                            Last-Modified: \(modified)\r
                            \(coded ? "Vary: Accept-Encoding\r\n" : "")X-Thing: kept\r
                            \(isCoded ? "Content-Encoding: gzip\r\n" : "")Content-Length: \(body.count)\r
                            \r

                            """) + body)
            ]
        }
    }

    private static func requests() -> [(method: String, fields: [(String, String)])] {
        var out: [(String, [(String, String)])] = [
            ("GET", []), ("HEAD", []), ("HEAD", [("Range", "bytes=1-2")]), ("HEAD", [("If-None-Match", etag)]),
            ("GET", [("If-Modified-Since", modified), ("If-None-Match", "\"x\"")]),
            ("GET", [("If-Range", etag)]), ("GET", [("If-Range", etag), ("Range", "bytes=5-9")]),
            ("GET", [("If-Range", "\"x\""), ("Range", "bytes=5-9")]),
            ("GET", [("If-Range", modified), ("Range", "bytes=5-9")]),
            ("GET", [("If-None-Match", etag), ("Range", "bytes=5-9")]),
            ("GET", [("If-None-Match", "\"x\""), ("Range", "bytes=5-9")]),
            ("GET", [("If-Match", "\"x\"")]), ("GET", [("If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:37 GMT")]),
            ("GET", [("If-None-Match", "\"x\""), ("If-None-Match", etag)]),
        ]
        for value in ["*", etag, "W/\(etag)", "\"x\", \(etag)", "\"x\"", "abc", "", "\"x\",,\(etag),"] {
            out.append(("GET", [("If-None-Match", value)]))
        }
        for value in [modified, "Mon, 07 Nov 2022 08:49:37 GMT", "Sat, 05 Nov 2022 08:49:37 GMT", "x"] {
            out.append(("GET", [("If-Modified-Since", value)]))
        }
        for value in [
            "bytes=0-0", "bytes=10-19", "bytes=23000-", "bytes=-10", "bytes=0-", "bytes=9-8", "bytes=999999-",
            "bytes=-0",
            "bytes=1-2,5-6", "items=1-2", "bytes=1-15000", "BYTES=7-8", "bytes= 1-2", "bytes=5-99999999999999999999",
        ] {
            out.append(("GET", [("Range", value)]))
        }
        return out
    }

    /// The status, the fields sorted by line, and the body.
    private static func shown(_ response: WireResponse) -> (head: [String], body: Bytes) {
        let lines = response.fields.filter { $0.name != "X-Request-Id" }.map { name, value in
            switch name {
            case "Age": "Age: \(Int(value) == nil ? value : "seconds")"
            case "Cache-Status" where value.hasPrefix("larder; hit; ttl="): "larder; hit; ttl"
            default: "\(name): \(value)"
            }
        }
        return ([response.statusLine] + lines.sorted(), response.body)
    }

    @Test(arguments: [false, true])
    func everyAnswerFromMemoryIsTheSlowWays(coded: Bool) async throws {
        let origin = try Self.origin(coded: coded)
        defer { origin.stop() }
        let configuration = "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }"
        let listen = [#""127.0.0.1:0""#, #"{ address: "127.0.0.1:0", provider: api }"#]
        try await withLarder(configuration, listen: listen) { hot in
            try await withLarder(
                "cache: { memorySize: 0 }\n" + configuration, listen: listen
            ) { slow in
                for (target, listener, accepts) in [("/raw/api/a", 0, ["gzip", nil]), ("/a", 1, ["br, gzip"])] {
                    for accepted in accepts {
                        let accept = accepted.map { [("Accept-Encoding", $0)] } ?? []
                        for larder in [hot, slow] {
                            let warm = try await larder.send(
                                "GET", target, fields: accept, to: larder.addresses[listener])
                            #expect(warm.status == 200, "\(warm)")
                        }
                        for (method, fields) in Self.requests() {
                            let one = try await hot.send(
                                method, target, fields: fields + accept, to: hot.addresses[listener])
                            let other = try await slow.send(
                                method, target, fields: fields + accept, to: slow.addresses[listener])
                            let said = "\(listener) \(method) \(fields) \(accepted ?? "-")"
                            #expect(Self.shown(one).head == Self.shown(other).head, "\(said)")
                            #expect(one.body == other.body, "\(said)")
                        }
                    }
                }
                #expect(try await slow.counter("larder_memory_hits_total", #"provider="api""#) == 0)
                // All requests of one round except those that memory leaves to the slow way.
                let hits = try await hot.counter("larder_memory_hits_total", #"provider="api""#)
                #expect(hits >= 3 * 25, "\(hits)")
            }
        }
    }

    @Test func clientsThatSpellTheSameAcceptanceDifferentlyShareOneForm() async throws {
        let origin = try Self.origin(coded: true)
        defer { origin.stop() }
        try await withLarder("providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }") { larder in
            // The commit of a variant makes memory forget the forms of its URL.
            for _ in 0..<2 {
                for value in ["gzip", "identity"] {
                    _ = try await larder.get("/raw/api/a", ("Accept-Encoding", value))
                }
                try await larder.awaitCommits()
            }
            let before = try await larder.counter("larder_memory_hits_total", #"provider="api""#)
            for value in ["gzip, deflate, br", "br, gzip;q=0.8", "GZIP", "*"] {
                let answer = try await larder.get("/raw/api/a", ("Accept-Encoding", value))
                #expect(answer["Content-Encoding"] == "gzip", "\(value)")
            }
            for value in ["br", "gzip;q=0", ""] {
                let answer = try await larder.get("/raw/api/a", ("Accept-Encoding", value))
                #expect(answer["Content-Encoding"] == nil, "\(value)")
            }
            #expect(try await larder.counter("larder_memory_entries") == 2)
            #expect(try await larder.counter("larder_memory_hits_total", #"provider="api""#) == before + 7)
        }
    }
}
