// Samples in the shape of NewsAPI.org: made-up articles, with the flaws that real ones have.
import LarderCore

private struct NewsItem: Sendable {
    var source: (id: String?, name: String)
    var author: String?
    var title: String
    var text: String?
    var path: String
    var image: String?
    var published: String
    var category: String
}

struct NewsSamples: SampleAPI {
    let name = "newsapi"
    let paths = ["/v2/"]
    let fields: HeaderFields = [
        "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-cache", "Pragma": "no-cache",
        "Expires": "-1", "X-Cached-Result": "false",
    ]

    var recording: RecordingRule {
        var rule = RecordingRule()
        rule.aliases = ["/v2/top-headlines/sources": "/v2/sources"]
        return rule
    }

    var questions: [SampleQuestion] { [.search("octopus", ("source", "news"))] }
    var recordedQuestions: [SampleQuestion] { [.get("/v1/news/headlines?country=us&category=business")] }

    func route(of recording: RecordedRequest, key: String?) -> String? {
        let route = recording.segments.last ?? ""
        let name = route == "top-headlines" ? "headlines" : route
        return "/v1/news/\(name)?\(recording.items.joined(separator: "&"))"
    }

    func answer(_ request: SampleRequest) -> SampleAnswer {
        switch request.path {
        case "/v2/top-headlines": headlines(request.parameters)
        case "/v2/everything": everything(request.parameters)
        case "/v2/sources", "/v2/top-headlines/sources": sources(request.parameters)
        default: .text(404, "Not Found")
        }
    }

    func isPicture(member: String, _ text: String) -> Bool { member == "urlToImage" }

    func nothing(at path: String) -> SampleAnswer {
        guard path == "/v2/top-headlines" || path == "/v2/everything" else { return .text(404, "Not Found") }
        return json { writer in
            writer.member("status", "ok")
            writer.member("totalResults", 0)
            writer.member("articles", strings: [])
        }
    }

    /// NewsAPI answers nobody without a key.
    func refusal(of request: SampleRequest) -> SampleAnswer? {
        let given =
            request.fields.contains("X-Api-Key") || request.fields.contains("Authorization")
            || request.parameters["apiKey"] != nil
        guard !given else { return nil }
        let message =
            "Your API key is missing. Append this to the URL with the apiKey param, or use the x-api-key HTTP header."
        return error(401, "apiKeyMissing", message)
    }

    private func error(_ status: Int, _ code: String, _ message: String) -> SampleAnswer {
        json(status: status) { writer in
            writer.member("status", "error")
            writer.member("code", code)
            writer.member("message", message)
        }
    }

    private func headlines(_ parameters: QueryParameters) -> SampleAnswer {
        let names = ["country", "category", "sources", "q"]
        guard names.contains(where: { parameters[$0] != nil }) else {
            return error(400, "parametersMissing", Self.missing("sources, q, language, country, category"))
        }
        if parameters["sources"] != nil, parameters["country"] != nil || parameters["category"] != nil {
            return error(
                400, "parametersIncompatible",
                "You cannot mix the sources parameter with the country or category parameters.")
        }
        // The live API has headlines for one country only.
        let isElsewhere = (parameters["country"] ?? "us").lowercased() != "us"
        let found =
            isElsewhere
            ? []
            : Self.select(parameters).filter { item in
                parameters["category"].map { item.category == $0 } ?? true
            }
        return articles(found, parameters, pageSize: 20)
    }

    private func everything(_ parameters: QueryParameters) -> SampleAnswer {
        guard ["q", "qInTitle", "sources", "domains"].contains(where: { parameters[$0] != nil }) else {
            return error(400, "parametersMissing", Self.missing("q, qInTitle, sources, domains"))
        }
        return articles(Self.select(parameters), parameters, pageSize: 100)
    }

    private static func missing(_ names: String) -> String {
        "Required parameters are missing. Please set any of the following parameters and try again: \(names)."
    }

    private static func select(_ parameters: QueryParameters) -> [NewsItem] {
        items.filter { item in
            if let term = parameters["q"] ?? parameters["qInTitle"],
                !SampleText.matches("\(item.title) \(item.text ?? "") \(item.category)", term)
            {
                return false
            }
            guard let sources = parameters["sources"] else { return true }
            return sources.split(separator: ",").contains { $0 == item.source.id ?? "" }
        }
    }

    private func articles(_ found: [NewsItem], _ parameters: QueryParameters, pageSize: Int) -> SampleAnswer {
        let size = min(max(parameters["pageSize"].flatMap { Int($0) } ?? pageSize, 1), 100)
        let page = max(parameters["page"].flatMap { Int($0) } ?? 1, 1)
        guard page <= 100 / size else {
            return error(
                426, "maximumResultsReached",
                "You have requested too many results. Developer accounts are limited to 100.")
        }
        return json { writer in
            writer.member("status", "ok")
            writer.member("totalResults", found.count)
            writer.name("articles")
            writer.array { writer in
                for item in found.dropFirst((page - 1) * size).prefix(size) { Self.write(item, &writer) }
            }
        }
    }

