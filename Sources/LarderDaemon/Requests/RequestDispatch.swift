// From a request to its route and back: the one place where routes are listed and where errors become answers.
import LarderCore
import LarderEngine
import LarderHTTP
import LarderProviders
import LarderServer

/// What a route leads to.
enum Destination: Sendable {
    case search
    case local
    case live(LiveRoute.Part)
    case typed(prefix: String)
    case artwork
    case status
    case events
    case explain
    case purge
    case resume
    case health
    case ready
    case metrics
    case openAPI
    case dashboard(OwnPagePart)
    case account(AccountRoutes.Part, provider: String)
    case createImage
    case deleteImage
    case upload(UploadAct)
}

/// Answers every request that memory did not.
final class RequestDispatch: RequestHandler {
    private let engine: Engine
    private let responder: Responder
    private let router: Router<Destination>
    private let typing: TypingRoute
    private let raws: RawRoute
    private let artwork: ArtworkRoute
    private let live: LiveRoute
    private let local: LocalRoute
    private let events: EventsRoute
    private let statuses: StatusRoute
    private let admin: AdminRoutes
    private let probes: ProbeRoutes
    private let explain: ExplainRoute
    private let accounts: AccountRoutes
    private let imgur: ImgurRoutes

    init(_ parts: DaemonParts) {
        let (engine, responder) = (parts.engine, parts.responder)
        self.engine = engine
        self.responder = responder
        live = LiveRoute(engine: engine, responder: responder, searches: parts.searches)
        typing = TypingRoute(
            engine: engine, responder: responder,
            searches: SearchRoute(engine: engine, responder: responder, live: live))
        raws = RawRoute(engine: engine, responder: responder)
        artwork = ArtworkRoute(engine: engine, responder: responder)
        local = LocalRoute(engine: engine)
        events = EventsRoute(engine: engine, providerEvents: parts.providerEvents)
        statuses = StatusRoute(
            engine: engine, state: parts.state, totals: parts.totals, startedAt: parts.startedAt)
        admin = AdminRoutes(engine: engine)
        probes = ProbeRoutes(
            engine: engine, state: parts.state, startedAt: parts.startedAt, readiness: parts.readiness)
        explain = ExplainRoute(engine: engine, explanations: responder.explanations, hits: parts.hits)
        accounts = AccountRoutes(engine: engine)
        imgur = ImgurRoutes(engine: engine, uploads: parts.uploads)
        router = Self.makeRouter()
    }

    /// Paths that a browser may be led to from another site: they show something and change nothing.
    static let landingPaths = ["/"] + AccountRoutes.landingPaths

    /// What some route of this server takes.
    private static let methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

    private static func makeRouter() -> Router<Destination> {
        var router = Router<Destination>()
        router.add(.get, pattern: "/", name: "dashboard", .dashboard(.page))
        router.add(.get, pattern: "/dashboard.css", name: "dashboard", .dashboard(.style))
        router.add(.get, pattern: "/dashboard.js", name: "dashboard", .dashboard(.script))
        router.add(.get, pattern: "/dashboard.svg", name: "dashboard", .dashboard(.icon))
        router.add(.get, pattern: "/v1/search", name: "search", .search)
        router.add(.get, pattern: "/v1/local", name: "local", .local)
        router.add(.get, pattern: "/v1/searches/{id}", name: "searches", .live(.show))
        router.add(.get, pattern: "/v1/searches/{id}/events", name: "searches", .live(.events))
        router.add(.delete, pattern: "/v1/searches/{id}", name: "searches", .live(.cancel))
        for provider in ProviderRegistry.builtIn {
            let prefix = provider.about.routePrefix
            router.add(.get, pattern: "/v1/\(prefix)/{path...}", name: prefix, .typed(prefix: prefix))
        }
        AccountRoutes.add(to: &router)
        router.add(.get, pattern: "/v1/artwork/{handle}", name: "artwork", .artwork)
        router.add(.get, pattern: "/v1/status", name: "status", .status)
        router.add(.get, pattern: "/v1/events", name: "events", .events)
        router.add(.get, pattern: "/v1/explain/{request}", name: "explain", .explain)
        router.add(.delete, pattern: "/v1/cache", name: "purge", .purge)
        router.add(.post, pattern: "/v1/providers/{name}/resume", name: "resume", .resume)
        router.add(.post, pattern: ImgurRoutes.images, name: "imgurUpload", .createImage)
        router.add(.delete, pattern: "\(ImgurRoutes.images)/{deletehash}", name: "imgurDelete", .deleteImage)
        let uploads: [(Method, String, UploadAct)] = [
            (.put, "/content", .content), (.get, "", .status), (.get, "/events", .events), (.post, "/pause", .pause),
            (.post, "/resume", .resume), (.delete, "", .cancel),
        ]
        for (method, end, act) in uploads {
            router.add(method, pattern: "/v1/uploads/{id}\(end)", name: "upload", .upload(act))
        }
        router.add(.get, pattern: "/healthz", name: "healthz", .health)
        router.add(.get, pattern: "/readyz", name: "readyz", .ready)
        router.add(.get, pattern: "/metrics", name: "metrics", .metrics)
        router.add(.get, pattern: "/openapi.json", name: "openapi", .openAPI)
        return router
    }

