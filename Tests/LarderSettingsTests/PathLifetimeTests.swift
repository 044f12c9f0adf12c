// Lifetimes by path, for providers of the user's own.
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderSettings

@Suite struct PathLifetimeTests {
    private func read(_ text: String) throws -> ProviderSettings {
        let start = "kind: passthrough, baseURL: \"https://a\""
        return try #require(try load("providers: { api: { \(start)\(text) } }\n").providers["api"])
    }

    @Test(arguments: [
        ("/graphql", "/graphql", true), ("/graphql", "/graphql/", false), ("/graphql", "/graphQL", false),
        ("/*/_search", "/a/_search", true), ("/*/_search", "//_search", false), ("/*/_search", "/a/b/_search", false),
        ("/*/_search", "/a/_searches", false), ("/*", "/a", true), ("/*", "/", false), ("/a/**", "/a/b", true),
        ("/a/**", "/a/b/c", true), ("/a/**", "/a/", true), ("/a/**", "/a", false), ("/**", "/", true),
        ("/*/**", "/a/b", true), ("/*/**", "//b", false),
    ])
    func aPathIsComparedToTheLetterAStarIsOneSegmentAndTwoAreTheRest(_ path: String, _ asked: String, _ matches: Bool) {
        #expect(PathPattern(path).matches(asked) == matches)
    }

    @Test func theMoreExactPathCountsInWhateverOrderTheyAreWritten() throws {
        let paths = [
            "\"*\": 1s", "\"/a/*\": 2s", "\"/a/b\": 3s", "\"/a/**\": 4s", "\"/*/b\": 5s", "\"/a/*/c\": 6s",
            "\"/%61/%2a\": 7s",
        ]
        for written in [paths, paths.reversed(), paths.sorted()] {
            let settings = try read(", ttl: { \(written.joined(separator: ", ")) }")
            let asked = ["/a/b": 3, "/a/x": 2, "/a/x/c": 6, "/a/x/d": 4, "/x/b": 5, "/x": 1, "/": 1, "/a/%2A": 7]
            for (path, seconds) in asked { #expect(settings.ttl(ofPath: path) == .seconds(seconds), "\(path)") }
        }
    }

    @Test func underRFCOnlyWhatIsWrittenCounts() throws {
        #expect(try read("").ttl(ofPath: "/a") == nil)
        #expect(try read(", ttl: { /b: 1h }").ttl(ofPath: "/a") == nil)
        #expect(try read(", ttl: 1h").ttl(ofPath: "/a") == .seconds(3600))
    }

    @Test func underTTLTheRestHasTheDefault() throws {
        let settings = try read(", semantics: ttl, ttl: { /b: 1h }")
        #expect(settings.ttl(ofPath: "/b") == .seconds(3600) && settings.ttl(ofPath: "/a") == .seconds(300))
    }

    @Test(arguments: [
        ("items: 1s", "path \"items\" must begin with \"/\""), ("search: 1s", "all other paths are \"*\""),
        ("/a?b: 1s", "have no query"), ("/a*: 1s", "* stands for a whole segment"),
        ("\"/**/a\": 1s", "** for everything below, at the end"), ("/../a: 1s", "segment of dots"),
        ("/a: 1s, /%61: 2s", "\"/a\" is set twice"), ("\"*\": 1s, \"/**\": 2s", "\"*\" is set twice"),
        ("/a: soon", "/a: "), ("/a: 400d", "/a: must be between 0 and 365d"),
    ])
    func aMistakeIsToldAtItsPlace(_ text: String, _ message: String) {
        let found = findings("providers:\n  api: { kind: passthrough, baseURL: \"https://a\", ttl: { \(text) } }\n")
        #expect(found.count == 1 && found.first?.contains(message) == true, "\(found)")
        #expect(found.first?.contains(":2:") == true, "\(found)")
    }
}
