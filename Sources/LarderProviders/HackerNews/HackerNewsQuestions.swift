// Questions to Hacker News: `/v1/hackernews/{top,new,best,ask,show,job}`, `/item/{id}`, `/user/{id}`, `/search`,
// `/recent`, and Hacker News' part of `/v1/search`.
import LarderCore

extension HackerNews {
    /// The longest upstream list has 500 ids. Discussions are read to at most ten levels.
    static let longestList = 500
    static let deepest = 10

    private static let orders: [SortOrder] = [.relevance, .name, .date]
    static let listParameters: [QuestionParameter] = [
        .limit(1...longestList, default: 30), .page(longestList), .sort(orders),
    ]
    static let itemParameters: [QuestionParameter] = [
        .number("depth", 0...deepest, "How many levels of comments to return.", example: "1", default: "1"),
        .number("limit", 1...longestList, "The most comments to return.", default: "100"),
    ]
    static let itemCapture = QuestionParameter(
        "id", .pattern("^[1-9][0-9]{0,11}$"), "The item's number.", example: "1000001")
    static let userCapture = QuestionParameter(
        "id", .pattern("^[A-Za-z0-9_-]{1,40}$"), "The user's name, case-sensitive.", example: "ada")
    /// The order is always by time, so there is no `sort`.
    static let recentParameters: [QuestionParameter] = [
        .text("q", "The search term.", example: "cache").or("query"),
        QuestionParameter(
            "tags", .pattern("^(\(tag)|[(]\(tag)(,\(tag)){0,7}[)])(,\(tag)){0,7}$"),
            "Tags, separated by commas. All must match; of tags in brackets one must match.", example: "story"),
        QuestionParameter(
            "numericFilters", .pattern("^(created_at_i|points|num_comments)(<=|>=|<|>|=)[0-9]{1,12}$"),
            "At most 10 comparisons of numbers, separated by commas.", example: "points>=1"
        ).list,
        .limit(1...reach, default: 20), .page(reach),
    ]
    private static let tag =
        "(\(tagWords.joined(separator: "|"))|author_[A-Za-z0-9_-]{1,40}|story_[1-9][0-9]{0,11})"
    static let searchParameters = recentParameters + [.sort(orders)]

    public func endpoint(path: [String], query: QueryParameters) throws(ClientFacingError) -> Endpoint {
        switch (path.first, path.count) {
        case ("item", 2): return try Self.item(path[1], QuestionReader(query, allowed: Self.itemParameters))
        case ("user", 2): return try Self.user(path[1], QuestionReader(empty: query))
        case ("search", 1): return try Self.search(query, isRecent: false)
        case ("recent", 1): return try Self.search(query, isRecent: true)
        case (let name?, 1):
            guard let list = HackerNewsList(rawValue: name) else { throw ProviderError.noRoute(path, provider: about) }
            return try Self.list(list, QuestionReader(query, allowed: Self.listParameters))
        default: throw ProviderError.noRoute(path, provider: about)
        }
    }

    private static func list(
        _ list: HackerNewsList, _ reader: QuestionReader
    ) throws(ClientFacingError) -> Endpoint {
        let limit = try reader.number("limit", in: 1...longestList) ?? 30
        let page = try reader.number("page", in: 1...longestList) ?? 1
        let sort = try reader.sort(facts.sorts) ?? .relevance
        var question = QuestionBuilder()
        question.add("list", list.rawValue)
        question.add("limit", limit)
        question.add("page", page == 1 ? nil : page)
        question.add("sort", sort.rawValue)
        return Endpoint(
            provider: facts.name, name: list.rawValue, parameters: question.parameters, subject: list.request,
            query: question.query,
            plan: HackerNewsListPlan(list: list, start: (page - 1) * limit, limit: limit, sort: sort))
    }

    private static func item(_ text: String, _ reader: QuestionReader) throws(ClientFacingError) -> Endpoint {
        guard let id = number(text) else { throw .invalid("id", "An item's id is a number, as in item/8863.") }
        let depth = try reader.number("depth", in: 0...deepest) ?? 1
        let limit = try reader.number("limit", in: 1...longestList) ?? 100
        var question = QuestionBuilder()
        question.add("id", id)
        question.add("depth", depth)
        // Without comments, their limit has no meaning.
        question.add("limit", depth == 0 ? nil : limit)
        return Endpoint(
            provider: facts.name, name: "item", parameters: question.parameters, subject: itemRequest(id),
            query: question.query, plan: HackerNewsThreadPlan(id: id, depth: depth, limit: depth == 0 ? 0 : limit))
    }

    static func itemRequest(_ id: Int) -> UpstreamRequest { UpstreamRequest(path: "/v0/item/\(id).json") }

    /// The name keeps its case: the API knows "pg" and not "PG".
    private static func user(_ name: String, _ reader: QuestionReader) throws(ClientFacingError) -> Endpoint {
        guard isUserName(name) else {
            throw .invalid("id", "A user's name has letters, digits, \"-\" and \"_\" only, as in user/pg.")
        }
        var question = QuestionBuilder()
        question.add("id", name)
        return Endpoint(
            provider: facts.name, name: "user", parameters: question.parameters,
            upstream: UpstreamRequest(path: "/v0/user/\(name).json"), query: question.query,
            normalise: { response, _ throws(NormaliseError) in try HackerNewsResults.user(response) })
    }

    static func isUserName(_ name: String) -> Bool {
        (1...40).contains(name.utf8.count)
            && name.utf8.allSatisfy { ASCII.isAlphanumeric($0) || $0 == 0x2D || $0 == 0x5F }
    }

    /// Parses digits without a leading zero, so each id has one spelling.
    static func number(_ text: String) -> Int? {
        guard (1...12).contains(text.utf8.count), text.utf8.first != 0x30, text.utf8.allSatisfy(ASCII.isDigit)
        else { return nil }
        return Int(text)
    }
}

extension HackerNews {
    private static let documentForm = CanonicalQuery()
    static let searchForm = CanonicalQuery(
        defaults: ["page": "0", "hitsPerPage": "20", "query": ""], collapsed: ["query"])

    /// `print=pretty` is kept, because it changes the bytes of a raw response.
    public func canonical(_ request: UpstreamRequest) -> UpstreamRequest {
        var request = request
        let form = Self.isSearch(request.path) ? Self.searchForm : Self.documentForm
        request.query = form.canonical(request.query)
        return request
    }

    private static func isSearch(_ path: String) -> Bool {
        path == "/api/v1/search" || path == "/api/v1/search_by_date"
    }

    public func endpointName(for request: UpstreamRequest) -> String {
        switch request.path {
        case "/api/v1/search": return "search"
        case "/api/v1/search_by_date": return "recent"
        default: break
        }
        let segments = request.path.split(separator: "/", omittingEmptySubsequences: false)
        guard segments.count >= 3, segments[0].isEmpty, segments[1] == "v0", segments.last?.hasSuffix(".json") == true
        else { return "other" }
        if segments.count == 4 { return ["item", "user"].first { segments[2] == $0 } ?? "other" }
        let list = HackerNewsList.allCases.first { segments[2] == "\($0.rawValue)stories.json" }
        return segments.count == 3 ? list?.rawValue ?? "other" : "other"
    }

    public func credentialFields(key: String) -> HeaderFields { [:] }
}

extension HackerNews {
    public func kinds(of category: String?) -> [String]? {
        ["stories": ["story"], "comments": ["comment"], "jobs": ["job"], "polls": ["poll"]][category ?? "stories"]
    }
}
