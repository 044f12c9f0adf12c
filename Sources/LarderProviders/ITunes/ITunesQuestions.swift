// Questions to iTunes: `/v1/itunes/search`, `/v1/itunes/lookup` and iTunes' part of `/v1/search`.
import LarderCore

extension ITunes {
    static let searchParameters: [QuestionParameter] = [
        .text("term", "The search term.", example: "jack johnson").or("q").required,
        .choice(
            "category", ITunesCategory.allCases.map(\.rawValue), "A category: a name for a media and an entity.",
            example: "music"),
        .choice("media", ITunesTables.media, "The media.", example: "music", default: "all"),
        .choice("entity", ITunesTables.allEntities, "The entity; each media has its own.", example: "song")
            .absentIfEmpty,
        .choice(
            "attribute", ITunesTables.attributes(of: nil),
            "The attribute in which the term is searched for; each media has its own.",
            example: "artistTerm"),
        .limit(1...200, default: 50),
        .number("offset", 0...100_000, "How many results to skip.", example: "0", default: "0"),
        country, language, .explicit, .sort(SortOrder.allCases),
    ]
    private static let country = QuestionParameter(
        "country", .pattern("^[A-Za-z]{2}$"), "The country of the store (ISO 3166-1).", example: "US",
        default: "US")
    private static let language = QuestionParameter(
        "lang", .pattern("^([A-Za-z]{2}[_-][A-Za-z]{2}|en|ja)$"), "A language with a country.", example: "en_us",
        default: "en_us")
    private static let keys: [QuestionParameter] = [
        QuestionParameter("id", .pattern("^[0-9]{1,20}$"), "Ids in the store.", example: "1440857781").list,
        QuestionParameter("upc", .pattern("^[0-9]{8,14}$"), "UPCs of albums.", example: "720642462928").list,
        QuestionParameter("isbn", .pattern("^[0-9]{13}$"), "ISBNs of books.", example: "9780316069359").list,
        QuestionParameter(
            "bundleId", .pattern("^[A-Za-z0-9._-]{1,155}$"), "Bundle ids of apps.", example: "com.example.notes"
        ).list,
        QuestionParameter("amgArtistId", .pattern("^[0-9]{1,20}$"), "Artists of AMG.", example: "468749").list,
        QuestionParameter("amgAlbumId", .pattern("^[0-9]{1,20}$"), "Albums of AMG.", example: "15175").list,
        QuestionParameter("amgVideoId", .pattern("^[0-9]{1,20}$"), "Videos of AMG.", example: "17120").list,
    ]
    static let lookupParameters =
        keys + [
            .choice(
                "entity", ITunesTables.allEntities, "Related entities to return with the record.", example: "album"
            )
            .absentIfEmpty,
            .limit(1...200), country, language, .sort(SortOrder.allCases.map(\.rawValue) + ["recent"]),
        ]

    public func endpoint(path: [String], query: QueryParameters) throws(ClientFacingError) -> Endpoint {
        switch path {
        case ["search"]: try Self.search(QuestionReader(query, allowed: Self.searchParameters))
        case ["lookup"]: try Self.lookup(QuestionReader(query, allowed: Self.lookupParameters))
        default: throw ProviderError.noRoute(path, provider: about)
        }
    }

    public func search(_ request: SearchRequest) throws(ClientFacingError) -> Endpoint {
        var search = Search(term: QuestionReader.collapsed(request.term))
        guard !search.term.isEmpty else { throw .missing("q", "A search needs a term.") }
        if let category = request.category {
            guard let known = ITunesCategory(rawValue: category) else {
                throw .invalid("category", "iTunes has no such category.", allowed: about.categories)
            }
            (search.media, search.entity) = known.question
        }
        if let limit = request.limit { search.limit = min(max(limit, 1), 200) }
        if let country = request.country { search.country = try Self.country(country) }
        // A language that iTunes does not support is not sent. The response is then in English.
        if let language = request.language, let known = Self.language(language) { search.language = known }
        search.explicit = request.explicit ?? true
        search.sort = request.sort ?? .relevance
        return search.endpoint
    }

    /// One search with every parameter decided.
    struct Search: Sendable {
        var term: String
        var media: String?
        var entity: String?
        var attribute: String?
        var limit = 50
        var offset = 0
        var country = "US"
        var language = "en_us"
        var explicit = true
        var sort = SortOrder.relevance

