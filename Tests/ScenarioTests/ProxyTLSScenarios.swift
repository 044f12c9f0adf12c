// A tool that knows only https_proxy and trusts the proxy's CA: its requests go through the cache, and nobody else's do.
import Glibc
import LarderCore
import LarderDaemon
import LarderTLS
import LarderTestSupport
import Testing

@Suite struct ProxyTLSScenarios {
    static let page = "HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nContent-Length: 2\r\n\r\nhi"

    /// A daemon whose proxy may end TLS for `localhost`, where an origin of that name answers.
    private func withProxy(
        _ hosts: String = "localhost: cache", authority names: [String] = ["localhost"],
        _ body: (RunningLarder, TLSOrigin, String) async throws -> Void
    ) async throws {
        let origin = try TLSOrigin { _ in [.record(Self.page)] }
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let file = try Self.makeAuthority(in: directory, names)
        try await withLarder(
            "proxy: { hosts: { \(hosts) }, ports: [443, \(origin.port)] }", listen: ProxyScenarios.listen,
            directory: directory, environment: ["SSL_CERT_FILE": origin.certificate]
        ) { larder in try await body(larder, origin, file) }
    }

    /// Returns the file of its certificate.
    @discardableResult
    static func makeAuthority(in directory: TemporaryDirectory, _ names: [String]) throws -> String {
        let now = WallTime(milliseconds: SystemTime().wall().milliseconds / 1000 * 1000)
        let authority = try CertificateAuthority(hosts: names, from: now + .seconds(-60), until: now + .seconds(86_400))
        try AuthorityFiles(directory: "\(directory.path)/state").write(authority)
        return directory.write("ca.pem", authority.certificatePEM.lossyText)
    }

    private func curl(_ larder: RunningLarder, _ ca: String, _ words: String...) async throws -> ToolResult {
        try await ToolProcess.run(
            ["curl", "-sS", "--max-time", "60", "--cacert", ca, "-x", "http://\(larder.addresses[1])"] + words)
    }

