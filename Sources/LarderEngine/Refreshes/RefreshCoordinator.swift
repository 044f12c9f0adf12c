// The only owner of refreshes when a provider returns. It runs on the home loop, where it hears of changes to lanes.
// Entries that were answered stale while the provider was away are refreshed as ordinary flights, one at a time.
// Clients have priority: half of the provider's rate and quota is left to them.
import LarderCache
import LarderCore
import LarderIO

/// A change in a provider's lane.
public struct LaneNews: Sendable {
    /// The provider's name.
    public var provider: String
    /// The change.
    public var event: LaneEvent
    /// The moment of the change, by both clocks.
    public var at: Moment
    /// Whether the provider cannot be used at present.
    var isAway: Bool
}

/// Refreshes entries when their provider is back. An actor on the home loop.
public actor RefreshCoordinator {
    /// A stale entry that a client asked for.
    struct Demand: Sendable {
        var provider: String
        /// The digest of the flight that refreshes the entry.
        var key: Digest
        /// Whether the entry is still stored and still stale.
        var isDue: @Sendable () async -> Bool
        /// The work of the entry's flight.
        var work: @Sendable () async -> FlightResult
    }

    /// The round ends if the budget allows no call for longer than this.
    static let longestWait: Duration = .seconds(300)

    nonisolated let loop: EventLoop
    /// The home loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let executor: LoopSerialExecutor

    private let flights: FlightCoordinator
    private let upstream: UpstreamClient
    private let time: any TimeSource
    private let log: Logger
    private let counters: CounterRegistry
    private let waiting: CounterCell
    private var queue: RefreshQueue<Demand>
    private var isClosed = false

    init(
        flights: FlightCoordinator, upstream: UpstreamClient, time: any TimeSource, log: Logger,
        counters: CounterRegistry,
        limit: Int
    ) {
        loop = flights.home
        executor = LoopSerialExecutor(flights.home)
        self.flights = flights
        self.upstream = upstream
        self.time = time
        self.log = log
        self.counters = counters
        waiting = counters.cell(ReturnCounters.waiting)
        queue = RefreshQueue(limit: limit)
    }

    /// Takes in a stale entry that was answered to a client. It is queued if its provider is away. May be called on any
    /// thread.
    nonisolated func asked(_ demand: Demand) {
        loop.post { [weak self] in self?.assumeIsolated { $0.note(demand) } }
    }

    private func note(_ demand: Demand) {
        guard !isClosed else { return }
        if case .displaced = queue.asked(demand.provider, demand.key, demand) {
            count(demand.provider, .displaced)
        }
        waiting.set(queue.count)
    }

    /// Takes in a lane change. Must be called on this loop, in the order of the changes.
    public nonisolated func heard(_ news: LaneNews) {
        assumeIsolated { $0.take(news) }
    }

    private func take(_ news: LaneNews) {
        guard !isClosed else { return }
        if news.isAway { return queue.left(news.provider) }
        switch news.event {
        case .reachable, .resumed:
            guard queue.returned(news.provider) else { return }
            // Forget remembered failures before any client asks: a recent failure happened because the provider was
            // away.
            flights.forgetFailures(of: news.provider)
            log.info("provider is back: refreshing the stale answers served meanwhile", ["provider": news.provider])
            begin(news.provider)
        case .unreachable, .suspended, .budget: break
        }
    }

    private func begin(_ provider: String) {
        Task(executorPreference: loop) { await self.run(provider) }
    }

    private func run(_ provider: String) async {
        while !isClosed, let (digest, demand) = queue.next(provider) {
            waiting.set(queue.count)
            guard await demand.isDue() else {
                count(provider, .unneeded)
                continue
            }
            if case .spent(let until) = upstream.spare(provider) {
                queue.putBack(provider, digest, demand)
                return later(provider, until - time.monotonic())
            }
            guard !isClosed else { return }
            let obtained = await flights.obtain(demand.key, of: digest, groupsOf: provider, patience: nil) {
                _ in await demand.work()
            }
            if case .result(.answered(let made), _) = obtained, made.covering == nil {
                count(provider, .refreshed)
                continue
            }
            count(provider, .failed)
            queue.failed(provider, digest, demand)
        }
        waiting.set(queue.count)
    }

    private func later(_ provider: String, _ wait: Duration) {
        guard wait <= Self.longestWait else {
            count(provider, .skipped, queue.giveUp(provider))
            return waiting.set(queue.count)
        }
        _ = loop.schedule(at: loop.monotonic + max(wait, .milliseconds(1))) { [weak self] in
            self?.assumeIsolated { $0.begin(provider) }
        }
    }

    /// Applies new settings. Waiting demands are dropped, since they were made under the old settings.
    public func apply(limit: Int) {
        queue.limit = limit
        queue.forgetAll()
        waiting.set(0)
    }

    /// Stops: nothing more is begun. Refreshes under way end with their flights.
    public func close() {
        isClosed = true
        queue.forgetAll()
    }

    /// The outcome of a demand. The raw values are labels of its counter.
    private enum DemandEnd: String {
        case refreshed, failed
        /// Newer demands pushed it out of the queue.
        case displaced
        /// The entry was fresh again or gone.
        case unneeded
        /// The budget allows no call soon enough.
        case skipped
    }

    private func count(_ provider: String, _ end: DemandEnd, _ amount: Int = 1) {
        counters.cell(ReturnCounters.refreshes, provider, end.rawValue).add(amount)
    }
}

/// The counters of refreshes on a provider's return.
enum ReturnCounters {
    static let refreshes = MetricFamily(
        "larder_return_refreshes_total",
        help:
            "Stale entries served while their provider was away, by what became of their refresh: refreshed, failed, "
            + "unneeded (fresh or gone by then), skipped (the budget was spent) or displaced (too many).",
        labels: ["provider", "result"])
    static let waiting = MetricFamily(
        "larder_return_waiting", .gauge, help: "Stale entries that will be refreshed when their provider is back.")
}
