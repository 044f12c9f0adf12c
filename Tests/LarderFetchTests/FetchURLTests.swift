import LarderCore
import Testing

@testable import LarderFetch

@Suite struct FetchURLTests {
    @Test(arguments: [
        ("http://Example.COM", "http://example.com/", "http://example.com"),
        ("https://example.com:443/a", "https://example.com/a", "https://example.com"),
        ("http://example.com:8080/a?b=c#d", "http://example.com:8080/a?b=c", "http://example.com:8080"),
        ("https://example.com:80/", "https://example.com:80/", "https://example.com:80"),
        ("http://[::1]:80/", "http://[::1]/", "http://[::1]"),
        ("http://0x7f000001/", "http://127.0.0.1/", "http://127.0.0.1"),
        ("https://xn--bcher-kva.example/\u{E9} x?\u{E9}", nil, "https://xn--bcher-kva.example"),
        ("http://example.com/%2e%2e/a%2Fb", nil, "http://example.com"),
    ])
    func aURLIsReadAsLibcurlReadsIt(text: String, url: String?, origin: String) throws {
        let read = try FetchURL(text)
        if let url { #expect(read.text == url) }
        #expect("\(read.origin)" == origin)
        #expect(read.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }

    @Test(arguments: [
        ("/x", "https://a.example/x"), ("x", "https://a.example/d/x"), ("?q", "https://a.example/d/e?q"),
        ("//b.example/x", "https://b.example/x"), ("http://c.example", "http://c.example/"),
        ("../../../x", "https://a.example/x"), ("x y", "https://a.example/d/x%20y"),
        ("\u{C3}\u{A9}", "https://a.example/d/%c3%a9"),
    ])
    func aReferenceIsResolvedAgainstTheLastURL(reference: String, target: String) throws {
        let base = try FetchURL("https://a.example/d/e?f")
        #expect(try base.resolving(reference).text.lowercased() == target)
    }

    @Test(arguments: ["https://b\u{FC}cher.example/", "https://\u{FF41}pple.com/", "https://a%C3%A9.example/"])
    func aNameBeyondASCIIIsRefusedSinceItsFormDependsOnWhoReadsIt(text: String) {
        #expect(throws: FetchURL.Refusal.self) { try FetchURL(text) }
    }

    @Test(arguments: [
        "http://a.example/x", "HTTP://A.example:80/x/y?z=%41&b", "http://a.example:080/x",
        "http://a.example/x?y/../z", "http://a.example/x#y", "http://a.example/x%2ey", "http://a.example/.x",
        "http://a.example/x/../y", "http://a.example", "http://a.example?x/y", "http://a.example/\\b.example/x",
        "http://a.example/@b.example/", "http://[::1]:8080/x:y", "http://a.example/x\u{E9}",
        "http://a.example//x", "http://a.example/x?q='\"<>`{|}^~", "https://a.example:443/x", "http://a.example/x?",
        "http://a.example/x??", "http://a.example/?", "http:///x",
        "http:///x/x", "http:/x/x",
    ])
    func aURLOfAKnownOriginIsReadAsAnUnknownOne(text: String) throws {
        var origins = KnownOrigins()
        // A URL with another path makes the part before the path known, if it can be known.
        let scheme = text.prefix { $0 != ":" } + "://"
        let authority = text.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
        _ = try? origins.read(scheme + authority + "/known")
        let expected = try FetchURL(text)
        for other in ["", "", "http://b.example/", ""] {
            if !other.isEmpty { _ = try origins.read(other) }
            let read = try origins.read(text)
            #expect(read.text == expected.text && read.origin == expected.origin && read.target == expected.target)
        }
    }

    @Test func anOriginIsParsedOnceThoughOthersComeBetween() throws {
        var origins = KnownOrigins()
        let texts = ["http://a.example:81/x", "https://[::1]:444/y"]
        for text in texts { #expect(try origins.read(text).parsed == nil, "it may never come again") }
        let parsed = try texts.map { try #require(try origins.read($0).parsed) }
        for _ in 0..<3 {
            for (text, one) in zip(texts, parsed) { #expect(try origins.read(text).parsed === one) }
        }
    }

    @Test(arguments: ["http://u:p@a.example/x", "ftp://a.example/x", "http://a.example\\@b.example/x"])
    func whatIsNoURLToFetchIsRefusedEachTime(text: String) throws {
        var origins = KnownOrigins()
        for _ in 0..<2 { #expect(throws: FetchURL.Refusal.self) { try origins.read(text) } }
        #expect(origins.count == 0)
    }

    @Test func whatLibcurlPassesOverIsNoOriginOfOtherPaths() throws {
        var origins = KnownOrigins()
        for text in ["http:///x/x", "http:///y/y", "http:////x", "http:////y"] {
            let expected = Result { try FetchURL(text).origin }
            #expect((try? origins.read(text).origin) == (try? expected.get()), "\(text)")
        }
    }

    @Test func fewOriginsAreKnownAtOnce() throws {
        var origins = KnownOrigins()
        for number in 0..<1000 { _ = try origins.read("http://a.example:\(number + 1)/x") }
        #expect(origins.count > 0 && origins.count <= KnownOrigins.limit)
    }

    @Test func originsDifferByEachOfTheirParts() throws {
        let origin = try FetchURL("https://a.example/x").origin
        #expect(try FetchURL("https://A.example:443/y").origin == origin)
        for other in ["http://a.example", "https://b.example", "https://a.example:444", "http://a.example:443"] {
            #expect(try FetchURL(other).origin != origin)
        }
    }
}