    /// The request's fetches wait in its client's turns.
    func begin(_ request: ServerRequest, _ start: () -> Task<Void, Never>) -> Task<Void, Never> {
        AskingClient.$current.withValue(AskingClient(request), operation: start)
    }

    func respond(to request: ServerRequest) async -> ServerResponse {
        var request = request
        // Before any settings are read.
        request.mark = engine.cache.epoch
        var response: ServerResponse
        do {
            response = try await route(request)
        } catch {
            responder.explanations.note(request.id, at: engine.time.wall(), error)
            response = ProblemEncoder.response(for: error, requestID: request.id)
            response.route = routeName(request)
        }
        // Nothing of ours is for other sites' pages.
        if request.listenerProvider == nil, !response.fields.contains("Cross-Origin-Resource-Policy") {
            response.fields.set("Cross-Origin-Resource-Policy", "same-origin")
        }
        response.loggedPath =
            ImgurRoutes.loggedPath(request.method, request.path, listenerProvider: request.listenerProvider)
            ?? LiveRoute.loggedPath(request.path, listenerProvider: request.listenerProvider)
            ?? RedactedPath.raw(
                request.path, listenerProvider: request.listenerProvider, engine.snapshot.providers)
        let status = DaemonCounters.statusClass(response.status)
        engine.counters.cell(DaemonCounters.requests, response.route, status).add()
        responder.explanations.close(
            request.id, at: engine.time.wall(), method: request.method, path: response.loggedPath ?? request.path,
            route: response.route, status: response.status)
        return response
    }

    /// Pass-through bodies and uploads go through as they come; everything else is read whole.
    func takesStream(method: Method, path: String, listenerProvider: String?) -> Bool {
        if listenerProvider == nil, ImgurRoutes.takesStream(method: method, path: path) { return true }
        guard let name = listenerProvider ?? Self.rawTarget(path)?.provider else { return false }
        return engine.snapshot.providers.named(name)?.isPassthrough ?? false
    }

    private func route(_ request: ServerRequest) async throws(ClientFacingError) -> ServerResponse {
        // About this server as a whole, on a provider's listener too: no path of an upstream (RFC 9110 §9.3.7).
        if request.method == .options, request.path == "*" {
            return ServerResponse(status: 204, fields: ["Allow": Self.methods], route: "options")
        }
        if let provider = request.listenerProvider {
            return try await raws.pass(request, provider: provider, path: request.path, route: "listener")
        }
        // Pass-through takes any method and keeps the path's spelling, so it is told apart before the table.
        if let (provider, path) = Self.rawTarget(request.path) {
            return try await raws.pass(request, provider: provider, path: path, route: "raw")
        }
        let match = try router.match(request.method, path: request.path)
        switch match.value {
        case .search: return try await typing.search(request, route: match.name)
        case .local: return try await local.search(request, route: match.name)
        case .live(let part):
            let id = match.captures["id"] ?? ""
            return try await live.answer(part, id, request, route: match.name)
        case .typed(let prefix):
            let path = try Self.segments(match.rest ?? "")
            return try await typing.typed(request, prefix: prefix, path: path, route: match.name)
        case .artwork:
            return try await artwork.image(request, handle: match.captures["handle"] ?? "", route: match.name)
        case .explain: return try await explain.explain(match.captures["request"] ?? "", route: match.name)
        case .status: return await statuses.status(route: match.name)
        case .events: return try await events.events(request, route: match.name)
        case .purge: return try await admin.purge(request, route: match.name)
        case .resume: return try await admin.resume(request, name: match.captures["name"] ?? "", route: match.name)
        case .createImage: return try await imgur.create(request, route: match.name)
        case .deleteImage:
            return try await imgur.delete(request, hash: match.captures["deletehash"] ?? "", route: match.name)
        case .upload(let act):
            return try await imgur.act(act, on: match.captures["id"] ?? "", request, route: match.name)
        case .health: return await probes.health(route: match.name)
        case .ready: return probes.ready(route: match.name)
        case .metrics: return await probes.metrics(route: match.name)
        case .openAPI: return InterfaceDescription.response(route: match.name)
        case .dashboard(let part): return Dashboard.response(part, to: request, route: match.name)
        case .account(let part, let provider):
            return try await accounts.respond(request, part, provider: provider, route: match.name)
        }
    }

    /// "/raw/itunes/search" → ("itunes", "/search").
    private static func rawTarget(_ path: String) -> (provider: String, path: String)? {
        guard path.hasPrefix("/raw/") else { return nil }
        let rest = path.dropFirst(5)
        let name = rest.prefix { $0 != "/" }
        let tail = rest.dropFirst(name.count)
        return (String(name), tail.isEmpty ? "/" : String(tail))
    }

    private static func segments(_ path: String) throws(ClientFacingError) -> [String] {
        var segments: [String] = []
        for piece in path.split(separator: "/") {
            do {
                segments.append(try PercentCoding.decode(piece.utf8, plusIsSpace: false))
            } catch {
                throw .invalid("path", "The path is not percent-encoded UTF-8.")
            }
        }
        return segments
    }

    private func routeName(_ request: ServerRequest) -> String {
        if request.listenerProvider != nil { return "listener" }
        if Self.rawTarget(request.path) != nil { return "raw" }
        return (try? router.match(request.method, path: request.path))?.name ?? "none"
    }
}
