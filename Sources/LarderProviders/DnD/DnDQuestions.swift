// Questions to the D&D API. Lists are complete and are kept for days, so a search by name reads the stored list instead
// of making an upstream call for every word. Only filters on values that the list lacks are sent upstream.
import LarderCore

/// The collections that have typed routes. The rest of the API is available through `/raw`.
enum DnDCollection: String, CaseIterable, Sendable {
    case monsters
    case equipment
    case spells

    /// The kind of the collection's results.
    var kind: String {
        switch self {
        case .monsters: "monster"
        case .equipment: "equipment"
        case .spells: "spell"
        }
    }

    /// The filters other than `name`, with the API's names for them.
    var filters: [(parameter: QuestionParameter, upstream: String)] {
        switch self {
        case .monsters: [(Self.challengeRating, "challenge_rating")]
        case .equipment: []
        case .spells: [(Self.level, "level"), (Self.school, "school")]
        }
    }

    private static let number = ParameterForm.pattern("^([0-9]|[12][0-9]|30|0[.](125|25|5))$")
    private static let challengeRating = QuestionParameter(
        "challengeRating", number, "Challenge ratings from 0 to 30; monsters only.", example: "10"
    ).list
    private static let level = QuestionParameter(
        "level", number, "Levels from 0 to 30; spells only.", example: "2"
    ).list
    private static let school = QuestionParameter.text(
        "school", "A school of magic; spells only.", example: "evocation", longest: 100)
}

extension DnD {
    static let editions = ["2014", "2024"]

    /// The API's lists in each edition.
    static let collections: [String: Set<String>] = [
        "2014": [
            "ability-scores", "alignments", "backgrounds", "classes", "conditions", "damage-types", "equipment",
            "equipment-categories", "feats", "features", "languages", "magic-items", "magic-schools", "monsters",
            "proficiencies", "races", "rule-sections", "rules", "skills", "spells", "subclasses", "subraces", "traits",
            "weapon-properties",
        ],
        "2024": [
            "ability-scores", "alignments", "backgrounds", "classes", "conditions", "damage-types", "equipment",
            "equipment-categories", "feats", "features", "languages", "magic-items", "magic-schools", "monsters",
            "poisons", "proficiencies", "skills", "species", "subclasses", "subspecies", "traits",
            "weapon-mastery-properties", "weapon-properties",
        ],
    ]

    private static let edition = QuestionParameter.choice(
        "edition", editions, "The edition of the rules. The edition of 2024 has no spells.", default: "2014")
    private static let usualParameters = [
        .text("name", "A text in the name.", example: "dragon", longest: 200), edition, .limit(1...1000),
        .sort([SortOrder.relevance, .name]),
    ]
    /// The parameters of all collections together.
    static let listParameters = usualParameters + DnDCollection.allCases.flatMap(\.filters).map(\.parameter)
    static let detailParameters = [edition]
    static let collectionCapture = QuestionParameter.choice(
        "collection", DnDCollection.allCases.map(\.rawValue), "The collection.")
    static let indexCapture = QuestionParameter(
        "index", .pattern("^[a-z0-9-]{1,100}$"), "The record's name in its collection.", example: "aboleth")

    public func endpoint(path: [String], query: QueryParameters) throws(ClientFacingError) -> Endpoint {
        guard let first = path.first, let collection = DnDCollection(rawValue: first), path.count <= 2 else {
            throw ProviderError.noRoute(path, provider: about)
        }
        if path.count == 2 {
            let reader = try QuestionReader(query, allowed: Self.detailParameters)
            return try Self.details(collection, path[1], edition: Self.edition(reader, collection))
        }
        let own = Self.usualParameters + collection.filters.map(\.parameter)
        let names = own.flatMap(\.names)
        if let other = query.items.first(where: { item in
            !names.contains(item.name) && Self.listParameters.contains { $0.name == item.name }
        }) {
            var error = ClientFacingError.unknown(other.name, allowed: names)
            error.isConflict = true
            throw error
        }
        return try Self.list(collection, QuestionReader(query, allowed: own))
    }

    /// The category is the collection, with monsters as the default. Each collection needs its own call, so a default
    /// search of all three would triple the load.
    public func search(_ request: SearchRequest) throws(ClientFacingError) -> Endpoint {
        let term = QuestionReader.collapsed(request.term)
        guard !term.isEmpty else { throw .missing("q", "A search needs a term.") }
        guard let collection = DnDCollection(rawValue: request.category ?? "monsters") else {
            throw .invalid("category", "The D&D API has no such category.", allowed: about.categories)
        }
        return Self.list(
            collection, name: term, filters: [], edition: "2014", limit: request.limit, sort: request.sort ?? .relevance
        )
    }

    private static func list(
        _ collection: DnDCollection, _ reader: QuestionReader
    ) throws(ClientFacingError) -> Endpoint {
        var filters: [(String, String)] = []
        for filter in collection.filters {
            guard let value = try filterValue(reader, filter.parameter.name) else { continue }
            filters.append((filter.upstream, value))
        }
        return list(
            collection, name: try reader.text("name", maxLength: 200), filters: filters,
            edition: try edition(reader, collection), limit: try reader.number("limit", in: 1...1000),
            sort: try reader.sort(facts.sorts) ?? .relevance)
    }

