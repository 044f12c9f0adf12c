// Mistakes of clients: each mistake has its own status, problem document, and message about what is allowed. The daemon
// continues as if nothing had happened.
import LarderCore
import LarderTestSupport
import Testing

/// A request with one mistake, and how the daemon must report it.
struct Mistake: Sendable, CustomTestStringConvertible {
    var target: String
    var status = 400
    var parameter: String?
    /// Words that the list of allowed values must contain.
    var allowed: [String] = []

    var testDescription: String { String(target.prefix(60)) }
}

@Suite struct BadInputScenarios {
    static let mistakes = [
        Mistake(target: "/v1/search?q=a&colour=red", parameter: "colour", allowed: ["q", "source", "limit"]),
        Mistake(target: "/v1/itunes/search?q=a&colour=red", parameter: "colour", allowed: ["media", "entity"]),
        Mistake(target: "/v1/news/headlines?country=us&colour=red", parameter: "colour", allowed: ["category"]),
        Mistake(target: "/v1/dnd/monsters?colour=red", parameter: "colour", allowed: ["name"]),
        Mistake(target: "/v1/search", parameter: "q"),
        Mistake(target: "/v1/search?q=", parameter: "q"),
        Mistake(target: "/v1/search?q=%20%20", parameter: "q"),
        Mistake(target: "/v1/itunes/search", parameter: "term"),
        Mistake(target: "/v1/itunes/search?term=", parameter: "term"),
        Mistake(target: "/v1/itunes/lookup", parameter: "id"),
        Mistake(target: "/v1/search?q=a&q=b", parameter: "q"),
        Mistake(target: "/v1/itunes/search?q=a&limit=0", parameter: "limit", allowed: ["1…200"]),
        Mistake(target: "/v1/itunes/search?q=a&limit=201", parameter: "limit", allowed: ["1…200"]),
        Mistake(target: "/v1/itunes/search?q=a&limit=500", parameter: "limit", allowed: ["1…200"]),
        Mistake(target: "/v1/itunes/search?q=a&limit=abc", parameter: "limit", allowed: ["1…200"]),
        Mistake(target: "/v1/itunes/search?q=a&limit=-1", parameter: "limit", allowed: ["1…200"]),
        Mistake(target: "/v1/itunes/search?q=a&limit=%2B5", parameter: "limit", allowed: ["1…200"]),
        Mistake(target: "/v1/itunes/search?q=a&limit=99999999999999999999", parameter: "limit", allowed: ["1…200"]),
        Mistake(target: "/v1/search?q=a&limit=0", parameter: "limit", allowed: ["1…200"]),
        Mistake(target: "/v1/search?q=a&limit=500", parameter: "limit", allowed: ["1…200"]),
        Mistake(target: "/v1/search?q=a&limit=abc", parameter: "limit", allowed: ["1…200"]),
        Mistake(target: "/v1/search?q=a&limit=%2B5", parameter: "limit", allowed: ["1…200"]),
        Mistake(target: "/v1/itunes/search?q=a&category=films", parameter: "category", allowed: ["all", "music"]),
        Mistake(
            target: "/v1/search?q=a&category=films", parameter: "category", allowed: ["music", "sports", "spells"]),
        Mistake(target: "/v1/search?q=a&category=spells&source=itunes", parameter: "category", allowed: ["ebooks"]),
        Mistake(target: "/v1/itunes/search?q=a&sort=colour", parameter: "sort", allowed: ["relevance", "price"]),
        Mistake(target: "/v1/search?q=a&sort=colour", parameter: "sort", allowed: ["name", "date"]),
        Mistake(
            target: "/v1/search?q=a&source=bing", parameter: "source",
            allowed: ["itunes", "newsapi", "dnd5e", "hackernews"]),
        Mistake(target: "/v1/search?q=a&source=", parameter: "source", allowed: ["itunes"]),
        Mistake(target: "/v1/itunes/search?q=a&media=radio", parameter: "media", allowed: ["music", "ebook"]),
        Mistake(target: "/v1/itunes/search?q=a&entity=wave", parameter: "entity", allowed: ["song", "album"]),
        Mistake(target: "/v1/itunes/search?q=a&media=movie&entity=song", parameter: "entity", allowed: ["movie"]),
        Mistake(target: "/v1/itunes/search?q=a&explicit=maybe", parameter: "explicit", allowed: ["yes", "no"]),
        Mistake(target: "/v1/itunes/search?q=a&country=USA", parameter: "country"),
        Mistake(target: "/v1/itunes/search?q=a&lang=klingon", parameter: "lang", allowed: ["en_us"]),
        Mistake(target: "/v1/search?q=%FF%FE"),
        Mistake(target: "/v1/search?q=%zz"),
        Mistake(target: "/v1/itunes/search?q=%C3"),
        Mistake(target: "/v1/dnd/monsters/%FF"),
        Mistake(target: "/v1/search?q=" + String(repeating: "a", count: 5000), parameter: "q"),
        Mistake(target: "/v1/search?q=a%01b", parameter: "q"),
        Mistake(target: "/v1/search?q=a%00b"),
        Mistake(target: "/raw/itunes/%FF", parameter: "path"),
        Mistake(target: "/raw/itunes/../secret", parameter: "path"),
        Mistake(target: "/raw/bing/search", status: 404, parameter: "provider", allowed: ["itunes", "newsapi"]),
        Mistake(target: "/v1/bing/search?q=a", status: 404),
        Mistake(target: "/v1/itunes/nothing?q=a", status: 404),
        Mistake(target: "/v2/search?q=a", status: 404),
        Mistake(target: "/v1/artwork/forged", status: 404),
    ]

