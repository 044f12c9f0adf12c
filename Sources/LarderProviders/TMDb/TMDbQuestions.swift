// Questions to TMDb: `/v1/tmdb/search[/{kind}]`, `/{kind}/{list}`, `/trending/{kind}/{span}`, `/{kind}/{id}`,
// `/configuration`, `/genres/{kind}`, and TMDb's part of `/v1/search`.
import LarderCore

extension TMDb {
    static let languageParameters = [
        QuestionParameter(
            "language", .pattern("^[A-Za-z]{2}([_-][A-Za-z]{2})?$"), "A language, with or without a country.",
            example: "en-US", default: "en-US"
        ).or("lang")
    ]
    static let pageParameters =
        languageParameters + [
            .twoLetters("region", "The country whose release dates count; films only.", example: "US").or("country"),
            .page(500), .limit(1...20), .sort([SortOrder.relevance, .name, .date]),
        ]
    static let searchParameters: [QuestionParameter] =
        [
            .text("q", "The search term.", example: "lantern").or("query").required,
            .number("year", 1800...2200, "The year; films and series only.", example: "2019"),
            .flag("explicit", "Whether adult results are wanted.", default: "no"),
        ] + pageParameters
    /// The parameters if the path does not name the kind.
    private static let kindlessParameters =
        searchParameters + [
            .choice("category", ["multi"] + TMDbKind.searched.map(\.rawValue), "What is searched.", default: "multi")
        ]
    static let detailParameters =
        languageParameters + [
            QuestionParameter(
                "append", .pattern("^[a-z0-9_/]{1,40}$"), "Further records to append, at most 20 names.",
                example: "credits"
            ).list.or("append_to_response")
        ]
    static func kindCapture(_ words: [String]) -> QuestionParameter {
        .choice("kind", words, "What it is.", example: "movie")
    }
    static let spanCapture = QuestionParameter.choice("span", ["day", "week"], "The span of time: day or week.")
    static let idCapture = QuestionParameter(
        "id", .pattern("^[1-9][0-9]{0,9}$"), "The record's number, or the name of a list.", example: "101")

    public func endpoint(path: [String], query: QueryParameters) throws(ClientFacingError) -> Endpoint {
        switch (path.first, path.count) {
        case ("search", 1), ("search", 2): return try search(path, query)
        case ("configuration", 1):
            _ = try QuestionReader(empty: query)
            return configuration()
        case ("genres", 2):
            let word = try word("kind", path[1], among: TMDbGenres.kinds.map(\.rawValue))
            let reader = try QuestionReader(query, allowed: Self.languageParameters)
            return genres(TMDbKind(rawValue: word) ?? .movie, try language(reader) ?? "en-US")
        case ("trending", 3):
            let kind = try word("kind", path[1], among: ["all"] + TMDbKind.searched.map(\.rawValue))
            let span = try word("span", path[2], among: ["day", "week"])
            let reader = try QuestionReader(query, allowed: Self.pageParameters)
            return list(
                Listing(
                    "trending", [("of", kind), ("span", span)], "/3/trending/\(kind)/\(span)", TMDbKind(rawValue: kind)),
                try page(reader))
        case (let first?, 2):
            guard let kind = TMDbKind(rawValue: first == "series" ? "tv" : first), TMDbKind.searched.contains(kind)
            else {
                throw ProviderError.noRoute(path, provider: about)
            }
            if !path[1].isEmpty, path[1].utf8.allSatisfy(ASCII.isDigit) {
                return try details(kind, path[1], query)
            }
            let name = try Self.list(path[1], of: kind)
            let reader = try QuestionReader(query, allowed: Self.pageParameters)
            return list(
                Listing("list", [("of", kind.rawValue), ("list", name)], "/3/\(kind.rawValue)/\(name)", kind),
                try page(reader))
        default: throw ProviderError.noRoute(path, provider: about)
        }
    }

