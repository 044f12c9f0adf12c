// The parts that turn a question into an answer: entries, flights, upstream calls and accounts. The engine knows no
// route and no server; `DaemonParts` holds what serves clients.
import LarderCache
import LarderCore
import LarderIO
import LarderProviders
import LarderSettings

/// The engine of one daemon. Immutable except for the snapshot, which is replaced as a whole.
public final class Engine: Sendable {
    /// The memory tier and the database behind one interface.
    public let cache: EntryCache
    /// The fetches under way.
    public let flights: FlightCoordinator
    /// Makes every call to a provider.
    public let upstream: UpstreamClient
    /// Sign-ins and their tokens.
    public let accounts: AccountCoordinator
    /// Runs the processing of large answers away from the loops.
    public let compute: ComputeGate
    /// The memory budget of bodies that are held whole.
    public let bodies: BodyMemory
    /// Signs and verifies artwork handles.
    public let signer: ArtworkSigner
    /// All counters of the process.
    public let counters: CounterRegistry
    /// The log of the engine's failures and events.
    public let log: Logger
    /// The wall clock and the monotonic clock.
    public let time: any TimeSource
    /// The answers recently dealt from each pool.
    let pools = Lock(PoolRounds())
    /// Stored answers that also answer other queries of their path (No-Vary-Search).
    let searchVariances: SearchVariances
    /// Sessions of a user who types a search.
    public let sessions: SessionCoordinator
    /// Refreshes entries when a provider is reachable again.
    public let refreshes: RefreshCoordinator
    private let current: Lock<Snapshot>

    /// Creates the engine's own parts (sessions, refreshes, pools) and puts the snapshot in force.
    public init(
        snapshot: Snapshot, cache: EntryCache, flights: FlightCoordinator, upstream: UpstreamClient,
        accounts: AccountCoordinator,
        compute: ComputeGate, bodies: BodyMemory, signer: ArtworkSigner, counters: CounterRegistry, log: Logger,
        time: any TimeSource
    ) {
        current = Lock(snapshot)
        self.cache = cache
        self.flights = flights
        self.upstream = upstream
        self.accounts = accounts
        self.compute = compute
        self.bodies = bodies
        self.signer = signer
        self.counters = counters
        self.log = log
        self.time = time
        searchVariances = SearchVariances(began: time.wall())
        sessions = SessionCoordinator(
            loop: flights.home, time: time, counters: counters, maxSessions: snapshot.settings.search.sessions)
        refreshes = RefreshCoordinator(
            flights: flights, upstream: upstream, time: time, log: log, counters: counters,
            limit: snapshot.settings.fetch.refreshOnReturn)
        cache.change { snapshot.mark(signer) }
    }

    /// The settings in force. A request takes the snapshot once and keeps it to its end.
    public var snapshot: Snapshot { current.withLock { $0 } }

    /// Replaces the snapshot when settings or an account change. The change runs under the lock, so neither of two
    /// concurrent changes is lost. Both kinds of change are rare.
    @discardableResult
    public func replace(_ change: (Snapshot) -> Snapshot) -> Snapshot {
        current.withLock { current in
            cache.change {
                current = change(current)
                return current.mark(signer)
            }
            return current
        }
    }

    /// Counts one answer of a provider's data by its outcome.
    public func count(_ outcome: CacheOutcome, of provider: String) {
        counters.cell(EngineCounters.outcomes, provider, outcome.rawValue).add()
    }

    /// Counts one question to a provider that got no answer.
    public func countFailure(_ provider: String) {
        count(.none, of: provider)
    }

    /// Why stored results were searched. The raw values are labels of `larder_local_answers_total`.
    public enum LocalUse: String, Sendable {
        /// A client asked for stored results.
        case asked
        /// A source is down, and stored results stand in for it.
        case standIn
    }

    /// The outcome of a search of stored results.
    public enum LocalEnd: String, Sendable {
        case results, noResults, failed
    }

    /// Counts one search of stored results.
    public func countLocal(_ use: LocalUse, _ end: LocalEnd) {
        counters.cell(EngineCounters.localAnswers, use.rawValue, end.rawValue).add()
    }
}
