// Whose answer is whose: a client's own key makes its own entry, what is personal is nobody else's, and no key is ever
// written down.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct CredentialScenarios {
    static let everything = "/raw/newsapi/v2/everything?q=rain"

    /// Answers with who asked, so that a mix-up shows in the body.
    private func origin() -> ScriptedOrigin {
        ScriptedOrigin { request in
            let who = request.field("X-Api-Key") ?? request.field("Authorization") ?? request.field("Cookie") ?? "none"
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
                #expect(answer.text.contains("our-own-key"), "\(answer)")
            }
            let query = try await larder.get(Self.everything + "&apiKey=client-c")
            #expect(query.text.contains("our-own-key"), "\(query)")
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
                    #expect(answer.text.contains(key), "an answer of somebody else: \(answer)")
                }
            }
            #expect(origin.requests.count == 2, "one call a key")
            let bearer = try await larder.get(Self.everything, ("X-Api-Key", "secret-of-anna"))
            #expect(bearer["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(bearer)")
            let nobody = try await larder.get(Self.everything)
            #expect(nobody.status == 503, "without any key there is nothing to be had: \(nobody)")
            for _ in 0..<2 {
                let query = try await larder.get(Self.everything + "&apiKey=secret-of-cleo")
                #expect(query.text.contains("secret-of-cleo"), "\(query)")
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
            guard var bytes = try? readFile("\(directory.path)/\(file)") else { continue }
            // The bodies here tell the key on purpose; only what is not body counts.
            for key in ["secret-of-anna", "secret-of-bert", "secret-of-cleo"] {
                bytes = bytes.removing(Bytes(text: #"{"title":"\#(key)"}"#))
                #expect(!bytes.contains(sequence: Bytes(text: key)), "\(key) is in \(file)")
            }
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
              api: { kind: passthrough, baseURL: "\(origin.base)" }
              own: { kind: passthrough, baseURL: "\(origin.base)", semantics: ttl }
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
                #expect(answer["Location"] == "/a/1")
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

extension Array where Element == UInt8 {
    /// Without any occurrence of a sequence.
    func removing(_ sequence: [UInt8]) -> [UInt8] {
        var kept: [UInt8] = []
        var place = 0
        while place < count {
            if place + sequence.count <= count, self[place] == sequence[0],
                self[place..<place + sequence.count].elementsEqual(sequence)
            {
                place += sequence.count
            } else {
                kept.append(self[place])
                place += 1
            }
        }
        return kept
    }
}
