// What pages of other sites can make a browser do: nothing on any route, whether memory could answer or not.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct ForeignPageScenarios {
    /// Every route that exists, and one that does not.
    static let routes = [
        "/", "/console/console.css", "/console/search.js", "/console/larder.svg", "/now", "/store",
        CacheScenarios.search,
        "/v1/search?q=jack+johnson&source=itunes",
        "/raw/itunes/search?term=jack+johnson", "/v1/artwork/a", "/v1/status", "/healthz", "/readyz", "/metrics",
        "/openapi.json", "/no/such/route",
    ]
    /// The routes that memory can answer after they were asked for.
    static let ready = [
        CacheScenarios.search, "/v1/search?q=jack+johnson&source=itunes", "/raw/itunes/search?term=jack+johnson",
    ]

    /// A daemon whose memory can answer the ready routes.
    private func withWarmLarder(_ body: (RunningLarder, ScriptedOrigin) async throws -> Void) async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            for target in Self.ready {
                for _ in 0..<2 { _ = try await larder.get(target) }
            }
            let hits = try await larder.counter("larder_memory_hits_total", #"provider="itunes""#)
            #expect(hits >= Self.ready.count, "memory was not warm: \(hits) hits")
            try await body(larder, origin)
        }
    }

    /// `GET` with exactly these fields; `Host` is among them.
    private func get(_ larder: RunningLarder, _ target: String, _ fields: String...) async throws -> WireResponse {
        let head = "GET \(target) HTTP/1.1\r\n" + fields.map { $0 + "\r\n" }.joined()
        return try await larder.send(bytes: Bytes(text: head + "\r\n"))
    }

    @Test func aForeignHostIsRefusedOnEveryRoute() async throws {
        try await withWarmLarder { larder, origin in
            let calls = origin.requests.count
            let port = larder.address.split(separator: ":").last ?? ""
            for target in Self.routes {
                for host in [
                    "evil.example", "evil.example:\(port)", "localhost.evil.example", "127.0.0.1.evil.example",
                    "[::ffff:127.0.0.1]:\(port)", "[::ffff:7f00:1]:\(port)", "[::]:\(port)", "0.0.0.0:\(port)",
                ] {
                    let answer = try await get(larder, target, "Host: \(host)")
                    try BadInputScenarios.expectProblem(answer, 421, "\(target) at \(host)")
                    #expect(try answer.json()["parameter"]?.string == "Host")
                }
                let absolute = try await get(larder, "http://evil.example\(target)", "Host: localhost")
                #expect(absolute.status == 421, "\(target): \(absolute)")
            }
            #expect(origin.requests.count == calls)
            for host in ["localhost", "LOCALHOST:\(port)", "127.0.0.1", "[::1]:80", "app.localhost"] {
                #expect(try await get(larder, Self.ready[0], "Host: \(host)").status == 200, "\(host)")
            }
        }
    }

    @Test func aRequestOfAnotherSitesPageIsRefusedOnEveryRoute() async throws {
        try await withWarmLarder { larder, origin in
            let calls = origin.requests.count
            for target in Self.routes {
                for mode in ["no-cors", "cors", "websocket"] {
                    let answer = try await get(
                        larder, target, "Host: localhost", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: \(mode)",
                        "Sec-Fetch-Dest: empty")
                    try BadInputScenarios.expectProblem(answer, 403, "\(target) by \(mode)")
                }
                for site in ["cross-site", "same-site"] {
                    let bare = try await get(larder, target, "Host: localhost", "Sec-Fetch-Site: \(site)")
                    #expect(bare.status == 403, "\(target): \(bare)")
                }
                for origin in ["https://evil.example", "null", "http://localhost.evil.example", "http://localhost:1"] {
                    let answer = try await get(larder, target, "Host: localhost", "Origin: \(origin)")
                    try BadInputScenarios.expectProblem(answer, 403, "\(target) from \(origin)")
                    #expect(answer["Access-Control-Allow-Origin"] == nil)
                }
            }
            #expect(origin.requests.count == calls)
            for site in ["same-origin", "none"] {
                let own = try await get(
                    larder, Self.ready[0], "Host: localhost", "Origin: http://localhost", "Sec-Fetch-Site: \(site)")
                #expect(own.status == 200, "\(site): \(own)")
            }
        }
    }

    @Test func onlyTheLandingPageIsReachedByFollowingALink() async throws {
        try await withWarmLarder { larder, _ in
            let link = ["Host: localhost", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"]
            for target in Self.routes {
                let answer = try await get(larder, target, link[0], link[1], link[2], "Sec-Fetch-Dest: document")
                #expect(answer.status == (target == "/" ? 200 : 403), "\(target): \(answer)")
            }
            let query = try await get(larder, "/?q=a", link[0], link[1], link[2], "Sec-Fetch-Dest: document")
            #expect(query.status == 200, "\(query)")
            for destination in ["iframe", "embed", "object", "image"] {
                let framed = try await get(larder, "/", link[0], link[1], link[2], "Sec-Fetch-Dest: \(destination)")
                #expect(framed.status == 403, "\(destination): \(framed)")
            }
            for method in ["POST", "HEAD", "DELETE"] {
                let head =
                    "\(method) / HTTP/1.1\r\n\(link.joined(separator: "\r\n"))\r\nSec-Fetch-Dest: document\r\n\r\n"
                let status = try await larder.talk { client in
                    try client.send(head)
                    return try client.receiveHead().status
                }
                #expect(status == 403, "\(method)")
            }
        }
    }

    @Test func aForeignPageCannotPurgeEvenWithAuthority() async throws {
        let socket = TemporaryDirectory()
        try await withLarder(listen: [#""127.0.0.1:0""#, "\"unix:\(socket.path)/s\""]) { larder in
            let purge = "/v1/cache?all=1"
            let foreign = try await larder.send(
                "DELETE", purge, fields: [("Origin", "https://evil.example")], to: larder.addresses[1])
            #expect(foreign.status == 403, "\(foreign)")
            #expect(try foreign.json()["code"]?.string == "crossSite")
            let own = try await larder.send("DELETE", purge, to: larder.addresses[1])
            #expect(own.status == 200, "\(own)")
        }
    }

    @Test func aBoundListenerIsGuardedLikeTheRest() async throws {
        let origin = ScriptedOrigin(answering: ok("{}", fields: "Cache-Control: max-age=60\r\n"))
        defer { origin.stop() }
        let configuration = "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }"
        let listen = [#""127.0.0.1:0""#, #"{ address: "127.0.0.1:0", provider: api }"#]
        try await withLarder(configuration, listen: listen) { larder in
            let bound = larder.addresses[1]
            for _ in 0..<2 { #expect(try await larder.get("/a", at: bound).status == 200) }
            for (fields, status) in [
                ("Host: evil.example\r\n", 421), ("Host: localhost\r\nSec-Fetch-Site: cross-site\r\n", 403),
                ("Host: localhost\r\nOrigin: https://evil.example\r\n", 403),
                (
                    "Host: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n"
                        + "Sec-Fetch-Dest: document\r\n", 403
                ),
            ] {
                for target in ["/a", "/"] {
                    let answer = try await larder.send(
                        bytes: Bytes(text: "GET \(target) HTTP/1.1\r\n\(fields)\r\n"), to: bound)
                    #expect(answer.status == status, "\(target) \(fields): \(answer)")
                }
            }
            #expect(origin.requests.count == 1)
        }
    }
}
