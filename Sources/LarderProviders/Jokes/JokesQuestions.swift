// Questions to the joke APIs: `/v1/jokes/random`, `/search`, `/categories`, `/{id}`, and the jokes' part of
// `/v1/search`. icndb has no search, so the whole list, which is small, is fetched once and searched here.
import LarderCore

extension Jokes {
    private static let category = QuestionParameter(
        "category", .pattern("^[a-z-]{1,40}$"), "A category from the list at /v1/jokes/categories.", example: "dev")
    static let randomParameters: [QuestionParameter] = [
        category.list.upTo(5), .explicit, .limit(1...10, default: 1),
    ]
    static let searchParameters: [QuestionParameter] = [
        .text("q", "The text that the jokes contain, of 3 to 120 characters.", example: "Chuck", longest: 120).or(
            "query"
        )
        .required,
        category, .explicit, .limit(1...200), .sort([SortOrder.relevance, .name, .date]),
    ]
    static let jokeCapture = QuestionParameter(
        "id", .pattern("^[A-Za-z0-9_-]{1,64}$"), "The joke's id.", example: "ObcLkSEC7mnzfdciIxV4-w")
    /// The number of characters in a search term that api.chucknorris.io accepts.
    static let termLength = 3...120

    public func endpoint(path: [String], query: QueryParameters) throws(ClientFacingError) -> Endpoint {
        switch path {
        case ["random"]: return try random(QuestionReader(query, allowed: Self.randomParameters))
        case ["search"]:
            let reader = try QuestionReader(query, allowed: Self.searchParameters)
            guard let term = try reader.text("q", or: "query") else {
                throw .missing("q", "A search for jokes needs a text: q=…")
            }
            return try search(
                term, category: category(reader, max: 1).first, explicit: reader.flag("explicit") ?? true,
                limit: reader.number("limit", in: 1...200), sort: reader.sort(Self.facts.sorts) ?? .relevance)
        case ["categories"]:
            _ = try QuestionReader(empty: query)
            return question("categories", QuestionBuilder(), dialect == .icndb ? "/categories" : "/jokes/categories") {
                response throws(NormaliseError) in try JokesResults.categories(response)
            }
        default:
            guard path.count == 1, let id = path.first else { throw ProviderError.noRoute(path, provider: about) }
            _ = try QuestionReader(empty: query)
            return try one(id)
        }
    }

    public func search(_ request: SearchRequest) throws(ClientFacingError) -> Endpoint {
        let term = QuestionReader.collapsed(request.term)
        guard !term.isEmpty else { throw .missing("q", "A search needs a term.") }
        if let category = request.category, !about.categories.contains(category) {
            throw .invalid("category", "There is no such category of jokes here.", allowed: about.categories)
        }
        return try search(
            term, category: nil, explicit: request.explicit ?? true, limit: request.limit,
            sort: request.sort ?? .relevance)
    }

    private func random(_ reader: QuestionReader) throws(ClientFacingError) -> Endpoint {
        let categories = try category(reader, max: 5)
        let explicit = try reader.flag("explicit") ?? true
        let limit = try reader.number("limit", in: 1...10) ?? 1
        var builder = QuestionBuilder()
        builder.add("category", categories.isEmpty ? nil : categories.joined(separator: ","))
        builder.add("explicit", explicit)
        builder.add("limit", limit)
        var items: [QueryParameters.Item] = []
        switch dialect {
        case .chucknorris where !categories.isEmpty:
            items.append(.init("category", categories.joined(separator: ",")))
        case .icndb:
            if !categories.isEmpty { items.append(.init("limitTo", "[\(categories.joined(separator: ","))]")) }
            if !explicit { items.append(.init("exclude", "[explicit]")) }
        default: break
        }
        var endpoint = question("random", builder, "/jokes/random", items) { response throws(NormaliseError) in
            try JokesResults.jokes(response) { _ in true }
        }
        endpoint.draws = limit
        if !explicit { endpoint.fits = { body in !JokesResults.isExplicit(body) } }
        return endpoint
    }

