// Searches of Hacker News at Algolia: tags, numeric filters, pages. Only the first thousand hits can be reached.
// Algolia has recently begun to refuse filters on points and comments, so Larder applies them to all reachable hits.
import LarderCore

extension HackerNews {
    static let tagWords = [
        "story", "comment", "poll", "pollopt", "job", "show_hn", "ask_hn", "front_page",
    ]
    /// The number of hits that Algolia returns of any search.
    static let reach = 1000

    public func search(_ request: SearchRequest) throws(ClientFacingError) -> Endpoint {
        let term = QuestionReader.collapsed(request.term)
        guard !term.isEmpty else { throw .missing("q", "A search needs a term.") }
        let tags = ["story", "comment", "ask_hn", "show_hn", "job", "poll"]
        guard let category = about.categories.firstIndex(of: request.category ?? "stories") else {
            throw .invalid("category", "Hacker News has no such category.", allowed: about.categories)
        }
        return Self.search(
            term: term, tags: tags[category], filters: [], limit: min(max(request.limit ?? 20, 1), 200), page: 1,
            sort: request.sort ?? .relevance)
    }

    static func search(_ query: QueryParameters, isRecent: Bool) throws(ClientFacingError) -> Endpoint {
        let reader = try QuestionReader(query, allowed: isRecent ? recentParameters : searchParameters)
        let term = try reader.text("q", or: "query")
        let tags = try reader.text("tags").map { text throws(ClientFacingError) in try HackerNewsTags.canonical(text) }
        let filters = try (reader.list("numericFilters", max: 10) ?? []).map { text throws(ClientFacingError) in
            try HackerNewsFilter(text)
        }
        guard term != nil || tags != nil || !filters.isEmpty || isRecent else {
            throw .missing("q", "A search needs one of: q, tags, numericFilters.")
        }
        let limit = try reader.number("limit", in: 1...reach) ?? 20
        let page = try reader.number("page", in: 1...reach) ?? 1
        guard (page - 1) * limit < reach else {
            throw .conflicting(
                "page", "Only the first \(reach) hits of a search can be reached. Narrow it down with created_at_i.")
        }
        return search(
            term: term, tags: tags, filters: filters, limit: limit, page: page,
            sort: isRecent ? .date : try reader.sort(facts.sorts) ?? .relevance)
    }

    private static func search(
        term: String?, tags: String?, filters: [HackerNewsFilter], limit: Int, page: Int, sort: SortOrder
    ) -> Endpoint {
        let filters = filters.sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
        var question = QuestionBuilder()
        question.add("q", term)
        question.add("tags", tags)
        question.add("numericFilters", filters.isEmpty ? nil : filters.map(\.text).joined(separator: ","))
        question.add("limit", limit)
        question.add("page", page == 1 ? nil : page)
        question.add("sort", sort.rawValue)
        let own = filters.filter { !$0.isAlgolias }
        let sent = filters.filter(\.isAlgolias).map(\.text).joined(separator: ",")
        let name = sort == .date ? "recent" : "search"
        let path = sort == .date ? "/api/v1/search_by_date" : "/api/v1/search"
        @Sendable func request(_ hits: Int, _ page: Int?) -> UpstreamRequest {
            let items: [(String, String?)] = [
                ("query", term), ("tags", tags), ("numericFilters", sent.isEmpty ? nil : sent),
                ("page", page.map { String($0 - 1) }), ("hitsPerPage", String(hits)),
            ]
            return UpstreamRequest(
                path: path,
                query: searchForm.encode(
                    items.compactMap { name, value in value.map { QueryParameters.Item(name, $0) } }))
        }
        var endpoint = Endpoint(
            provider: facts.name, name: name, parameters: question.parameters,
            upstream: own.isEmpty ? request(limit, page) : request(reach, nil), query: question.query,
            normalise: { response, _ throws(NormaliseError) in
                try HackerNewsResults.hits(
                    response, filters: own, start: own.isEmpty ? 0 : (page - 1) * limit, limit: limit,
                    sort: sort == .name ? .name : .relevance)
            })
        // Larder's own filters already read all reachable hits, so no other question has a wider answer.
        guard own.isEmpty else { return endpoint }
        let wanted = ListStretch(start: (page - 1) * limit, count: limit)
        endpoint.wider = {
            wanted.widerPages(longest: reach).map { stored in
                WiderAnswer(request(stored.count, stored.start / stored.count + 1)) {
                    response, _ throws(NormaliseError) in
                    guard let hits = HackerNewsResults.value(response)?["hits"], hits.kind == .array,
                        let places = wanted.places(in: stored, records: hits.count)
                    else { return nil }
                    return try HackerNewsResults.hits(
                        response, filters: [], start: places.lowerBound, limit: places.count,
                        sort: sort == .name ? .name : .relevance)
                }
            }
        }
        return endpoint
    }
}

