// Questions to NewsAPI: `/v1/news/headlines`, `/everything`, `/sources` and NewsAPI's part of `/v1/search`.
import LarderCore

extension NewsAPI {
    static let languages = ["ar", "de", "en", "es", "fr", "he", "it", "nl", "no", "pt", "ru", "sv", "ud", "zh"]
    private static let term = QuestionParameter.text(
        "q", "The search term, at most 500 characters when percent-encoded.", example: "cache", longest: 500)
    private static let category = QuestionParameter.choice(
        "category", categories, "The topic of the news.", example: "technology")
    private static let sources = QuestionParameter.text(
        "sources", "At most 20 source ids from /v1/news/sources.", example: "sample-tech"
    ).list
    private static let country = QuestionParameter.twoLetters("country", "The country.", example: "us")
    private static let language = QuestionParameter.choice("language", languages, "The language.", example: "en").or(
        "lang")
    private static let host =
        "^([A-Za-z0-9]([A-Za-z0-9-]{0,30}[A-Za-z0-9])?[.]){1,4}[A-Za-z]([A-Za-z0-9-]{0,30}[A-Za-z0-9])?$"
    private static let date = "^(19[7-9]|20[0-9])[0-9]-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])$"
    private static let newsSorts: [SortOrder] = [.relevance, .name, .date]

    static let headlineParameters = [
        term, country, category, sources, .limit(1...100, default: 20).or("pageSize"), .page(1000), .sort(newsSorts),
    ]
    static let everythingParameters = [
        term, .text("qInTitle", "The term to search for in titles.", example: "cache", longest: 500),
        QuestionParameter.choice(
            "searchIn", ["title", "description", "content"], "The parts to search. Default: all."
        ).list,
        sources,
        QuestionParameter("domains", .pattern(host), "Only articles of these sites.", example: "example.com").list,
        QuestionParameter("excludeDomains", .pattern(host), "No articles of these sites.", example: "example.org").list,
        QuestionParameter(
            "from", .pattern(date), "The earliest day; a time may follow (2026-11-20T12:00:00).", example: "2026-11-01"),
        QuestionParameter(
            "to", .pattern(date), "The latest day; a time may follow (2026-11-20T12:00:00).", example: "2026-11-25"),
        language,
        .choice(
            "sortBy", ["relevancy", "popularity", "publishedAt"], "The order, by the API's own names.",
            example: "publishedAt"),
        .limit(1...100, default: 100).or("pageSize"), .page(1000), .sort(newsSorts),
    ]
    static let sourceParameters = [
        .text("name", "A text in the source's name.", example: "sample", longest: 200), category, language, country,
        .sort([SortOrder.relevance, .name]),
    ]

    public func endpoint(path: [String], query: QueryParameters) throws(ClientFacingError) -> Endpoint {
        switch path {
        case ["headlines"]: try Self.headlines(QuestionReader(query, allowed: Self.headlineParameters))
        case ["everything"]: try Self.everything(QuestionReader(query, allowed: Self.everythingParameters))
        case ["sources"]: try Self.sources(QuestionReader(query, allowed: Self.sourceParameters))
        default: throw ProviderError.noRoute(path, provider: about)
        }
    }

    /// Without a category the term searches all articles. With one it searches that category's headlines, because only
    /// headlines have categories.
    public func search(_ request: SearchRequest) throws(ClientFacingError) -> Endpoint {
        let term = QuestionReader.collapsed(request.term)
        guard !term.isEmpty else { throw .missing("q", "A search needs a term.") }
        let limit = request.limit.map { min(max($0, 1), 100) }
        let sort = request.sort ?? .relevance
        if let category = request.category {
            guard about.categories.contains(category) else {
                throw .invalid("category", "NewsAPI has no such category.", allowed: about.categories)
            }
            let country = request.country.map { $0.lowercased() }
            guard country.map(QuestionReader.isTwoLetters) ?? true else {
                throw .invalid("country", "\"country\" is not a two-letter code.")
            }
            return Self.headlines(
                [("q", term), ("country", country), ("category", category), ("sources", nil)], limit: limit ?? 20,
                page: 1, sort: sort)
        }
        let language = request.language.map { String($0.lowercased().prefix(2)) }
        var items: [(String, String?)] = [("q", term)]
        items.append(("language", language.flatMap { Self.languages.contains($0) ? $0 : nil }))
        return Self.everything(
            items: items, order: sort == .date ? "publishedAt" : "relevancy", limit: limit ?? 100, page: 1, sort: sort)
    }

