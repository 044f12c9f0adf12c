// Cookies of providers that share an origin, and cookies of browsers that share a host.
import LarderCore
import LarderProviders
import LarderTestSupport
import Testing

@testable import LarderEngine

@Suite struct ConfinedCookieTests {
    @Test(
        arguments: [
            ("a=b; Path=/", "a=b; Path=/raw/p/"), ("a=b; path=/x/y; Secure", "a=b; Secure; Path=/raw/p/x/y"),
            ("a=b; Domain=example.com; HttpOnly", "a=b; HttpOnly; Path=/raw/p/deep"),
            ("a=b", "a=b; Path=/raw/p/deep"), ("a=b; Path", "a=b; Path=/raw/p/deep"),
            ("a=b; Path=relative", "a=b; Path=/raw/p/deep"), ("a=b; Path=\"/\"", "a=b; Path=/raw/p/deep"),
            // If an attribute is repeated, the last one counts.
            ("a=b; Path=/x; Path=/y", "a=b; Path=/raw/p/y"), ("a=b;DOMAIN=.x; domain", "a=b; Path=/raw/p/deep"),
            ("__Secure-a=b; Secure; Path=/", "__Secure-a=b; Secure; Path=/raw/p/"),
            (
                "a=b; Expires=Thu, 01 Jan 2026 00:00:00 GMT; SameSite=Lax; Path=/",
                "a=b; Expires=Thu, 01 Jan 2026 00:00:00 GMT; SameSite=Lax; Path=/raw/p/"
            ),
            ("__Hosta=b; Path=/", "__Hosta=b; Path=/raw/p/"),
        ])
    func aCookieIsConfinedToItsMount(_ written: String, _ wanted: String) {
        #expect(ConfinedCookie.line(written, mount: "/raw/p", base: "", path: "/deep/page") == wanted)
    }

    @Test(
        arguments: [
            ("a=b; Path=/", "/"), ("a=b; Path=/api", "/"), ("a=b; Path=/api/", "/"), ("a=b; Path=/api/v1", "/"),
            ("a=b; Path=/api/v1/", "/"), ("a=b; Path=/api/v1/x", "/x"), ("a=b", "/deep"),
        ])
    func aPathIsSeenFromTheBaseURL(_ written: String, _ wanted: String) {
        let line = ConfinedCookie.line(written, mount: "/raw/p", base: "/api/v1", path: "/deep/page")
        #expect(line == "a=b; Path=/raw/p\(wanted)")
    }

    @Test(arguments: ["/other", "/api/v10", "/api/v", "/api/v2/x"])
    func aCookieForPathsOutsideTheBaseURLDoesNotGoOut(_ path: String) {
        #expect(ConfinedCookie.line("a=b; Path=\(path)", mount: "/raw/p", base: "/api/v1", path: "/deep") == nil)
    }

    @Test(arguments: ["__Host-a=b; Path=/; Secure", "__HOST-a=b", " __Host-a =b", "=__Host-a=b", "__Host-a"])
    func aCookieOfTheWholeHostDoesNotGoOut(_ written: String) {
        #expect(ConfinedCookie.line(written, mount: "/raw/p", base: "", path: "/") == nil)
    }

    @Test(
        arguments: [
            ("/", "/"), ("/a", "/"), ("/a/", "/a"), ("/a/b/c", "/a/b"),
            // Text after a semicolon in the path would become attributes of the cookie.
            ("/x;Path=/raw/q/y", "/"), ("/a/x;Domain=localhost;Path=/;/y", "/a"), ("/;/a/b", "/"),
        ])
    func withoutAPathItIsTheOneOfTheUpstreamsURL(_ path: String, _ wanted: String) {
        #expect(ConfinedCookie.line("a=b", mount: "/raw/p", base: "", path: path) == "a=b; Path=/raw/p\(wanted)")
    }

    private func areForwarded(_ fields: HeaderFields, isShared: Bool, _ more: String = "") throws -> Bool {
        let settings = try load("providers: { p: { kind: passthrough, baseURL: \"https://p.example\"\(more) } }\n")
        let provider = try #require(ProviderSet(settings).named("p"))
        return ForwardedCookies.areForwarded(fields, to: provider, isSharedOrigin: isShared)
    }

    @Test func belowRawCookiesGoUpstreamOnlyWhereTheSettingsSaySo() throws {
        for fields: HeaderFields in [[:], ["Sec-Fetch-Site": "same-origin"], ["User-Agent": "Mozilla/5.0"]] {
            #expect(try !areForwarded(fields, isShared: true))
            #expect(try areForwarded(fields, isShared: true, ", forwardCookies: true"))
        }
    }

    @Test(
        arguments: [
            ([:], true), (["User-Agent": "curl/8.14.1"], true), (["Sec-Fetch-Mode": "cors"], true),
            (["User-Agent": "Mozilla/5.0 (X11)"], false), (["Sec-Fetch-Site": "none"], false),
            (["Sec-Fetch-Site": "same-site"], false), (["Sec-Fetch-Site": "cross-site"], false),
            (["Sec-Fetch-Site": "same-origin", "User-Agent": "Mozilla/5.0"], true),
            (["Sec-Fetch-Site": "same-origin", "sec-fetch-site": "none"], false),
        ] as [(HeaderFields, Bool)])
    func onABoundListenerABrowsersCookiesNeedAPageOfThatListener(_ fields: HeaderFields, _ wanted: Bool) throws {
        #expect(try areForwarded(fields, isShared: false) == wanted)
    }

    @Test func aBuiltInProviderHasNoUseForTheSetting() {
        let found = findings("providers: { itunes: { forwardCookies: true } }\n")
        #expect(found.contains { $0.contains("gets no cookies") }, "\(found)")
    }
}
