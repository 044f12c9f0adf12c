// Samples in the form of NewsAPI.org: invented articles with the flaws of real ones.
import LarderCore

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

    /// The articles, each with its category of headlines, which responses do not contain.
    private static let articles = SampleFile("NewsAPI/articles").records()
    private static let allSources = SampleFile("NewsAPI/sources").records()

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

    /// NewsAPI refuses requests without a key.
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
            : Self.select(parameters).filter { article in
                parameters["category"].map { article["category"]?.string == $0 } ?? true
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

    private static func select(_ parameters: QueryParameters) -> [JSONValue] {
        articles.filter { article in
            let words = ["title", "description", "category"].compactMap { article[$0]?.string }.joined(separator: " ")
            if let term = parameters["q"] ?? parameters["qInTitle"], !SampleText.matches(words, term) { return false }
            guard let sources = parameters["sources"] else { return true }
            return sources.split(separator: ",").contains { $0 == article["source"]?["id"]?.string ?? "" }
        }
    }

    private func articles(_ found: [JSONValue], _ parameters: QueryParameters, pageSize: Int) -> SampleAnswer {
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
                for article in found.dropFirst((page - 1) * size).prefix(size) {
                    writer.object { $0.members(of: article) { $0 != "category" } }
                }
            }
        }
    }

    private func sources(_ parameters: QueryParameters) -> SampleAnswer {
        let found = Self.allSources.filter { source in
            ["category", "language", "country"].allSatisfy { name in
                parameters[name].map { source[name]?.string == $0 } ?? true
            }
        }
        return json { writer in
            writer.member("status", "ok")
            writer.name("sources")
            writer.samples(found)
        }
    }
}
