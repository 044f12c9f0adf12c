// What every route needs: the parts of the running daemon and the one snapshot of settings that is in force.
import LarderCache
import LarderCore
import LarderIO
import LarderProviders
import LarderServer
import LarderStore

/// Settings and what is made from them, swapped as one (decision 18). A class, since every request takes it.
final class Snapshot: Sendable {
    let settings: Settings
    let providers: ProviderSet
    /// Who is signed in where: keys say for whom an answer is, so this changes with the snapshot only.
    let standings: [String: AccountStanding]

    init(_ settings: Settings, standings: [String: AccountStanding] = [:]) {
        self.settings = settings
        self.standings = standings
        providers = ProviderSet(settings, standings: standings)
    }
}

/// The parts of one running daemon. Immutable but for the snapshot, which is replaced whole.
final class DaemonContext: Sendable {
    let cache: EntryCache
    let state: StateStore
    let flights: FlightDesk
    let upstream: UpstreamDesk
    let accounts: AccountDesk
    let compute: ComputeGate
    /// The room of bodies that are held whole.
    let bodies: BodyMemory
    let signer: ArtworkSigner
    let counters: CounterRegistry
    let log: Logger
    let time: any TimeSource
    let startedAt: WallTime
    let totals: Totals
    let explanations = ExplanationBook()
    let plainLengths = PlainLengths()
    /// Who listens to events.
    let eventSeats: EventSeats
    /// Searches whose clients do not wait.
    let searches: SearchBook
    let uploads: UploadDesk
    /// Asks the loop of a request for what it remembers of a memory hit; empty until the server is there.
    let hits = Lock<(@Sendable (RequestID) async -> HitRecord?)?>(nil)
    /// What was dealt from each pool lately.
    let pools = Lock(PoolBook())
    let sessions: SessionDesk
    /// What is refreshed when a provider is back.
    let refreshes: RefreshDesk
    /// What happens to providers.
    let providerEvents: EventFeed
    private let current: Lock<Snapshot>

    init(
        snapshot: Snapshot, cache: EntryCache, state: StateStore, flights: FlightDesk, upstream: UpstreamDesk,
        accounts: AccountDesk, compute: ComputeGate, bodies: BodyMemory,
        signer: ArtworkSigner, counters: CounterRegistry,
        log: Logger,
        time: any TimeSource
    ) {
        current = Lock(snapshot)
        self.cache = cache
        self.state = state
        self.flights = flights
        self.upstream = upstream
        self.accounts = accounts
        self.compute = compute
        self.bodies = bodies
        self.signer = signer
        self.counters = counters
        self.log = log
        self.time = time
        startedAt = time.wall()
        eventSeats = EventSeats(
            loop: flights.home, limit: snapshot.settings.serverMaxEventStreams, counters: counters)
        sessions = SessionDesk(
            loop: flights.home, time: time, counters: counters, maxSessions: snapshot.settings.searchSessions)
        searches = SearchBook(
            limits: snapshot.settings.searchLimits, seats: eventSeats, time: time, counters: counters)
        refreshes = RefreshDesk(
            flights: flights, upstream: upstream, time: time, log: log, counters: counters,
            limit: snapshot.settings.fetchRefreshOnReturn)
        // Ids of another run of the daemon mean nothing in this one.
        providerEvents = EventFeed(
            "provider", seats: eventSeats, keeping: 256, epoch: String(startedAt.milliseconds, radix: 36))
        uploads = UploadDesk(loop: flights.home, time: time, seats: eventSeats, counters: counters)
        totals = Totals(state: state, counters: counters, log: log)
        cache.change { snapshot.mark(signer) }
    }

    /// The settings in force. A request takes it once and keeps it to its end.
    var snapshot: Snapshot { current.withLock { $0 } }

    /// Other settings, or another account, take the place of the present ones. Made under the lock, so that of two such
    /// changes at once neither is lost; both are rare.
    @discardableResult
    func replace(_ change: (Snapshot) -> Snapshot) -> Snapshot {
        current.withLock { current in
            cache.change {
                current = change(current)
                return current.mark(signer)
            }
            return current
        }
    }
}
