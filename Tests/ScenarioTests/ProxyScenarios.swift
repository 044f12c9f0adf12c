// A tool that knows only http_proxy: what the cache answers, what passes unread, and what is refused.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct ProxyScenarios {
    static let listen = [#""127.0.0.1:0""#, #"{ address: "127.0.0.1:0", proxy: true }"#]
    static let page = "HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nContent-Length: 2\r\n\r\nhi"

    /// A daemon with a proxy that may lead to the origin.
    static func withProxy(
        _ origin: ScriptedOrigin, _ rules: String = "hosts: { 127.0.0.1: cache, localhost: tunnel }",
        _ more: String = "", _ body: (RunningLarder) async throws -> Void
    ) async throws {
        try await withLarder("proxy: { \(rules), ports: [80, 443, \(origin.port)] }\n\(more)", listen: listen, body)
    }

    /// Asks the proxy with an absolute target.
    static func ask(
        _ larder: RunningLarder, _ url: String, _ fields: String..., method: String = "GET"
    ) async throws -> WireResponse {
        let lines = (["Host: whatever.example", "Connection: close"] + fields).map { $0 + "\r\n" }.joined()
        return try await larder.send(
            bytes: Bytes(text: "\(method) \(url) HTTP/1.1\r\n\(lines)\r\n"), to: larder.addresses[1])
    }

    @Test func aCachedHostIsAskedOnce() async throws {
        let origin = ScriptedOrigin(answering: Self.page)
        defer { origin.stop() }
        try await Self.withProxy(origin) { larder in
            for _ in 0..<3 {
                let answer = try await Self.ask(larder, "\(origin.base)/a?b=c")
                #expect(answer.status == 200 && answer.text == "hi")
            }
            #expect(origin.requests.count == 1)
            #expect(origin.requests.first?.target == "/a?b=c")
            #expect(origin.requests.first?.field("Host") == "127.0.0.1:\(origin.port)")
        }
    }

    @Test func hitsComeFromMemoryWithoutATask() async throws {
        let origin = ScriptedOrigin(answering: Self.page)
        defer { origin.stop() }
        try await Self.withProxy(origin, "hosts: { 127.0.0.1: cache }", "server: { loops: 1 }") { larder in
            for _ in 0..<8 { #expect(try await Self.ask(larder, "\(origin.base)/a").text == "hi") }
            let name = "proxy:http://127.0.0.1:\(origin.port)"
            let hits = try await larder.counter("larder_memory_hits_total", "provider=\"\(name)\"")
            #expect(hits == 7)
        }
    }

    /// A connection to the proxy asks for a host by CONNECT, and inside for another one that is ready.
    @Test func insideACONNECTOnlyItsOwnHostIsAnsweredFromMemory() async throws {
        let origin = ScriptedOrigin(answering: Self.page)
        defer { origin.stop() }
        let connect = "fetch: { connectTo: [\"localhost:80:127.0.0.1:\(origin.port)\"] }\nserver: { loops: 1 }"
        let directory = TemporaryDirectory()
        try ProxyTLSScenarios.makeAuthority(in: directory, ["localhost"])
        try await withLarder(
            "\(connect)\nproxy: { hosts: { 127.0.0.1: cache, localhost: cache }, ports: [80, \(origin.port)] }",
            listen: Self.listen, directory: directory
        ) { larder in
            for _ in 0..<3 { #expect(try await Self.ask(larder, "\(origin.base)/a").text == "hi") }
            let heard = try await larder.talk(to: larder.addresses[1]) { client in
                try client.send("CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n")
                #expect(try client.receiveHead().status == 200)
                try client.send("GET \(origin.base)/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return try client.receive()
            }
            #expect(heard.status == 421, "\(heard)")
            #expect(heard.text.contains("otherHost"))
        }
    }

    /// `larder run` opens what the rules of the listener do not.
    @Test func whatARunStoredByItsOwnRulesIsNotAnswered() async throws {
        let origin = ScriptedOrigin(answering: Self.page)
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let listen = Self.listen + ["\"unix:\(directory.path)/l.sock\""]
        let settings = """
            providers: { forge: { kind: passthrough, baseURL: "\(origin.base)/api" } }
            proxy: { others: refuse, ports: [\(origin.port)] }
            server: { loops: 1 }
            """
        try await withLarder(settings, listen: listen, directory: directory) { larder in
            let run = Bytes(text: "GET \(origin.base)/other HTTP/1.1\r\nHost: x\r\nX-Larder-Run: 1\r\n\r\n")
            for _ in 0..<3 {
                let stored = try await larder.send(bytes: run, to: larder.addresses[2])
                #expect(stored.status == 200)
            }
            let permitted = try await Self.ask(larder, "\(origin.base)/api/x")
            let other = try await Self.ask(larder, "\(origin.base)/other")
            #expect(permitted.status == 200 && other.status == 403)
        }
    }

    @Test func theHostFieldOfAnAbsoluteTargetIsIgnored() async throws {
        let origin = ScriptedOrigin(answering: Self.page)
        defer { origin.stop() }
        try await Self.withProxy(origin) { larder in
            _ = try await Self.ask(larder, "\(origin.base)/")
            #expect(origin.requests.first?.field("Host") == "127.0.0.1:\(origin.port)")
        }
    }

    @Test func twoHostsDoNotShareTheAnswersToOnePath() async throws {
        let one = ScriptedOrigin(answering: Self.page)
        let other = ScriptedOrigin(answering: Self.page.replacing("hi", with: "ho"))
        defer { one.stop() }
        defer { other.stop() }
        let rules = "hosts: { 127.0.0.1: cache }, ports: [\(one.port), \(other.port)]"
        try await withLarder("proxy: { \(rules) }", listen: Self.listen) { larder in
            for _ in 0..<3 {
                let (first, second) = (
                    try await Self.ask(larder, "\(one.base)/x"), try await Self.ask(larder, "\(other.base)/x")
                )
                #expect(first.text == "hi" && second.text == "ho")
            }
        }
    }

    @Test func aConfiguredProvidersHostIsThatProvider() async throws {
        let origin = ScriptedOrigin(answering: Self.page)
        defer { origin.stop() }
        let provider = """
            providers: { forge: { kind: passthrough, baseURL: "\(origin.base)/api", key: secret-of-forge } }
            """
        try await Self.withProxy(origin, "hosts: {}, others: refuse", provider) { larder in
            let answer = try await Self.ask(larder, "\(origin.base)/api/items", "Authorization: Bearer own")
            #expect(answer.status == 200)
            #expect(origin.requests.last?.field("Authorization") == "Bearer secret-of-forge")
            _ = try await larder.get("/raw/forge/items")
            #expect(origin.requests.count == 1, "the two ways do not share one entry")
            #expect(try await Self.ask(larder, "\(origin.base)/other").status == 403)
        }
    }

    @Test func aHostThatPassesUnreadIsAskedEachTime() async throws {
        let origin = ScriptedOrigin { _ in [.send(Self.page), .close] }
        defer { origin.stop() }
        try await Self.withProxy(origin) { larder in
            for _ in 0..<2 {
                let answer = try await Self.ask(
                    larder, "http://localhost:\(origin.port)/a", "Proxy-Connection: keep-alive", "Keep-Alive: 5")
                #expect(answer.text == "hi")
            }
            #expect(origin.requests.count == 2)
            let asked = try #require(origin.requests.last)
            #expect(asked.field("Connection") == "close" && asked.field("Via") == "1.1 larder")
            #expect(asked.field("Proxy-Connection") == nil && asked.field("Keep-Alive") == nil)
        }
    }

    @Test func aRequestBehindOneThatPassesUnreadDoesNotReachItsHost() async throws {
        let origin = ScriptedOrigin { _ in [.send(Self.page), .close] }
        defer { origin.stop() }
        try await Self.withProxy(origin) { larder in
            let url = "http://localhost:\(origin.port)/a"
            let second = "GET http://other.example/secret HTTP/1.1\r\nHost: x\r\nCookie: a=b\r\n\r\n"
            let answer = try await larder.send(
                bytes: Bytes(text: "GET \(url) HTTP/1.1\r\nHost: x\r\n\r\n" + second), to: larder.addresses[1])
            #expect(answer.text == "hi")
            #expect(origin.requests.map(\.target) == ["/a"])
            #expect(origin.requests.first?.body.isEmpty == true)
        }
    }

    @Test func theContentOfARequestThatPassesUnreadArrives() async throws {
        let origin = ScriptedOrigin { _ in [.send(Self.page), .close] }
        defer { origin.stop() }
        try await Self.withProxy(origin) { larder in
            let url = "http://localhost:\(origin.port)/a"
            let bytes = "POST \(url) HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
            _ = try await larder.send(bytes: Bytes(text: bytes), to: larder.addresses[1])
            #expect(origin.requests.first?.body == Bytes(text: "hello"))
        }
    }

    @Test func aTunnelPassesBytesBothWaysAndTheEndOfEach() async throws {
        let origin = ScriptedOrigin(greeting: "welcome ") { _ in [.send(Self.page), .close] }
        defer { origin.stop() }
        try await Self.withProxy(origin) { larder in
            let heard = try await larder.talk(to: larder.addresses[1]) { client in
                try client.send("CONNECT localhost:\(origin.port) HTTP/1.1\r\nHost: localhost:\(origin.port)\r\n\r\n")
                #expect(try client.receiveHead().status == 200)
                try client.send("GET /inner HTTP/1.1\r\nHost: x\r\n\r\n")
                client.finishSending()
                return try client.receiveRest()
            }
            #expect(heard == Bytes(text: "welcome " + Self.page))
            #expect(origin.requests.first?.target == "/inner")
            try await larder.eventually("the tunnel has ended") {
                try await larder.counter("larder_proxy_tunnels_ended_total", #"cause="whole""#) == 1
            }
            #expect(try await larder.counter("larder_proxy_tunnels") == 0)
        }
    }

    @Test func bytesThatCameWithConnectReachTheHost() async throws {
        let origin = ScriptedOrigin { _ in [.send(Self.page), .close] }
        defer { origin.stop() }
        try await Self.withProxy(origin) { larder in
            let heard = try await larder.talk(to: larder.addresses[1]) { client in
                try client.send(
                    "CONNECT localhost:\(origin.port) HTTP/1.1\r\nHost: x\r\n\r\nGET /early HTTP/1.1\r\nHost: x\r\n\r\n"
                )
                return try client.receiveRest()
            }
            #expect(heard.lossyText.hasSuffix("hi"))
        }
    }

    @Test func aPurgeByURLRemovesWhatCameThroughTheProxy() async throws {
        let origin = ScriptedOrigin(answering: Self.page)
        defer { origin.stop() }
        try await withLarder(
            "proxy: { hosts: { 127.0.0.1: cache }, ports: [\(origin.port)] }\nadmin: { token: a-token-of-this-test }",
            listen: Self.listen
        ) { larder in
            _ = try await Self.ask(larder, "\(origin.base)/a")
            let gone = try await larder.send(
                "DELETE", "/v1/cache?url=\(origin.base)/a", fields: [("Authorization", "Bearer a-token-of-this-test")])
            #expect(gone.status == 200)
            _ = try await Self.ask(larder, "\(origin.base)/a")
            #expect(origin.requests.count == 2)
        }
    }

    @Test func aTunnelIsSeenAmongTheRequests() async throws {
        let origin = ScriptedOrigin { _ in [.send(Self.page), .close] }
        defer { origin.stop() }
        try await Self.withProxy(origin) { larder in
            _ = try await larder.talk(to: larder.addresses[1]) { client in
                try client.send(
                    "CONNECT localhost:\(origin.port) HTTP/1.1\r\nHost: x\r\n\r\nGET /early HTTP/1.1\r\nHost: x\r\n\r\n"
                )
                client.finishSending()
                return try client.receiveRest()
            }
            try await larder.eventually("the tunnel is listed") {
                try await larder.get("/v1/requests").text.contains("localhost:\(origin.port)")
            }
        }
    }

    @Test func aProxiedRequestIsSeenWithItsHost() async throws {
        let origin = ScriptedOrigin(answering: Self.page)
        defer { origin.stop() }
        try await Self.withProxy(origin) { larder in
            _ = try await Self.ask(larder, "\(origin.base)/seen?q=1")
            #expect(try await larder.get("/v1/requests").text.contains("\(origin.base)/seen"))
        }
    }
}
