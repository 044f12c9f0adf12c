import LarderCore
import Testing

@testable import LarderSettings

@Suite struct ProxySettingsTests {
    private func load(_ text: String) throws -> Settings {
        try SettingsLoader().load(
            text: Bytes(text: text), named: "larder.yaml", environment: ["HOME": "/home/somebody"])
    }

    private func finding(_ text: String) -> String {
        do {
            _ = try load(text)
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test func theMostExactRuleDecides() throws {
        let proxy = try load(
            """
            proxy:
              hosts: { "*.example.org": cache, "*.a.example.org": refuse, b.a.example.org: tunnel }
            """
        ).proxy
        #expect(proxy.rule(for: "x.example.org")?.action == .cache)
        #expect(proxy.rule(for: "x.a.example.org")?.action == .refuse)
        #expect(proxy.rule(for: "b.a.example.org")?.action == .tunnel)
        #expect(proxy.rule(for: "example.org") == nil)
        #expect(proxy.rule(for: "badexample.org") == nil)
    }

    @Test func aListenerMayBeAProxy() throws {
        let settings = try load(#"listen: [ "127.0.0.1:1", { address: "127.0.0.1:2", proxy: true } ]"#)
        #expect(settings.listen.map(\.isProxy) == [false, true])
    }

    @Test func aListenerIsNotBothAProxyAndAProviders() {
        let text = #"listen: { address: "127.0.0.1:2", proxy: true, provider: itunes }"#
        #expect(finding(text).contains("not both"))
    }

    @Test func aProxyForOtherMachinesNeedsAPassword() throws {
        let open = "allowRemote: true\nlisten: { address: \"0.0.0.0:2\", proxy: true }\n"
        #expect(finding(open).contains("needs proxy.password"))
        #expect(try load(open + "proxy: { password: open-sesame }").proxy.password == "open-sesame")
    }

    @Test(arguments: [
        ("hosts: { \"*\": cache }", "proxy.others"), ("hosts: { \"*.org\": cache }", "two names"),
        ("hosts: { \"http://a.example\": cache }", "without scheme"), ("hosts: { a.example: keep }", "not one of"),
        ("hosts: [a.example]", "mapping"), ("ports: [0]", "not a port"), ("others: cache", "not one of"),
        ("hosts: { a.example: cache, A.example: tunnel }", "set twice"),
    ])
    func aRuleThatCannotBeMeantIsAFinding(_ text: String, _ expected: String) {
        #expect(finding("proxy: { \(text) }").contains(expected))
    }

    @Test func aCachedHostIsAProviderOfItsOwn() throws {
        let proxy = try load("proxy: { staleFor: 2h, cookies: drop, ttl: 5min }").proxy
        let name = ProxySettings.name(of: "http://packages.example:8080")
        #expect(name == "proxy:http://packages.example:8080")
        let provider = try #require(proxy.provider(named: name))
        #expect(provider.baseURL == "http://packages.example:8080")
        #expect(provider.isPassthrough && provider.semantics == .rfc && provider.forwardCookies)
        #expect(provider.staleFor == .seconds(7200) && provider.cookies == .drop)
        #expect(provider.ttl(ofPath: "/x") == .seconds(300))
        #expect(proxy.provider(named: "proxy:packages.example")?.baseURL == "https://packages.example")
    }

    @Test func onlyAHostThatARuleNamesExactlyMayBePrivate() throws {
        let proxy = try load(#"proxy: { hosts: { exact.example: cache, "*.below.example": cache } }"#).proxy
        #expect(proxy.provider(named: "proxy:exact.example:8443")?.isPublicOnly == false)
        #expect(proxy.provider(named: "proxy:a.below.example")?.isPublicOnly == true)
        #expect(proxy.provider(named: "proxy:local:localhost:1")?.isPublicOnly == false)
    }

    @Test(arguments: ["proxy:", "proxy:a/b", "proxy:http://", "proxy:user@host", "proxy:a b", "itunes"])
    func whatNamesNoHostIsNoProvider(_ name: String) {
        #expect(ProxySettings().provider(named: name) == nil)
    }
}
