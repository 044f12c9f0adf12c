// NewsAPI.org, version 2 (newsapi.org/docs). It needs a key and allows a hundred calls a day on the free plan. Errors
// have a body with a code. Withdrawn articles stay in the lists as "[Removed]".
import LarderCore

extension ProviderSpec {
    static let newsAPI = ProviderSpec(
        facts: facts, questions: [headlines, everything, sources], search: "everything",
        // Only headlines have categories.
        searches: facts.categories.map { SearchRow(category: $0, question: "headlines") }
            + [
                SearchRow(sort: .date, values: ["sortBy": "publishedAt"]),
                SearchRow(values: ["sortBy": "relevancy"]),
            ],
        shortTitle: "NewsAPI", isFormShared: false, classification: classification,
        keyIn: .field("X-Api-Key", scheme: nil),
        // NewsAPI has no accounts: "Authorization" holds the application's key (newsapi.org/docs/authentication).
        applications: ("Bearer", allowsBare: true))

    private static let facts = ProviderAbout(
        name: "newsapi", shortNames: ["news"], routePrefix: "news", title: "NewsAPI.org",
        defaultBaseURL: "https://newsapi.org", pathPrefix: "/v2", endpoints: [],
        emptyTTL: .seconds(600), negativeTTL: .seconds(600), staleFor: .seconds(86_400),
        defaultQuota: CallRate(calls: 100, per: .seconds(86_400)), imageHosts: ["*"],
        categories: ["business", "entertainment", "general", "health", "science", "sports", "technology"],
        sorts: sorts, needsKey: true, keyVariables: ["LARDER_NEWSAPI_KEY", "NEWSAPI_KEY"],
        credentialParameters: ["apiKey"], credentialFieldNames: ["X-Api-Key", "Authorization"],
        offers: "headlines, articles and sources of NewsAPI",
        terms: "The free plan is for development only, and its articles are a day old. The API's headers forbid "
            + "storing: the lifetimes here are your own decision.",
        attribution: "Powered by NewsAPI.org", normaliserVersion: 2)
    private static let sorts: [SortOrder] = [.relevance, .name, .date]

    private static let term = QuestionParameter.text(
        "q", "The search term, at most 500 characters when percent-encoded.", example: "cache", longest: 500
    ).term.sent { $0.longestEncoded = 500 }
    private static let category = QuestionParameter.choice(
        "category", facts.categories, "The topic of the news.", example: "technology"
    ).lowerCase
    private static let ids = QuestionParameter.text(
        "sources", "At most 20 source ids from /v1/news/sources.", example: "sample-tech"
    ).list
    private static let country = QuestionParameter.twoLetters("country", "The country.", example: "us").lowerCase
    private static let language = QuestionParameter.choice(
        "language", ["ar", "de", "en", "es", "fr", "he", "it", "nl", "no", "pt", "ru", "sv", "ud", "zh"],
        "The language.", example: "en"
    ).or("lang").lowerCase
    private static let page = QuestionParameter.page(1000).sent { ($0.apiDefault, $0.isKeyedAtDefault) = ("1", false) }

    private static func limit(default count: Int) -> QuestionParameter {
        .limit(1...100, default: count).or("pageSize").sent { ($0.name, $0.apiDefault) = ("pageSize", String(count)) }
    }

    private static func sites(_ name: String, _ line: String, example: String) -> QuestionParameter {
        QuestionParameter(name, .pattern("^[A-Za-z0-9.-]{1,253}$"), line, example: example).list.upTo(100).lowerCase
            .sent { $0.mismatch = "\"{value}\" is not a host name such as bbc.co.uk." }
    }

    private static func instant(_ name: String, _ line: String, example: String) -> QuestionParameter {
        QuestionParameter(
            name, .pattern("^(19[7-9]|20[0-9])[0-9]-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])$"),
            "The \(line) day; a time may follow (2026-11-20T12:00:00).", example: example
        ).sent {
            $0.check = .instant
            $0.mismatch = "\"{name}\" is a date such as 2026-11-20 or 2026-11-20T12:00:00."
        }
    }

    private static let headlines = QuestionSpec(
        name: "headlines", route: "headlines", path: "/v2/top-headlines",
        parameters: [term, country, category, ids, limit(default: 20), page, .sort(sorts).unsent],
        rules: [
            .oneOf(
                ["q", "country", "category", "sources"], blamed: "country",
                sentence: "Headlines need one of: q, country, category, sources."),
            .without(
                "sources", others: ["country", "category"],
                sentence: "\"sources\" cannot be combined with \"country\" or \"category\"."),
        ], refusals: [.accountLimit], paging: .pages(longest: 100), ttl: .seconds(600), summary: "/v2/top-headlines",
        answer: articles)