    public func search(_ request: SearchRequest) throws(ClientFacingError) -> Endpoint {
        let term = QuestionReader.collapsed(request.term)
        guard !term.isEmpty else { throw .missing("q", "A search needs a term.") }
        if let category = request.category, !about.categories.contains(category) {
            throw .invalid("category", "TMDb has no such category.", allowed: about.categories)
        }
        if let country = request.country, !QuestionReader.isTwoLetters(country) {
            throw .invalid("country", "\"country\" is not a two-letter code.")
        }
        return search(
            term, request.category.flatMap { TMDbKind(rawValue: $0) },
            Page(
                // A language that is not in a form this API knows is left out instead of failing the whole search.
                language: request.language.flatMap { Self.languageTag($0) }, region: request.country?.uppercased(),
                limit: request.limit.map { min(max($0, 1), 20) }, sort: request.sort ?? .relevance),
            year: nil, adult: false)
    }

    /// The parameters that all lists have.
    private struct Page {
        var language: String?
        var region: String?
        var page = 1
        var limit: Int?
        var sort: SortOrder
    }

    private func page(_ reader: QuestionReader) throws(ClientFacingError) -> Page {
        let first = try reader.twoLetters("region")
        let second = try reader.twoLetters("country")
        if first != nil, second != nil {
            throw .conflicting("country", "\"country\" is another name of \"region\": give one of them.")
        }
        return Page(
            language: try language(reader), region: (first ?? second)?.uppercased(),
            // The API refuses later pages, however many it reports.
            page: try reader.number("page", in: 1...500) ?? 1, limit: try reader.number("limit", in: 1...20),
            sort: try reader.sort(Self.facts.sorts) ?? .relevance)
    }

    private func language(_ reader: QuestionReader) throws(ClientFacingError) -> String? {
        guard let text = try reader.text("language", or: "lang") else { return nil }
        guard let tag = Self.languageTag(text) else {
            throw .invalid("language", "\"language\" is a code such as de or pt-BR.")
        }
        return tag
    }

    /// Normalises a language tag: "PT_br" becomes "pt-BR", "pt" stays. Nil for anything else.
    static func languageTag(_ text: String) -> String? {
        let parts = text.split(whereSeparator: { $0 == "-" || $0 == "_" }).map(String.init)
        guard (1...2).contains(parts.count), parts.allSatisfy(QuestionReader.isTwoLetters) else { return nil }
        return ([parts[0].lowercased()] + parts.dropFirst().map { $0.uppercased() }).joined(separator: "-")
    }

    private func word(_ name: String, _ text: String, among words: [String]) throws(ClientFacingError) -> String {
        guard let word = words.first(where: { ASCII.equalFolded($0, text) }) else {
            throw .invalid(name, "\"\(text)\" is not one of the allowed words.", allowed: words)
        }
        return word
    }

    /// The API's name of a list. Hyphens are accepted, and "top" for "top_rated".
    private static func list(_ text: String, of kind: TMDbKind) throws(ClientFacingError) -> String {
        let name = text.lowercased().replacing("-", with: "_")
        guard let found = kind.lists.first(where: { $0 == name || name == "top" && $0 == "top_rated" }) else {
            throw ClientFacingError(
                status: 404, code: "noSuchRoute", detail: "There is no such list. A record is named by its number.",
                parameter: "list", allowed: kind.lists, provider: facts.name)
        }
        return found
    }

    private func search(_ path: [String], _ query: QueryParameters) throws(ClientFacingError) -> Endpoint {
        let mayNameKind = path.count == 1 || query.items.contains { $0.name == "category" }
        let reader = try QuestionReader(query, allowed: mayNameKind ? Self.kindlessParameters : Self.searchParameters)
        guard let term = try reader.text("q", or: "query") else {
            throw .missing("q", "What is searched? q=…")
        }
        let kinds = ["multi"] + about.categories
        let given = try reader.word("category", among: kinds)
        if given != nil, path.count == 2 { throw .conflicting("category", "The path names the category already.") }
        let named = try path.count == 2 ? word("category", path[1], among: kinds) : given ?? "multi"
        let kind = TMDbKind(rawValue: named)
        let year = try reader.number("year", in: 1800...2200)
        if year != nil, kind != .movie, kind != .tv {
            throw .conflicting("year", "Only films and series can be searched by year.")
        }
        return search(term, kind, try page(reader), year: year, adult: try reader.flag("explicit") ?? false)
    }