    /// - Parameter limit: the greatest number of results; nil for no limit.
    private func search(
        _ term: String, category: String?, explicit: Bool, limit: Int?, sort: SortOrder
    ) throws(ClientFacingError) -> Endpoint {
        guard Self.termLength.contains(term.count) else {
            throw .termLength(
                "q", "The text must have \(Self.termLength.lowerBound) to \(Self.termLength.upperBound) characters.")
        }
        // The API's own search ignores case, so terms that differ only in case are one question.
        let term = term.lowercased()
        var builder = QuestionBuilder()
        builder.add("q", term)
        builder.add("category", category)
        builder.add("explicit", explicit)
        builder.add("limit", limit)
        builder.add("sort", sort.rawValue)
        let isWhole = dialect == .icndb
        return question(
            "search", builder, isWhole ? "/jokes" : "/jokes/search", isWhole ? [] : [.init("query", term)]
        ) { response throws(NormaliseError) in
            try JokesResults.jokes(response, limit: limit, sort: sort) { joke in
                (!isWhole || joke.text.lowercased().contains(term))
                    && (category.map { joke.categories.contains($0) } ?? true) && (explicit || !joke.isExplicit)
            }
        }
    }

    private func one(_ id: String) throws(ClientFacingError) -> Endpoint {
        let isNumber = !id.isEmpty && id.utf8.count <= 9 && id.utf8.allSatisfy(ASCII.isDigit)
        // An id is 16 bytes in base64url. Longer ids are accepted too, because the API does not promise the length.
        let isWord =
            (1...64).contains(id.utf8.count)
            && id.utf8.allSatisfy { PercentCoding.isUnreserved($0) && $0 != 0x2E && $0 != 0x7E }
        guard dialect == .icndb ? isNumber : isWord else {
            let shape = dialect == .icndb ? "a number" : "letters, digits, - and _, as in a joke's id"
            throw .invalid("id", "The id of a joke must be \(shape).")
        }
        var builder = QuestionBuilder()
        builder.add("id", id)
        var endpoint = question("joke", builder, "/jokes/\(id)") { response throws(NormaliseError) in
            try JokesResults.jokes(response) { _ in true }
        }
        // The list of icndb is complete, and so is each joke in it.
        if dialect == .icndb {
            let list = canonical(UpstreamRequest(path: "/jokes"))
            endpoint.wider = {
                [
                    WiderAnswer(list) { response, _ throws(NormaliseError) in
                        let found = try JokesResults.jokes(response, limit: 1) { $0.id == id }
                        return found.count == 1 ? found : nil
                    }
                ]
            }
        }
        return endpoint
    }

    private func question(
        _ name: String, _ builder: QuestionBuilder, _ path: String, _ items: [QueryParameters.Item] = [],
        normalise: @escaping @Sendable (UpstreamResponse) throws(NormaliseError) -> NormalisedAnswer
    ) -> Endpoint {
        Endpoint(
            provider: about.name, name: name,
            parameters: builder.parameters + [KeyParameter("dialect", dialect.rawValue)],
            upstream: canonical(
                UpstreamRequest(path: path, query: items.isEmpty ? nil : QueryParameters(items).encoded)),
            query: builder.query,
            normalise: { response, _ throws(NormaliseError) in try normalise(response) })
    }

    /// The API defines the names of categories and may add some. The API reports an unknown name as not found.
    private func category(_ reader: QuestionReader, max: Int) throws(ClientFacingError) -> [String] {
        guard let parts = try reader.list("category", max: max) else { return [] }
        let words = Set(parts.map { $0.lowercased() }).sorted()
        for word in words
        where word.utf8.count > 40 || !word.utf8.allSatisfy({ ASCII.isLowercaseLetter($0) || $0 == 0x2D }) {
            throw .invalid("category", "\"\(word)\" is not a category; /v1/jokes/categories lists them.")
        }
        return words
    }
}

extension Jokes {
    private static let form = CanonicalQuery(lowerCase: ["category", "query"])

    public func canonical(_ request: UpstreamRequest) -> UpstreamRequest {
        var request = request
        request.query =
            dialect == .icndb ? CanonicalQuery().canonical(request.query) : Self.form.canonical(request.query)
        return request
    }

    public func endpointName(for request: UpstreamRequest) -> String {
        let segments = request.path.split(separator: "/")
        switch (dialect, segments.first, segments.count) {
        case (.icndb, "categories", 1): return "categories"
        case (.icndb, "jokes", 1): return "search"
        case (.icndb, "jokes", 3) where segments[1] == "random": return "random"
        case (_, "jokes", 2):
            switch (dialect, segments[1]) {
            case (_, "random"): return "random"
            case (.chucknorris, "search"): return "search"
            case (.chucknorris, "categories"): return "categories"
            case (.icndb, "count"): return "other"
            default: return "joke"
            }
        default: return "other"
        }
    }

    public func credentialFields(key: String) -> HeaderFields { [:] }
}

extension Jokes {
    public func kinds(of category: String?) -> [String]? { category ?? "jokes" == "jokes" ? ["joke"] : nil }
}
