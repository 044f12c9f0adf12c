// The parts of a running daemon, apart from its loops and sockets. Only the wiring sees all of them: `RouteParts` gives
// each route the parts that it uses, and `Daemon` starts and stops them.
import LarderCore
import LarderEngine
import LarderFetch
import LarderServer
import LarderSettings
import LarderStore

struct DaemonParts: Sendable {
    let engine: Engine
    let responder: Responder
    let state: StateStore
    let totals: Totals
    /// Records the history: figures over time.
    let history: HistoryRecorder
    /// The open event streams.
    let eventStreams: EventStreams
    /// Searches whose clients do not wait.
    let searches: LiveSearches
    let uploads: UploadCoordinator
    /// Events of the providers' lanes.
    let providerEvents: EventFeed
    /// Calls providers that are away while somebody listens to their events.
    let returns: ReturnWatch
    /// The last events of each provider.
    let providerHistory = ProviderHistory()
    /// Finds a loop's record of a memory hit.
    let hits = ExplainRoute.Hits(nil)
    /// Reads the memory hits since the last reading.
    let recentHits = RequestWatch.Hits(nil)
    /// Secrets that must not be shown to anybody.
    let secrets: SecretRegistry
    let readiness = Readiness()
    /// The routes of the settings in force.
    let routes: RoutesInForce
    /// The runs that are under way.
    let runs = RunWatch()
    /// The rules of the proxy.
    let proxy: ProxyGate
    /// Makes the connections of the proxy's tunnels.
    let tunnels: TunnelConnector
    /// The links of `larder console`.
    let ownerLinks = OwnerLinks()
    let startedAt: WallTime

    init(_ engine: Engine, state: StateStore, secrets: SecretRegistry, fetcher: CurlUpstream, isReplaying: Bool) {
        let (counters, time) = (engine.counters, engine.time)
        let settings = engine.snapshot.settings
        let home = engine.flights.home
        self.engine = engine
        self.state = state
        self.secrets = secrets
        tunnels = TunnelConnector(fetcher, isReplaying: isReplaying)
        proxy = ProxyGate(engine, runs: runs)
        responder = Responder(engine)
        routes = RoutesInForce(engine.snapshot.providers)
        startedAt = time.wall()
        totals = Totals(state: state, counters: counters, log: engine.log)
        history = HistoryRecorder(state: state, counters: counters, time: time, log: engine.log)
        eventStreams = EventStreams(loop: home, limit: settings.server.maxEventStreams, counters: counters)
        searches = LiveSearches(limits: settings.searchLimits, streams: eventStreams, time: time, counters: counters)
        uploads = UploadCoordinator(loop: home, time: time, streams: eventStreams, counters: counters)
        // Event ids of another run of the daemon have no meaning in this one.
        providerEvents = EventFeed(
            "provider", streams: eventStreams, keeping: 256, epoch: String(startedAt.milliseconds, radix: 36))
        returns = ReturnWatch(engine: engine, feed: providerEvents)
    }

    /// Sends the events of providers to their listeners, the history and the refreshes.
    func tellOfProviders() {
        engine.upstream.listen {
            [feed = providerEvents, history = providerHistory, weak refreshes = engine.refreshes] news in
            feed.post(news.name, news.json)
            history.add(news)
            refreshes?.heard(news)
        }
    }
}