/// `tags`: words separated by commas, all of which must match. Of a group in brackets, one must match.
enum HackerNewsTags {
    /// The tags without white space, in one order. A word that contains a name keeps its case.
    static func canonical(_ text: String) throws(ClientFacingError) -> String {
        let text = text.filter { !$0.isWhitespace }
        var terms: [String] = []
        var rest = text[...]
        while true {
            if rest.first == "(" {
                guard let close = rest.firstIndex(of: ")") else { throw unclosed }
                let inside = rest[rest.index(after: rest.startIndex)..<close]
                let words = try inside.split(separator: ",", omittingEmptySubsequences: false).map {
                    word throws(ClientFacingError) in try self.word(word)
                }
                terms.append(words.count == 1 ? words[0] : "(\(Set(words).sorted().joined(separator: ",")))")
                rest = rest[rest.index(after: close)...]
            } else {
                let end = rest.firstIndex(of: ",") ?? rest.endIndex
                terms.append(try word(rest[..<end]))
                rest = rest[end...]
            }
            if rest.isEmpty { break }
            guard rest.first == "," else { throw unclosed }
            rest.removeFirst()
        }
        return Set(terms).sorted().joined(separator: ",")
    }

    private static var unclosed: ClientFacingError {
        .invalid("tags", "\"tags\" must be a list such as story,author_pg or (story,poll),show_hn.")
    }

    private static func word(_ word: Substring) throws(ClientFacingError) -> String {
        if let known = HackerNews.tagWords.first(where: { ASCII.equalFolded($0, String(word)) }) { return known }
        if word.hasPrefix("author_"), HackerNews.isUserName(String(word.dropFirst(7))) { return String(word) }
        if word.hasPrefix("story_"), HackerNews.number(String(word.dropFirst(6))) != nil { return String(word) }
        throw .invalid(
            "tags", "\"\(word)\" is not a tag of Hacker News.",
            allowed: HackerNews.tagWords + ["author_NAME", "story_ID"])
    }
}

/// One of `numericFilters`: "points>=100".
struct HackerNewsFilter: Sendable, Hashable {
    enum Field: String, CaseIterable, Sendable { case created = "created_at_i", points, comments = "num_comments" }
    enum Comparison: String, CaseIterable, Sendable {
        // Longer operators come first, because "<=" begins with "<".
        case atMost = "<=", atLeast = ">=", below = "<", above = ">", equal = "="
    }

    var field: Field
    var comparison: Comparison
    var number: Int

    init(_ text: String) throws(ClientFacingError) {
        let text = text.filter { !$0.isWhitespace }
        guard let field = Field.allCases.first(where: { text.hasPrefix($0.rawValue) }),
            case let rest = text.dropFirst(field.rawValue.count),
            let comparison = Comparison.allCases.first(where: { rest.hasPrefix($0.rawValue) }),
            case let digits = rest.dropFirst(comparison.rawValue.count),
            (1...12).contains(digits.utf8.count), digits.utf8.allSatisfy(ASCII.isDigit),
            let number = Int(digits)
        else {
            throw .invalid(
                "numericFilters", "\"\(text)\" is not a filter such as points>=100 or created_at_i<1700000000.",
                allowed: Field.allCases.map(\.rawValue))
        }
        self.field = field
        self.comparison = comparison
        self.number = number
    }

    var text: String { "\(field.rawValue)\(comparison.rawValue)\(number)" }

    /// Whether Algolia applies the filter itself.
    var isAlgolias: Bool { field == .created }

    /// Whether a value passes the filter. A missing value never does.
    func passes(_ figure: Int?) -> Bool {
        guard let figure else { return false }
        return switch comparison {
        case .atMost: figure <= number
        case .atLeast: figure >= number
        case .below: figure < number
        case .above: figure > number
        case .equal: figure == number
        }
    }
}
