// Where an upstream's references lead a client: below the base URL through the cache, else to the upstream's target.
import LarderCore
import LarderProviders
import LarderServer
import LarderTestSupport
import Testing

@testable import LarderDaemon
@testable import LarderEngine

@Suite struct RelocationTests {
    static func way(base: String, path: String, query: String? = nil, bound: Bool = false) throws -> WayOut {
        let settings = try load("providers: { api: { kind: passthrough, baseURL: \"\(base)\" } }\n")
        let provider = try #require(ProviderSet(settings).named("api"))
        let request = ServerRequest(
            id: RequestID(loop: 0, sequence: 1), target: [], path: bound ? path : "/raw/api\(path)", query: query,
            listenerProvider: bound ? "api" : nil, receivedAt: WallTime(milliseconds: 0))
        return WayOut(request, provider: provider, name: "api", path: path, settings)
    }

    /// What becomes of a `Location`; nil if it is removed.
    private func passed(_ location: String, to host: String, bound: Bool) throws -> String? {
        let settings = try load(
            """
            listen: ["127.0.0.1:8787", { address: "127.0.0.1:8788", provider: api }]
            hostNames: [larder.lan]
            providers: { api: { kind: passthrough, baseURL: "https://api.example" } }
            """)
        let provider = try #require(ProviderSet(settings).named("api"))
        let request = ServerRequest(
            id: RequestID(loop: 0, sequence: 1), target: [], path: bound ? "/a" : "/raw/api/a", fields: ["Host": host],
            listenerProvider: bound ? "api" : nil, receivedAt: WallTime(milliseconds: 0))
        let way = WayOut(request, provider: provider, name: "api", path: "/a", settings)
        // As it comes in a response: bytes.
        var fields: HeaderFields = ["Location": HeaderField.text(Bytes(text: location))]
        try #require(Relocation(way)).apply(to: &fields)
        return fields.first("Location")
    }