    private static let everything = QuestionSpec(
        name: "everything", route: "everything", path: "/v2/everything",
        parameters: [
            term,
            .text("qInTitle", "The term to search for in titles.", example: "cache", longest: 500)
                .sent { $0.longestEncoded = 500 },
            .choice("searchIn", ["title", "description", "content"], "The parts to search. Default: all.").list
                .sent { ($0.order, $0.mismatch) = (.words, "\"{value}\" is not a part of an article.") },
            ids, sites("domains", "Only articles of these sites.", example: "example.com"),
            sites("excludeDomains", "No articles of these sites.", example: "example.org"),
            instant("from", "earliest", example: "2026-11-01"), instant("to", "latest", example: "2026-11-25"),
            language,
            .choice(
                "sortBy", ["relevancy", "popularity", "publishedAt"], "The order, by the API's own names.",
                example: "publishedAt"
            ).sent {
                $0.apiDefault = "publishedAt"
                $0.defaultBy = .init(
                    parameter: "sort", defaults: ["relevance": "relevancy"], otherwise: "publishedAt")
            },
            limit(default: 100), page, .sort(sorts).unsent,
        ],
        keyOrder: [
            "q", "qInTitle", "sources", "domains", "excludeDomains", "searchIn", "from", "to", "language", "sortBy",
            "limit", "page", "sort",
        ],
        rules: [
            .oneOf(
                ["q", "qInTitle", "sources", "domains"], blamed: "q",
                sentence: "A search for articles needs one of: q, qInTitle, sources, domains.")
        ], refusals: [.accountLimit], paging: .pages(longest: 100), ttl: .seconds(1800),
        summary: "/v2/everything: article search",
        answer: articles)

    private static let sources = QuestionSpec(
        name: "sources", route: "sources", path: "/v2/sources",
        otherPaths: ["/v2/top-headlines/sources"],
        parameters: [
            .text("name", "A text in the source's name.", example: "sample", longest: 200).unsent.lowerCase,
            category, language, country, .sort([SortOrder.relevance, .name]).unsent,
        ],
        ttl: .seconds(86_400), summary: "/v2/sources: the index of sources",
        answer: AnswerSpec(
            list: "$.sources", noun: "sources", counts: .records,
            result: newsSource, choices: [ChoiceSpec(parameter: "name", rule: .contains(newsSource.title))]))

    private static let articles = AnswerSpec(
        list: "$.articles", noun: "articles", total: "$.totalResults",
        result: article)

    /// Articles have no id, so a digest of the URL serves as one. Some lists contain an article twice.
    private static let article = ResultSpec(
        kind: "article", id: .any(.first("$.url", as: .digest(24)), .made(NewsArticle.id)), title: NewsArticle.title,
        // Sometimes the author is the URL of a page about the author.
        creator: .first("$.author", as: .html, .noLink), collection: .first("$.source.name", as: .html),
        summary: .first("$.description", as: .paragraphs), date: .first("$.publishedAt"),
        url: .first("$.url", as: .link), artwork: .urls(original: .made(NewsArticle.picture)),
        attributes: [
            AttributeSpec("sourceId", .text, .first("$.source.id", as: .line)),
            AttributeSpec("authorUrl", .text, .first("$.author", as: .html, .link)),
            AttributeSpec("content", .text, .first("$.content", as: .using(NewsArticle.shown))),
            AttributeSpec("omittedCharacters", .number, .first("$.content", as: .using(NewsArticle.omitted))),
        ],
        idReason: .title,
        drops: [
            (
                .removed,
                """
                @.title == '[Removed]' && @.description == '[Removed]' || @.title == '[Removed]' && !@.description \
                || @.title == '[Removed]' && @.description == null || @.title == '[Removed]' && @.description == '' \
                || @.url == 'https://removed.com' || @.url == 'https://removed.com/'
                """
            )
        ],
        once: .first("$.url"))

    private static let newsSource = ResultSpec(
        kind: "newsSource", id: .first("$.id"), title: .first("$.name", "$.id", as: .html),
        summary: .first("$.description", as: .paragraphs), url: .first("$.url", as: .link),
        genres: .first("$.category"),
        attributes: [
            AttributeSpec("sourceId", .text, .first("$.id")), AttributeSpec("language", .text, .first("$.language")),
            AttributeSpec("country", .text, .first("$.country")),
        ])

    /// The codes of newsapi.org/docs/errors decide, whatever the status is. `maximumResultsReached` refuses one page, not
    /// the key, so it must not suspend the whole provider.
    private static let classification = ClassificationSpec(
        rows: [
            error(.limited(until: nil), "rateLimited", "apiKeyExhausted"),
            error(
                .refused(""), "apiKeyMissing", "apiKeyInvalid", "apiKeyDisabled", "corsNotAllowed", "userAgentMissing"),
            error(
                .invalidRequest(""), "parametersMissing", "parameterInvalid", "parametersIncompatible",
                "sourcesTooMany", "sourceDoesNotExist", "maximumResultsReached"),
            error(.broken(""), "unexpectedError"),
            .init(statuses: 100...599, condition: "@.status == 'error' || @.code >= ''", messages: messages),
            .init(
                statuses: 200...200, condition: "@.status != 'ok'",
                means: .broken("The answer does not have the form of NewsAPI's answers.")),
        ],
        statuses: [(402...402, .broken), (428...428, .broken), (430...499, .broken)],
        // A text compared with the least text: the code must be one.
        absence: "@.status == 'error' && @.code >= ''", isAbsenceStrict: true, describesErrors: true)
    private static let messages: [JSONPath] = ["$.message", "$.code"]

    private static func error(_ means: Classification, _ codes: String...) -> ClassificationSpec.Row {
        .init(
            statuses: 100...599,
            condition: JSONFilter(stringLiteral: codes.map { "@.code == '\($0)'" }.joined(separator: " || ")),
            means: means, messages: messages)
    }
}