        var endpoint: Endpoint {
            var question = QuestionBuilder()
            question.add("term", term)
            question.add("media", media)
            question.add("entity", entity)
            question.add("attribute", attribute)
            question.add("limit", limit)
            question.add("offset", offset == 0 ? nil : offset)
            question.add("country", country)
            question.add("lang", language)
            question.add("explicit", explicit)
            question.add("sort", sort.rawValue)
            let wanted = ListStretch(start: offset, count: limit)
            var endpoint = ITunes.endpoint("search", question, items(wanted), sort: sort, language: language)
            endpoint.wider = {
                wanted.widerAnywhere(longest: 200).map { stored in
                    WiderAnswer(ITunes.request("search", items(stored))) {
                        [sort, language] response, signer throws(NormaliseError) in
                        try ITunesResults.normalise(
                            response, signer, sort: sort, language: language, wanted, of: stored)
                    }
                }
            }
            return endpoint
        }

        private func items(_ stretch: ListStretch) -> [(String, String?)] {
            [
                ("term", term), ("media", media), ("entity", entity), ("attribute", attribute),
                ("limit", "\(stretch.count)"), ("offset", "\(stretch.start)"), ("country", country),
                ("lang", language), ("explicit", explicit ? "Yes" : "No"),
            ]
        }
    }

    private static func search(_ reader: QuestionReader) throws(ClientFacingError) -> Endpoint {
        guard let term = try reader.text("q", or: "term") else {
            throw .missing("term", "A search needs a term: write term=… or q=….")
        }
        var search = Search(term: term)
        let category = try reader.word("category", among: ITunesCategory.allCases.map(\.rawValue))
        let media = try reader.word("media", among: ITunesTables.media)
        let entity = try reader.word("entity", of: ITunesTables.allEntities, among: ITunesTables.entities(of: media))
        if let category = category.flatMap(ITunesCategory.init) {
            guard media == nil, entity == nil else {
                throw .conflicting(
                    "category", "A category stands for a media and an entity: give it or those two, not both.")
            }
            (search.media, search.entity) = category.question
        } else if media == "ebook" {
            search.entity = "ebook"
        } else {
            search.media = media == "all" ? nil : media
            search.entity = entity
        }
        let attributed = category == "ebooks" ? "ebook" : search.media ?? media
        search.attribute = try reader.word(
            "attribute", of: ITunesTables.attributes(of: nil), among: ITunesTables.attributes(of: attributed))
        if let limit = try reader.number("limit", in: 1...200) { search.limit = limit }
        if let offset = try reader.number("offset", in: 0...100_000) { search.offset = offset }
        if let country = try reader.text("country") { search.country = try Self.country(country) }
        if let language = try reader.text("lang") { search.language = try Self.knownLanguage(language) }
        search.explicit = try reader.flag("explicit") ?? true
        search.sort = try reader.sort(SortOrder.allCases) ?? .relevance
        return search.endpoint
    }

    private static func lookup(_ reader: QuestionReader) throws(ClientFacingError) -> Endpoint {
        var given: [(name: String, value: String)] = []
        for name in ITunesTables.lookupKeys {
            guard let parts = try reader.list(name, max: 200) else { continue }
            given.append(
                (
                    name,
                    try parts.map { part throws(ClientFacingError) in try identifier(part, name) }.joined(
                        separator: ",")
                ))
        }
        guard let key = given.first else {
            throw .missing(
                "id", "A look-up needs one of: \(ITunesTables.lookupKeys.joined(separator: ", ")).")
        }
        guard given.count == 1 else {
            throw .conflicting(
                given[1].name, "A look-up takes one kind of key, not both \"\(key.name)\" and \"\(given[1].name)\".",
                allowed: ITunesTables.lookupKeys)
        }
        let entity = try reader.word("entity", among: ITunesTables.allEntities)
        let limit = try reader.number("limit", in: 1...200)
        let country =
            try reader.text("country").map { text throws(ClientFacingError) in try Self.country(text) } ?? "US"
        let language =
            try reader.text("lang").map { text throws(ClientFacingError) in try knownLanguage(text) } ?? "en_us"
        // "recent" is the API's own order (an artist's newest albums first). Larder sorts the other orders itself.
        let sort = try reader.word("sort", among: SortOrder.allCases.map(\.rawValue) + ["recent"]) ?? "relevance"
        var question = QuestionBuilder()
        question.add(key.name, key.value)
        question.add("entity", entity)
        question.add("limit", limit)
        question.add("country", country)
        question.add("lang", language)
        question.add("sort", sort)
        let items: [(String, String?)] = [
            (key.name, key.value), ("entity", entity), ("limit", limit.map(String.init)), ("country", country),
            ("lang", language), ("sort", sort == "recent" ? sort : nil),
        ]
        return endpoint(
            "lookup", question, items, sort: SortOrder(rawValue: sort) ?? .relevance, language: language)
    }

