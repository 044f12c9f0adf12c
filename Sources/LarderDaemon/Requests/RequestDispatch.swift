// Passes each request to its route. It checks the authority that the route's record requires, and turns errors into
// responses. `RouteTable` defines the routes.
import LarderCore
import LarderEngine
import LarderHTTP
import LarderIO
import LarderProviders
import LarderServer
import LarderSettings
import LarderTLS

/// Answers every request that memory does not answer.
final class RequestDispatch: RequestHandler {
    private let engine: Engine
    private let responder: Responder
    private let routes: RoutesInForce
    private let parts: RouteParts
    private let proxy: ProxyGate
    private let tunnels: TunnelConnector
    private let runs: RunWatch

    init(_ parts: DaemonParts) {
        engine = parts.engine
        responder = parts.responder
        routes = parts.routes
        self.parts = RouteParts(parts)
        proxy = parts.proxy
        tunnels = parts.tunnels
        runs = parts.runs
    }

    func verdict(on target: ProxyTarget, path: String, run: ProxyRun?) -> ProxyVerdict {
        proxy.verdict(on: target, path: path, run: run)
    }

    func certify(_ target: ProxyTarget) async throws(ClientFacingError) -> HostContext {
        try await proxy.certify(target)
    }

    func connect(to target: ProxyTarget) async throws(ClientFacingError) -> Int32 {
        do {
            return try await tunnels.connect(
                host: target.host, port: target.port, addresses: proxy.mayBePrivate(target) ? .configured : .publicOnly)
        } catch {
            throw .noTunnel(to: target, error.message)
        }
    }

    /// All methods that some route of this server accepts.
    private static let methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

    /// Sets the task-local values: the client, in whose turn the request's fetches wait, and a timeline of the stages. A
    /// GET to an API that is passed through is answered in steps on the loop, as far as that is possible.
    func begin(
        _ asked: ServerRequest, on loop: EventLoop, _ done: @escaping @Sendable (ServerResponse) -> Void
    ) -> @Sendable () -> Void {
        let client = AskingClient(asked, tools: engine.snapshot.settings.tools)
        return Timeline.$current.withValue(Timeline(began: engine.time.monotonic())) {
            AskingClient.$current.withValue(client) { start(asked, on: loop, done) }
        }
    }

    private func start(
        _ asked: ServerRequest, on loop: EventLoop, _ done: @escaping @Sendable (ServerResponse) -> Void
    ) -> @Sendable () -> Void {
        let (request, began) = received(asked)
        let work = RunningWork()
        let goOn = {
            @Sendable [self] (rest: @escaping @Sendable () async throws(ClientFacingError) -> ServerResponse) in
            work.attach(
                Task(executorPreference: loop) { done(await self.finished(request, since: began, rest)) })
        }
        if request.method == .get, let target = passTarget(request) {
            let cancel = parts.raws.begin(
                request, provider: target.provider, path: target.path, route: target.route, on: loop
            ) { [self] outcome in
                switch outcome {
                case .value(let response): done(finish(.success(response), request, since: began))
                case .rest(let rest): goOn(rest)
                }
            }
            if let cancel { work.attach(cancel) }
        } else {
            goOn { [self] () throws(ClientFacingError) in try await route(request) }
        }
        return { work.cancel() }
    }

    func respond(to asked: ServerRequest) async -> ServerResponse {
        let (request, began) = received(asked)
        return await finished(request, since: began) { [self] () throws(ClientFacingError) in try await route(request) }
    }

    /// The request as it is routed, and when that began.
    private func received(_ asked: ServerRequest) -> (ServerRequest, MonotonicTime) {
        var request =
            AskingClient.removed(from: asked, AskingClient.current?.tools ?? engine.snapshot.settings.tools) ?? asked
        // Taken before any settings are read.
        request.mark = engine.cache.epoch
        runs.reached(request)
        return (request, engine.time.monotonic())
    }

    private func finished(
        _ request: ServerRequest, since began: MonotonicTime,
        _ work: @Sendable () async throws(ClientFacingError) -> ServerResponse
    ) async -> ServerResponse {
        do throws(ClientFacingError) {
            return finish(.success(try await work()), request, since: began)
        } catch {
            return finish(.failure(error), request, since: began)
        }
    }

