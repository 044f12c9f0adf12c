// Which pictures may be fetched, from which hosts, and that nobody else can make handles.
import LarderCore
import LarderProviders
import Testing

@Suite struct ImageHostsTests {
    private func hosts(_ entries: [String], base: String? = nil) -> ImageHosts {
        ImageHosts(rules: entries.compactMap { ImageHostRule($0) }, configuredBase: base)
    }

    @Test(arguments: [
        ("www.example.com", ImageHostRule.host("www.example.com")), ("WWW.Example.com.", .host("www.example.com")),
        ("*.mzstatic.com", .suffix("mzstatic.com")), ("*", .any),
        ("http://127.0.0.1:9000", .origin(scheme: "http", host: "127.0.0.1", port: 9000)),
        ("https://[::1]/", .origin(scheme: "https", host: "[::1]", port: 443)),
        (
            "*.Example.com=http://127.0.0.1:9000/a/",
            .standIn(.suffix("example.com"), place: "http://127.0.0.1:9000/a")
        ),
    ])
    func anEntryIsOneOfFiveThings(_ text: String, _ rule: ImageHostRule) {
        #expect(ImageHostRule(text) == rule)
    }

    @Test(arguments: [
        "", "*.", "**", "a b", "ftp://host", "http://host/path", "http://u@host", "host:80", "*.*.com", "a..b",
        "http://h:0", "a.org=", "a.org=b.org", "=http://h", "http://a.org=http://h", "a.org=http://h/?x",
        "a.org=b.org=http://h",
    ])
    func anythingElseIsRefused(_ text: String) {
        #expect(ImageHostRule(text) == nil)
    }