    /// One daemon serves all of them. A mistake must not affect the requests after it.
    @Test func eachMistakeIsToldByItsParameterAndWhatIsAllowed() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            for mistake in Self.mistakes {
                let answer = try await larder.get(mistake.target)
                try Self.expectProblem(answer, mistake.status, "\(mistake.target.prefix(80))")
                let problem = try answer.json()
                if let parameter = mistake.parameter {
                    #expect(problem["parameter"]?.string == parameter, "\(mistake.testDescription): \(answer)")
                }
                let allowed = problem["allowed"]?.elements.compactMap(\.string) ?? []
                #expect(Set(allowed).isSuperset(of: mistake.allowed), "\(mistake.testDescription): \(allowed)")
                #expect(Set(allowed).count == allowed.count, "\(mistake.testDescription): \(allowed)")
            }
            #expect(origin.requests.isEmpty, "a mistake cost a call")
            #expect(try await larder.get(CacheScenarios.search).status == 200)
        }
    }

    @Test func badUTF8IsRefusedAlsoWhenItComesUnencoded() async throws {
        try await withLarder { larder in
            for target in ["/v1/search?q=\u{1}", "/v1/dnd/monsters/\u{1}"] {
                let request = Bytes(text: "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n").map {
                    $0 == 1 ? 0xFF : $0
                }
                try Self.expectProblem(try await larder.send(bytes: request), 400, target)
            }
        }
    }

    static let malformed: [(name: String, head: String, status: Int)] = [
        (
            "64 KB target", "GET /v1/search?q=\(String(repeating: "a", count: 65_536)) HTTP/1.1\r\nHost: localhost\r\n",
            414
        ),
        ("large head", "GET / HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "a", count: 65_536))\r\n", 431),
        ("many fields", "GET / HTTP/1.1\r\nHost: localhost\r\n" + String(repeating: "X: y\r\n", count: 200), 431),
        ("version 2", "GET / HTTP/2.0\r\nHost: localhost\r\n", 505),
        ("version 3", "GET / HTTP/3.1\r\nHost: localhost\r\n", 505),
        ("no version", "GET /\r\nHost: localhost\r\n", 400),
        ("no HTTP", "GET / HTCPCP/1.0\r\nHost: localhost\r\n", 400),
        (
            "two lengths",
            "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n", 400
        ),
        ("list of lengths", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1, 2\r\n", 400),
        ("negative length", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n", 400),
        (
            "length and coding",
            "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n", 400
        ),
        ("unknown coding", "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n", 501),
        ("coding in 1.0", "POST / HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n", 400),
        ("folded line", "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n", 400),
        ("space before colon", "GET / HTTP/1.1\r\nHost: localhost\r\nX : a\r\n", 400),
        ("NUL in a value", "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\u{0}b\r\n", 400),
        ("no Host", "GET / HTTP/1.1\r\n", 400),
        ("two Hosts", "GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n", 400),
        ("unknown expectation", "GET / HTTP/1.1\r\nHost: localhost\r\nExpect: gifts\r\n", 417),
        ("large body", "POST /raw/itunes/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n", 413),
        ("control in target", "GET /a\u{1}b HTTP/1.1\r\nHost: localhost\r\n", 400),
        ("fragment of nothing", "GET a HTTP/1.1\r\nHost: localhost\r\n", 400),
        ("no method", " / HTTP/1.1\r\nHost: localhost\r\n", 400),
    ]

    @Test func eachMalformedRequestHasItsStatusAndEndsItsConnection() async throws {
        try await withLarder { larder in
            for (name, head, status) in Self.malformed {
                let (answer, isClosed) = try await larder.talk { client in
                    // Sending may fail if the server answers before it has read everything.
                    try? client.send(head + "\r\n")
                    return (try client.receive(), try client.isClosed())
                }
                try Self.expectProblem(answer, status, name)
                #expect(isClosed, "\(name): the rest of the input cannot be trusted")
                #expect(answer["Connection"] == "close", "\(name)")
            }
            #expect(try await larder.get("/healthz").status == 200)
        }
    }

    @Test(arguments: [
        ("POST", "/v1/search?q=a", "GET, HEAD"), ("DELETE", "/v1/itunes/search?q=a", "GET, HEAD"),
        ("PUT", "/v1/status", "GET, HEAD"), ("GET", "/v1/cache", "DELETE"), ("POST", "/healthz", "GET, HEAD"),
        ("GET", "/v1/providers/itunes/resume", "POST"), ("BREW", "/metrics", "GET, HEAD"),
        ("POST", "/raw/itunes/search?term=a", "GET, HEAD"), ("OPTIONS", "/", "GET, HEAD"),
    ])
    func aWrongMethodIsToldWhichAreRight(_ method: String, _ target: String, _ allow: String) async throws {
        try await withLarder { larder in
            let answer = try await larder.send(method, target)
            try Self.expectProblem(answer, 405, "\(method) \(target)")
            #expect(answer["Allow"] == allow)
            let allowed = try answer.json()["allowed"]?.elements.compactMap { $0.string } ?? []
            #expect(allowed.joined(separator: ", ") == allow)
        }
    }

    @Test func theRequestIdIsOursWhateverTheClientOrTheUpstreamSays() async throws {
        let origin = ScriptedOrigin(answering: ok(BasicScenarios.song, fields: "X-Request-Id: upstream\r\n"))
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            var seen: Set<String> = []
            for target in ["/healthz", "/raw/itunes/search?term=a", "/raw/itunes/search?term=a", "/no", "/v1/search"] {
                let answer = try await larder.get(target, ("X-Request-Id", "client"))
                let ids = answer.fields.filter { $0.name.lowercased() == "x-request-id" }.map(\.value)
                #expect(ids.count == 1, "\(answer)")
                #expect(ids.first != "client" && ids.first != "upstream" && ids.first?.isEmpty == false)
                seen.insert(ids.first ?? "")
                if answer["Content-Type"] == "application/problem+json" {
                    #expect(try answer.json()["requestId"]?.string == ids.first)
                }
            }
            #expect(seen.count == 5)
        }
    }

    static func expectProblem(_ answer: WireResponse, _ status: Int, _ what: String) throws {
        #expect(answer.status == status, "\(what): \(answer)")
        #expect(answer["Content-Type"] == "application/problem+json", "\(what): \(answer)")
        #expect(answer["X-Request-Id"]?.isEmpty == false, "\(what)")
        let problem = try answer.json()
        #expect(problem["status"]?.integer == status, "\(what): \(answer)")
        for member in ["type", "title", "detail"] {
            #expect(problem[member]?.string?.isEmpty == false, "\(what): no \(member)")
        }
    }
}
