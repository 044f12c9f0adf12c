// Who may get which answer: a client's own key makes its own entry, a personal answer goes to nobody else, and no key
// is ever written down.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct CredentialScenarios {
    static let everything = "/raw/newsapi/v2/everything?q=rain"

    /// Answers with the asker's key, so a mix-up shows in the body. The key is reversed: a plain key would be removed.
    private func origin() -> ScriptedOrigin {
        ScriptedOrigin { request in
            let key = request.field("X-Api-Key") ?? request.field("Authorization") ?? request.field("Cookie") ?? "none"
            let who = backwards(key)
            return [
                .send(
                    ok(
                        #"{"status":"ok","totalResults":1,"articles":[{"title":"\#(who)"}]}"#,
                        fields: "Content-Type: application/json\r\nCache-Control: max-age=600\r\n"))
            ]
        }
    }

    private func news(_ origin: ScriptedOrigin, key: String = "") -> String {
        "providers: { newsapi: { baseURL: \"\(origin.base)\", quota: off\(key) } }"
    }

    @Test func ourOwnKeyReplacesTheClients() async throws {
        let origin = origin()
        defer { origin.stop() }
        try await withLarder(news(origin, key: ", key: our-own-key")) { larder in
            for (field, value) in [("X-Api-Key", "client-a"), ("X-Api-Key", "client-b"), ("Accept", "*/*")] {
                let answer = try await larder.get(Self.everything, (field, value))
                #expect(answer.status == 200, "\(answer)")
                #expect(answer.text.contains(backwards("our-own-key")), "\(answer)")
            }
            let query = try await larder.get(Self.everything + "&apiKey=client-c")
            #expect(query.text.contains(backwards("our-own-key")), "\(query)")
            #expect(origin.requests.count == 1, "one answer for all: \(origin.requests.map(\.target))")
            #expect(origin.requests.allSatisfy { !$0.head.contains("client-") })
        }
    }

    @Test func eachClientsKeyHasItsOwnEntryAndIsWrittenNowhere() async throws {
        let origin = origin()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let lines = Lock("")
        let log = Logger(label: "test", threshold: .debug, sink: KeptLog(lines))
        try await withLarder(news(origin) + "\nlog: { access: all }", directory: directory, log: log) { larder in
            for _ in 0..<3 {
                for key in ["secret-of-anna", "secret-of-bert"] {
                    let answer = try await larder.get(Self.everything, ("X-Api-Key", key))
                    #expect(answer.text.contains(backwards(key)), "an answer of somebody else: \(answer)")
                }
            }
            #expect(origin.requests.count == 2, "one call a key")
            let bearer = try await larder.get(Self.everything, ("X-Api-Key", "secret-of-anna"))
            #expect(bearer["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(bearer)")
            let nobody = try await larder.get(Self.everything)
            #expect(nobody.status == 503, "without any key there is nothing to be had: \(nobody)")
            for _ in 0..<2 {
                let query = try await larder.get(Self.everything + "&apiKey=secret-of-cleo")
                #expect(query.text.contains(backwards("secret-of-cleo")), "\(query)")
            }
            let folded = try await larder.get(Self.everything + "&APIKEY=secret-of-cleo")
            #expect(folded["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(folded)")
            #expect(origin.requests.last?.field("X-Api-Key") == "secret-of-cleo")
            #expect(origin.requests.last?.target.contains("secret") == false)
            let status = try await larder.get("/v1/status").text + larder.get("/metrics").text
            #expect(!status.contains("secret-of"))
        }
        #expect(!lines.withLock { $0 }.contains("secret-of"), "a key is in the log")
        for file in ["cache/cache.db", "cache/cache.db-wal", "state/state.db", "state/state.db-wal"] {
            guard let bytes = try? readFile("\(directory.path)/\(file)") else { continue }
            for key in ["secret-of-anna", "secret-of-bert", "secret-of-cleo"] {
                #expect(!bytes.contains(sequence: Bytes(text: key)), "\(key) is in \(file)")
            }
        }
    }

    @Test(
        arguments: [
            ("newsapi", "/raw/newsapi/v2/everything?q=", "X-Api-Key", ""),
            ("imgur", "/raw/imgur/3/account/me?page=", "Authorization", "Bearer "),
        ])
    func oneClientsBadKeyDoesNotKeepOthersFromTheProvider(
        _ name: String, _ target: String, _ field: String, _ scheme: String
    ) async throws {
        let origin = ScriptedOrigin { request in
            guard request.field(field) == scheme + "good-key" else {
                let refusal =
                    #"{"status":"error","code":"apiKeyInvalid","message":"no","success":false,"data":{"error":"no"}}"#
                return [.send(ok(refusal, status: "401 Unauthorized", fields: "Content-Type: application/json\r\n"))]
            }
            let body = #"{"status":"ok","totalResults":0,"articles":[],"success":true,"data":[]}"#
            return [.send(ok(body, fields: "Content-Type: application/json\r\n"))]
        }
        defer { origin.stop() }
        try await withLarder("providers: { \(name): { baseURL: \"\(origin.base)\", rate: off, quota: off } }") {
            larder in
            for number in 1...3 {
                let bad = try await larder.get("\(target)\(number)", (field, scheme + "bad-key"))
                #expect(bad.status == 401, "\(bad)")
            }
            let good = try await larder.get("\(target)9", (field, scheme + "good-key"))
            #expect(good.status == 200, "\(good)")
            let status = try await larder.get("/v1/status").json()
            let shown = status["providers"]?.elements.first { $0["name"]?.string == name }
            #expect(shown != nil && shown?["suspendedUntil"] == nil, "\(status)")
        }
    }

    @Test(arguments: [("Authorization", "Bearer anna"), ("Cookie", "session=anna")])
    func aPersonalRequestIsNeitherJoinedNorStored(_ name: String, _ value: String) async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { request in
            let who = request.field(name) ?? "nobody"
            return [.await(gate), .send(ok("{\"for\":\"\(who)\"}", fields: "Cache-Control: max-age=600\r\n"))]
        }
        defer { origin.stop() }
        let configuration = """
            providers:
              api: { kind: passthrough, baseURL: "\(origin.base)", forwardCookies: true }
              own: { kind: passthrough, baseURL: "\(origin.base)", semantics: ttl, forwardCookies: true }
            """
        try await withLarder(configuration) { larder in
            for provider in ["api", "own"] {
                let target = "/raw/\(provider)/me"
                let before = origin.requests.count
                async let first = larder.get(target, (name, value))
                async let second = larder.get(target, (name, value))
                try await larder.eventually("both are asked") { origin.requests.count == before + 2 }
                gate.open()
                for answer in [try await first, try await second] {
                    #expect(answer.text.contains(value), "\(answer)")
                    #expect(answer["Cache-Status"]?.contains("fwd=bypass") == true, "\(answer)")
                    #expect(answer["Cache-Status"]?.contains("stored") == false, "\(answer)")
                }
                let plain = try await larder.get(target)
                #expect(plain.text.contains("nobody"), "\(plain)")
                #expect(origin.requests.count == before + 3)
                let personal = try await larder.get(target, (name, value))
                #expect(personal.text.contains(value), "a stored answer went to a personal request: \(personal)")
            }
        }
    }

    @Test(arguments: ["Bearer open-sesame-0123456789", "bearer  open-sesame-0123456789", "open-sesame-0123456789"])
    func theAdminTokenGoesToNoUpstreamAndMakesNoRequestPersonal(_ value: String) async throws {
        let origin = ScriptedOrigin { request in
            let isSearch = request.target.hasPrefix("/search")
            return [.send(isSearch ? CacheScenarios.song : ok("a", fields: "Cache-Control: max-age=600\r\n"))]
        }
        defer { origin.stop() }
        let settings =
            BasicScenarios.itunes(
                origin,
                """
                  newsapi: { baseURL: "\(origin.base)" }
                  api: { kind: passthrough, baseURL: "\(origin.base)" }
                  own: { kind: passthrough, baseURL: "\(origin.base)", semantics: ttl }
                """) + "\nadmin: { token: open-sesame-0123456789 }"
        try await withLarder(settings) { larder in
            for target in ["/raw/itunes/search?term=a", "/raw/api/a", "/raw/own/b"] {
                for status in ["fwd=uri-miss", "hit"] {
                    let answer = try await larder.get(target, ("Authorization", value))
                    #expect(answer["Cache-Status"]?.hasPrefix("larder; \(status)") == true, "\(target): \(answer)")
                }
                let plain = try await larder.get(target)
                #expect(plain["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(target): \(plain)")
            }
            let post = try await larder.send("POST", "/raw/api/a", fields: [("Authorization", value)], body: "b")
            #expect(post.status == 200, "\(post)")
            let keyless = try await larder.get(Self.everything, ("Authorization", value))
            #expect(keyless.status == 503, "it is no key of the API: \(keyless)")
            _ = try await larder.get("/raw/api/c", ("Authorization", "Bearer of-somebody"))
            #expect(origin.requests.count == 5)
            #expect(origin.requests.allSatisfy { !$0.head.contains("open-sesame") }, "\(origin.requests.map(\.head))")
            #expect(origin.requests.last?.field("Authorization") == "Bearer of-somebody")
        }
    }

    @Test func anUnsafeMethodOnABuiltInProviderIsRefusedBeforeAnyCall() async throws {
        let origin = origin()
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
                let answer = try await larder.send(method, RawScenarios.raw, body: "x=1")
                try BadInputScenarios.expectProblem(answer, 405, method)
                #expect(answer["Allow"] == "GET, HEAD")
            }
            #expect(origin.requests.isEmpty)
        }
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"])
    func anUnsafeMethodIsPassedThroughWithItsBodyAndNotStored(_ method: String) async throws {
        let origin = ScriptedOrigin { request in
            let body = "\(request.head.prefix { $0 != " " }) \(request.body.count)"
            return [.send(ok(body, status: "201 Created", fields: "Cache-Control: max-age=600\r\nLocation: /a/1\r\n"))]
        }
        defer { origin.stop() }
        try await withLarder("providers: { api: { kind: passthrough, baseURL: \"\(origin.base)/base\" } }") { larder in
            for _ in 0..<2 {
                let answer = try await larder.send(
                    method, "/raw/api/a?b=c", fields: [("Content-Type", "text/plain"), ("X-Mine", "1")], body: "hello")
                #expect(answer.statusLine == "HTTP/1.1 201 Created", "\(answer)")
                #expect(answer.text == "\(method) 5")
                #expect(answer["Location"] == "\(origin.base)/a/1", "it is not below the base URL")
                #expect(answer["Cache-Status"]?.contains("fwd=method") == true, "\(answer)")
                #expect(answer["Cache-Status"]?.contains("stored") == false)
            }
            #expect(origin.requests.count == 2)
            for request in origin.requests {
                #expect(request.target == "/base/a?b=c")
                #expect(request.body == Bytes(text: "hello"))
                #expect(request.field("Content-Type") == "text/plain")
                #expect(request.field("X-Mine") == "1")
            }
        }
    }
}

/// The text reversed. It identifies a key without containing it.
func backwards(_ text: String) -> String { String(text.reversed()) }