    /// Makes what a route came to the response that is sent, and records it.
    private func finish(
        _ outcome: Result<ServerResponse, ClientFacingError>, _ request: ServerRequest, since began: MonotonicTime
    ) -> ServerResponse {
        var response: ServerResponse
        var hasClientLeft = false
        switch outcome {
        case .success(let routed):
            response = routed
            bound(&response, request)
        case .failure(let error):
            hasClientLeft = error.code == ClientFacingError.clientLeft
            responder.explanations.note(request.id, at: engine.time.wall(), error)
            let name = routeName(request)
            response =
                error.status == 404 && name == .nowhere && request.acceptsPages
                ? ConsoleRoute.nothing(at: request.path) : ProblemEncoder.response(for: error, requestID: request.id)
            response.route = name
        }
        share(&response, with: request)
        // Pages of other sites must not embed Larder's own responses. A page that may read uses CORS.
        if request.listenerProvider == nil, !response.fields.contains(.crossOriginResourcePolicy) {
            response.fields.set(.crossOriginResourcePolicy, "same-origin")
        }
        response.loggedPath =
            RedactedPath.upload(request.method, request.path, listenerProvider: request.listenerProvider)
            ?? LiveRoute.loggedPath(request.path, listenerProvider: request.listenerProvider)
            ?? RedactedPath.raw(
                request.path, listenerProvider: request.listenerProvider, engine.snapshot.providers)
        // What becomes of it is known when the host has answered (`ended`).
        if response.upgrade != nil { return response }
        let told = hasClientLeft ? Self.clientLeft : response.status
        let status = DaemonCounters.statusClass(told)
        engine.counters.cell(DaemonCounters.requests, response.route.text, status).add()
        if told >= 500, response.outcome == .none, !routes.table.isLooking(response.route) {
            engine.counters.cell(DaemonCounters.failures).add()
        }
        if [.hit, .stale, .negative, .joined].contains(response.outcome) { runs.reached(request, isHit: true) }
        let ended = engine.time.monotonic()
        close(request, response, told, after: ended - began)
        if response.body.heldBytes > 0, let timeline = Timeline.current {
            response.hold = WriteSpan(timeline, began: ended, engine.time, keeping: response.hold)
        }
        return response
    }

    /// The status recorded for a client that left. HTTP has no such status; other servers use this one.
    private static let clientLeft = 499

    private static let neverRefused: Set<String> = ["metrics", "openapi"]

    /// Counts lists and pages that slow clients have not taken yet among the bodies in memory. If there is no room, the
    /// response is a 503. Bodies from the cache have been counted already.
    private func bound(_ response: inout ServerResponse, _ request: ServerRequest) {
        let size = response.body.heldBytes
        guard response.hold == nil, size > BodyMemory.uncounted, request.method != .head else { return }
        // Monitoring must work during an overload, and the interface description exists only once in memory.
        if Self.neverRefused.contains(response.route.text) { return response.hold = engine.bodies.claim(size) }
        let hold = engine.bodies.hold()
        if hold.resize(to: size) { return response.hold = hold }
        let error = ClientFacingError(
            status: 503, code: "overloaded", detail: "Too many answers wait to be sent. Try again in a moment.",
            retryable: true, retryAfter: 2)
        let route = response.route
        response = ProblemEncoder.response(for: error, requestID: request.id)
        response.route = route
    }

    func ended(_ tunnel: TunnelRecord) {
        if let (request, response) = tunnel.upgraded {
            engine.counters.cell(
                DaemonCounters.requests, response.route.text, DaemonCounters.statusClass(tunnel.status)
            ).add()
            return close(request, response, tunnel.status, after: tunnel.took, bytes: tunnel.received)
        }
        var answered = AnsweredRequest(
            peer: tunnel.peer, bytes: tunnel.received, took: tunnel.took, outcome: .none)
        answered.provider = nil
        engine.counters.cell(DaemonCounters.requests, RouteName.tunnel.text, DaemonCounters.statusClass(tunnel.status))
            .add()
        responder.explanations.close(tunnel.id, at: engine.time.wall(), answered) { explanation in
            explanation.method = tunnel.target.form == .connect ? "CONNECT" : "tunnel"
            explanation.path = "\(tunnel.target.host):\(tunnel.target.port)"
            explanation.route = .tunnel
            explanation.status = tunnel.status
        }
    }

