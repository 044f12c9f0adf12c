// Searches while a person types: a request that names its session is superseded by the session's next request. The
// search itself is made and answered by the search route.
import LarderCache
import LarderCore
import LarderEngine
import LarderIO
import LarderProviders
import LarderServer
import LarderSettings

struct TypingRoute: Sendable {
    let engine: Engine
    let responder: Responder
    let searches: SearchRoute
    private var provisional: ProvisionalAnswer { ProvisionalAnswer(engine: engine, responder: responder) }

    /// The request fields that these routes use.
    static let parameters = [
        SessionCoordinator.session, SessionCoordinator.debounce,
        QuestionParameter(
            "Prefer", .any,
            "respond-async: if the search takes longer than wait seconds, it runs on behind a 202 (RFC 7240). "
                + "provisional: what is stored comes at once.",
            example: "respond-async, wait=2"),
        QuestionParameter(
            "Priority", .any,
            "u=0, u=1 or u=2: a person waits, and goes before programs. u=7: nobody waits (RFC 9218).",
            example: "u=1"),
        QuestionParameter(
            AskingClient.toolField, .any,
            "The tool under which calls are counted: a name of the setting tools.", example: "notebook"),
    ].map { RouteParameter(record: $0, place: .header, isCommon: true) }

    /// `GET /v1/search`.
    func search(_ request: ServerRequest, route: RouteName) async throws(ClientFacingError) -> ServerResponse {
        try await engine.sessions.serve(request, debounce: engine.snapshot.settings.search.debounce) {
            () async throws(ClientFacingError) in
            let early = await provisional.answer(request, route: route) { query throws(ClientFacingError) in
                try SearchPlan(query: query, providers: engine.snapshot.providers)
            }
            if let early { return early }
            return try await searches.search(request, route: route)
        }
    }

    /// `GET /v1/{prefix}/…`.
    func typed(
        _ request: ServerRequest, prefix: String, path: [String], route: RouteName
    ) async throws(ClientFacingError) -> ServerResponse {
        try await engine.sessions.serve(request, debounce: engine.snapshot.settings.search.debounce) {
            () async throws(ClientFacingError) in
            let early = await provisional.answer(request, route: route) { query throws(ClientFacingError) in
                guard
                    let provider = engine.snapshot.providers.searchable.first(where: { $0.about.routePrefix == prefix }
                    ),
                    provider.isConfigured
                else { return nil }
                return try SearchPlan(provider, path: path, query: query)
            }
            if let early { return early }
            return try await searches.typed(request, prefix: prefix, path: path, route: route)
        }
    }
}
