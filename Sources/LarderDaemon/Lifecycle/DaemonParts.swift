// What one running daemon is made of, beside its loops and sockets. Only the wiring sees all of it: `RouteParts` gives
// each route the parts that it uses, and `Daemon` starts and stops them.
import LarderCore
import LarderEngine
import LarderServer
import LarderSettings
import LarderStore

struct DaemonParts: Sendable {
    let engine: Engine
    let responder: Responder
    let state: StateStore
    let totals: Totals
    /// Figures over time.
    let history: HistoryRecorder
    /// Who listens to events.
    let eventStreams: EventStreams
    /// Searches whose clients do not wait.
    let searches: LiveSearches
    let uploads: UploadCoordinator
    /// What happens to providers.
    let providerEvents: EventFeed
    /// What happened to them lately.
    let providerHistory = ProviderHistory()
    /// What a loop remembers of a memory hit.
    let hits = ExplainRoute.Hits(nil)
    /// What the loops answered from memory since somebody looked.
    let recentHits = RequestWatch.Hits(nil)
    /// What nobody is told.
    let secrets: SecretRegistry
    let readiness = Readiness()
    let startedAt: WallTime

    init(_ engine: Engine, state: StateStore, secrets: SecretRegistry) {
        let (counters, time) = (engine.counters, engine.time)
        let settings = engine.snapshot.settings
        let home = engine.flights.home
        self.engine = engine
        self.state = state
        self.secrets = secrets
        responder = Responder(engine)
        startedAt = time.wall()
        totals = Totals(state: state, counters: counters, log: engine.log)
        history = HistoryRecorder(state: state, counters: counters, time: time, log: engine.log)
        eventStreams = EventStreams(loop: home, limit: settings.server.maxEventStreams, counters: counters)
        searches = LiveSearches(limits: settings.searchLimits, streams: eventStreams, time: time, counters: counters)
        uploads = UploadCoordinator(loop: home, time: time, streams: eventStreams, counters: counters)
        // Ids of another run of the daemon mean nothing in this one.
        providerEvents = EventFeed(
            "provider", streams: eventStreams, keeping: 256, epoch: String(startedAt.milliseconds, radix: 36))
    }

    /// Has what happens to providers told to whoever listens, and acted upon.
    func tellOfProviders() {
        engine.upstream.listen {
            [feed = providerEvents, history = providerHistory, weak refreshes = engine.refreshes] news in
            feed.post(news.name, news.json)
            history.add(news)
            refreshes?.heard(news)
        }
    }
}
