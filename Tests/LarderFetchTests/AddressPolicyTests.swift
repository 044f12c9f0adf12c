import Glibc
import LarderCore
import LarderFetch
import LarderTestSupport
import Testing

@Suite struct AddressPolicyTests {
    @Test(arguments: ["127.0.0.1", "localhost", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]", "0.0.0.0"])
    func aPrivateAddressIsRefusedHoweverItIsSpelt(host: String) async throws {
        let origin = ScriptedOrigin(answering: ok("private"))
        defer { origin.stop() }
        try await withRig { rig in
            let error = await rig.failure(order("http://\(host):\(origin.port)/", addresses: .publicOnly))
            #expect(error?.stage == .forbidden)
            #expect(origin.connections == 0)
        }
    }

    @Test func aConnectionThatAnotherOrderOpenedDoesNotLeadAroundTheCheck() async throws {
        let origin = ScriptedOrigin(answering: ok("private"))
        defer { origin.stop() }
        try await withRig { rig in
            _ = try await rig.fetcher.fetch(order(origin.base + "/1"))
            let error = await rig.failure(order(origin.base + "/2", addresses: .publicOnly, mayRetry: true))
            #expect(error?.stage == .forbidden)
            #expect(origin.requests.map(\.target) == ["/1"])
        }
    }

    @Test func aRedirectIsCheckedUnderThePolicyOfItsTarget() async throws {
        let inner = ScriptedOrigin(answering: ok("private"))
        let origin = ScriptedOrigin { _ in
            [.send("HTTP/1.1 302 Found\r\nLocation: \(inner.base)/\r\nContent-Length: 0\r\n\r\n")]
        }
        defer {
            origin.stop()
            inner.stop()
        }
        try await withRig { rig in
            let error = await rig.failure(
                order(origin.base + "/", maxRedirects: 3) { _ in .publicOnly })
            #expect(error?.stage == .forbidden)
            #expect(error?.origin == inner.base)
            #expect(inner.connections == 0)
        }
    }

    @Test func aProxyIsUsedOnlyFromTheSettingsAndSeesTheWholeURL() async throws {
        let proxy = ScriptedOrigin(answering: ok("proxied"))
        defer { proxy.stop() }
        try await withRig(FetchSettings(proxy: proxy.base)) { rig in
            let response = try await rig.fetcher.fetch(
                order("http://pictures.example.com/a", addresses: .publicOnly))
            #expect(response.body.lossyText == "proxied")
            #expect(proxy.requests.first?.target == "http://pictures.example.com/a")
            for host in ["127.0.0.1", "[::1]", "printer.local", "localhost", "router"] {
                let error = await rig.failure(order("http://\(host)/", addresses: .publicOnly))
                #expect(error?.stage == .forbidden)
            }
            #expect(proxy.requests.count == 1)
        }
    }

    /// Runs in a process of its own, because the environment is shared by the whole process.
    @Test func theEnvironmentsProxiesAreNotLookedAt() async {
        await #expect(processExitsWith: .success) {
            let proxy = ScriptedOrigin(answering: ok("proxied"))
            let origin = ScriptedOrigin(answering: ok("direct"))
            defer {
                proxy.stop()
                origin.stop()
            }
            for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] { setenv(name, proxy.base, 1) }
            try await withRig { rig in
                #expect(await rig.text(order(origin.base + "/")) == "direct")
            }
            // Exceptions named in the environment do not apply when a proxy is set.
            for name in ["no_proxy", "NO_PROXY"] { setenv(name, "*", 1) }
            try await withRig(FetchSettings(proxy: proxy.base)) { rig in
                #expect(await rig.text(order(origin.base + "/")) == "proxied")
            }
        }
    }

    @Test func anEmptyProxyIsNoneAndLiftsNoCheck() async throws {
        let origin = ScriptedOrigin(answering: ok("private"))
        defer { origin.stop() }
        try await withRig(FetchSettings(proxy: "")) { rig in
            #expect(await rig.text(order(origin.base + "/")) == "private")
            let error = await rig.failure(order("http://127.0.0.1:\(origin.port)/", addresses: .publicOnly))
            #expect(error?.stage == .forbidden)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func aProxyThatRefusesATunnelIsAFaultOfConnectingAndItsHeadIsNoAnswer() async throws {
        let proxy = ScriptedOrigin(answering: "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        defer { proxy.stop() }
        try await withRig(FetchSettings(proxy: proxy.base)) { rig in
            let error = await rig.failure(
                order(
                    "https://pictures.example.com/a", secretFields: ["Authorization": "secret"], mayRetry: true))
            #expect(error?.stage == .connect)
            #expect(proxy.requests.count == 1)
            let request = try #require(proxy.requests.first)
            #expect(request.head.hasPrefix("CONNECT pictures.example.com:443 "))
            #expect(!request.head.contains("secret"))
        }
    }

    @Test func aTunnelIsAskedForInLardersOwnName() async throws {
        let proxy = ScriptedOrigin(answering: "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        defer { proxy.stop() }
        try await withRig(FetchSettings(proxy: proxy.base)) { rig in
            _ = await rig.failure(order("https://pictures.example.com/a", fields: ["User-Agent": "mine"]))
            let request = try #require(proxy.requests.first)
            #expect(request.head.hasPrefix("CONNECT ") && request.field("User-Agent") == "larder/1")
        }
    }
}
