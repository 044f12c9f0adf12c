// A key of an API of one's own goes where the API wants it, and clients need none.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct KeyPlacementScenarios {
    private static func origin() -> ScriptedOrigin {
        ScriptedOrigin { _ in [.send(ok("answer", fields: "Cache-Control: max-age=600\r\n"))] }
    }

    private static func settings(_ origin: ScriptedOrigin, _ keyIn: String) -> String {
        """
        providers: { api: { kind: passthrough, baseURL: "\(origin.base)", key: "user:s3cret-key", keyIn: "\(keyIn)" } }
        admin: { token: \(Fleet.token) }
        """
    }

    @Test(arguments: [
        ("bearer", "Authorization", "Bearer user:s3cret-key"), ("basic", "Authorization", "Basic dXNlcjpzM2NyZXQta2V5"),
        ("header X-Api-Key", "X-Api-Key", "user:s3cret-key"),
        ("header Authorization Token", "Authorization", "Token user:s3cret-key"),
    ])
    func theKeyTakesThePlaceOfWhatAClientSendsThere(_ keyIn: String, _ name: String, _ value: String) async throws {
        let origin = Self.origin()
        defer { origin.stop() }
        try await withLarder(Self.settings(origin, keyIn)) { larder async throws in
            for fields in [[], [(name, "mine")], [(name, "other")]] {
                #expect(try await larder.send("GET", "/raw/api/a?q=1", fields: fields).text == "answer")
            }
            #expect(origin.requests.map(\.target) == ["/a?q=1"], "all share one answer")
            #expect(origin.requests.first?.field(name) == value)
        }
    }

    @Test(arguments: ["GET", "POST"])
    func theKeyTakesThePlaceOfAParameterOfAClient(_ method: String) async throws {
        let origin = Self.origin()
        defer { origin.stop() }
        try await withLarder(Self.settings(origin, "query apikey")) { larder async throws in
            for query in ["?q=1", "?apikey=mine&q=1", "?q=1&api%6Bey=other"] {
                #expect(try await larder.send(method, "/raw/api/a\(query)").text == "answer")
            }
            #expect(Set(origin.requests.map(\.target)) == ["/a?q=1&apikey=user%3As3cret-key"])
            #expect(origin.requests.count == (method == "GET" ? 1 : 3))
        }
    }

    /// APIs compare the names of parameters in any letter case, and a client may name the API's own URL.
    @Test func theParameterIsTheSameWhereverItIsNamed() async throws {
        let origin = Self.origin()
        defer { origin.stop() }
        try await withLarder(Self.settings(origin, "query apikey")) { larder async throws in
            _ = try await larder.get("/raw/api/a?q=1&APIKEY=mine")
            #expect(origin.requests.map(\.target) == ["/a?q=1&apikey=user%3As3cret-key"])
            let url = "\(origin.base)/a?apikey=other&q=1"
            let removed = try await larder.send(
                "DELETE", "/v1/cache?url=\(PercentCoding.encode(url))",
                fields: [("Authorization", "Bearer \(Fleet.token)")])
            #expect(try removed.json()["purged"]?.integer == 1, "\(removed)")
        }
    }

    @Test func aClientFollowsARedirectThatRepeatsTheKey() async throws {
        let origin = ScriptedOrigin { request in
            request.target.hasPrefix("/a?")
                ? [
                    .send(
                        "HTTP/1.1 301 Moved\r\nLocation: /b?q=1&apikey=user%3As3cret-key\r\nContent-Length: 0\r\n\r\n")
                ] : [.send(ok("b"))]
        }
        defer { origin.stop() }
        try await withLarder(Self.settings(origin, "query apikey")) { larder async throws in
            let answer = try await larder.get("/raw/api/a?q=1")
            #expect(answer["Location"] == "/raw/api/b?q=1", "\(answer)")
            #expect(try await larder.get(answer["Location"] ?? "").text == "b")
        }
    }

    @Test func underTTLAClientsOwnLoginDoesNotKeepAnswersFromBeingShared() async throws {
        let origin = Self.origin()
        defer { origin.stop() }
        let settings = """
            providers:
              api: { kind: passthrough, baseURL: "\(origin.base)", key: "user:s3cret-key", semantics: ttl, ttl: 1h }
            """
        try await withLarder(settings) { larder async throws in
            for login in ["Bearer mine", "Bearer other"] {
                #expect(try await larder.get("/raw/api/a", ("Authorization", login)).text == "answer")
            }
            #expect(origin.requests.map { $0.field("Authorization") } == ["Bearer user:s3cret-key"])
        }
    }

    @Test func thePasswordOfALoginIsToldNobodyEither() async throws {
        let text = "wrong password s3cret-key"
        let origin = ScriptedOrigin(
            answering: "HTTP/1.1 403 No\r\nContent-Length: \(text.count)\r\n\r\n\(text)")
        defer { origin.stop() }
        try await withLarder(Self.settings(origin, "basic")) { larder async throws in
            #expect(try await larder.get("/raw/api/a").text == "wrong password (hidden)")
        }
    }

    @Test func aKeyInAParameterIsToldNobody() async throws {
        let lines = Lock("")
        let log = Logger(label: "test", threshold: .debug, sink: KeptLog(lines))
        let origin = ScriptedOrigin { request in
            let text = "there is no \(request.target)"
            return [
                .send(
                    "HTTP/1.1 404 Not Found\r\nX-Asked: \(request.target)\r\nContent-Length: \(text.count)\r\n\r\n\(text)"
                )
            ]
        }
        defer { origin.stop() }
        try await withLarder(Self.settings(origin, "query apikey"), log: log) { larder async throws in
            let answer = try await larder.get("/raw/api/a?q=1&apikey=clients-own")
            #expect(answer.status == 404 && !"\(answer)".contains("s3cret"), "\(answer)")
            let authority = ("Authorization", "Bearer \(Fleet.token)")
            for target in ["/v1/entries", "/v1/status", "/metrics", "/v1/requests"] {
                #expect(try await !larder.get(target, authority).text.contains("s3cret"), "\(target)")
            }
        }
        #expect(!lines.withLock { $0.contains("s3cret") })
    }

    /// A client's own login is a different thing from the key of a field.
    @Test func aKeyInAFieldLeavesAClientsLoginAlone() async throws {
        let origin = Self.origin()
        defer { origin.stop() }
        try await withLarder(Self.settings(origin, "header X-Api-Key")) { larder async throws in
            _ = try await larder.get("/raw/api/a", ("Authorization", "Bearer mine"))
            #expect(origin.requests.first?.field("Authorization") == "Bearer mine")
            #expect(origin.requests.first?.field("X-Api-Key") == "user:s3cret-key")
            #expect(try await larder.get("/raw/api/a")["Cache-Status"]?.contains("hit") == false)
        }
    }
}