    private static func write(_ item: NewsItem, _ writer: inout JSONWriter) {
        func nullable(_ name: String, _ value: String?, _ writer: inout JSONWriter) {
            writer.name(name)
            if let value { writer.string(value) } else { writer.null() }
        }
        writer.object { writer in
            writer.name("source")
            writer.object { writer in
                nullable("id", item.source.id, &writer)
                writer.member("name", item.source.name)
            }
            nullable("author", item.author, &writer)
            writer.member("title", item.title)
            nullable("description", item.text, &writer)
            writer.member("url", item.path.hasPrefix("http") ? item.path : "https://news.example.com/\(item.path)")
            nullable("urlToImage", item.image.map { "https://images.example.com/\($0)" }, &writer)
            writer.member("publishedAt", item.published)
            nullable("content", item.text.map { "\($0)\r\nMore of it follows… [+1834 chars]" }, &writer)
        }
    }

    private func sources(_ parameters: QueryParameters) -> SampleAnswer {
        let found = Self.allSources.filter { source in
            (parameters["category"].map { source.category == $0 } ?? true)
                && (parameters["language"].map { source.language == $0 } ?? true)
                && (parameters["country"].map { source.country == $0 } ?? true)
        }
        return json { writer in
            writer.member("status", "ok")
            writer.name("sources")
            writer.array { writer in
                for source in found {
                    writer.object { writer in
                        writer.member("id", source.id)
                        writer.member("name", source.name)
                        writer.member("description", "\(source.name): a sample source for \(source.category) news.")
                        writer.member("url", "https://\(source.id).example.com")
                        writer.member("category", source.category)
                        writer.member("language", source.language)
                        writer.member("country", source.country)
                    }
                }
            }
        }
    }

    private static let allSources: [(id: String, name: String, category: String, language: String, country: String)] = [
        ("morning-sample", "The Morning Sample", "general", "en", "us"),
        ("sample-science", "Sample Science", "science", "en", "gb"),
        ("sample-tech", "Sample Tech", "technology", "en", "us"),
        ("beispiel-zeitung", "Beispiel-Zeitung", "general", "de", "de"),
        ("le-specimen", "Le Spécimen", "business", "fr", "fr"),
        ("sample-sports", "Sample Sports", "sports", "en", "us"),
    ]

    private static let items: [NewsItem] = [
        NewsItem(
            source: ("sample-tech", "Sample Tech"), author: "Ada Example",
            title: "A cache on every desk: why local daemons are back",
            text: "Programs that share one cache ask the network less, and answer when it is gone.",
            path: "tech/local-cache", image: "cache.jpg", published: "2026-11-20T08:15:00Z", category: "technology"),
        NewsItem(
            source: ("sample-tech", "Sample Tech"), author: nil, title: "Swift 6 on small servers: a year of Linux",
            text: "What a language without data races changes for people who run servers &amp; sleep at night.",
            path: "tech/swift-linux", image: "swift.png", published: "2026-11-19T17:40:00Z", category: "technology"),
        NewsItem(
            source: ("sample-science", "Sample Science"), author: "Grace Example, Max Muster",
            title: "Octopus seen sorting shells by size",
            text: "Divers filmed the animal for nine hours. <em>It was not hungry.</em>", path: "science/octopus",
            image: "octopus.jpg", published: "2026-11-19T06:05:00Z", category: "science"),
        NewsItem(
            source: (nil, "Example Wire"), author: "", title: "Markets close level after a quiet day", text: nil,
            path: "business/markets", image: nil, published: "2026-11-18T21:30:00Z", category: "business"),
        NewsItem(
            source: (nil, "[Removed]"), author: nil, title: "[Removed]", text: "[Removed]", path: "https://removed.com",
            image: nil, published: "1970-01-01T00:00:00Z", category: "business"),
        NewsItem(
            source: ("morning-sample", "The Morning Sample"), author: "https://news.example.com/authors/muster",
            title: "City opens a library that lends tools", text: "Drills and ladders may be kept for three weeks.",
            path: "general/library", image: "missing-library.jpg", published: "2026-11-18T09:00:00Z",
            category: "general"),
        NewsItem(
            source: ("sample-sports", "Sample Sports"), author: "Jo Example",
            title: "Underdogs win on penalties — again", text: "The third time this season.", path: "sports/penalties",
            image: "penalties.jpg", published: "2026-11-17T22:10:00Z", category: "sports"),
    ]
}
