// Questions to Open Library: `/v1/books/search`, `/v1/books/works/{id}` and Open Library's part of `/v1/search`.
import LarderCore

extension OpenLibrary {
    static let searchParameters: [QuestionParameter] = [
        .text("q", "The search term, of at least 3 characters.", example: "lantern"),
        .text("title", "A text in the title.", example: "lantern"),
        .text("author", "A text in the author's name.", example: "brandt"),
        .limit(1...100, default: 50), .page(1000), .sort([SortOrder.relevance, .name, .date]),
    ]
    static let workCapture = QuestionParameter(
        "id", .pattern("^OL[0-9]{1,17}W$"), "The book's id.", example: "OL1001W")
    /// The members from which results are made. A complete record has about a hundred.
    private static let fields =
        "author_key,author_name,cover_i,edition_count,first_publish_year,key,language,subject,title"
    private static let form = CanonicalQuery(
        defaults: ["limit": "100", "page": "1"], collapsed: ["q", "title", "author"])

    public func endpoint(path: [String], query: QueryParameters) throws(ClientFacingError) -> Endpoint {
        if path == ["search"] { return try search(QuestionReader(query, allowed: Self.searchParameters)) }
        guard path.count == 2, path[0] == "works" else { throw ProviderError.noRoute(path, provider: about) }
        _ = try QuestionReader(empty: query)
        return try Self.work(path[1])
    }

    public func search(_ request: SearchRequest) throws(ClientFacingError) -> Endpoint {
        let term = QuestionReader.collapsed(request.term)
        guard !term.isEmpty else { throw .missing("q", "A search needs a term.") }
        guard request.category ?? "books" == "books" else {
            throw .invalid("category", "Open Library has no such category.", allowed: about.categories)
        }
        try about.check(term: term, of: "q")
        return Self.search(
            [("q", term)], limit: request.limit.map { min(max($0, 1), 100) } ?? 50, page: 1,
            sort: request.sort ?? .relevance)
    }

    private func search(_ reader: QuestionReader) throws(ClientFacingError) -> Endpoint {
        var items: [(String, String)] = []
        for name in ["q", "title", "author"] {
            guard let term = try reader.text(name) else { continue }
            try about.check(term: term, of: name)
            items.append((name, term))
        }
        guard !items.isEmpty else { throw .missing("q", "A search for books needs one of: q, title, author.") }
        return Self.search(
            items, limit: try reader.number("limit", in: 1...100) ?? 50,
            page: try reader.number("page", in: 1...1000) ?? 1, sort: try reader.sort(about.sorts) ?? .relevance)
    }

    private static func search(_ items: [(String, String)], limit: Int, page: Int, sort: SortOrder) -> Endpoint {
        var question = QuestionBuilder()
        for (name, value) in items { question.add(name, value) }
        question.add("limit", limit)
        question.add("page", page == 1 ? nil : page)
        question.add("sort", sort.rawValue)
        let sent = items + [("fields", fields), ("limit", String(limit)), ("page", String(page))]
        return Endpoint(
            provider: facts.name, name: "search", parameters: question.parameters,
            upstream: UpstreamRequest(
                path: "/search.json", query: form.encode(sent.map { QueryParameters.Item($0.0, $0.1) })),
            query: question.query,
            normalise: { response, signer throws(NormaliseError) in
                try OpenLibraryResults.search(response, signer, sort: sort)
            })
    }

    private static func work(_ id: String) throws(ClientFacingError) -> Endpoint {
        let id = id.uppercased()
        guard id.hasPrefix("OL"), id.hasSuffix("W"), (4...20).contains(id.utf8.count),
            id.utf8.dropFirst(2).dropLast().allSatisfy(ASCII.isDigit)
        else { throw .invalid("id", "The id of a book must be like OL45804W.") }
        var question = QuestionBuilder()
        question.add("id", id)
        return Endpoint(
            provider: facts.name, name: "work", parameters: question.parameters,
            upstream: UpstreamRequest(path: "/works/\(id).json"), query: question.query,
            normalise: { response, signer throws(NormaliseError) in
                try OpenLibraryResults.work(response, signer)
            })
    }

    public func canonical(_ request: UpstreamRequest) -> UpstreamRequest {
        var request = request
        request.query = Self.form.canonical(request.query)
        return request
    }

    public func endpointName(for request: UpstreamRequest) -> String {
        if request.path == "/search.json" { return "search" }
        let segments = request.path.split(separator: "/")
        return segments.count == 2 && segments[0] == "works" && segments[1].hasSuffix(".json") ? "work" : "other"
    }

    public func kinds(of category: String?) -> [String]? { category ?? "books" == "books" ? ["book"] : nil }
}
