// URLs in responses: what is one, and what two parsers could read differently.
import Testing

@testable import LarderProviders

@Suite struct WebURLTests {
    @Test(
        arguments: [
            ("HTTPS://Example.ORG", "https://example.org"), ("http://a.example.", "http://a.example"),
            ("http://a.example:80/b", "http://a.example/b"), ("http://a.example:8080", "http://a.example:8080"),
            ("http://a.example:/b", "http://a.example/b"), ("https://a.example?q=1#part", "https://a.example/?q=1"),
            ("https://a.example/a b/é", "https://a.example/a%20b/%C3%A9"), ("https://[::1]:81/x", "https://[::1]:81/x"),
            ("https://a.example/%7Bx%7D", "https://a.example/%7Bx%7D"),
            // A sign ends a part though a combining mark follows it.
            ("https://a.example/\u{301}x", "https://a.example/%CC%81x"),
            ("https://a.example/x#\u{301}", "https://a.example/x"),
            ("https://[::1]:/", "https://[::1]/"),
            (
                "https://\(String(repeating: "a", count: 63)).example",
                "https://\(String(repeating: "a", count: 63)).example"
            ),
        ])
    func aURLHasOneForm(_ text: String, _ form: String) { #expect(WebURL(text)?.text == form) }

    @Test(
        arguments: [
            "", "ftp://a.example", "https://", "https:///a", "https://a..example", "https://.example",
            "https://a@b.example",
            // A combining mark makes one character of it and the sign before it.
            "https://user@\u{301}b.example/", "https://a.example:0/", "https://a.example:65536/",
            "https://a.example:x/",
            "https://a.example\\b", "https://a\u{7}.example", "https://a_b~.example", "https://é.example",
            "https://[]/",
            "https://[::1", "https://[::1]x/", "https://[a]b]/", "https://a../", "https://a.example/\u{7F}",
            "https://a.example/#\u{1}", "https://" + String(repeating: "aa.", count: 84) + "aa",
            "https://" + String(repeating: "a", count: 64) + ".example",
        ])
    func whatIsNoURLIsRefused(_ text: String) { #expect(WebURL(text) == nil) }
}
