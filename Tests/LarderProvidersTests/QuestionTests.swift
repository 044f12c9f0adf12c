// Questions: strict where a person can make a mistake, tolerant of what does not matter, and never two questions under
// one key.
import LarderCore
import Testing

@testable import LarderProviders

/// The endpoint of a route written as in a URL: "itunes/search?term=x".
func endpoint(_ route: String) throws -> Endpoint {
    let parts = route.split(separator: "?", maxSplits: 1)
    let segments = parts[0].split(separator: "/").map(String.init)
    let provider = try #require(ProviderRegistry().providers.first { $0.about.routePrefix == segments[0] })
    let query = try QueryParameters(parsing: parts.count > 1 ? String(parts[1]) : "")
    return try provider.endpoint(path: Array(segments.dropFirst()), query: query)
}

func refusal(_ route: String) -> ClientFacingError? {
    do {
        _ = try endpoint(route)
        return nil
    } catch {
        return error as? ClientFacingError
    }
}

@Suite struct QuestionTests {
    @Test(arguments: [
        ("itunes/search?term=jack+johnson", "/search?term=jack%20johnson"),
        ("itunes/search?q=jack&category=music", "/search?media=music&term=jack"),
        ("itunes/search?q=jack&category=software", "/search?media=software&term=jack"),
        ("itunes/search?q=jack&category=ebooks", "/search?entity=ebook&term=jack"),
        ("itunes/search?q=jack&media=ebook", "/search?entity=ebook&term=jack"),
        ("itunes/search?q=jack&category=all&limit=50&country=us&lang=EN-us&explicit=yes&offset=0", "/search?term=jack"),
        (
            "itunes/search?term=a%26b&media=music&entity=album&attribute=artistTerm&limit=200&country=gb&explicit=no&offset=5",
            "/search?attribute=artistTerm&country=GB&entity=album&explicit=No&limit=200&media=music&offset=5&term=a%26b"
        ),
        ("itunes/lookup?id=909253&entity=album&sort=recent", "/lookup?entity=album&id=909253&sort=recent"),
        // Clients of the API send an empty entity for "all".
        ("itunes/search?q=jack&entity=", "/search?term=jack"), ("itunes/lookup?id=1&entity", "/lookup?id=1"),
        ("itunes/lookup?id=1,%202", "/lookup?id=1%2C2"), ("itunes/lookup?id=1&id=2", "/lookup?id=1%2C2"),
        ("jokes/random?category=Dev&category=animal,dev", "/jokes/random?category=animal%2Cdev"),
        ("itunes/lookup?isbn=978-0-316-06935-9", "/lookup?isbn=9780316069359"),
        ("itunes/lookup?bundleId=com.example.app", "/lookup?bundleId=com.example.app"),
        ("news/headlines?country=US&category=Business", "/v2/top-headlines?category=business&country=us"),
        ("news/headlines?q=x&limit=20&page=1", "/v2/top-headlines?q=x"),
        ("news/headlines?sources=cnn,bbc-news&pageSize=5", "/v2/top-headlines?pageSize=5&sources=cnn%2Cbbc-news"),
        ("news/everything?q=%2Bcats+-dogs&sort=relevance", "/v2/everything?q=%2Bcats%20-dogs&sortBy=relevancy"),
        ("news/everything?q=x&sortBy=publishedAt&searchIn=content,title,description", "/v2/everything?q=x"),
        (
            "news/everything?domains=BBC.co.uk&from=2026-11-01&to=2026-11-02T10:00:00&language=DE&sortBy=popularity",
            "/v2/everything?domains=bbc.co.uk&from=2026-11-01&language=de&sortBy=popularity&to=2026-11-02T10%3A00%3A00"
        ),
        ("news/sources?name=Times&language=en", "/v2/sources?language=en"), ("news/sources", "/v2/sources"),
        ("dnd/monsters", "/api/2014/monsters?lang=en"),
        ("dnd/monsters?name=dragon&limit=3", "/api/2014/monsters?lang=en"),
        ("dnd/monsters?challengeRating=1,0.250", "/api/2014/monsters?challenge_rating=0.25%2C1&lang=en"),
        ("dnd/spells?level=3&school=Evocation", "/api/2014/spells?lang=en&level=3&school=evocation"),
        ("dnd/equipment/Club", "/api/2014/equipment/club?lang=en"),
        ("dnd/monsters?edition=2024", "/api/2024/monsters?lang=en"),
        ("jokes/random", "/jokes/random"), ("jokes/random?limit=5&explicit=no", "/jokes/random"),
        ("jokes/random?category=Dev,animal,dev", "/jokes/random?category=animal%2Cdev"),
        ("jokes/search?q=Two++Words&sort=name&limit=3", "/jokes/search?query=two%20words"),
        ("jokes/search?query=%C3%84ra&category=dev", "/jokes/search?query=%C3%A4ra"),
        ("jokes/categories", "/jokes/categories"), ("jokes/AFbHbObUT06qzVkdfKlZ-A", "/jokes/AFbHbObUT06qzVkdfKlZ-A"),
        ("tmdb/search?q=Die++Hard", "/3/search/multi?query=Die%20Hard"),
        (
            "tmdb/search/movie?query=x&year=1977&region=us&lang=PT_br",
            "/3/search/movie?language=pt-BR&query=x&region=US&year=1977"
        ),
        ("tmdb/search?q=x&category=tv&language=en-us&page=1&explicit=no&region=DE", "/3/search/tv?query=x"),
        (
            "tmdb/search/person?q=x&explicit=yes&page=3&limit=5&sort=name",
            "/3/search/person?include_adult=true&page=3&query=x"
        ),
        ("tmdb/movie/popular", "/3/movie/popular"), ("tmdb/movie/top?country=fr", "/3/movie/top_rated?region=FR"),
        ("tmdb/movie/now-playing?language=de", "/3/movie/now_playing?language=de"),
        ("tmdb/movie/upcoming?page=500", "/3/movie/upcoming?page=500"), ("tmdb/tv/on_the_air", "/3/tv/on_the_air"),
        ("tmdb/series/66732", "/3/tv/66732"), ("tmdb/person/popular?region=us", "/3/person/popular"),
        ("tmdb/trending/all/day", "/3/trending/all/day"), ("tmdb/configuration", "/3/configuration"),
        (
            "tmdb/movie/562?language=de&append=images,credits,images",
            "/3/movie/562?append_to_response=credits%2Cimages&language=de"
        ),
    ])
    func aQuestionBecomesItsCanonicalRequest(_ route: String, _ target: String) throws {
        let endpoint = try endpoint(route)
        #expect(endpoint.upstream.target == target)
        // Canonicalisation is idempotent, and a raw request for the same target finds the same raw entry.
        let provider = try #require(ProviderRegistry().named(endpoint.provider))
        #expect(provider.canonical(endpoint.upstream) == endpoint.upstream)
        #expect(provider.endpointName(for: endpoint.upstream) == endpoint.name)
        #expect(provider.about.endpoints.contains { $0.name == endpoint.name })
        #expect(try JSON.parse(endpoint.query).kind == .object)
    }