    @Test(
        arguments: [
            ("localhost:8787", false, "http://localhost:8787/?q=x"), ("localhost:8787", false, "//LOCALHOST:8787/"),
            ("localhost:8787", false, "http://127.0.0.1:8787/?q=x"), ("localhost:8787", false, "http://[::1]:8788/"),
            ("localhost:8787", false, "https://larder.lan:8787/v1/search?q=x"),
            ("localhost:8787", false, "http://localhost:8787/raw/apix/"),
            // The port is mapped to another.
            ("localhost:9000", false, "http://localhost:9000/?q=x"),
            ("localhost:9000", false, "http://127.1.1.1:9000/"),
            ("192.168.1.5:8787", false, "http://192.168.1.5:8787/"),
            ("localhost:8788", true, "http://localhost:8787/?q=x"),
            ("localhost:8788", true, "http://a.localhost:8787/"),
            // What browsers read as this daemon.
            ("localhost:8787", false, "http://x@localhost:8787/?q=x"),
            ("localhost:8787", false, "///localhost:8787/?q=x"),
            ("localhost:8787", false, #"http:\\localhost:8787\?q=x"#), ("localhost:8787", false, #"/\localhost:8787/"#),
            ("localhost:8787", false, "http:///localhost:8787/"), ("localhost:8787", false, "http://loca\tlhost:8787/"),
            ("localhost:8787", false, "http://localhost:8787/raw/api/%2e%2e/%2E%2E/?q=x"),
            ("localhost:8787", false, "http:/v1/status"), ("localhost:8787", false, "HTTP:v1/status"),
            ("localhost:8787", false, #"http:\v1\status"#), ("localhost:8787", false, "http:\t/v1/status"),
            ("localhost:8787", false, "http://loc%61lhost:8787/"),
            ("localhost:8787", false, "http://loc\u{AD}alhost:8787/"),
            ("localhost:8787", false, "http://127\u{3002}0.0.1:8787/"),
            ("localhost:8787", false, "http://[0:0:0:0:0:0:0:1]:8787/"),
            ("localhost:8787", false, "http://[::ffff:127.0.0.1]:8787/"),
            ("localhost:8787", false, "http://127.1:8787/"), ("localhost:8787", false, "http://2130706433:8787/"),
        ])
    func aLocationThatNamesAnotherPlaceOfThisDaemonIsRemoved(_ host: String, _ bound: Bool, _ place: String) throws {
        #expect(try passed(place, to: host, bound: bound) == nil)
    }

    @Test(
        arguments: [
            ("localhost:8787", false, "http://localhost:3000/?q=x"),
            ("localhost:8787", false, "http://localhost/login"),
            ("localhost:8787", false, "http://localhost:8787/raw/api/b"),
            ("localhost:8787", false, "https://a.example:8787/"),
            ("localhost:8787", false, "mailto:a@b"), ("localhost:8787", false, "http://10.1.1.1:8787/"),
            ("localhost:8788", true, "http://localhost:8788/b"), ("localhost:8788", true, "http://127.0.0.1:8788/b"),
        ])
    func aLocationElsewhereOrOfTheMountItselfIsKept(_ host: String, _ bound: Bool, _ place: String) throws {
        #expect(try passed(place, to: host, bound: bound) == place)
    }

    private func led(_ reference: String, base: String, path: String = "/a/b", bound: Bool = false) throws -> String {
        let way = try Self.way(base: base, path: path, query: "q=1", bound: bound)
        return try #require(Relocation(way)).reference(reference)
    }

    @Test(
        arguments: [
            // Absolute paths and URLs below the base.
            ("/maxage", "/raw/api/maxage"), ("https://api.example/maxage?x=%2F#f", "/raw/api/maxage?x=%2F#f"),
            ("HTTPS://API.example:443/m", "/raw/api/m"), ("//api.example/m", "/raw/api/m"),
            ("https://api.example", "/raw/api/"), ("/x/./y/../z", "/raw/api/x/z"),
            ("/caf\u{E9} x", "/raw/api/caf%E9%20x"),
            ("/.//evil.example/x", "/raw/api//evil.example/x"),
            // Relative references already lead to the right place.
            ("c", "c"), ("?page=2", "?page=2"), ("../c#f", "../c#f"), ("#f", "#f"), ("", ""),
            // This reference would leave the mount.
            ("../../../c", "/raw/api/c"),
            // References to other places stay unchanged.
            ("https://other.example/m", "https://other.example/m"), ("http://api.example/m", "http://api.example/m"),
            ("https://api.example:444/m", "https://api.example:444/m"), ("mailto:a@b", "mailto:a@b"),
            ("//other.example/m", "https://other.example/m"), ("https://u@api.example/m", "https://u@api.example/m"),
        ])
    func referencesBelowTheBaseLeadThroughTheMount(_ written: String, _ wanted: String) throws {
        #expect(try led(written, base: "https://api.example") == wanted)
    }

    @Test(
        arguments: [
            ("/v1/c", "/raw/api/c", "/c"), ("https://api.example/v1/c", "/raw/api/c", "/c"),
            ("https://api.example/v1", "/raw/api/", "/"), ("https://api.example/v1?x", "/raw/api/?x", "/?x"),
            ("c", "c", "c"),
            // The same origin, but not below the base: no path of this daemon leads there.
            ("/login", "https://api.example/login", "https://api.example/login"),
            ("/v10/c", "https://api.example/v10/c", "https://api.example/v10/c"),
            ("../../c#f", "https://api.example/c#f", "https://api.example/c#f"),
            ("https://api.example/login", "https://api.example/login", "https://api.example/login"),
            // A path with two slashes in front would name a host.
            ("/v1//evil.example", "/raw/api//evil.example", "/.//evil.example"),
        ])
    func aBaseWithAPathIsTakenOffOnEachMount(_ written: String, _ raw: String, _ bound: String) throws {
        #expect(try led(written, base: "https://api.example/v1") == raw)
        #expect(try led(written, base: "https://api.example/v1", bound: true) == bound)
    }

    /// A search for the end of each would take hours for so many.
    @Test(.timeLimit(.minutes(5))) func namesInIfThatDoNotEndArePassedOnInLinearTime() throws {
        let way = try Self.way(base: "https://api.example", path: "/a", query: "q=1", bound: false)
        let given: HeaderFields = ["If": String(repeating: "<", count: 2_000_000)]
        var fields = given
        _ = try ResourceNames(way, host: "localhost").map(&fields, method: .put)
        #expect(fields.first("If") == given.first("If"))
    }

    @Test func theNameIsTheOneThatTheClientUsed() throws {
        let settings = try load("{}")
        let provider = try #require(ProviderSet(settings).named("hackernews"))
        let request = ServerRequest(
            id: RequestID(loop: 0, sequence: 1), target: [], path: "/raw/hn/v0/a.json",
            receivedAt: WallTime(milliseconds: 0))
        let way = WayOut(request, provider: provider, name: "hn", path: "/v0/a.json", settings)
        let relocation = try #require(Relocation(way))
        #expect(relocation.reference("/v0/b.json") == "/raw/hn/v0/b.json")
        // A provider with two hosts leads to both of them.
        #expect(
            relocation.reference("https://hn.algolia.com/api/v1/items/1") == "/raw/hn/api/v1/items/1",
            "the searches' host")
    }

    @Test func aRootWithoutItsSlashIsSeenAsTheClientSeesIt() throws {
        let settings = try load("providers: { api: { kind: passthrough, baseURL: \"https://api.example\" } }\n")
        let provider = try #require(ProviderSet(settings).named("api"))
        let request = ServerRequest(
            id: RequestID(loop: 0, sequence: 1), target: [], path: "/raw/api", receivedAt: WallTime(milliseconds: 0))
        let way = WayOut(request, provider: provider, name: "api", path: "/", settings)
        #expect(try #require(Relocation(way)).reference("c") == "/raw/api/c")
    }

    @Test(
        arguments: [
            (
                "</items?page=2>; rel=\"next\", <https://api.example/items?page=9>; rel=last",
                "</raw/api/items?page=2>; rel=\"next\", </raw/api/items?page=9>; rel=last"
            ),
            ("<a>;title=\"x, </b>\", </c>", "<a>;title=\"x, </b>\", </raw/api/c>"),
            (" , </a> ;x=\"\\\"\",</b>", " , </raw/api/a> ;x=\"\\\"\",</raw/api/b>"),
            ("<https://cdn.example/s.css>; rel=preload", "<https://cdn.example/s.css>; rel=preload"),
            ("</a>, no link, </b>", "</raw/api/a>, no link, </b>"), ("</a", "</a"), ("", ""),
        ])
    func linksOfAListAreLedEachByItself(_ written: String, _ wanted: String) throws {
        let way = try Self.way(base: "https://api.example", path: "/a")
        #expect(try #require(Relocation(way)).links(written) == wanted)
    }
}
