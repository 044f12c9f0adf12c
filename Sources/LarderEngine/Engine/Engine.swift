// What lies between a question and an answer: entries, flights, calls to upstreams, accounts. It knows no route and no
// server; `DaemonParts` has what serves clients.
import LarderCache
import LarderCore
import LarderIO
import LarderProviders
import LarderSettings

/// The parts by which questions are answered. Immutable but for the snapshot, which is replaced whole.
public final class Engine: Sendable {
    /// Memory and database as one.
    public let cache: EntryCache
    /// Fetches under way.
    public let flights: FlightCoordinator
    /// Every call to a provider.
    public let upstream: UpstreamClient
    /// Who is signed in where.
    public let accounts: AccountCoordinator
    /// Where large answers are worked on, away from the loops.
    public let compute: ComputeGate
    /// The room of bodies that are held whole.
    public let bodies: BodyMemory
    /// Makes and reads the handles of artwork.
    public let signer: ArtworkSigner
    /// All counters of the process.
    public let counters: CounterRegistry
    /// Where the engine says what went wrong.
    public let log: Logger
    /// Both clocks.
    public let time: any TimeSource
    /// What was dealt from each pool lately.
    let pools = Lock(PoolRounds())
    /// Stored answers that answer other queries of their path.
    let searchVariances: SearchVariances
    /// Sessions of typing.
    public let sessions: SessionCoordinator
    /// What is refreshed when a provider is back.
    public let refreshes: RefreshCoordinator
    private let current: Lock<Snapshot>

    /// Makes the parts that nobody else needs, and puts the snapshot in force.
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

    /// The settings in force. A request takes it once and keeps it to its end.
    public var snapshot: Snapshot { current.withLock { $0 } }

    /// Other settings, or another account, take the place of the present ones. Made under the lock, so that of two such
    /// changes at once neither is lost; both are rare.
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

    /// One more answer of a provider's data.
    public func count(_ outcome: CacheOutcome, of provider: String) {
        counters.cell(EngineCounters.outcomes, provider, outcome.rawValue).add()
    }

    /// One more question to a provider without an answer.
    public func countFailure(_ provider: String) {
        count(.none, of: provider)
    }

    /// For whom what is stored was searched. The raw values are labels of `larder_local_answers_total`.
    public enum LocalUse: String, Sendable {
        /// A client asked for what is stored.
        case asked
        /// A source is down.
        case standIn
    }

    /// How such a search ended.
    public enum LocalEnd: String, Sendable {
        case results, noResults, failed
    }

    /// One more search of what is stored.
    public func countLocal(_ use: LocalUse, _ end: LocalEnd) {
        counters.cell(EngineCounters.localAnswers, use.rawValue, end.rawValue).add()
    }
}