    @Test func anHTTPSRequestIsAHitTheSecondTime() async throws {
        try await withProxy { larder, origin, ca in
            let result = try await curl(larder, ca, "\(origin.base)/a", "\(origin.base)/a", "\(origin.base)/a")
            #expect(result.text == "hihihi")
            #expect(origin.requests.map(\.target) == ["/a"])
            let hits = try await larder.counter(
                "larder_memory_hits_total", #"provider="proxy:localhost:\#(origin.port)""#)
            #expect(hits > 0, "memory answered nothing on the kept connection")
        }
    }

    @Test func aClientThatTrustsNothingIsTold() async throws {
        try await withProxy { larder, origin, _ in
            let result = try await curl(larder, "/etc/ssl/certs/ca-certificates.crt", "\(origin.base)/a")
            #expect(result.status == 60)
            #expect(origin.requests.isEmpty)
            try await larder.eventually("the client's alert is counted") {
                try await larder.counter("larder_proxy_tls_failures_total") == 1
            }
        }
    }

    @Test func aHandshakeThatTheClientResetsIsCounted() async throws {
        try await withProxy { larder, origin, _ in
            let address = larder.addresses[1]
            try await onOwnThread {
                let client = try WireClient(address)
                client.resetAtEnd()
                try client.send("CONNECT localhost:\(origin.port) HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try client.receiveHead().status == 200)
                // The header of a record whose rest never comes.
                try client.send([0x16, 3, 1, 2, 0])
            }
            try await larder.eventually("the handshake is counted") {
                try await larder.counter("larder_proxy_tls_failures_total") == 1
            }
        }
    }

    @Test func aRequestInsideForAnotherHostIsRefused() async throws {
        try await withProxy { larder, origin, ca in
            let result = try await curl(larder, ca, "-H", "Host: other.example", "\(origin.base)/a")
            #expect(result.text.contains("otherHost"))
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func aHostThatTheAuthorityDoesNotCoverPassesUnread() async throws {
        try await withProxy(authority: ["other.example"]) { larder, origin, ca in
            let result = try await curl(larder, origin.certificate, "\(origin.base)/a", "\(origin.base)/a")
            #expect(result.text == "hihi")
            #expect(origin.requests.count == 2)
        }
    }

    /// `fetch` of Node asks so for plain http.
    @Test func requestsInPlainInsideAConnectToPort80AreHitsTheSecondTime() async throws {
        let origin = ScriptedOrigin(answering: Self.page)
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        _ = try Self.makeAuthority(in: directory, ["localhost"])
        try await withLarder(
            "fetch: { connectTo: [\"localhost:80:127.0.0.1:\(origin.port)\"] }\nproxy: { hosts: { localhost: cache } }",
            listen: ProxyScenarios.listen, directory: directory
        ) { larder in
            let ask = "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let heard = try await larder.talk(to: larder.addresses[1]) { client in
                // The first request comes with CONNECT.
                try client.send("CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n\(ask)")
                #expect(try client.receiveHead().status == 200)
                #expect(try client.receive().text == "hi")
                try client.send(ask)
                #expect(try client.receive().text == "hi")
                try client.send(ask.replacing("localhost", with: "other.example"))
                return try client.receive().text
            }
            #expect(heard.contains("otherHost"))
            #expect(origin.requests.map(\.target) == ["/a"])
        }
    }

    /// As clients of WebSocket do for `ws:` (RFC 6455 §4.1).
    @Test func requestsInPlainInsideAConnectToAnotherPortAreRead() async throws {
        let origin = ScriptedOrigin(answering: Self.page)
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        _ = try Self.makeAuthority(in: directory, ["localhost"])
        try await withLarder(
            "proxy: { hosts: { localhost: cache }, ports: [443, \(origin.port)] }", listen: ProxyScenarios.listen,
            directory: directory
        ) { larder in
            let connect = "CONNECT localhost:\(origin.port) HTTP/1.1\r\nHost: x\r\n\r\n"
            let ask = "GET /a HTTP/1.1\r\nHost: localhost:\(origin.port)\r\n\r\n"
            for early in [true, false] {
                let heard = try await larder.talk(to: larder.addresses[1]) { client in
                    try client.send(connect + (early ? ask : ""))
                    #expect(try client.receiveHead().status == 200)
                    if !early { try client.send(ask) }
                    return try client.receive().text
                }
                #expect(heard == "hi")
            }
            #expect(origin.requests.map(\.target) == ["/a"])
        }
    }

    @Test func theUpstreamsCertificateIsVerified() async throws {
        let impostor = try TLSOrigin { _ in [.record(Self.page)] }
        defer { impostor.stop() }
        try await withProxy { larder, origin, ca in
            // Another server of the same name, whose certificate nobody vouches for.
            await larder.daemonReload("localhost:\(origin.port):127.0.0.1:\(impostor.port)", port: origin.port)
            let result = try await curl(larder, ca, "-w", "%{http_code}", "\(origin.base)/new")
            #expect(result.text.hasSuffix("502"))
            #expect(impostor.requests.isEmpty)
        }
    }

    @Test func aReloadThatTakesTheHostAwayCountsOnAnOpenConnection() async throws {
        try await withProxy { larder, origin, ca in
            let before = try await curl(larder, ca, "\(origin.base)/a")
            #expect(before.text == "hi")
            await larder.daemonReload("", port: origin.port, hosts: "localhost: refuse")
            let after = try await curl(larder, ca, "-w", "%{http_connect}", "\(origin.base)/a")
            #expect(after.text.hasSuffix("403"))
        }
    }
}

extension RunningLarder {
    /// Reloads a daemon with a proxy.
    fileprivate func daemonReload(_ connect: String, port: UInt16, hosts: String = "localhost: cache") async {
        let fetch = connect.isEmpty ? "" : "fetch: { connectTo: [\"\(connect)\"] }\n"
        directory.write(
            "larder.yaml",
            "listen: [\(ProxyScenarios.listen.joined(separator: ", "))]\n\(fetch)"
                + "proxy: { hosts: { \(hosts) }, ports: [443, \(port)] }\n")
        await daemon.reload()
    }
}