    /// - Parameter kind: the kind to search; nil for all kinds.
    private func search(_ term: String, _ kind: TMDbKind?, _ page: Page, year: Int?, adult: Bool) -> Endpoint {
        let name = kind?.rawValue ?? "multi"
        var items: [(String, String?)] = [("query", term), ("year", year.map(String.init))]
        items.append(("include_adult", adult ? "true" : nil))
        return list(
            Listing(
                "search", [("q", term), ("category", name), ("year", year.map(String.init)), ("explicit", "\(adult)")],
                "/3/search/\(name)", kind, items),
            page)
    }

    /// A question whose answer is a list.
    private struct Listing {
        let name: String
        /// The parameters that distinguish it from other questions of the same name.
        let identity: [(String, String?)]
        let path: String
        /// The kind of all records; nil if kinds are mixed.
        let kind: TMDbKind?
        let items: [(String, String?)]

        init(
            _ name: String, _ identity: [(String, String?)], _ path: String, _ kind: TMDbKind?,
            _ items: [(String, String?)] = []
        ) {
            self.name = name
            self.identity = identity
            self.path = path
            self.kind = kind
            self.items = items
        }

        /// Whether the API uses the region. For other lists, questions that differ only in the region are one question.
        var takesRegion: Bool { kind == .movie && name != "trending" }
    }

    private func list(_ listing: Listing, _ page: Page) -> Endpoint {
        var builder = QuestionBuilder()
        for (name, value) in listing.identity { builder.add(name, value) }
        let region = listing.takesRegion ? page.region : nil
        builder.add("language", page.language ?? "en-US")
        builder.add("region", region)
        builder.add("page", page.page)
        builder.add("limit", page.limit)
        builder.add("sort", page.sort.rawValue)
        let language = page.language ?? "en-US"
        let items = listing.items + [("language", page.language), ("region", region), ("page", "\(page.page)")]
        return question(
            listing.name, builder, Self.request(listing.path, items),
            genres: TMDbGenres.calls(listing.kind, language: language), language
        ) { response, tables, signer throws(NormaliseError) in
            try TMDbResults.list(
                response, tables, signer, kind: listing.kind,
                ListWish(limit: page.limit, sort: page.sort, language: language))
        }
    }

    private func details(
        _ kind: TMDbKind, _ id: String, _ query: QueryParameters
    ) throws(ClientFacingError) -> Endpoint {
        guard id.utf8.count <= 10, let number = Int(id), number > 0 else {
            throw .invalid("id", "A record is named by its number.")
        }
        let reader = try QuestionReader(query, allowed: Self.detailParameters)
        let language = try language(reader)
        if try reader.text("append", maxLength: 8000) != nil,
            try reader.text("append_to_response", maxLength: 8000) != nil
        {
            throw .conflicting("append", "\"append\" is another name of \"append_to_response\": give one of them.")
        }
        var names = try reader.list("append", max: 20) ?? []
        if names.isEmpty { names = try reader.list("append_to_response", max: 20) ?? [] }
        let appended = Set(names).sorted()
        for name in appended
        where !name.utf8.allSatisfy({ ASCII.isLowercaseLetter($0) || $0 == 0x5F || $0 == 0x2F || ASCII.isDigit($0) }) {
            throw .invalid("append", "\"\(name)\" cannot be appended; use names such as credits or images.")
        }
        var builder = QuestionBuilder()
        builder.add("of", kind.rawValue)
        builder.add("id", number)
        builder.add("language", language ?? "en-US")
        builder.add("append", appended.isEmpty ? nil : appended.joined(separator: ","))
        return question(
            "details", builder,
            Self.request(
                "/3/\(kind.rawValue)/\(number)",
                [
                    ("language", language),
                    ("append_to_response", appended.isEmpty ? nil : appended.joined(separator: ",")),
                ])
        ) { response, tables, signer throws(NormaliseError) in
            try TMDbResults.details(response, tables, signer, kind: kind)
        }
    }

