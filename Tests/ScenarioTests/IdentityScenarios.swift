// Who may get an answer: one client's credentials, cookies and codings never decide what another client gets.
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@Suite struct IdentityScenarios {
    /// "\n\n{"resultCount":0, "results":[]}\n" as gzip.
    private static let emptyInGzip: Bytes = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xE3, 0xE2, 0xAA, 0x56, 0x2A, 0x4A, 0x2D, 0x2E,
        0xCD, 0x29, 0x71, 0xCE, 0x2F, 0xCD, 0x2B, 0x51, 0xB2, 0x32, 0xD0, 0x51, 0x80, 0x0A, 0x14, 0x2B, 0x59, 0x45,
        0xC7, 0xD6, 0x72, 0x01, 0x00, 0x81, 0xF0, 0x63, 0x11, 0x22, 0x00, 0x00, 0x00,
    ]
    private static let plain = "\n\n{\"resultCount\":0, \"results\":[]}\n"

    private static func gzipped() -> [Act] {
        [
            .send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(emptyInGzip.count)\r\n\r\n"),
            .sendBytes(emptyInGzip),
        ]
    }

    @Test func anAnswerToOnesOwnKeyIsNobodyElsesOutOfMemory() async throws {
        let origin = ScriptedOrigin { request in
            let key = backwards(request.field("X-Api-Key") ?? "none")
            return [.send(ok(MannersScenarios.headlines, fields: "Seen-Key: \(key)\r\n"))]
        }
        defer { origin.stop() }
        try await withLarder("providers: { newsapi: { baseURL: \"\(origin.base)/v2\" } }") { larder in
            let target = "/raw/newsapi/everything?q=a"
            for _ in 0..<2 {
                let own = try await larder.get(target, ("X-Api-Key", "key-of-one"))
                #expect(own["Seen-Key"] == backwards("key-of-one"), "\(own)")
            }
            #expect(origin.requests.count == 1, "the same key finds its own entry")
            let other = try await larder.get(target, ("X-Api-Key", "key-of-two"))
            #expect(other["Seen-Key"] == backwards("key-of-two"), "\(other)")
            #expect(try await larder.get(target).status == 503, "without a key there is no answer")
        }
    }

    @Test func aCodingOfSeveralLinesIsNotTakenForTheFirstOfThem() async throws {
        let origin = ScriptedOrigin { _ in Self.gzipped() }
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            let target = "/raw/itunes/search?term=a"
            let both = try await larder.get(target, ("Accept-Encoding", "identity"), ("Accept-Encoding", "gzip"))
            #expect(both["Content-Encoding"] == "gzip", "\(both)")
            let plain = try await larder.get(target, ("Accept-Encoding", "identity"))
            #expect(plain["Content-Encoding"] == nil, "\(plain)")
            #expect(plain.text == Self.plain)
        }
    }

    @Test func aPersonalRequestIsReadThroughTheCodingThatLarderAskedFor() async throws {
        let origin = ScriptedOrigin { _ in Self.gzipped() }
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            for number in 1...4 {
                let answer = try await larder.get("/raw/itunes/search?term=a", ("Authorization", "Basic x"))
                #expect(answer.status == 200, "\(answer)")
                #expect(answer["Content-Encoding"] == nil, "the client does not take gzip")
                #expect(answer.text == Self.plain)
                #expect(answer["Cache-Status"]?.contains("fwd=bypass") == true, "\(answer)")
                #expect(origin.requests.count == number)
            }
            let gzip = try await larder.get(
                "/raw/itunes/search?term=a", ("Authorization", "Basic x"), ("Accept-Encoding", "gzip"))
            #expect(gzip.body == Self.emptyInGzip)
            let status = try await larder.get("/v1/status").json()
            let itunes = status["providers"]?.elements.first { $0["name"]?.string == "itunes" }
            #expect(itunes?["state"]?.string == "ready", "answers in gzip were taken for failures")
        }
    }

    @Test func aCookieOfTheUpstreamIsNotKept() async throws {
        let cookie = "session=of-the-first-asker"
        let origin = ScriptedOrigin(answering: ok(BasicScenarios.song, fields: "Set-Cookie: \(cookie)\r\n"))
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        try await withLarder(BasicScenarios.itunes(origin), directory: directory) { larder in
            let answer = try await larder.get("/raw/itunes/search?term=a")
            #expect(answer.status == 200, "\(answer)")
            #expect(try await larder.get("/raw/itunes/search?term=a")["Set-Cookie"] == nil)
            // The stop does not wait long for commits, and what was never written says nothing.
            try await larder.eventually("everything is committed") {
                try await larder.counter("larder_store_uncommitted") == 0
            }
        }
        for file in ["cache.db", "cache.db-wal"] {
            let path = "\(directory.path)/cache/\(file)"
            // A log need not exist. The database itself must.
            if file.hasSuffix("-wal"), access(path, F_OK) != 0 { continue }
            let bytes = try readFile(path)
            #expect(!bytes.contains(sequence: Bytes(text: cookie)), "the cookie is in \(file)")
        }
    }

    @Test func anAnswerOutOfMemoryHasADateAndOneRequestID() async throws {
        let origin = ScriptedOrigin(answering: ok(Self.plain, fields: "X-Request-Id: of-the-upstream\r\n"))
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            let first = try await larder.get("/raw/itunes/search?term=a")
            let second = try await larder.get("/raw/itunes/search?term=a")
            #expect(second["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(second)")
            #expect(second["Date"] != nil, "RFC 9110 §6.6.1")
            #expect(second["Date"] == first["Date"])
            for answer in [first, second] { #expect(!answer.description.contains("of-the-upstream"), "\(answer)") }
        }
    }

    @Test func aStarIsNoPathOfAnUpstream() async throws {
        let origin = ScriptedOrigin(answering: ok("a"))
        defer { origin.stop() }
        let configuration = "providers: { shop: { kind: passthrough, baseURL: \"\(origin.base)/base\" } }"
        let listen = [#"{ address: "127.0.0.1:0", provider: shop }"#]
        try await withLarder(configuration, listen: listen) { larder in
            let star = try await larder.send("OPTIONS", "*")
            #expect(star.status == 204, "\(star)")
            #expect(star["Allow"]?.contains("GET") == true)
            #expect(origin.requests.isEmpty)
            let path = try await larder.send("OPTIONS", "/a")
            #expect(path.status == 200, "\(path)")
            #expect(origin.requests.first?.target == "/base/a")
        }
    }

    @Test func aClientsCredentialsStayHereWhereLarderHasItsOwnKey() async throws {
        let origin = ScriptedOrigin(answering: ok("a"))
        defer { origin.stop() }
        let configuration = """
            providers: { shop: { kind: passthrough, baseURL: "\(origin.base)", key: "env:SECRET_OF_SHOP" } }
            """
        try await withLarder(configuration, environment: ["SECRET_OF_SHOP": "own-key-0123456789"]) { larder in
            let answer = try await larder.get("/raw/shop/a", ("Authorization", "Bearer of-the-client"))
            #expect(answer.status == 200, "\(answer)")
            let seen = try #require(origin.requests.first)
            #expect(seen.field("Authorization") == "Bearer own-key-0123456789")
            #expect(!seen.head.contains("of-the-client"), "\(seen.head)")
        }
    }

    @Test func aCookieChangesNothingForABuiltInAPI() async throws {
        let origin = ScriptedOrigin { _ in Self.gzipped() }
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            _ = try await larder.get("/raw/itunes/search?term=a")
            let answer = try await larder.get("/raw/itunes/search?term=a", ("Cookie", "a=b"))
            #expect(answer["Cache-Status"]?.contains("hit") == true, "\(answer)")
            #expect(origin.requests.count == 1)
        }
    }
}
