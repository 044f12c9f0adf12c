// The proxy is no open one: what it does not pass, and what it says.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct ProxyRefusalScenarios {
    private func expectRefused(
        _ larder: RunningLarder, _ request: String, _ status: Int, _ code: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let answer = try await larder.send(bytes: Bytes(text: request + "\r\n"), to: larder.addresses[1])
        #expect(answer.status == status, "\(answer)", sourceLocation: sourceLocation)
        #expect(try answer.json()["code"]?.string == code, sourceLocation: sourceLocation)
    }

    @Test func whatAPageCanSendIsRefused() async throws {
        try await withLarder(listen: ProxyScenarios.listen) { larder in
            for target in ["/", "/healthz", "/v1/search?q=a", "*"] {
                let method = target == "*" ? "OPTIONS" : "GET"
                try await expectRefused(
                    larder, "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n", 421, "proxyOnly")
            }
        }
    }

    @Test func whatIsStoredIsNotAnsweredWithoutThePassword() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let settings = BasicScenarios.itunes(origin) + "\nproxy: { password: open-sesame }\ncache: { memorySize: 0 }"
        try await withLarder(settings, listen: ProxyScenarios.listen) { larder in
            let target = "/raw/itunes/search?term=jack+johnson"
            for _ in 0..<3 { #expect(try await larder.get(target).status == 200) }
            try await larder.awaitCommits()
            for _ in 0..<3 { #expect(try await larder.get(target).status == 200) }
            try await expectRefused(larder, "GET \(target) HTTP/1.1\r\nHost: localhost\r\n", 407, "proxyAuthentication")
        }
    }

    @Test func aPageOfAnotherSiteChangesNothing() async throws {
        let origin = ScriptedOrigin(answering: ProxyScenarios.page)
        defer { origin.stop() }
        try await ProxyScenarios.withProxy(origin) { larder in
            let answer = try await ProxyScenarios.ask(
                larder, "\(origin.base)/", "Origin: https://evil.example", "Sec-Fetch-Site: cross-site", method: "POST")
            #expect(answer.status == 403)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func aPageOfAnotherSiteChangesNothingByAParameterEither() async throws {
        let origin = ScriptedOrigin(answering: ProxyScenarios.page)
        defer { origin.stop() }
        try await ProxyScenarios.withProxy(origin) { larder in
            let answer = try await ProxyScenarios.ask(
                larder, "\(origin.base)/item?_method=DELETE", "Sec-Fetch-Site: cross-site")
            #expect(answer.status == 403)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func aMalformedHostIsRefusedThoughItHasNoMeaning() async throws {
        let origin = ScriptedOrigin(answering: ProxyScenarios.page)
        defer { origin.stop() }
        try await ProxyScenarios.withProxy(origin) { larder in
            // The first two answers are a miss and a hit, the others could come from memory.
            for _ in 0..<3 {
                let answer = try await ProxyScenarios.ask(larder, "\(origin.base)/")
                #expect(answer.status == 200)
            }
            for host in ["a b", "x:y", "[::", "u@h"] {
                let request = "GET \(origin.base)/ HTTP/1.1\r\nHost: \(host)\r\n\r\n"
                let answer = try await larder.send(bytes: Bytes(text: request), to: larder.addresses[1])
                #expect(answer.status == 400, "\(host)")
            }
        }
    }

    @Test func manyHostsOfAPatternDoNotTakeTheNumbersOfNamedOnes() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let settings = BasicScenarios.itunes(origin) + "\nproxy: { hosts: { \"*.wild.invalid\": cache } }"
        try await withLarder(settings, listen: ProxyScenarios.listen) { larder in
            let proxy = larder.addresses[1]
            let codes = try await larder.talk(to: proxy) { client in
                try (0..<1001).map { number in
                    let fields = "Host: x\r\nCache-Control: only-if-cached\r\n"
                    try client.send("GET http://w\(number).wild.invalid/ HTTP/1.1\r\n\(fields)\r\n")
                    return try client.receive().status
                }
            }
            #expect(Set(codes.prefix(1000)) == [504])
            let target = "\(origin.base)/search?term=jack"
            let answer = try await ProxyScenarios.ask(larder, target)
            #expect(answer.status == 200)
        }
    }

    @Test func anotherPortIsRefused() async throws {
        try await withLarder(listen: ProxyScenarios.listen) { larder in
            try await expectRefused(larder, "CONNECT example.org:25 HTTP/1.1\r\nHost: x\r\n", 403, "proxyRule")
            try await expectRefused(larder, "GET http://example.org:25/ HTTP/1.1\r\nHost: x\r\n", 403, "proxyRule")
        }
    }

    @Test func aPrivateAddressThatNoLineNamesIsRefused() async throws {
        let origin = ScriptedOrigin(answering: ProxyScenarios.page)
        defer { origin.stop() }
        try await ProxyScenarios.withProxy(origin, "hosts: {}") { larder in
            for host in ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1"] {
                let authority = "\(host):\(origin.port)"
                try await expectRefused(larder, "CONNECT \(authority) HTTP/1.1\r\nHost: x\r\n", 502, "noTunnel")
                try await expectRefused(larder, "GET http://\(authority)/ HTTP/1.1\r\nHost: x\r\n", 502, "noTunnel")
            }
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func aPatternOpensNoPrivateAddress() async throws {
        let origin = ScriptedOrigin(answering: ProxyScenarios.page)
        defer { origin.stop() }
        try await ProxyScenarios.withProxy(origin, #"hosts: { "*.app.localhost": cache }"#) { larder in
            let answer = try await ProxyScenarios.ask(larder, "http://a.app.localhost:\(origin.port)/")
            #expect(answer.status == 502 || answer.status == 403, "\(answer)")
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func theDaemonsOwnAddressesAreRefused() async throws {
        let origin = ScriptedOrigin(answering: ProxyScenarios.page)
        defer { origin.stop() }
        try await ProxyScenarios.withProxy(origin) { larder in
            let port = larder.address.split(separator: ":").last.map(String.init) ?? ""
            await larder.reload("proxy: { hosts: { 127.0.0.1: tunnel, localhost: tunnel }, ports: [\(port)] }")
            for host in ["127.0.0.1", "localhost"] {
                try await expectRefused(larder, "CONNECT \(host):\(port) HTTP/1.1\r\nHost: x\r\n", 502, "noTunnel")
                try await expectRefused(
                    larder, "GET http://\(host):\(port)/healthz HTTP/1.1\r\nHost: x\r\n", 502, "noTunnel")
            }
        }
    }

    @Test func aRuleThatRefusesIsNamed() async throws {
        let rules = #"proxy: { hosts: { "*.ads.example": refuse }, others: refuse }"#
        try await withLarder(rules, listen: ProxyScenarios.listen) { larder in
            let named = try await ProxyScenarios.ask(larder, "http://x.ads.example/")
            #expect(named.status == 403 && named.text.contains("*.ads.example: refuse"))
            let other = try await ProxyScenarios.ask(larder, "http://example.org/")
            #expect(other.status == 403 && other.text.contains("proxy.others"))
        }
    }

    @Test(arguments: [
        "CONNECT example.org HTTP/1.1\r\nHost: x\r\n", "CONNECT /path HTTP/1.1\r\nHost: x\r\n",
        "CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n",
        "GET http://user:pass@example.org/ HTTP/1.1\r\nHost: x\r\n", "GET http:///x HTTP/1.1\r\nHost: x\r\n",
        "GET ftp://example.org/x HTTP/1.1\r\nHost: x\r\n",
    ])
    func aMalformedTargetIsABadRequest(_ request: String) async throws {
        try await withLarder(listen: ProxyScenarios.listen) { larder in
            let answer = try await larder.send(bytes: Bytes(text: request + "\r\n"), to: larder.addresses[1])
            #expect(answer.status == 400)
        }
    }

    @Test func withAPasswordOnlyThoseWhoKnowItPass() async throws {
        let origin = ScriptedOrigin(answering: ProxyScenarios.page)
        defer { origin.stop() }
        try await ProxyScenarios.withProxy(origin, "hosts: { 127.0.0.1: cache }, password: open-sesame") { larder in
            let none = try await ProxyScenarios.ask(larder, "\(origin.base)/")
            #expect(none.status == 407 && none["Proxy-Authenticate"]?.hasPrefix("Basic") == true)
            // "me:wrong", "me:open-sesame"
            let wrong = try await ProxyScenarios.ask(
                larder, "\(origin.base)/", "Proxy-Authorization: Basic bWU6d3Jvbmc=")
            #expect(wrong.status == 407)
            let right = try await ProxyScenarios.ask(
                larder, "\(origin.base)/", "Proxy-Authorization: Basic bWU6b3Blbi1zZXNhbWU=")
            #expect(right.status == 200)
            #expect(origin.requests.first?.field("Proxy-Authorization") == nil)
        }
    }

    @Test func aCircleOfProxiesEnds() async throws {
        let origin = ScriptedOrigin(answering: ProxyScenarios.page)
        defer { origin.stop() }
        let via = "Via: " + Array(repeating: "1.1 larder", count: 9).joined(separator: ", ")
        try await ProxyScenarios.withProxy(origin) { larder in
            for host in ["127.0.0.1", "localhost"] {
                let answer = try await ProxyScenarios.ask(larder, "http://\(host):\(origin.port)/", via)
                #expect(answer.status == 508)
            }
        }
    }

    @Test func moreTunnelsThanPermittedAreRefused() async throws {
        let origin = ScriptedOrigin { _ in [.hold] }
        defer { origin.stop() }
        try await ProxyScenarios.withProxy(origin, "hosts: { localhost: tunnel }, maxTunnels: 1") { larder in
            try await larder.talk(to: larder.addresses[1]) { client in
                try client.send("CONNECT localhost:\(origin.port) HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try client.receiveHead().status == 200)
                let second = try WireClient(larder.addresses[1])
                try second.send("CONNECT localhost:\(origin.port) HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try second.receive().status == 503)
            }
        }
    }

    @Test func anIdleTunnelIsClosed() async throws {
        let origin = ScriptedOrigin { _ in [.hold] }
        defer { origin.stop() }
        try await ProxyScenarios.withProxy(origin, "hosts: { localhost: tunnel }, idleTimeout: 1s") { larder in
            _ = try await larder.talk(to: larder.addresses[1]) { client in
                try client.send("CONNECT localhost:\(origin.port) HTTP/1.1\r\nHost: x\r\n\r\n")
                return try client.receiveRest()
            }
            #expect(try await larder.counter("larder_proxy_tunnels_ended_total", #"cause="idle""#) == 1)
        }
    }
}
