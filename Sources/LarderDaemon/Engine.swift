// What lies between a question and an answer: entries, flights, calls to upstreams, accounts. It knows no route and no
// server; `DaemonParts` has what serves clients.
import LarderCache
import LarderCore
import LarderIO
import LarderProviders
import LarderSettings

/// The parts by which questions are answered. Immutable but for the snapshot, which is replaced whole.
final class Engine: Sendable {
    let cache: EntryCache
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
    /// What was dealt from each pool lately.
    let pools = Lock(PoolBook())
    let sessions: SessionDesk
    /// What is refreshed when a provider is back.
    let refreshes: RefreshDesk
    private let current: Lock<Snapshot>

    init(
        snapshot: Snapshot, cache: EntryCache, flights: FlightDesk, upstream: UpstreamDesk, accounts: AccountDesk,
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
        sessions = SessionDesk(
            loop: flights.home, time: time, counters: counters, maxSessions: snapshot.settings.searchSessions)
        refreshes = RefreshDesk(
            flights: flights, upstream: upstream, time: time, log: log, counters: counters,
            limit: snapshot.settings.fetchRefreshOnReturn)
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

    /// One more answer of a provider's data.
    func count(_ outcome: CacheOutcome, of provider: String) {
        counters.cell(DaemonCounters.outcomes, provider, outcome.rawValue).add()
    }

    /// One more question to a provider without an answer.
    func countFailure(_ provider: String) {
        count(.none, of: provider)
    }

    /// One more search of what is stored. `use` is "asked" or "standIn".
    func countLocal(_ use: String, _ result: String) {
        counters.cell(DaemonCounters.localAnswers, use, result).add()
    }
}