    @Test(arguments: [
        ("itunes/search", "missingParameter", "term"), ("itunes/search?term=", "invalidParameter", "term"),
        ("itunes/search?term=+%20", "invalidParameter", "term"),
        ("itunes/search?q=a&term=b", "invalidParameter", "term"),
        ("itunes/search?term=a&term=b", "repeatedParameter", "term"),
        ("itunes/lookup?id=1&id=", "invalidParameter", "id"),
        ("itunes/search?term=a&page=2", "unknownParameter", "page"),
        ("itunes/search?term=a&limit=0", "invalidParameter", "limit"),
        ("itunes/search?term=a&limit=500", "invalidParameter", "limit"),
        ("itunes/search?term=a&limit=201", "invalidParameter", "limit"),
        ("itunes/search?term=a&limit=+5x", "invalidParameter", "limit"),
        ("itunes/search?term=a&limit=99999999999999999999", "invalidParameter", "limit"),
        ("itunes/search?term=a&category=films", "invalidParameter", "category"),
        ("itunes/search?term=a&category=music&media=music", "invalidParameter", "category"),
        ("itunes/search?term=a&media=vinyl", "invalidParameter", "media"),
        ("itunes/search?term=a&media=movie&entity=song", "invalidParameter", "entity"),
        ("itunes/search?term=a&media=software&attribute=songTerm", "invalidParameter", "attribute"),
        ("itunes/search?term=a&country=USA", "invalidParameter", "country"),
        ("itunes/search?term=a&lang=english", "invalidParameter", "lang"),
        ("itunes/search?term=a&explicit=maybe", "invalidParameter", "explicit"),
        ("itunes/search?term=a&sort=best", "invalidParameter", "sort"),
        ("itunes/search?term=a%07b", "invalidParameter", "term"),
        ("itunes/lookup", "missingParameter", "id"), ("itunes/lookup?id=abc", "invalidParameter", "id"),
        ("itunes/lookup?id=1,,2", "invalidParameter", "id"),
        ("itunes/lookup?id=1&upc=12345678", "invalidParameter", "upc"),
        ("itunes/lookup?isbn=123", "invalidParameter", "isbn"),
        ("itunes/lookup?bundleId=a/b", "invalidParameter", "bundleId"),
        ("news/headlines", "missingParameter", "country"),
        ("news/headlines?sources=cnn&country=us", "invalidParameter", "sources"),
        ("news/headlines?category=cooking", "invalidParameter", "category"),
        ("news/headlines?q=a&limit=101", "invalidParameter", "limit"),
        ("news/headlines?q=a&limit=5&pageSize=5", "invalidParameter", "pageSize"),
        ("news/headlines?q=a&sort=price", "invalidParameter", "sort"),
        ("news/everything?language=en", "missingParameter", "q"),
        ("news/everything?q=a&language=xx", "invalidParameter", "language"),
        ("news/everything?q=a&from=yesterday", "invalidParameter", "from"),
        ("news/everything?q=a&from=2026-02-30", "invalidParameter", "from"),
        ("news/everything?q=a&searchIn=title,author", "invalidParameter", "searchIn"),
        ("news/everything?q=a&apiKey=secret", "unknownParameter", "apiKey"),
        ("news/everything?domains=not%20a%20host", "invalidParameter", "domains"),
        ("dnd/monsters?page=1", "unknownParameter", "page"),
        ("dnd/monsters?challengeRating=1/4", "invalidParameter", "challengeRating"),
        ("dnd/spells?edition=2024", "invalidParameter", "edition"),
        ("dnd/monsters?edition=3.5", "invalidParameter", "edition"),
        ("dnd/monsters/..", "invalidParameter", "index"), ("dnd/monsters/a%2Fb", "invalidParameter", "index"),
        ("dnd/monsters/aboleth?name=x", "unknownParameter", "name"),
        ("jokes/search", "missingParameter", "q"), ("jokes/search?q=ab", "termLength", "q"),
        ("jokes/search?q=%C3%A4%C3%A4", "termLength", "q"),
        ("jokes/search?q=\(String(repeating: "a", count: 121))", "termLength", "q"),
        ("jokes/search?q=abc&query=abc", "invalidParameter", "query"),
        ("jokes/random?category=d%20e", "invalidParameter", "category"),
        ("jokes/random?limit=11", "invalidParameter", "limit"), ("jokes/random?name=x", "unknownParameter", "name"),
        ("jokes/a.b", "invalidParameter", "id"),
        ("tmdb/search", "missingParameter", "q"), ("tmdb/search?q=x&category=books", "invalidParameter", "category"),
        ("tmdb/search/movie?q=x&category=tv", "invalidParameter", "category"),
        ("tmdb/search?q=x&year=1977", "invalidParameter", "year"),
        ("tmdb/search?q=x&page=501", "invalidParameter", "page"),
        ("tmdb/search?q=x&limit=21", "invalidParameter", "limit"),
        ("tmdb/search?q=x&api_key=k", "unknownParameter", "api_key"),
        ("tmdb/movie/popular?language=german", "invalidParameter", "language"),
        ("tmdb/movie/popular?region=us&country=us", "invalidParameter", "country"),
        ("tmdb/movie/0", "invalidParameter", "id"), ("tmdb/movie/99999999999", "invalidParameter", "id"),
        ("tmdb/movie/1?append=a,..", "invalidParameter", "append"),
        ("tmdb/movie/1?append=a&append_to_response=b", "invalidParameter", "append"),
        ("tmdb/trending/all/year", "invalidParameter", "span"), ("tmdb/trending/dogs/day", "invalidParameter", "kind"),
    ])
    func aWrongQuestionNamesItsParameter(_ route: String, _ code: String, _ parameter: String) throws {
        let error = refusal(route)
        #expect(error?.status == 400)
        #expect(error?.code == code)
        #expect(error?.parameter == parameter)
        #expect(error?.detail.isEmpty == false)
        if code == "unknownParameter" { #expect(error?.allowed.isEmpty == false) }
    }

    @Test(arguments: [
        "itunes", "itunes/find", "itunes/search/x", "news/articles", "dnd/dragons", "dnd/monsters/a/b", "jokes",
        "jokes/a/b", "tmdb",
        "tmdb/movie", "tmdb/movie/best", "tmdb/collection/1", "tmdb/person/upcoming",
    ])
    func aRouteThatIsNotThereIs404(_ route: String) {
        #expect(refusal(route)?.status == 404)
    }

    @Test func wrongWordsSayWhatIsAllowed() {
        #expect(refusal("itunes/search?term=a&category=x")?.allowed == ["all", "music", "software", "ebooks"])
        #expect(refusal("itunes/search?term=a&sort=x")?.allowed == ["relevance", "name", "date", "price"])
        #expect(refusal("news/headlines?category=x")?.allowed.count == 7)
    }

    @Test(arguments: [
        [
            "itunes/search?term=jack+johnson", "itunes/search?q=%20Jack%20".lowercased() + "johnson",
            "itunes/search?limit=50&q=jack++johnson&sort=relevance",
            "itunes/search?country=us&term=jack%20johnson&category=ALL",
        ],
        ["itunes/search?term=x&category=music", "itunes/search?media=MUSIC&term=x"],
        ["news/everything?q=x", "news/everything?pageSize=100&q=x&sortBy=publishedAt"],
        ["news/sources?name=TIMES", "news/sources?name=times"],
        ["dnd/monsters?name=Red+Dragon", "dnd/monsters?sort=relevance&name=red%20%20dragon"],
        ["dnd/monsters?challengeRating=1,2", "dnd/monsters?challengeRating=2,1,2.0"],
    ])
    func spellingsOfOneQuestionShareItsKey(_ routes: [String]) throws {
        let keys = try Set(routes.map { try endpoint($0).key(normaliserVersion: 1) })
        #expect(keys.count == 1)
        #expect(try Set(routes.map { try endpoint($0).query }).count == 1)
        #expect(try Set(routes.map { try endpoint($0).upstream }).count == 1)
    }

    /// Tries every combination of a few values of every parameter. There must be as many keys as questions.
    @Test func differentQuestionsNeverShareAKey() throws {
        var seen: [CacheKey: String] = [:]
        var count = 0
        func add(_ route: String) throws {
            let key = try endpoint(route).key(normaliserVersion: 1)
            #expect(seen[key] == nil, "\(route) and \(seen[key] ?? "")")
            seen[key] = route
            count += 1
        }
        for term in ["a", "a%26limit=3", "a%00".replacing("%00", with: "%C3%A9"), "A", "a%2Cb", "a+b"] {
            for limit in ["", "&limit=1", "&limit=10"] {
                for rest in [
                    "", "&category=music", "&category=ebooks", "&media=movie", "&entity=album",
                    "&entity=song&media=music",
                ] {
                    for tail in [
                        "", "&sort=name", "&explicit=no", "&country=gb", "&lang=ja_jp", "&offset=1",
                        "&attribute=artistTerm",
                    ]
                    where !(tail.contains("attribute") && rest.contains("ebooks")) {
                        try add("itunes/search?term=\(term)\(limit)\(rest)\(tail)")
                    }
                }
            }
        }
        for id in ["1", "2", "1,2", "2,1"] {
            for rest in ["", "&entity=song", "&sort=recent", "&sort=name", "&country=de", "&limit=5"] {
                try add("itunes/lookup?id=\(id)\(rest)")
            }
        }
        try add("itunes/lookup?amgArtistId=1")
        for route in [
            "news/headlines?q=a", "news/everything?q=a", "news/everything?qInTitle=a", "news/sources",
            "news/sources?name=a",
            "news/headlines?q=a&page=2", "news/headlines?q=a&sort=name", "news/headlines?country=us",
            "news/headlines?sources=us",
            "dnd/monsters", "dnd/equipment", "dnd/spells", "dnd/monsters?name=a", "dnd/monsters/a", "dnd/equipment/a",
            "dnd/monsters?limit=1", "dnd/monsters?sort=name", "dnd/monsters?edition=2024", "dnd/spells?level=1",
            "jokes/random", "jokes/random?limit=2", "jokes/random?explicit=no", "jokes/random?category=dev",
            "jokes/search?q=abc", "jokes/search?q=abc&category=dev", "jokes/search?q=abc&explicit=no",
            "jokes/search?q=abc&limit=1", "jokes/search?q=abc&sort=name", "jokes/categories", "jokes/abc",
            "tmdb/search?q=a", "tmdb/search/movie?q=a", "tmdb/search/tv?q=a", "tmdb/search/movie?q=a&year=2000",
            "tmdb/search/movie?q=a&region=de", "tmdb/search?q=a&page=2", "tmdb/search?q=a&language=de",
            "tmdb/search?q=a&explicit=yes", "tmdb/search?q=a&limit=1", "tmdb/search?q=a&sort=date",
            "tmdb/movie/popular",
            "tmdb/tv/popular", "tmdb/movie/upcoming", "tmdb/trending/movie/day", "tmdb/trending/movie/week",
            "tmdb/movie/1", "tmdb/tv/1", "tmdb/movie/1?append=credits", "tmdb/movie/1?language=de",
            "tmdb/configuration",
        ] {
            try add(route)
        }
        #expect(seen.count == count)
    }

    /// A route may stand for several questions. It lists the parameters of all of them.
    @Test func everyEndpointTellsWhatItsQuestionsTake() throws {
        let words = [
            "{id}": ["12345"], "{collection}": ["monsters", "equipment", "spells"], "{index}": ["goblin"],
            "{kind}": ["movie"], "{span}": ["day"], "{tag}": ["cats"], "{subreddit}": ["pics"],
        ]
        let query = try QueryParameters(parsing: "no-such-parameter=1")
        for provider in ProviderRegistry.builtIn {
            for endpoint in provider.about.endpoints where endpoint.name != "other" {
                var paths: [[String]] = [[]]
                for segment in endpoint.route.split(separator: "/").map(String.init) {
                    paths = paths.flatMap { path in (words[segment] ?? [segment]).map { path + [$0] } }
                }
                var taken: Set<String> = []
                for path in paths {
                    #expect("\(provider.about.name)/\(endpoint.name)") {
                        try provider.endpoint(path: path, query: query)
                    } throws: { error in
                        guard let refusal = error as? ClientFacingError else { return false }
                        taken.formUnion(refusal.allowed)
                        return refusal.status == 400 && refusal.parameter == "no-such-parameter"
                    }
                }
                let told = endpoint.parameters.flatMap(\.names)
                #expect(taken == Set(told), "\(provider.about.name)/\(endpoint.name)")
                #expect(taken.count == told.count)
            }
        }
    }