    private static func headlines(_ reader: QuestionReader) throws(ClientFacingError) -> Endpoint {
        let term = try term(reader, "q")
        let country = try reader.twoLetters("country")
        let category = try reader.word("category", among: facts.categories)
        let sources = try reader.list("sources", max: 20)
        guard term != nil || country != nil || category != nil || sources != nil else {
            throw .missing("country", "Headlines need one of: q, country, category, sources.")
        }
        if sources != nil, country != nil || category != nil {
            throw .conflicting("sources", "\"sources\" cannot be combined with \"country\" or \"category\".")
        }
        return headlines(
            [
                ("q", term), ("country", country), ("category", category),
                ("sources", sources?.joined(separator: ",")),
            ],
            limit: try limit(reader) ?? 20, page: try reader.number("page", in: 1...1000) ?? 1,
            sort: try reader.sort(facts.sorts) ?? .relevance)
    }

    private static func headlines(
        _ items: [(String, String?)], limit: Int, page: Int, sort: SortOrder
    ) -> Endpoint {
        articles("headlines", items, path: "/v2/top-headlines", limit: limit, page: page, sort: sort)
    }

    private static func everything(_ reader: QuestionReader) throws(ClientFacingError) -> Endpoint {
        var items: [(String, String?)] = [
            ("q", try term(reader, "q")), ("qInTitle", try term(reader, "qInTitle")),
            ("sources", try reader.list("sources", max: 20)?.joined(separator: ",")),
            ("domains", try domains(reader, "domains")),
        ]
        guard items.contains(where: { $0.1 != nil }) else {
            throw .missing("q", "A search for articles needs one of: q, qInTitle, sources, domains.")
        }
        items.append(("excludeDomains", try domains(reader, "excludeDomains")))
        items.append(("searchIn", try places(reader)))
        items.append(("from", try instant(reader, "from")))
        items.append(("to", try instant(reader, "to")))
        items.append(("language", try language(reader)))
        let sort = try reader.sort(facts.sorts)
        let order = try reader.word("sortBy", among: ["relevancy", "popularity", "publishedAt"])
        return everything(
            items: items, order: order ?? (sort == .relevance ? "relevancy" : "publishedAt"),
            limit: try limit(reader) ?? 100, page: try reader.number("page", in: 1...1000) ?? 1,
            sort: sort ?? .relevance)
    }

    private static func everything(
        items: [(String, String?)], order: String, limit: Int, page: Int, sort: SortOrder
    ) -> Endpoint {
        articles(
            "everything", items + [("sortBy", order)], path: "/v2/everything", limit: limit, page: page, sort: sort)
    }

    private static func articles(
        _ name: String, _ items: [(String, String?)], path: String, limit: Int, page: Int, sort: SortOrder
    ) -> Endpoint {
        var question = QuestionBuilder()
        for (name, value) in items { question.add(name, value) }
        question.add("limit", limit)
        question.add("page", page == 1 ? nil : page)
        question.add("sort", sort.rawValue)
        let language = items.first { $0.0 == "language" }?.1
        @Sendable func request(_ size: Int, _ page: Int) -> UpstreamRequest {
            let present = (items + [("pageSize", String(size)), ("page", String(page))])
                .compactMap { name, value in value.map { QueryParameters.Item(name, $0) } }
            return UpstreamRequest(path: path, query: form(path).encode(present))
        }
        var endpoint = Endpoint(
            provider: facts.name, name: name, parameters: question.parameters, upstream: request(limit, page),
            query: question.query,
            normalise: { response, signer throws(NormaliseError) in
                try NewsResults.articles(response, signer, sort: sort, language: language)
            })
        let wanted = ListStretch(start: (page - 1) * limit, count: limit)
        endpoint.wider = {
            wanted.widerPages(longest: 100).map { stored in
                WiderAnswer(request(stored.count, stored.start / stored.count + 1)) {
                    response, signer throws(NormaliseError) in
                    try NewsResults.articles(response, signer, sort: sort, language: language, wanted, of: stored)
                }
            }
        }
        return endpoint
    }

    private static func sources(_ reader: QuestionReader) throws(ClientFacingError) -> Endpoint {
        let name = try reader.text("name", maxLength: 200)
        let category = try reader.word("category", among: facts.categories)
        let language = try language(reader)
        let country = try reader.twoLetters("country")
        let sort = try reader.sort([.relevance, .name]) ?? .relevance
        var question = QuestionBuilder()
        // Matching ignores case, so names that differ only in case are one question.
        question.add("name", name?.lowercased())
        question.add("category", category)
        question.add("language", language)
        question.add("country", country)
        question.add("sort", sort.rawValue)
        let present = [("category", category), ("language", language), ("country", country)]
            .compactMap { name, value in value.map { QueryParameters.Item(name, $0) } }
        let path = "/v2/sources"
        return Endpoint(
            provider: facts.name, name: "sources", parameters: question.parameters,
            upstream: UpstreamRequest(path: path, query: form(path).encode(present)), query: question.query,
            normalise: { response, signer throws(NormaliseError) in
                try NewsResults.sources(response, signer, name: name?.lowercased(), sort: sort)
            })
    }

