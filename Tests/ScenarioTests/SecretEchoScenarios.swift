// An API repeats the key that it was sent: in an error's text, in fields, in the reason, in a coded body. The key must
// reach no answer, explanation, status page, log line or row.
import LarderCore
import LarderHTTP
import LarderTestSupport
import Testing

@Suite struct SecretEchoScenarios {
    static let key = "k3y/0123456789+abc="
    /// The part of the key that no encoding changes, and the middle of its Base64 forms.
    static let traces = ["0123456789", "MDEyMzQ1Njc4", "kwMTIzNDU2Nzg", "AxMjM0NTY3OD"]

    private func expectClean(_ text: String, _ what: String) {
        for trace in Self.traces { #expect(!text.contains(trace), "\(what): \(text)") }
    }

    /// The key in the spellings that texts use.
    private static var spellings: [String] {
        let basic = Base64URL.encode(Bytes(text: "user:\(key)"))
        return [
            key, PercentCoding.encode(key),
            PercentCoding.encode(key).replacing("%2F", with: "%2f").replacing("%2B", with: "%2b"),
            key.replacing("/", with: "\\/"), key.replacing("+", with: "\\u002B"), key.replacing("=", with: "&#61;"),
            basic,
        ]
    }

    /// Expects the key in nothing that a client can ask about a request afterwards.
    private func expectNothingTold(_ answer: WireResponse, _ larder: RunningLarder) async throws {
        expectClean(answer.description, "answer")
        let id = try #require(answer["X-Request-Id"])
        for path in ["/v1/explain/\(id)", "/v1/status", "/metrics"] {
            expectClean(try await larder.get(path).description, path)
        }
    }

    private func expectNothingKept(_ directory: TemporaryDirectory, _ lines: Lock<String>) {
        expectClean(lines.withLock { $0 }, "log")
        for file in ["cache/cache.db", "cache/cache.db-wal", "state/state.db", "state/state.db-wal"] {
            guard let bytes = try? readFile("\(directory.path)/\(file)") else { continue }
            for trace in Self.traces {
                #expect(!bytes.contains(sequence: Bytes(text: trace)), "\(trace) is in \(file)")
            }
        }
    }

    @Test(arguments: [401, 400, 500])
    func aBuiltInAPIsErrorTextThatRepeatsTheKey(_ status: Int) async throws {
        let spoken = Lock("")
        let code = [401: "apiKeyInvalid", 400: "parameterInvalid"][status] ?? "unexpectedError"
        let origin = ScriptedOrigin { _ in
            let text = spoken.withLock { $0 }
            let body = #"{"status":"error","code":"\#(code)","message":"Your key \#(text) is wrong."}"#
            return [.send(ok(body, status: "\(status) No \(Self.key)", fields: "X-Seen: \(text)\r\n"))]
        }
        defer { origin.stop() }
        let lines = Lock("")
        let log = Logger(label: "test", threshold: .debug, sink: KeptLog(lines))
        let settings = """
            providers: { newsapi: { baseURL: "\(origin.base)", key: "\(Self.key)", rate: off, quota: off } }
            fetch: { failurePause: 0s }
            """
        for (number, text) in Self.spellings.enumerated() {
            let directory = TemporaryDirectory()
            try await withLarder(settings, directory: directory, log: log) { larder in
                spoken.withLock { $0 = text }
                let raw = try await larder.get("/raw/newsapi/v2/everything?q=a\(number)")
                #expect(raw.status == status || raw.status >= 500, "\(raw)")
                try await expectNothingTold(raw, larder)
                let search = try await larder.get("/v1/search?q=b\(number)&source=newsapi")
                try await expectNothingTold(search, larder)
                let personal = try await larder.get("/raw/newsapi/v2/everything?q=c", ("Authorization", "Basic abc"))
                try await expectNothingTold(personal, larder)
            }
            expectNothingKept(directory, lines)
        }
        #expect(origin.requests.contains { $0.field("X-Api-Key") == Self.key })
    }

    @Test func aBuiltInAPIsDataThatRepeatsTheKey() async throws {
        let article = MannersScenarios.headlines.replacing("It rains.", with: "It rains \(Self.key).")
        let coded = try ContentCoding.gzip(Bytes(text: article))
        let origin = ScriptedOrigin { request in
            guard request.target.contains("coded") else { return [.send(ok(article))] }
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n\r\n"
            return [.send(head), .sendBytes(coded)]
        }
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let lines = Lock("")
        let log = Logger(label: "test", threshold: .debug, sink: KeptLog(lines))
        let settings = "providers: { newsapi: { baseURL: \"\(origin.base)\", key: \"\(Self.key)\", quota: off } }"
        try await withLarder(settings, directory: directory, log: log) { larder in
            for term in ["plain", "coded"] {
                for _ in 0..<2 {
                    let raw = try await larder.get("/raw/newsapi/v2/everything?q=\(term)")
                    #expect(raw.status == 200 && raw.text.contains("It rains (hidden)."), "\(raw)")
                    try await expectNothingTold(raw, larder)
                    let found = try await larder.get("/v1/news/everything?q=\(term)")
                    #expect(found.status == 200 && found.text.contains("It rains (hidden)."), "\(found)")
                }
            }
        }
        expectNothingKept(directory, lines)
    }

    @Test(arguments: ["rfc", "ttl"])
    func theErrorOfAnAPIOfOnesOwn(_ semantics: String) async throws {
        let origin = ScriptedOrigin { request in
            let error = "You sent \(request.field("Authorization") ?? "nothing")."
            let fields = "Cache-Control: max-age=600\r\nX-Seen: \(Self.key)\r\n"
            if request.method == "HEAD" { return [.send("HTTP/1.1 403 Forbidden\r\n\(fields)\r\n")] }
            return [.send(ok(error, status: "403 Forbidden", fields: fields))]
        }
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let lines = Lock("")
        let log = Logger(label: "test", threshold: .debug, sink: KeptLog(lines))
        let settings = """
            providers:
              api: { kind: passthrough, baseURL: "\(origin.base)", key: "\(Self.key)", semantics: \(semantics) }
            """
        try await withLarder(settings, directory: directory, log: log) { larder in
            for _ in 0..<2 {
                let answer = try await larder.get("/raw/api/a")
                #expect(answer.status == 403, "\(answer)")
                #expect(answer.text == "You sent Bearer (hidden).")
                #expect(answer["X-Seen"] == "(hidden)")
                try await expectNothingTold(answer, larder)
            }
            let post = try await larder.send("POST", "/raw/api/a", fields: [("Accept-Encoding", "br")], body: "b")
            #expect(post.text == "You sent Bearer (hidden).", "\(post)")
            #expect(origin.requests.last?.field("Accept-Encoding") == "identity", "a coding that can be read here")
            let head = try await larder.send("HEAD", "/raw/api/b")
            #expect(head.status == 403 && head["X-Seen"] == "(hidden)", "\(head)")
        }
        expectNothingKept(directory, lines)
    }

    @Test func aTokenOfAnAccountInAnError() async throws {
        let token = "acc-0123456789-token"
        let origin = ScriptedOrigin(
            answering: ok(#"{"data":{"error":"no \#(token)"},"success":false,"status":403}"#, status: "403 Forbidden"))
        defer { origin.stop() }
        try await withLarder("providers: { imgur: { baseURL: \"\(origin.base)\" } }") { larder in
            let answer = try await larder.get("/raw/imgur/3/account/me", ("Authorization", "Bearer \(token)"))
            #expect(answer.status == 403 && origin.requests.count == 1, "\(answer)")
            #expect(answer.text.contains("no (hidden)"), "\(answer)")
            try await expectNothingTold(answer, larder)
        }
    }
}