    private static func list(
        _ collection: DnDCollection, name: String?, filters: [(String, String)], edition: String, limit: Int?,
        sort: SortOrder
    ) -> Endpoint {
        let name = name?.lowercased()
        var question = QuestionBuilder()
        question.add("collection", collection.rawValue)
        question.add("edition", edition)
        question.add("name", name)
        for (name, value) in filters { question.add(name, value) }
        question.add("limit", limit)
        question.add("sort", sort.rawValue)
        @Sendable func request(_ filters: [(String, String)]) -> UpstreamRequest {
            let items = filters.map { QueryParameters.Item($0.0, $0.1) } + [QueryParameters.Item("lang", "en")]
            return UpstreamRequest(path: "/api/\(edition)/\(collection.rawValue)", query: form.encode(items))
        }
        var endpoint = Endpoint(
            provider: facts.name, name: "list", parameters: question.parameters, upstream: request(filters),
            query: question.query,
            normalise: { response, signer throws(NormaliseError) in
                try DnDResults.list(response, collection: collection, name: name, limit: limit, sort: sort)
            })
        // Of all filter values, the whole list contains only the level of a spell.
        if let filter = filters.first, filters.count == 1, filter.0 == "level" {
            let levels = filter.1.split(separator: ",").map(String.init)
            endpoint.wider = {
                [
                    WiderAnswer(request([])) { response, _ throws(NormaliseError) in
                        try DnDResults.list(
                            response, collection: collection, name: name, levels: levels, limit: limit, sort: sort)
                    }
                ]
            }
        }
        return endpoint
    }

    private static func details(
        _ collection: DnDCollection, _ index: String, edition: String
    ) throws(ClientFacingError) -> Endpoint {
        let index = index.lowercased()
        guard !index.isEmpty, index.utf8.count <= 100,
            index.utf8.allSatisfy({ ASCII.isLowercaseLetter($0) || ASCII.isDigit($0) || $0 == 0x2D })
        else { throw .invalid("index", "An index has letters, digits and hyphens only, as in \"acid-arrow\".") }
        var question = QuestionBuilder()
        question.add("collection", collection.rawValue)
        question.add("edition", edition)
        question.add("index", index)
        return Endpoint(
            provider: facts.name, name: "details", parameters: question.parameters,
            upstream: UpstreamRequest(path: "/api/\(edition)/\(collection.rawValue)/\(index)", query: "lang=en"),
            query: question.query,
            normalise: { response, signer throws(NormaliseError) in
                try DnDResults.details(response, signer, collection: collection)
            })
    }

    /// The 2024 edition has no spells yet.
    private static func edition(
        _ reader: QuestionReader, _ collection: DnDCollection
    ) throws(ClientFacingError) -> String {
        let edition = try reader.word("edition", among: editions) ?? "2014"
        guard collection != .spells || edition == "2014" else {
            throw .conflicting("edition", "There are no spells in the edition of 2024.", allowed: ["2014"])
        }
        return edition
    }

    private static func filterValue(_ reader: QuestionReader, _ name: String) throws(ClientFacingError) -> String? {
        if name == "school" { return try reader.text(name, maxLength: 100)?.lowercased() }
        guard let parts = try reader.list(name, max: 40) else { return nil }
        // The API silently ignores values that are not numbers and would answer another question.
        let numbers = parts.compactMap { Double($0) }.filter { (0...30).contains($0) }
        guard numbers.count == parts.count else {
            throw .invalid(name, "\"\(name)\" takes numbers from 0 to 30, separated by commas (0.25, not 1/4).")
        }
        return Set(numbers).sorted()
            .map { $0 == $0.rounded() ? String(Int($0)) : String($0) }.joined(separator: ",")
    }
}

extension DnD {
    /// Normalises only the order of parameters. The API has many names and filters, most of them used only by `/raw`.
    static let form = CanonicalQuery()

    /// Adds `lang=en` to a raw request without a language. Otherwise the API's own cache would answer in the language
    /// of an earlier client. Requests for pictures are unchanged, because they must not have a query.
    public func canonical(_ request: UpstreamRequest) -> UpstreamRequest {
        var request = request
        if request.path.hasPrefix("/api/images/") { return request }
        guard let parsed = try? QueryParameters(parsing: request.query ?? "") else { return request }
        var items = parsed.items
        if request.path.hasPrefix("/api/"), !items.contains(where: { $0.name == "lang" }) {
            items.append(QueryParameters.Item("lang", "en"))
        }
        request.query = Self.form.encode(items)
        return request
    }

    public func endpointName(for request: UpstreamRequest) -> String {
        let segments = request.path.split(separator: "/")
        guard segments.count >= 3, segments[0] == "api", let lists = Self.collections[String(segments[1])] else {
            return "other"
        }
        // Parts of a record, such as a class's levels, have their own shapes. What is below a path that is not a known
        // collection may be missing like any other resource.
        guard segments.count <= 4, lists.contains(String(segments[2])) else { return "other" }
        return segments.count == 4 ? "details" : "list"
    }

    public func credentialFields(key: String) -> HeaderFields { [:] }
}

extension DnD {
    public func kinds(of category: String?) -> [String]? {
        DnDCollection(rawValue: category ?? "monsters").map { [$0.kind] }
    }
}
