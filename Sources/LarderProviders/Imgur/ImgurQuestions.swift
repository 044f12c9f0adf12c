// Questions to Imgur: `/v1/imgur/search`, `/gallery`, `/tag/{tag}`, `/r/{subreddit}`, `/image/{id}`, `/album/{id}`,
// `/tags`, `/credits`, and Imgur's part of `/v1/search`. `sort` accepts the API's words and the common ones.
import LarderCore

extension Imgur {
    private static func pageParameters(_ sorts: [String]) -> [QuestionParameter] {
        [
            .sort(sorts + ["relevance", "name", "date"]),
            .choice("window", ImgurListing.windows, "The span of time; only together with top."),
            .page(lastPage), .limit(1...longestList), .explicit,
        ]
    }
    static let tagParameters = pageParameters(["viral", "top", "time"])
    static let subredditParameters = pageParameters(["time", "top"])
    static let tagCapture = QuestionParameter(
        "tag", .pattern("^[A-Za-z0-9_-]{1,100}$"), "The tag.", example: "lantern")
    static let subredditCapture = QuestionParameter(
        "subreddit", .pattern("^[A-Za-z0-9_-]{1,100}$"), "The subreddit.", example: "pics")
    static func idCapture(_ example: String) -> QuestionParameter {
        QuestionParameter("id", .pattern("^[A-Za-z0-9]{1,32}$"), "The id, case-sensitive.", example: example)
    }
    /// If one of these is given, the API ignores `q`.
    private static let narrowTexts = ["q_all", "q_any", "q_exactly", "q_not"]
    static let types = ["jpg", "png", "gif", "anigif", "album"]
    /// At most 500, 2,000, 5,000 and 10,000 pixels, and larger.
    static let sizes = ["small", "med", "big", "lrg", "huge"]
    static let searchParameters: [QuestionParameter] =
        [
            .text("q", "The search term.", example: "lantern").or("query"),
            .text("q_all", "Words of which all must match.", example: "lantern"),
            .text("q_any", "Words of which one must match.", example: "lantern octopus"),
            .text("q_exactly", "A phrase: words in this order.", example: "lantern in the fog"),
            .text("q_not", "Words that must not match.", example: "cat"),
            .choice("q_type", types, "The type of the pictures.", example: "jpg"),
            .choice("q_size_px", sizes, "The size of the pictures.", example: "med"),
        ] + pageParameters(["time", "viral", "top"])
    static let galleryParameters: [QuestionParameter] =
        [
            .choice("section", ImgurListing.Section.allCases.map(\.rawValue), "The gallery's section.", default: "hot"),
            .flag("showViral", "Whether viral posts of users are shown.", default: "yes"),
            .flag("mature", "Whether mature posts are shown.", default: "no"),
        ] + pageParameters(["viral", "top", "time", "rising"])
    /// The most pictures shown of one page. A page has about sixty posts, and an album gives several pictures.
    private static let longestList = 500
    private static let lastPage = 10_000

    public func endpoint(path: [String], query: QueryParameters) throws(ClientFacingError) -> Endpoint {
        switch (path.first, path.count) {
        case ("search", 1): return try search(QuestionReader(query, allowed: Self.searchParameters))
        case ("gallery", 1): return try gallery(query)
        case ("tag", 2):
            return try list(
                .tag(Self.segment("tag", path[1])), [("tag", path[1])], [],
                QuestionReader(query, allowed: Self.tagParameters))
        case ("r", 2):
            return try list(
                .subreddit(Self.segment("subreddit", path[1])), [("subreddit", path[1])], [],
                QuestionReader(query, allowed: Self.subredditParameters))
        case ("image", 2): return try one("image", path[1], query)
        case ("album", 2): return try one("album", path[1], query)
        case ("tags", 1): return try plain("tags", query, ImgurResults.tags)
        case ("credits", 1): return try plain("credits", query, ImgurResults.credits)
        default: throw ProviderError.noRoute(path, provider: about)
        }
    }