    /// Completes the request's explanation.
    /// - Parameter status: the status to record.
    private func close(
        _ request: ServerRequest, _ response: ServerResponse, _ status: Int, after took: Duration,
        bytes received: Int? = nil
    ) {
        var bytes: Int? = received ?? response.body.count
        if request.method == .head { bytes = 0 } else if case .stream(_, nil) = response.body { bytes = nil }
        let answered = AnsweredRequest(
            query: SeenTarget.noted(request.query), isPathHidden: response.loggedPath != nil, peer: request.peer,
            bytes: bytes,
            took: took, outcome: response.outcome, provider: response.provider)
        responder.explanations.close(
            request.id, at: engine.time.wall(),
            isLooking: response.status < 400 && routes.table.isLooking(response.route), answered
        ) { explanation in
            explanation.method = request.method.name
            explanation.path = request.shownPath(response.loggedPath)
            explanation.route = response.route
            explanation.status = status
            explanation.trace = TraceContext(request.fields)?.traceID
            explanation.timeline = Timeline.current
        }
    }

    /// Tells the browser whether the page that sent the request may read the response.
    private func share(_ response: inout ServerResponse, with request: ServerRequest) {
        let origins = engine.snapshot.settings.browserOrigins
        guard !origins.isEmpty, request.listenerProvider == nil else { return }
        CrossOriginSharing.addVary(to: &response.fields)
        guard let origin = request.fields.first(.origin), origins.contains(origin) else { return }
        for line in CrossOriginSharing.fields(for: origin) { response.fields.add(line.name, line.value) }
    }

    /// Pass-through bodies and uploads are streamed. All other bodies are read whole.
    func takesStream(method: Method, path: String, listenerProvider: String?) -> Bool {
        if listenerProvider == nil, routes.table.takesStream(method, path) { return true }
        guard let name = listenerProvider ?? Self.rawTarget(path)?.provider else { return false }
        return engine.snapshot.providers.named(name)?.isPassthrough ?? false
    }

    private func route(_ request: ServerRequest) async throws(ClientFacingError) -> ServerResponse {
        // OPTIONS * asks about this server as a whole, even on a provider's listener (RFC 9110 §9.3.7).
        if request.method == .options, request.path == "*" {
            return ServerResponse(status: 204, fields: ["Allow": Self.methods], route: .options)
        }
        if request.listenerProvider == nil, request.method == .options, let origin = request.fields.first(.origin),
            engine.snapshot.settings.browserOrigins.contains(origin)
        {
            // Only a preflight is allowed. A page of another origin must not send any other OPTIONS request.
            guard CrossOriginSharing.isPreflight(request) else { throw .crossSite }
            return CrossOriginSharing.preflight(request, route: .options)
        }
        // Pass-through takes any method and keeps the path's spelling, so it is recognised before the route table.
        if let target = passTarget(request) {
            return try await parts.raws.pass(
                request, provider: target.provider, path: target.path, route: target.route)
        }
        let match = try routes.table.router.match(request.method, path: request.path)
        if match.value.needsAuthority { try Authority.check(request, engine.snapshot.settings) }
        return try await match.value.handler(parts, RouteCall(request, match))
    }

    /// "/raw/itunes/search" → ("itunes", "/search").
    private static func rawTarget(_ path: String) -> (provider: String, path: String)? {
        guard path.hasPrefix("/raw/") else { return nil }
        let rest = path.dropFirst(5)
        let name = rest.prefix { $0 != "/" }
        let tail = rest.dropFirst(name.count)
        return (String(name), tail.isEmpty ? "/" : String(tail))
    }

    /// The provider and its path that a request to a bound listener, to a host of the proxy or below `/raw` asks for.
    private func passTarget(_ request: ServerRequest) -> (provider: String, path: String, route: RouteName)? {
        if let provider = request.listenerProvider {
            return (provider, request.path, request.proxied == nil ? .listener : .proxy)
        }
        return Self.rawTarget(request.path).map { ($0.provider, $0.path, .raw) }
    }

    private func routeName(_ request: ServerRequest) -> RouteName {
        if let target = passTarget(request) { return target.route }
        return (try? routes.table.router.match(request.method, path: request.path))?.name ?? .nowhere
    }
}
