// The objects that handle the routes, each with the parts of the daemon that it uses.
import LarderEngine
import LarderServer

/// Passed to the handlers of the records.
struct RouteParts: Sendable {
    let typing: TypingRoute
    let raws: RawRoute
    let artwork: ArtworkRoute
    let live: LiveRoute
    let local: LocalRoute
    let events: EventsRoute
    let statuses: StatusRoute
    let history: HistoryRoute
    let entries: EntriesRoute
    let admin: AdminRoutes
    let probes: ProbeRoutes
    let explain: ExplainRoute
    let accounts: AccountRoutes
    let uploads: UploadRoutes
    let requests: RequestsRoute
    let settings: SettingsRoute
    let fleet: FleetRoute
    let routes: RoutesInForce
    let owner: OwnerRoute

    init(_ parts: DaemonParts) {
        let (engine, responder) = (parts.engine, parts.responder)
        routes = parts.routes
        owner = OwnerRoute(engine: engine, links: parts.ownerLinks)
        live = LiveRoute(engine: engine, responder: responder, searches: parts.searches)
        typing = TypingRoute(
            engine: engine, responder: responder,
            searches: SearchRoute(engine: engine, responder: responder, live: live))
        raws = RawRoute(engine: engine, responder: responder, tunnels: parts.tunnels, secrets: parts.secrets)
        artwork = ArtworkRoute(engine: engine, responder: responder)
        local = LocalRoute(engine: engine)
        events = EventsRoute(engine: engine, providerEvents: parts.providerEvents, returns: parts.returns)
        statuses = StatusRoute(
            engine: engine, state: parts.state, totals: parts.totals, history: parts.providerHistory,
            proxy: ProxyStanding(counters: engine.counters, runs: parts.runs), startedAt: parts.startedAt)
        history = HistoryRoute(engine: engine, history: parts.history, totals: parts.totals)
        entries = EntriesRoute(engine: engine)
        admin = AdminRoutes(engine: engine)
        probes = ProbeRoutes(
            engine: engine, state: parts.state, startedAt: parts.startedAt, readiness: parts.readiness)
        explain = ExplainRoute(engine: engine, explanations: responder.explanations, hits: parts.hits)
        accounts = AccountRoutes(engine: engine)
        uploads = UploadRoutes(engine: engine, uploads: parts.uploads)
        requests = RequestsRoute(
            engine: engine,
            watch: RequestWatch(
                engine: engine, explanations: responder.explanations, hits: parts.recentHits, routes: parts.routes),
            secrets: parts.secrets, streams: parts.eventStreams,
            places: RequestStreamPlaces(counters: engine.counters), home: engine.flights.home)
        settings = SettingsRoute(engine: engine)
        fleet = FleetRoute(engine: engine)
    }
}
