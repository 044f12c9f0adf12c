// The searches as a person who types asks them: a request that names its session is superseded by the next one of it.
// What a search is and how it is answered is the search route's business, whoever asks.
import LarderCache
import LarderCore
import LarderIO
import LarderProviders
import LarderServer

struct TypingRoute: Sendable {
    let context: DaemonContext
    let searches: SearchRoute
    private var provisional: ProvisionalAnswer { ProvisionalAnswer(context: context) }

    init(context: DaemonContext, searches: SearchRoute) {
        self.context = context
        self.searches = searches
    }

    /// The fields that these routes know, for their description.
    static let parameters: [(name: String, place: String, isRequired: Bool, allowed: [String])] = [
        (SessionDesk.field, "header", false, []), (SessionDesk.debounceField, "header", false, []),
        ("Prefer", "header", false, []),
    ]

    /// `GET /v1/search`.
    func search(_ request: ServerRequest, route: String) async throws(ClientFacingError) -> ServerResponse {
        try await context.sessions.serve(request, debounce: context.snapshot.settings.searchDebounce) {
            () async throws(ClientFacingError) in
            let early = await provisional.answer(request, route: route) { query throws(ClientFacingError) in
                let plan = try SearchPlan(query: query, providers: context.snapshot.providers)
                return AskedSearch(parts: plan.asked, query: plan.query, sort: plan.sort, shape: plan.shape)
            }
            if let early { return early }
            return try await searches.search(request, route: route)
        }
    }

    /// `GET /v1/{prefix}/…`.
    func typed(
        _ request: ServerRequest, prefix: String, path: [String], route: String
    ) async throws(ClientFacingError) -> ServerResponse {
        try await context.sessions.serve(request, debounce: context.snapshot.settings.searchDebounce) {
            () async throws(ClientFacingError) in
            let early = await provisional.answer(request, route: route) { query throws(ClientFacingError) in
                guard
                    let provider = context.snapshot.providers.searchable.first(where: { $0.about.routePrefix == prefix }
                    ),
                    provider.isConfigured
                else { return nil }
                let (endpoint, shape) = try provider.question(path: path, query: query)
                return AskedSearch(
                    parts: [(provider, endpoint)], query: shape.shown(in: endpoint.query), sort: .relevance,
                    shape: shape)
            }
            if let early { return early }
            return try await searches.typed(request, prefix: prefix, path: path, route: route)
        }
    }
}

extension SearchPlan {
    /// The sources that can be asked.
    var asked: [(provider: ConfiguredProvider, endpoint: Endpoint)] {
        parts.compactMap { part in
            guard case .ask(let provider, let endpoint) = part, provider.isConfigured else { return nil }
            return (provider, endpoint)
        }
    }
}

extension DaemonContext {
    /// What holds back the calls for a question of a session; nil where it is of none.
    func holding(_ question: NormalisedQuestion, _ key: CacheKey) -> (@Sendable () async -> Bool)? {
        guard let seat = question.seat else { return nil }
        return { await self.hold(question, key, seat) }
    }

    /// Holds back the calls for one question of a session, where it would cost any: what is stored in another form, or is
    /// under way for somebody else, is answered without a pause.
    /// - Returns: whether the question is still to be asked.
    private func hold(_ question: NormalisedQuestion, _ key: CacheKey, _ seat: SessionSeat) async -> Bool {
        guard question.debounce > .zero, !flights.isAnswered(key), await !isAtHand(question) else {
            return !seat.isSuperseded
        }
        return await sessions.hold(seat, for: question.debounce)
    }

    /// Whether a fresh raw entry answers the question, or one that may hold its answer.
    func isAtHand(_ question: NormalisedQuestion) async -> Bool {
        let provider = question.provider
        let rule = provider.rule(for: question.endpoint.name)
        for request in [question.endpoint.upstream] + question.endpoint.wider().map(\.request) {
            if await cache.fresh(provider.rawKey(request), question.directives, rule) != nil {
                return true
            }
        }
        return false
    }
}
