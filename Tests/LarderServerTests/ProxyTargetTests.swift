import LarderCore
import Testing

@testable import LarderServer

@Suite struct ProxyTargetTests {
    private func read(_ form: ProxyTarget.Form, _ authority: String) -> ProxyTarget? {
        Bytes(text: authority).withUnsafeBufferPointer { ProxyTarget(form: form, authority: $0) }
    }

    @Test func aHostHasOneSpelling() {
        for spelling in ["Example.ORG:443", "example.org.:443"] {
            #expect(read(.connect, spelling) == ProxyTarget(form: .connect, host: "example.org", port: 443))
        }
        #expect(read(.connect, "[0:0::1]:8443")?.host == "[::1]")
    }

    @Test func theSchemeGivesThePortThatIsNotWritten() {
        #expect(read(.http, "example.org")?.port == 80)
        #expect(read(.https, "example.org")?.port == 443)
        #expect(read(.http, "example.org:")?.port == 80)
        #expect(read(.http, "[::1]")?.port == 80)
    }

    @Test func connectNeedsAPort() {
        #expect(read(.connect, "example.org") == nil)
        #expect(read(.connect, "example.org:") == nil)
        #expect(read(.connect, "[::1]") == nil)
    }

    @Test(arguments: [
        "", ":443", "user@example.org:443", "a:b:443", "example.org:0", "example.org:65536", "example.org:+43",
        "[::g]:443",
        "[::1:443", "exa%6dple.org:443", "a b:443", ".:443", "example.org:443:443", "[fe80::1%25eth0]:443",
    ])
    func whatIsNoHostAndPortIsNoTarget(_ authority: String) {
        #expect(read(.connect, authority) == nil)
    }

    @Test func theDefaultPortIsNotWritten() {
        #expect(read(.http, "example.org:80")?.origin == "http://example.org")
        #expect(read(.connect, "example.org:443")?.origin == "https://example.org")
        #expect(read(.http, "example.org:443")?.origin == "http://example.org:443")
    }
}