    public func search(_ request: SearchRequest) throws(ClientFacingError) -> Endpoint {
        let term = QuestionReader.collapsed(request.term)
        guard !term.isEmpty else { throw .missing("q", "A search needs a term.") }
        let words: [(String, String)]
        switch request.category {
        case nil, "images": words = [("q", term)]
        case "gifs": words = [("q_all", term), ("q_type", "anigif")]
        case "albums": words = [("q_all", term), ("q_type", "album")]
        default: throw .invalid("category", "Imgur has no such category here.", allowed: about.categories)
        }
        return list(
            ImgurListing(.search, sort: request.sort == .date ? "time" : nil), words, words,
            Order(word: request.sort == .relevance ? nil : request.sort?.rawValue, own: request.sort ?? .relevance),
            limit: request.limit.map { min(max($0, 1), Self.longestList) }, explicit: request.explicit)
    }

    /// A requested order: one of the API's, or one of Larder's applied to the API's usual order.
    private struct Order {
        /// The API's order; nil for the usual one.
        var word: String?
        var own: SortOrder
    }

    private func search(_ reader: QuestionReader) throws(ClientFacingError) -> Endpoint {
        let text = try reader.text("q", or: "query")
        var words: [(String, String)] = []
        for name in Self.narrowTexts {
            if let text = try reader.text(name) { words.append((name, text)) }
        }
        if let type = try reader.word("q_type", among: Self.types) { words.append(("q_type", type)) }
        if let size = try reader.word("q_size_px", among: Self.sizes) { words.append(("q_size_px", size)) }
        if let text {
            guard words.isEmpty else {
                throw .conflicting(
                    "q", "Imgur ignores \"q\" if \"\(words[0].0)\" is given: use \"q_all\" instead.")
            }
            words = [("q", text)]
        }
        guard !words.isEmpty else {
            throw .missing(
                "q",
                "A search needs one of: q, \((Self.narrowTexts + ["q_type", "q_size_px"]).joined(separator: ", ")).")
        }
        return try list(.search, words, words, reader)
    }

    private func gallery(_ query: QueryParameters) throws(ClientFacingError) -> Endpoint {
        let reader = try QuestionReader(query, allowed: Self.galleryParameters)
        let word = try reader.word("section", among: ImgurListing.Section.allCases.map(\.rawValue))
        let section = word.flatMap(ImgurListing.Section.init) ?? .hot
        let showsViral = try reader.flag("showViral") ?? true
        let isMature = try reader.flag("mature") ?? false
        var names = [("section", section.rawValue)]
        if !showsViral { names.append(("showViral", "false")) }
        if isMature { names.append(("mature", "true")) }
        return try list(
            .gallery(section), names,
            // Without album previews, an album has only its cover.
            [("album_previews", "true"), ("showViral", "\(showsViral)"), ("mature", "\(isMature)")], reader)
    }

    private func list(
        _ subject: ImgurListing.Subject, _ names: [(String, String)], _ items: [(String, String)],
        _ reader: QuestionReader
    ) throws(ClientFacingError) -> Endpoint {
        let words = subject.sorts + SortOrder.allCases.map(\.rawValue).filter { Self.own.contains($0) }
        let word = try reader.word("sort", of: words + ["rising"], among: words)
        let isOwn = word.map { Self.own.contains($0) } ?? false
        // Order by date uses the API's order by time, whatever the API's usual order is.
        let sort = word == SortOrder.date.rawValue ? "time" : isOwn ? nil : word
        var listing = ImgurListing(subject, sort: sort)
        if let window = try reader.word("window", among: ImgurListing.windows) {
            guard listing.isWindowed else {
                let top = if case .gallery = subject { "section=top" } else { "sort=top" }
                throw .conflicting("window", "A span of time can be given only together with \(top).")
            }
            listing.window = window
        }
        listing.page = (try reader.number("page", in: 1...Self.lastPage) ?? 1) - 1
        let usual = word == subject.sorts[0] || word == SortOrder.relevance.rawValue
        return try list(
            listing, names, items,
            Order(word: usual ? nil : word, own: isOwn ? word.flatMap(SortOrder.init) ?? .relevance : .relevance),
            limit: reader.number("limit", in: 1...Self.longestList), explicit: reader.flag("explicit"))
    }

    /// The common sort orders that this source supports.
    private static let own = facts.sorts.map(\.rawValue)