    /// A search term of at most 500 characters when percent-encoded.
    private static func term(_ reader: QuestionReader, _ name: String) throws(ClientFacingError) -> String? {
        guard let term = try reader.text(name) else { return nil }
        guard PercentCoding.encode(term).utf8.count <= 500 else {
            throw .conflicting(name, "\"\(name)\" is longer than 500 characters when percent-encoded.")
        }
        return term
    }

    private static func limit(_ reader: QuestionReader) throws(ClientFacingError) -> Int? {
        let limit = try reader.number("limit", in: 1...100)
        let pageSize = try reader.number("pageSize", in: 1...100)
        if limit != nil, pageSize != nil {
            throw .conflicting("pageSize", "\"pageSize\" is another name of \"limit\": give one of them.")
        }
        return limit ?? pageSize
    }

    private static func language(_ reader: QuestionReader) throws(ClientFacingError) -> String? {
        let language = try reader.word("language", among: languages)
        let short = try reader.word("lang", among: languages)
        if language != nil, short != nil {
            throw .conflicting("lang", "\"lang\" is another name of \"language\": give one of them.")
        }
        return language ?? short
    }

    private static func domains(_ reader: QuestionReader, _ name: String) throws(ClientFacingError) -> String? {
        guard let domains = try reader.list(name, max: 100) else { return nil }
        for domain in domains where WebURL.normalisedHost(domain) == nil {
            throw .invalid(name, "\"\(domain)\" is not a host name such as bbc.co.uk.")
        }
        return domains.joined(separator: ",").lowercased()
    }

    private static func places(_ reader: QuestionReader) throws(ClientFacingError) -> String? {
        guard let parts = try reader.list("searchIn", max: 3) else { return nil }
        let places = ["title", "description", "content"]
        for part in parts where !places.contains(part) {
            throw .invalid("searchIn", "\"\(part)\" is not a part of an article.", allowed: places)
        }
        // All three parts mean the same as omitting the parameter. Otherwise the order has no meaning.
        let chosen = places.filter(parts.contains)
        return chosen.count == places.count ? nil : chosen.joined(separator: ",")
    }

    private static func instant(_ reader: QuestionReader, _ name: String) throws(ClientFacingError) -> String? {
        guard let text = try reader.text(name) else { return nil }
        guard DateText.parse(text) != nil else {
            throw .invalid(name, "\"\(name)\" is a date such as 2026-11-20 or 2026-11-20T12:00:00.")
        }
        return text
    }
}

extension NewsAPI {
    private static let credentials: Set<String> = ["apiKey"]

    /// The canonical form of one path's parameters.
    static func form(_ path: String) -> CanonicalQuery {
        switch path {
        case "/v2/top-headlines":
            CanonicalQuery(
                defaults: ["pageSize": "20", "page": "1"], lowerCase: ["country", "category"], collapsed: ["q"],
                dropped: credentials)
        case "/v2/everything":
            CanonicalQuery(
                defaults: ["pageSize": "100", "page": "1", "sortBy": "publishedAt"],
                lowerCase: ["language", "domains", "excludeDomains"], collapsed: ["q", "qInTitle"], dropped: credentials
            )
        case "/v2/sources", "/v2/top-headlines/sources":
            CanonicalQuery(lowerCase: ["category", "language", "country"], dropped: credentials)
        default: CanonicalQuery(dropped: credentials)
        }
    }

    public func canonical(_ request: UpstreamRequest) -> UpstreamRequest {
        var request = request
        request.query = Self.form(request.path).canonical(request.query)
        for name in about.credentialFieldNames { request.fields.remove(name) }
        return request
    }

    public func endpointName(for request: UpstreamRequest) -> String {
        switch request.path {
        case "/v2/top-headlines": "headlines"
        case "/v2/everything": "everything"
        case "/v2/sources", "/v2/top-headlines/sources": "sources"
        default: "other"
        }
    }

    public func credentialFields(key: String) -> HeaderFields { ["X-Api-Key": key] }
}

extension NewsAPI {
    public func kinds(of category: String?) -> [String]? { category == nil ? ["article"] : nil }
}