    @Test(arguments: [
        ("https://is1-ssl.mzstatic.com/a.jpg", "https://is1-ssl.mzstatic.com/a.jpg"),
        ("http://is1.mzstatic.com/a.jpg", "https://is1.mzstatic.com/a.jpg"),
        ("HTTPS://A.MZSTATIC.COM:443/a.jpg#x", "https://a.mzstatic.com/a.jpg"),
        ("https://a.mzstatic.com./a b/ü.jpg?x=1&y=%20", "https://a.mzstatic.com/a%20b/%C3%BC.jpg?x=1&y=%20"),
        ("https://img.example.com", "https://img.example.com"),
        ("https://img.example.com?q", "https://img.example.com/?q"),
    ])
    func aListedHostIsReachedByHttpsAndPubliclyOnly(_ url: String, _ fetched: String) {
        #expect(
            hosts(["*.mzstatic.com", "img.example.com"]).permits(url)
                == ImageHosts.Permission(url: fetched, addresses: .publicOnly))
    }

    @Test(arguments: [
        "https://mzstatic.com/a.jpg", "https://evilmzstatic.com/a", "https://a.mzstatic.com.evil.org/a",
        "https://a.mzstatic.com:8443/a", "http://a.mzstatic.com:8080/a", "ftp://a.mzstatic.com/a", "//a.mzstatic.com/a",
        "https://user@a.mzstatic.com/a", "https://evil.org@a.mzstatic.com/a", "https://evil.org\\@a.mzstatic.com/a",
        "https://a.mzstatic.com\n.evil.org/", "https://evil.org/?https://a.mzstatic.com", "https:///a", "",
        "a.mzstatic.com/a",
        "https://evil.org#.mzstatic.com", "https://x.img.example.com/", "https://a.mzstatic.com:99999/",
        "https://a%2emzstatic.com/",
    ])
    func anythingElseIsNotFetched(_ url: String) {
        #expect(hosts(["*.mzstatic.com", "img.example.com"]).permits(url) == nil)
    }

    @Test func aStarIsAnyHostButNotAnyPortAndNeverPrivateByItself() {
        let any = hosts(["*"])
        #expect(any.permits("http://news.example.org/x.png")?.url == "https://news.example.org/x.png")
        #expect(any.permits("https://127.0.0.1/x.png")?.addresses == .publicOnly)
        #expect(any.permits("http://127.0.0.1:9000/x.png") == nil)
        #expect(any.permits("https://[::1]/x.png")?.addresses == .publicOnly)
    }

    @Test func anOriginPermitsExactlyItself() {
        let origin = hosts(["http://127.0.0.1:9000"])
        #expect(
            origin.permits("http://127.0.0.1:9000/a.png")
                == ImageHosts.Permission(url: "http://127.0.0.1:9000/a.png", addresses: .configured))
        for other in [
            "https://127.0.0.1:9000/a", "http://127.0.0.1:9001/a", "http://127.0.0.1/a", "http://localhost:9000/a",
        ] {
            #expect(origin.permits(other) == nil)
        }
        #expect(hosts([], base: "http://127.0.0.1:7/dnd5e").permits("http://127.0.0.1:7/x")?.addresses == .configured)
        #expect(hosts([]).permits("https://a.org/x") == nil)
    }

    @Test(arguments: [
        ("http://i.example.com/a.jpg?x=1", "http://127.0.0.1:9000/p/i.example.com/a.jpg?x=1"),
        ("https://i.example.com/../b.jpg", nil), ("https://i.example.com/%2E%2e/b.jpg", nil),
        ("https://i.example.com:8443/a.jpg", nil), ("https://j.example.com/a.jpg", nil),
        ("http://127.0.0.1:9000/p/i.example.com/a.jpg", nil), ("http://127.0.0.1:9000/other", nil),
    ])
    func aHostWithAStandInIsFetchedThereAndPermitsNothingElse(_ url: String, _ fetched: String?) {
        let standIn = hosts(["i.example.com=http://127.0.0.1:9000/p", "i.example.com"])
        #expect(
            standIn.permits(url) == fetched.map { ImageHosts.Permission(url: $0, addresses: .configured) })
        #expect(standIn.permitsRedirect(to: url) == nil, "a redirect names the stand-in itself, or nothing")
    }

    @Test(arguments: [
        ("https://a.mzstatic.com/b.jpg", AddressPolicy.publicOnly), ("https://a.mzstatic.com:443/b.jpg", .publicOnly),
        ("http://127.0.0.1:9000/b.jpg", .configured),
        ("http://a.mzstatic.com/b.jpg", nil), ("http://a.mzstatic.com:443/b.jpg", nil),
        ("https://a.mzstatic.com:80/b.jpg", nil), ("https://a.mzstatic.com:8443/b.jpg", nil),
        ("https://127.0.0.1:9000/b.jpg", nil), ("http://127.0.0.1:9001/b.jpg", nil), ("https://evil.org/b.jpg", nil),
    ])
    func aRedirectLeadsToHttpsOnItsPortOrToAnOriginOfTheRules(_ url: String, _ addresses: AddressPolicy?) {
        #expect(hosts(["*.mzstatic.com", "http://127.0.0.1:9000"]).permitsRedirect(to: url) == addresses)
    }

    @Test func everyBuiltInEntryIsARule() {
        for provider in ProviderRegistry.builtIn {
            #expect(provider.about.imageHosts.allSatisfy { ImageHostRule($0) != nil })
        }
    }

    @Test func handlesOpenForTheirMakerOnly() throws {
        let signer = ArtworkSigner(key: Bytes(repeating: 1, count: 32))
        let url = "https://is1-ssl.mzstatic.com/ü/100x100bb.jpg"
        let handle = signer.handle(provider: "itunes", url: url)
        #expect(signer.path(provider: "itunes", url: url) == "/v1/artwork/" + handle)
        let opened = try #require(signer.open(handle))
        #expect(opened.provider == "itunes" && opened.url == url)
        #expect(ArtworkSigner(key: Bytes(repeating: 2, count: 32)).open(handle) == nil)
        #expect(signer.handle(provider: "itune", url: "s" + url) != handle)
        for place in handle.indices {
            var forged = handle
            let other: Character = forged[place] == "A" ? "B" : "A"
            forged.replaceSubrange(place...place, with: [other])
            #expect(signer.open(forged) == nil)
        }
        for text in [
            "", "A", handle + "A", String(handle.dropLast()), handle + "=", String(repeating: "A", count: 20_000),
        ] {
            #expect(signer.open(text) == nil)
        }
    }
}