    private func configuration() -> Endpoint {
        Endpoint(
            provider: about.name, name: "configuration", parameters: [], upstream: TMDbPlan.configuration.request,
            query: QuestionBuilder().query,
            normalise: { response, _ throws(NormaliseError) in try TMDbResults.configuration(response) })
    }

    private func genres(_ kind: TMDbKind, _ language: String) -> Endpoint {
        var builder = QuestionBuilder()
        builder.add("of", kind.rawValue)
        builder.add("language", language)
        return Endpoint(
            provider: about.name, name: "genres", parameters: builder.parameters,
            upstream: TMDbGenres.request(kind, language), query: builder.query,
            normalise: { response, _ throws(NormaliseError) in try TMDbGenres.results(response, kind) })
    }

    private static func request(_ path: String, _ items: [(String, String?)]) -> UpstreamRequest {
        let present = items.compactMap { name, value in value.map { QueryParameters.Item(name, $0) } }
        return UpstreamRequest(path: path, query: form.encode(present))
    }

    private func question(
        _ name: String, _ builder: QuestionBuilder, _ request: UpstreamRequest, genres: [PlannedCall] = [],
        _ language: String = "en-US", read: @escaping TMDbPlan.Reading
    ) -> Endpoint {
        Endpoint(
            provider: about.name, name: name, parameters: builder.parameters, subject: request, query: builder.query,
            plan: TMDbPlan(
                PlannedCall(name, request, role: .subject), genres: genres, language: language, read: read))
    }
}

extension TMDb {
    static let form = CanonicalQuery(
        defaults: ["page": "1", "include_adult": "false", "language": "en-US"], upperCase: ["region"],
        lowerCase: ["include_adult"], collapsed: ["query"], dropped: ["api_key"])

    public func canonical(_ request: UpstreamRequest) -> UpstreamRequest {
        var request = request
        request.query = Self.form.canonical(request.query)
        for name in about.credentialFieldNames { request.fields.remove(name) }
        return request
    }

    private static let searches: Set = ["multi", "movie", "tv", "person", "collection", "company", "keyword"]
    private static let trends: Set = ["all", "movie", "tv", "person"]

    public func endpointName(for request: UpstreamRequest) -> String {
        let segments = request.path.split(separator: "/").map(String.init)
        guard segments.first == "3", segments.count > 1 else { return "other" }
        switch (segments[1], segments.count) {
        case ("search", 3): return Self.searches.contains(segments[2]) ? "search" : "other"
        case ("trending", 4):
            return Self.trends.contains(segments[2]) && ["day", "week"].contains(segments[3]) ? "trending" : "other"
        case ("configuration", 2): return "configuration"
        case ("genre", 4):
            let isKnown = TMDbGenres.kinds.contains { $0.rawValue == segments[2] } && segments[3] == "list"
            return isKnown ? "genres" : "other"
        case (let name, 3...):
            guard let kind = TMDbKind(rawValue: name), TMDbKind.searched.contains(kind) else { return "other" }
            if segments.count == 3, kind.lists.contains(segments[2]) { return "list" }
            return segments.count == 3 && segments[2].utf8.allSatisfy(ASCII.isDigit) ? "details" : "other"
        default: return "other"
        }
    }
}

extension TMDb {
    public func kinds(of category: String?) -> [String]? {
        guard let category else { return TMDbKind.searched.map(\.kind) }
        return TMDbKind(rawValue: category).map { [$0.kind] }
    }
}