    private func list(
        _ listing: ImgurListing, _ names: [(String, String)], _ items: [(String, String)], _ order: Order, limit: Int?,
        explicit: Bool?
    ) -> Endpoint {
        var builder = QuestionBuilder()
        for (name, value) in names { builder.add(name, value) }
        builder.add("sort", order.word ?? listing.subject.sorts[0])
        builder.add("window", listing.isWindowed ? listing.window : nil)
        builder.add("page", listing.page == 0 ? nil : listing.page + 1)
        builder.add("limit", limit)
        builder.add("explicit", explicit == false ? false : nil)
        return Endpoint(
            provider: about.name, name: listing.subject.endpoint, parameters: builder.parameters,
            upstream: UpstreamRequest(
                path: listing.path, query: Self.form.encode(items.map { QueryParameters.Item($0.0, $0.1) })),
            query: builder.query,
            normalise: { response, signer throws(NormaliseError) in
                try ImgurResults.list(
                    response, signer, limit: limit, sort: order.own, isExplicitWanted: explicit != false)
            })
    }

    private func one(_ kind: String, _ id: String, _ query: QueryParameters) throws(ClientFacingError) -> Endpoint {
        _ = try QuestionReader(empty: query)
        guard Self.isID(id) else {
            throw .invalid("id", "Imgur's ids have letters and digits only, as in \(kind)/mOqejNf.")
        }
        var builder = QuestionBuilder()
        builder.add("id", id)
        return Endpoint(
            provider: about.name, name: kind, parameters: builder.parameters,
            upstream: UpstreamRequest(path: "/3/\(kind)/\(id)"), query: builder.query,
            normalise: { response, signer throws(NormaliseError) in try ImgurResults.one(response, signer) })
    }

    private func plain(
        _ name: String, _ query: QueryParameters,
        _ read: @escaping @Sendable (UpstreamResponse, ArtworkSigner) throws(NormaliseError) -> NormalisedAnswer
    ) throws(ClientFacingError) -> Endpoint {
        _ = try QuestionReader(empty: query)
        return Endpoint(
            provider: about.name, name: name, parameters: [], upstream: UpstreamRequest(path: "/3/\(name)"),
            query: QuestionBuilder().query, normalise: read)
    }

    /// Ids are case-sensitive.
    static func isID(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy(ASCII.isAlphanumeric)
    }

    /// A tag or the name of a subreddit as a path segment.
    private static func segment(_ name: String, _ text: String) throws(ClientFacingError) -> String {
        guard (1...100).contains(text.utf8.count),
            text.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" })
        else {
            throw .invalid(name, "A \(name) has letters, digits, \"_\" and \"-\" only.")
        }
        return PercentCoding.encode(text)
    }
}

extension Imgur {
    static let form = CanonicalQuery(
        defaults: ["showViral": "true", "mature": "false"],
        lowerCase: ["showViral", "mature", "album_previews", "q_type", "q_size_px"],
        collapsed: Set(["q"] + narrowTexts), dropped: ["client_id"])

    public func canonical(_ request: UpstreamRequest) -> UpstreamRequest {
        var request = request
        if let listing = ImgurListing(path: request.path) { request.path = listing.path }
        request.query = Self.form.canonical(request.query)
        for name in about.credentialFieldNames { request.fields.remove(name) }
        return request
    }

    public func endpointName(for request: UpstreamRequest) -> String {
        if let listing = ImgurListing(path: request.path) { return listing.subject.endpoint }
        let segments = request.path.split(separator: "/").map(String.init)
        guard segments.first == "3", segments.count > 1 else { return "other" }
        switch (segments[1], segments.count) {
        case ("tags", 2), ("credits", 2), ("image", 3), ("album", 3): return segments[1]
        case ("gallery", 4) where segments[2] == "image" || segments[2] == "album": return segments[2]
        // A picture of a subreddit, by its id.
        case ("gallery", 5) where segments[2] == "r" && Self.isID(segments[4]): return "image"
        // A list path that is not certainly known keeps the form in which it arrived.
        case ("gallery", 4...): return ["search": "search", "t": "tag", "r": "subreddit"][segments[2]] ?? "other"
        default: return "other"
        }
    }
}

extension Imgur {
    /// The kind says only "image". It does not tell whether the picture is animated or belongs to an album.
    public func kinds(of category: String?) -> [String]? { category ?? "images" == "images" ? ["image"] : nil }
}