    /// An API key in a canonical request would become part of keys, labels and explanations.
    @Test(arguments: [
        ("newsapi", "/v2/everything", "apiKey"), ("tmdb", "/3/search/multi", "api_key"),
        ("imgur", "/3/gallery/search", "client_id"),
    ])
    func noSpellingOfAQueryKeepsItsKey(_ name: String, _ path: String, _ key: String) throws {
        let provider = try #require(ProviderRegistry.builtIn.first { $0.about.name == name })
        let spellings = [
            key, key.uppercased(), key.lowercased(), "%\(String(key.utf8.first ?? 0, radix: 16))\(key.dropFirst())",
        ]
        for spelling in spellings {
            for query in ["\(spelling)=secret&q=a", "q=%ZZ&\(spelling)=secret", "\(spelling)=secret%ZZ&q=%FF"] {
                let canonical = provider.canonical(UpstreamRequest(path: path, query: query)).query ?? ""
                #expect(!canonical.contains("secret"), "\(query): \(canonical)")
                #expect(canonical.contains("q="), "\(query): \(canonical)")
            }
        }
    }

    @Test func rawRequestsMeetTypedOnes() throws {
        let itunes = SpecProvider(.iTunes)
        let raw = UpstreamRequest(path: "/search", query: "limit=50&term=Jack+Johnson&media=music&country=us")
        #expect(try itunes.canonical(raw) == endpoint("itunes/search?term=Jack+Johnson&category=music").upstream)
        // Values with another meaning stay distinct. A repeated name keeps all its values.
        #expect(itunes.canonical(UpstreamRequest(path: "/search", query: "term=a&term=b")).query == "term=a&term=b")
        #expect(itunes.canonical(UpstreamRequest(path: "/search", query: "term=%ZZ")).query == "term=%ZZ")
        #expect(
            itunes.canonical(UpstreamRequest(path: "/search", query: "callback=f&term=a")).query == "callback=f&term=a")
        #expect(itunes.canonical(UpstreamRequest(path: "/search", query: nil)).query == nil)
        let dnd = SpecProvider(.dnd)
        #expect(dnd.canonical(UpstreamRequest(path: "/api/2014/feats")).query == "lang=en")
        #expect(dnd.canonical(UpstreamRequest(path: "/api/2014/feats", query: "lang=pt-BR")).query == "lang=pt-BR")
        #expect(dnd.canonical(UpstreamRequest(path: "/api/images/monsters/aboleth.png")).query == nil)
        #expect(dnd.endpointName(for: UpstreamRequest(path: "/api/2014/feats")) == "list")
        #expect(dnd.endpointName(for: UpstreamRequest(path: "/graphql")) == "other")
        #expect(dnd.endpointName(for: UpstreamRequest(path: "/api/2014/monsterz/aboleth")) == "other")
        for (path, name) in [
            ("/gb/lookup", "lookup"), ("/search", "search"), ("/searchLOL", "other"), ("/wrong/search", "other"),
            ("/gb/x/search", "other"), ("/", "other"),
        ] {
            #expect(SpecProvider(.iTunes).endpointName(for: UpstreamRequest(path: path)) == name, "\(path)")
        }
    }

    @Test func credentialsAreNeverPartOfACanonicalRequest() {
        let request = UpstreamRequest(
            path: "/v2/everything", query: "q=x&apiKey=SECRET",
            fields: ["X-Api-Key": "SECRET", "Accept": "application/json"])
        let canonical = SpecProvider(.newsAPI).canonical(request)
        #expect(canonical.query == "q=x")
        #expect(canonical.fields == ["Accept": "application/json"])
        #expect(SpecProvider(.newsAPI).credentialFields(key: "k") == ["X-Api-Key": "k"])
    }

    @Test func oneSearchBecomesEachSourcesOwn() throws {
        var request = SearchRequest(term: "  red   dragon ")
        #expect(try SpecProvider(.iTunes).search(request).upstream.target == "/search?term=red%20dragon")
        #expect(
            try SpecProvider(.newsAPI).search(request).upstream.target
                == "/v2/everything?q=red%20dragon&sortBy=relevancy")
        #expect(try SpecProvider(.dnd).search(request).upstream.target == "/api/2014/monsters?lang=en")
        request.category = "business"
        request.limit = 200
        request.language = "de-DE"
        #expect(
            try SpecProvider(.newsAPI).search(request).upstream.target
                == "/v2/top-headlines?category=business&pageSize=100&q=red%20dragon")
        #expect(throws: ClientFacingError.self) { try SpecProvider(.iTunes).search(request) }
        request.category = "spells"
        #expect(try SpecProvider(.dnd).search(request).upstream.path == "/api/2014/spells")
        request.category = "music"
        request.country = "de"
        #expect(
            try SpecProvider(.iTunes).search(request).upstream.target
                == "/search?country=DE&lang=de_de&limit=200&media=music&term=red%20dragon")
        // The same question is one entry, whichever way it is asked.
        #expect(
            try SpecProvider(.iTunes).search(SearchRequest(term: "a", category: "music")).key(normaliserVersion: 1)
                == endpoint("itunes/search?q=a&category=music").key(normaliserVersion: 1))
        #expect(throws: ClientFacingError.self) { try SpecProvider(.iTunes).search(SearchRequest(term: " ")) }
        #expect(throws: ClientFacingError.self) {
            try Passthrough(name: "mine", baseURL: "http://127.0.0.1:1").search(request)
        }
    }

    @Test(arguments: [
        ("https://newsapi.org", "/v2/sources", "https://newsapi.org/v2/sources"),
        ("https://newsapi.org/", "/v2/sources", "https://newsapi.org/v2/sources"),
        ("https://newsapi.org/v2", "/v2/sources", "https://newsapi.org/v2/sources"),
        ("http://127.0.0.1:9/newsapi", "/v2/sources", "http://127.0.0.1:9/newsapi/v2/sources"),
        ("http://127.0.0.1:9/v2", "/v3/sources", "http://127.0.0.1:9/v2/v3/sources"),
    ])
    func aBaseURLMayEndInTheVersion(_ base: String, _ path: String, _ url: String) {
        #expect(SpecProvider(.newsAPI).about.url(base: base, request: UpstreamRequest(path: path)) == url)
    }

    @Test func sourcesAreFoundByEveryName() {
        let registry = ProviderRegistry(passthroughs: [
            Passthrough(name: "mine", baseURL: "http://h"), Passthrough(name: "itunes", baseURL: "http://h"),
        ])
        #expect(registry.providers.map(\.about.name) == ProviderRegistry.builtIn.map(\.about.name) + ["mine"])
        #expect(registry.resolve(sourceName: "news")?.about.name == "newsapi")
        #expect(registry.resolve(sourceName: "dnd")?.about.name == "dnd5e")
        #expect(registry.resolve(sourceName: "mine")?.about.name == "mine")
        #expect(registry.resolve(sourceName: "") == nil)
    }
}
