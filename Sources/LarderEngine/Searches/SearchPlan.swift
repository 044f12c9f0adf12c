// The parsed question of `/v1/search`: its sources, each with its endpoint, and the canonical query.
import LarderCore
import LarderProviders

/// A search over several sources.
public struct SearchPlan: Sendable {
    /// One source's part of the search.
    public enum Part: Sendable {
        case ask(ConfiguredProvider, Endpoint)
        /// The client named the source, but it cannot be asked.
        case unavailable(UpstreamFailure)

        /// The source's name.
        public var providerName: String {
            switch self {
            case .ask(let provider, _): provider.name
            case .unavailable(let failure): failure.provider
            }
        }
    }

    /// The parts, in the order in which the client named the sources.
    public var parts: [Part] = []
    /// The request to all sources.
    var request: SearchRequest
    /// The order of the results.
    public var sort: SortOrder
    /// The selected members of the results.
    public var shape: ResultShape
    /// The canonical query, a JSON object.
    public var query: Bytes

    static let parameters =
        ["q", "term", "source", "category", "limit", "sort", "country", "lang", "explicit"] + ResultShape.parameters

    /// The limit of a term in bytes, as on the providers' own routes.
    static let longestTerm = 1000

    /// - Throws: 400 if the query is not valid or no source can be asked; 503 if no provider is configured.
    public init(query: QueryParameters, providers: ProviderSet) throws(ClientFacingError) {
        let query = query.joining(lists: ["source"] + ResultShape.parameters)
        try query.check(only: Self.parameters)
        let request = try Self.request(query)
        self.request = request
        shape = try ResultShape(query)
        sort = request.sort ?? .relevance
        let (sources, areNamed) = try Self.sources(query["source"], providers)
        let category = request.category
        var asked: [String] = []
        var refusal: ClientFacingError?
        var unsearchable: ClientFacingError?
        for provider in sources {
            if let category, !provider.about.categories.contains(category) { continue }
            if !areNamed, !provider.about.hasSearch { continue }
            if !provider.isConfigured {
                // A source that the client did not name is left out silently.
                if areNamed { parts.append(.unavailable(provider.notConfigured)) }
                if areNamed { asked.append(provider.name) }
                continue
            }
            do {
                try provider.about.check(term: request.term, of: "q")
                parts.append(.ask(provider, shape.applied(to: try provider.provider.search(request))))
                asked.append(provider.name)
            } catch {
                // If the client named no sources, those that cannot search such a term are left out, and so is each API
                // of a user's own that refuses: clients that do not know of it go on as before.
                let isLeftOut = error.code == "termLength" || provider.isDescribed
                if isLeftOut, !areNamed { unsearchable = error } else { refusal = error }
            }
        }
        if let refusal { throw refusal }
        if parts.isEmpty {
            if let unsearchable { throw unsearchable }
            if let category {
                let known = sources.flatMap { $0.about.categories }
                throw .conflicting(
                    "category", "None of the requested sources has the category \"\(category)\".", allowed: known)
            }
            throw ClientFacingError(
                status: 503, code: FailureClass.notConfigured.rawValue, detail: "No provider is configured.",
                failure: .notConfigured, retryable: false)
        }
        self.query = shape.shown(in: Self.canonical(request, asked))
    }

    private static func request(_ query: QueryParameters) throws(ClientFacingError) -> SearchRequest {
        if query["q"] != nil, query["term"] != nil {
            throw .conflicting("term", "\"term\" is another name of \"q\": give one of them.")
        }
        let name = query["term"] != nil ? "term" : "q"
        let term = (query[name] ?? "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard !term.isEmpty else { throw .missing("q", "A search needs a term: q=…") }
        guard term.utf8.count <= longestTerm else {
            throw .invalid(name, "\"\(name)\" is longer than \(longestTerm) bytes.")
        }
        guard term.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw .invalid(name, "\"\(name)\" contains a control character.")
        }
        var request = SearchRequest(term: term)
        if let category = query["category"] { request.category = category.lowercased() }
        if let text = query["limit"] {
            guard text.utf8.allSatisfy(ASCII.isDigit), let limit = Int(text), (1...200).contains(limit) else {
                throw .invalid("limit", "\"limit\" is a number from 1 to 200.", allowed: ["1…200"])
            }
            request.limit = limit
        }
        if let text = query["sort"] {
            guard let sort = SortOrder(rawValue: text.lowercased()) else {
                throw .invalid(
                    "sort", "\"\(text)\" is not an order of results.", allowed: SortOrder.allCases.map(\.rawValue))
            }
            request.sort = sort
        }
        request.country = query["country"]
        request.language = query["lang"]
        if let text = query["explicit"] {
            switch text.lowercased() {
            case "yes", "true", "1": request.explicit = true
            case "no", "false", "0": request.explicit = false
            default: throw .invalid("explicit", "\"explicit\" is yes or no.", allowed: ["yes", "no"])
            }
        }
        return request
    }

    static func sources(
        _ text: String?, _ providers: ProviderSet
    ) throws(ClientFacingError) -> ([ConfiguredProvider], areNamed: Bool) {
        guard let text else { return (providers.searchable, false) }
        var found: [ConfiguredProvider] = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            let name = ASCII.trimmed(name).lowercased()
            guard let provider = providers.named(name), !provider.isPassthrough else {
                let known = providers.searchable.map(\.name)
                let isMute = providers.named(name) != nil
                throw .invalid(
                    "source",
                    isMute ? UnknownProvider.mute(name) : UnknownProvider.sentence("source", name, among: known),
                    allowed: known)
            }
            if !found.contains(where: { $0.name == provider.name }) { found.append(provider) }
        }
        return (found, true)
    }

    private static func canonical(_ request: SearchRequest, _ sources: [String]) -> Bytes {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("q", request.term)
            writer.member("source", strings: sources)
            writer.member(ifPresent: "category", request.category)
            if let limit = request.limit { writer.member("limit", limit) }
            writer.member("sort", (request.sort ?? .relevance).rawValue)
            writer.member(ifPresent: "country", request.country?.uppercased())
            writer.member(ifPresent: "lang", request.language?.lowercased())
            if let explicit = request.explicit { writer.member("explicit", explicit) }
        }
        return writer.bytes
    }
}
