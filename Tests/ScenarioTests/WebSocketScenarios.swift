// WebSocket and other protocols pass through each way in: below /raw, on a bound listener, and through the proxy with and
// without TLS. The scripted origin reads what follows its 101 as requests, so a scripted client speaks such a protocol.
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@Suite struct WebSocketScenarios {
    static let ask =
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhl\r\nSec-WebSocket-Version: 13\r\n"
    static let accepted =
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: s3p\r\n\r\n"
    /// What a client says in the new protocol.
    static let word = "PING / X\r\n\r\n"

    static func origin() -> ScriptedOrigin {
        ScriptedOrigin { request in
            if request.method == "PING" { return [.send("pong")] }
            return switch request.field("Upgrade") {
            case nil: [.send("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 5\r\n\r\nplain")]
            case "tcp": [.send(accepted.replacing("websocket", with: "tcp"))]
            default:
                request.target.hasPrefix("/ignores")
                    ? [.send("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nignored"), .close]
                    : request.target.hasPrefix("/no")
                        ? [.send("HTTP/1.1 403 No\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\nno"), .close]
                        : [.send(accepted + "hello")]
            }
        }
    }

    /// A daemon with a provider, a bound listener and a proxy.
    private func withAPI(_ settings: String = "", _ body: (RunningLarder, ScriptedOrigin) async throws -> Void)
        async throws
    {
        let origin = Self.origin()
        defer { origin.stop() }
        try await withLarder(
            """
            providers: { api: { kind: passthrough, baseURL: "\(origin.base)", key: s3cret, keyIn: header X-Key \(settings) } }
            proxy: { hosts: { localhost: cache }, ports: [443, \(origin.port)] }
            """,
            listen: [
                #""127.0.0.1:0""#, #"{ address: "127.0.0.1:0", provider: api }"#,
                #"{ address: "127.0.0.1:0", proxy: true }"#,
            ]
        ) { larder in try await body(larder, origin) }
    }

    /// Changes the protocol and speaks it.
    private func talk(_ address: String, _ target: String, _ fields: String = "Host: localhost\r\n") async throws {
        try await onOwnThread {
            let client = try WireClient(address)
            try client.send("GET \(target) HTTP/1.1\r\n\(fields)\(Self.ask)\r\n")
            let head = try client.receiveHead()
            #expect(head.status == 101, "\(head)")
            #expect(head["Upgrade"] == "websocket")
            #expect(head["Sec-WebSocket-Accept"] == "s3p")
            #expect(try client.take(5) == Bytes(text: "hello"))
            try client.send(Self.word)
            #expect(try client.take(4) == Bytes(text: "pong"))
        }
    }

    @Test func itPassesBelowRaw() async throws {
        try await withAPI { larder, origin in
            try await talk(larder.addresses[0], "/raw/api/chat?room=1")
            let request = try #require(origin.requests.first)
            #expect(request.target == "/chat?room=1")
            #expect(request.field("X-Key") == "s3cret")
            #expect(request.field("Host") == "127.0.0.1:\(origin.port)")
            #expect(request.field("Sec-WebSocket-Key") == "dGhl")
            try await larder.eventually("the tunnel is counted") {
                try await larder.counter("larder_proxy_tunnel_bytes_total", #"direction="received""#) > 0
            }
        }
    }

    @Test func itPassesOnABoundListener() async throws {
        try await withAPI { larder, _ in try await talk(larder.addresses[1], "/chat") }
    }

    @Test func itPassesThroughTheProxy() async throws {
        try await withAPI { larder, origin in
            try await talk(larder.addresses[2], "http://localhost:\(origin.port)/chat", "Host: x\r\n")
        }
    }

    @Test func aStoredAnswerIsNotGivenInPlaceOfIt() async throws {
        try await withAPI { larder, _ in
            for _ in 1...3 { #expect(try await larder.get("/raw/api/chat").text == "plain") }
            try await talk(larder.addresses[0], "/raw/api/chat")
            #expect(try await larder.get("/raw/api/chat").text == "plain")
        }
    }

    /// The status of one request, and its answer.
    private func answer(_ larder: RunningLarder, _ target: String, _ fields: String) async throws -> WireResponse {
        let address = larder.addresses[0]
        return try await onOwnThread {
            let client = try WireClient(address)
            try client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
            return try client.receive()
        }
    }

    @Test func aRefusalHasTheHostsStatusAndNothingElse() async throws {
        try await withAPI { larder, _ in
            let answer = try await answer(larder, "/raw/api/no", Self.ask)
            #expect(answer.status == 403)
            #expect(answer["Retry-After"] == "7")
            #expect(answer.text.contains("notSwitched"))
        }
    }

    @Test func aHostThatIgnoresItIsAskedAgainWithout() async throws {
        try await withAPI { larder, origin in
            let text = try await answer(larder, "/raw/api/ignores", Self.ask).text
            #expect(text == "plain")
            #expect(origin.requests.map { $0.field("Upgrade") } == ["websocket", nil])
        }
    }

    /// A page that may read is no page that may speak.
    @Test(arguments: ["https://evil.example", "https://reader.example"])
    func aPageOfAnotherOriginIsRefused(_ page: String) async throws {
        let origin = Self.origin()
        defer { origin.stop() }
        try await withLarder(
            """
            providers: { api: { kind: passthrough, baseURL: "\(origin.base)" } }
            browserOrigins: ["https://reader.example"]
            """
        ) { larder in
            let answer = try await answer(larder, "/raw/api/chat", "Origin: \(page)\r\n" + Self.ask)
            #expect(answer.status == 403)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func aPageOfAnotherOriginIsRefusedByTheProxyToo() async throws {
        try await withAPI { larder, origin in
            let address = larder.addresses[2]
            let head = "GET http://localhost:\(origin.port)/chat HTTP/1.1\r\nHost: x\r\n"
            let status = try await onOwnThread {
                let client = try WireClient(address)
                try client.send(head + "Origin: https://evil.example\r\n\(Self.ask)\r\n")
                return try client.receive().status
            }
            #expect(status == 403)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func onlyIfCachedAsksNobody() async throws {
        try await withAPI { larder, origin in
            let answer = try await answer(larder, "/raw/api/chat", "Cache-Control: only-if-cached\r\n" + Self.ask)
            #expect(answer.status == 504)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func h2cIsAnsweredAsIfItWereNotThere() async throws {
        try await withAPI { larder, origin in
            let fields = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"
            let text = try await answer(larder, "/raw/api/x", fields).text
            #expect(text == "plain")
            #expect(origin.requests.first?.field("Upgrade") == nil)
        }
    }

    @Test(arguments: [("", 200), (", upgrades: [tcp]", 101)])
    func otherProtocolsNeedTheProvidersList(_ settings: String, _ status: Int) async throws {
        try await withAPI(settings) { larder, _ in
            let address = larder.addresses[0]
            try await onOwnThread {
                let client = try WireClient(address)
                try client.send(
                    "GET /raw/api/attach HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n")
                #expect(try client.receiveHead().status == status)
            }
        }
    }

    @Test func itCountsInTheBudget() async throws {
        try await withAPI(", rate: 1/hour") { larder, origin in
            try await talk(larder.addresses[0], "/raw/api/chat")
            let status = try await answer(larder, "/raw/api/chat", Self.ask).status
            #expect(status == 429)
            #expect(origin.requests.filter { $0.method == "GET" }.count == 1)
        }
    }

    @Test func aSilentHostIsGivenUp() async throws {
        let origin = ScriptedOrigin { _ in [.hold] }
        defer { origin.stop() }
        try await withLarder(
            """
            providers: { api: { kind: passthrough, baseURL: "\(origin.base)" } }
            proxy: { idleTimeout: 1s }
            """
        ) { larder in
            let status = try await answer(larder, "/raw/api/chat", Self.ask).status
            #expect(status == 504)
        }
    }

    /// TLS 1.3 and TLS 1.2, after whose handshake the host says nothing by itself.
    @Test(arguments: [0x304, 0x303] as [Int32]) func itPassesToAHostThatSpeaksTLS(_ version: Int32) async throws {
        let origin = try TLSOrigin(version: version) { request in
            request.target == "/chat" ? [.record(Self.accepted + "hello")] : [.record("pong")]
        }
        defer { origin.stop() }
        try await withLarder(
            "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }",
            environment: ["SSL_CERT_FILE": origin.certificate]
        ) { larder in try await talk(larder.addresses[0], "/raw/api/chat") }
    }

    @Test func theEndThatFollowsTheLastBytesIsPassedOn() async throws {
        let origin = try TLSOrigin { request in
            request.target == "/chat" ? [.record(Self.accepted)] : [.record("pong"), .closeNotify]
        }
        defer { origin.stop() }
        try await withLarder(
            "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }",
            environment: ["SSL_CERT_FILE": origin.certificate]
        ) { larder in
            let address = larder.addresses[0]
            try await onOwnThread {
                let client = try WireClient(address)
                try client.send("GET /raw/api/chat HTTP/1.1\r\nHost: localhost\r\n\(Self.ask)\r\n")
                #expect(try client.receiveHead().status == 101)
                try client.send(Self.word)
                #expect(try client.receiveRest() == Bytes(text: "pong"))
            }
        }
    }

    @Test func aHostOfAnotherNameIsRefused() async throws {
        let origin = try TLSOrigin(name: "other.example") { _ in [.record(Self.accepted)] }
        defer { origin.stop() }
        try await withLarder(
            "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }",
            environment: ["SSL_CERT_FILE": origin.certificate]
        ) { larder in
            let status = try await answer(larder, "/raw/api/chat", Self.ask).status
            #expect(status == 502)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func anUntrustedHostIsNamed() async throws {
        let origin = try TLSOrigin { _ in [.record(Self.accepted)] }
        defer { origin.stop() }
        try await withLarder("providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }") { larder in
            let answer = try await answer(larder, "/raw/api/chat", Self.ask)
            #expect(answer.status == 502)
            #expect(answer.text.contains("certificate is not valid"), "\(answer.text)")
        }
    }

    @Test func itPassesInARunWithTLSOnBothSides() async throws {
        let origin = try TLSOrigin { _ in [.record(Self.accepted + "hello"), .closeNotify] }
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let socket = "unix:\(directory.path)/l.sock"
        try await withLarder(
            listen: [#""127.0.0.1:0""#, "\"\(socket)\""], directory: directory,
            environment: ["SSL_CERT_FILE": origin.certificate]
        ) { larder in
            let process = try CommandProcess(
                [
                    "run", "--host", "localhost", "--", "curl", "-sS", "-H", "Connection: Upgrade", "-H",
                    "Upgrade: websocket", "\(origin.base)/chat",
                ],
                environment: ["LARDER_URL": socket, "TMPDIR": directory.path, "PATH": ToolProcess.path],
                in: larder.directory)
            _ = try await onOwnThread { process.waitForEnd() }
            #expect(process.output == "hello", "\(process.errors)")
        }
    }
}
