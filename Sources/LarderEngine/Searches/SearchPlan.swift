// The parsed question of `/v1/search` or of a provider's own route: its sources, each with its endpoint, and the
// canonical query.
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
    /// The request to all sources; nil if the question is one endpoint of one source.
    var request: SearchRequest?
    /// The order of the results.
    public var sort: SortOrder
    /// The selected members of the results.
    public var shape: ResultShape
    /// The canonical query, a JSON object.
    public var query: Bytes

    /// The records of the parameters.
    /// - Parameters:
    ///   - sources: the names that a source may have; any text if there are none.
    ///   - categories: the words for a category; any text if there are none.
    public static func records(sources: [String] = [], categories: [String] = []) -> [QuestionParameter] {
        [
            QuestionParameter("q", .text(), "The search term.", example: "dragon").required.or("term")
                .saying(missing: "A search needs a term: q=…"),
            source(sources),
            QuestionParameter("category", .oneOf(categories), "The category to search in."),
            QuestionParameter("limit", .number(1...200), "The most results of each source.", example: "5"),
            QuestionParameter(
                "sort", .choice(SortOrder.allCases.map(\.rawValue)), "The order of the results.",
                default: SortOrder.relevance.rawValue),
            QuestionParameter(
                "country", .pattern("^[A-Za-z]{2}$"), "The country of the shop or the news, as two letters.",
                example: "US"),
            QuestionParameter(
                "lang", .pattern("^[A-Za-z]{2}$|^[A-Za-z]{2}[_-][A-Za-z]{2}$"), "The language of the results.",
                example: "en-US"),
            QuestionParameter("explicit", .flag, "Whether to include explicit results."),
        ] + ResultShape.records
    }

    /// The record of the sources, which are checked against those of the configuration.
    static func source(_ names: [String]) -> QuestionParameter {
        QuestionParameter("source", .oneOf(names), "The sources. Default: all.", example: "itunes").list.upTo(100)
    }

    private static let own = records()

    /// - Throws: 400 if the query is not valid or no source can be asked; 503 if no provider is configured.
    public init(query: QueryParameters, providers: ProviderSet) throws(ClientFacingError) {
        let values = try Self.values(query, by: Self.own, providers)
        let request = Self.request(values)
        self.request = request
        shape = ResultShape(values)
        sort = request.sort ?? .relevance
        let (sources, areNamed) = try Self.sources(values.list("source"), providers)
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

    /// The question of one of a provider's own routes: one endpoint.
    public init(
        _ provider: ConfiguredProvider, path: [String], query: QueryParameters
    ) throws(ClientFacingError) {
        var query = query
        shape = try ResultShape(takenOff: &query)
        let endpoint: Endpoint
        do throws(ClientFacingError) {
            endpoint = shape.applied(to: try provider.provider.endpoint(path: path, query: query))
        } catch {
            var error = error
            if error.code == "unknownParameter" { error.allowed += ResultShape.names }
            throw error
        }
        parts = [.ask(provider, endpoint)]
        sort = .relevance
        self.query = shape.shown(in: endpoint.query)
    }

    /// Whether only one source is asked. Its answer is reported as it is, without the search deadline.
    public var isSingle: Bool { parts.count == 1 }

    /// The query shown in the answer. A single source shows how it understood the question.
    public var shownQuery: Bytes {
        if isSingle, case .ask(_, let endpoint) = parts.first { shape.shown(in: endpoint.query) } else { query }
    }

    /// The endpoints that are asked, each of one source.
    public var endpoints: [(provider: ConfiguredProvider, endpoint: Endpoint)] {
        parts.compactMap { part in if case .ask(let provider, let endpoint) = part { (provider, endpoint) } else { nil }
        }
    }

    /// Reads a query. What is allowed for a source is what is configured.
    static func values(
        _ query: QueryParameters, by records: [QuestionParameter], _ providers: ProviderSet
    ) throws(ClientFacingError) -> ParameterValues {
        do throws(ClientFacingError) {
            return try ParameterValues(query, by: records)
        } catch {
            var error = error
            if error.parameter == "source" { error.allowed = providers.searchable.map(\.name) }
            throw error
        }
    }

    private static func request(_ values: ParameterValues) -> SearchRequest {
        var request = SearchRequest(term: values["q"] ?? "")
        request.category = values["category"]?.lowercased()
        request.limit = values.number("limit")
        request.sort = values["sort"].flatMap(SortOrder.init)
        request.country = values["country"]
        request.language = values["lang"]
        request.explicit = values.flag("explicit")
        return request
    }

    static func sources(
        _ names: [String]?, _ providers: ProviderSet
    ) throws(ClientFacingError) -> ([ConfiguredProvider], areNamed: Bool) {
        guard let names else { return (providers.searchable, false) }
        var found: [ConfiguredProvider] = []
        for name in names.map({ $0.lowercased() }) {
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