    private static func endpoint(
        _ name: String, _ question: QuestionBuilder, _ items: [(String, String?)], sort: SortOrder, language: String
    ) -> Endpoint {
        Endpoint(
            provider: facts.name, name: name, parameters: question.parameters, upstream: request(name, items),
            query: question.query,
            normalise: { response, signer throws(NormaliseError) in
                try ITunesResults.normalise(response, signer, sort: sort, language: language)
            })
    }

    private static func request(_ name: String, _ items: [(String, String?)]) -> UpstreamRequest {
        let present = items.compactMap { name, value in value.map { QueryParameters.Item(name, $0) } }
        let form = name == "search" ? searchForm : lookupForm
        return UpstreamRequest(path: "/" + name, query: form.encode(present))
    }

    /// Validates an identifier: a number of at most 20 digits, a bundle id, or an ISBN, whose hyphens are removed.
    private static func identifier(_ text: String, _ name: String) throws(ClientFacingError) -> String {
        if name == "bundleId" {
            guard text.utf8.count <= 155, text.utf8.allSatisfy({ PercentCoding.isUnreserved($0) && $0 != 0x7E }) else {
                throw .invalid(name, "\"\(text)\" is not a bundle id such as com.example.app.")
            }
            return text
        }
        let digits = name == "isbn" ? text.filter { $0 != "-" && $0 != " " } : text
        let lengths = name == "isbn" ? 13...13 : name == "upc" ? 8...14 : 1...20
        guard lengths.contains(digits.utf8.count), digits.utf8.allSatisfy(ASCII.isDigit) else {
            let wanted =
                lengths.lowerBound == lengths.upperBound
                ? "\(lengths.lowerBound)" : "\(lengths.lowerBound) to \(lengths.upperBound)"
            throw .invalid(name, "\"\(name)\" must be numbers of \(wanted) digits, separated by commas.")
        }
        return digits
    }

    private static func country(_ text: String) throws(ClientFacingError) -> String {
        guard QuestionReader.isTwoLetters(text) else {
            throw .invalid("country", "\"country\" is a code of two letters (ISO 3166-1), such as US or DE.")
        }
        return text.uppercased()
    }

    /// A language as "xx_yy" in lower case, from any usual spelling. "en" and "ja" mean the two forms that Apple names.
    private static func language(_ text: String) -> String? {
        let parts = text.lowercased().split(whereSeparator: { $0 == "_" || $0 == "-" })
        guard parts.allSatisfy({ QuestionReader.isTwoLetters(String($0)) }) else { return nil }
        switch parts.count {
        case 1: return ["en": "en_us", "ja": "ja_jp"][String(parts[0])]
        case 2: return parts.joined(separator: "_")
        default: return nil
        }
    }

    private static func knownLanguage(_ text: String) throws(ClientFacingError) -> String {
        guard let known = language(text) else {
            throw .invalid("lang", "\"lang\" is a language with its country.", allowed: ["en_us", "ja_jp", "xx_yy"])
        }
        return known
    }
}

extension ITunes {
    static let searchForm = CanonicalQuery(
        defaults: [
            "media": "all", "limit": "50", "offset": "0", "country": "US", "lang": "en_us", "version": "2",
            "explicit": "Yes",
        ],
        upperCase: ["country"], lowerCase: ["lang"], capitalised: ["explicit"], collapsed: ["term"])
    static let lookupForm = CanonicalQuery(
        defaults: ["country": "US", "lang": "en_us", "version": "2"], upperCase: ["country"], lowerCase: ["lang"])

    public func canonical(_ request: UpstreamRequest) -> UpstreamRequest {
        var request = request
        switch request.path {
        case "/search": request.query = Self.searchForm.canonical(request.query)
        case "/lookup": request.query = Self.lookupForm.canonical(request.query)
        // For any other path of this host, only the order of the parameters is normalised. The API ignores the order.
        default: request.query = CanonicalQuery().canonical(request.query)
        }
        return request
    }

    /// The endpoint is the last segment, because a storefront may precede it: "/gb/lookup".
    public func endpointName(for request: UpstreamRequest) -> String {
        let segments = request.path.split(separator: "/")
        guard segments.count == 1 || segments.count == 2 && segments[0].utf8.count == 2 else { return "other" }
        return ["search", "lookup"].first { segments[segments.count - 1] == $0 } ?? "other"
    }

    public func credentialFields(key: String) -> HeaderFields { [:] }
}

extension ITunes {
    public func kinds(of category: String?) -> [String]? {
        guard let category else { return [] }
        return switch ITunesCategory(rawValue: category) {
        case .all: []
        case .music: ["song", "album", "musicVideo", "track", "artist"]
        case .software: ["software", "macSoftware"]
        case .ebooks: ["ebook"]
        case nil: nil
        }
    }
}
