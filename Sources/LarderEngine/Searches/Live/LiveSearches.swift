// Searches that no client waits for: those under way and those that ended recently. Each runs in its own task, which
// belongs to the daemon, so its client may leave. Cancelling the task leaves its flights, which end unless others wait
// for them.
import LarderCore
import LarderHTTP
import LarderIO
import LarderProviders

/// One live search.
public final class LivePage: Sendable {
    /// The search's id. It cannot be guessed; anyone who has it may cancel the search.
    public let id: String
    /// The events of the search.
    public let feed: EventFeed
    fileprivate let search: Lock<LiveSearch>
    fileprivate let task = Lock<Task<Void, Never>?>(nil)
    /// Fulfilled when the search ends.
    public let ended = Promise<Void>()

    init(_ search: LiveSearch, feed: EventFeed) {
        id = search.id
        self.feed = feed
        self.search = Lock(search)
    }

    /// The present state of the search.
    public var value: LiveSearch { search.withLock { $0 } }
}

/// The live searches of a daemon.
public final class LiveSearches: Sendable {
    private let known: Lock<RecentSearches<LivePage>>
    private let streams: EventStreams
    private let time: any TimeSource
    private let counters: CounterRegistry
    private let held: CounterCell
    private let dropped: CounterCell
    private let isClosed = Lock(false)

    /// Creates an empty set of searches.
    public init(limits: SearchLimits, streams: EventStreams, time: any TimeSource, counters: CounterRegistry) {
        known = Lock(RecentSearches(limits: limits))
        self.streams = streams
        self.time = time
        self.counters = counters
        held = counters.cell(LiveCounters.held)
        dropped = counters.cell(LiveCounters.dropped)
        // Create every series now, so it is exported from the start with the value 0.
        for state in LiveSearch.State.allCases where state != .loading {
            _ = counters.cell(LiveCounters.ended, state.rawValue)
        }
        for family in [EventCounters.posted, EventCounters.dropped] { _ = streams.cell(family, Self.feedName) }
        _ = counters.cell(LiveCounters.refused)
    }

    private static let feedName = "search"

    /// Sets new limits. They take effect when the next search begins or ends.
    public func setLimits(_ limits: SearchLimits) {
        step { $0.limits = limits }
    }

    /// Begins a search and runs its work in a new task.
    /// - Throws: 503 if too many searches are under way or the daemon is stopping.
    public func begin(
        query: Bytes, sort: SortOrder, names: [String], shape: ResultShape = .whole,
        work: @escaping @Sendable (LivePage) async -> Void
    ) throws(ClientFacingError) -> LivePage {
        let id = Self.freshID()
        // One event at the beginning, one for each source, one at the end.
        let feed = EventFeed(Self.feedName, streams: streams, keeping: names.count + 2)
        let page = LivePage(
            LiveSearch(id: id, query: query, sort: sort, names: names, shape: shape), feed: feed)
        let now = time.monotonic()
        guard !isClosed.withLock({ $0 }) else { throw EventStreams.stopping }
        guard step({ $0.begin(id, page, now: now) }) else {
            counters.cell(LiveCounters.refused).add()
            throw Self.full
        }
        feed.post("state", LiveEnvelope.stateEvent(page.value, count: 0))
        AskingClient.$current.withValue(AskingClient.current?.detached) {
            page.task.withLock { task in task = Task { await work(page) } }
        }
        // If the daemon began to stop meanwhile, the stop did not see this task.
        if isClosed.withLock({ $0 }) {
            cancel(page)
            page.task.withLock { $0 }?.cancel()
        }
        return page
    }

    /// Returns the search with this id.
    /// - Throws: 404 if there is none, or no longer.
    public func find(_ id: String) throws(ClientFacingError) -> LivePage {
        let now = time.monotonic()
        let page = step { known in
            known.expire(now)
            return known[id]
        }
        guard let page else {
            throw ClientFacingError(
                status: 404, code: "unknownSearch",
                detail: "There is no search with this id. An ended search is kept for the time of search.liveKeep.")
        }
        return page
    }

    /// Records one source's answer and posts it.
    public func arrived(_ page: LivePage, _ place: Int, _ answer: SourceAnswer) {
        guard page.search.withLock({ $0.arrived(place, answer) }) else { return }
        page.feed.post("source", LiveEnvelope.sourceEvent(answer, page.value.shape))
    }

    /// Ends a search whose sources have all answered.
    public func conclude(_ page: LivePage, _ conclusion: LiveSearch.Conclusion) {
        var ended = page.value
        guard ended.conclude(conclusion) else { return }
        release(page, ended)
        guard page.search.withLock({ $0.conclude(conclusion) }) else { return }
        close(page)
    }

    /// Cancels a search that is under way. Does nothing to one that has ended.
    public func cancel(_ page: LivePage) {
        let search = page.value
        guard search.state == .loading else { return }
        release(page, search)
        guard page.search.withLock({ $0.cancel() }) else { return }
        page.task.withLock { $0 }?.cancel()
        close(page)
    }

    /// Removes a search whose own client was answered. Nobody else knows its id.
    public func forget(_ page: LivePage) {
        step { $0.remove(page.id) }
    }

    /// Whether the daemon has begun to stop.
    public var isShutDown: Bool { isClosed.withLock { $0 } }

    /// Cancels all searches and refuses new ones. Used when the daemon stops.
    public func shutDown() {
        isClosed.withLock { $0 = true }
        for page in known.withLock({ $0.values }) { cancel(page) }
    }

    /// Forgets searches that ended too long ago.
    public func expire() {
        let now = time.monotonic()
        step { $0.expire(now) }
    }

    /// Makes room for another search. This must come before the end can be seen: a client that saw it may begin its
    /// next search at once.
    private func release(_ page: LivePage, _ search: LiveSearch) {
        let now = time.monotonic()
        let size = search.size + page.feed.size
        step { $0.end(page.id, bytes: size, now: now) }
    }

    private func close(_ page: LivePage) {
        let search = page.value
        // Before the last event, so that who has seen it finds the search counted.
        counters.cell(LiveCounters.ended, search.state.rawValue).add()
        let count = search.conclusion?.count ?? search.answers.reduce(0) { $0 + ($1?.normalised?.count ?? 0) }
        page.feed.post("state", LiveEnvelope.stateEvent(search, count: count))
        page.feed.finish()
        let size = search.size + page.feed.size
        step { $0.resize(page.id, bytes: size) }
        page.ended.fulfil()
    }

    /// Changes what is known, and its counters under the same lock: otherwise an older count could overwrite a newer
    /// one. The cells are atomic and take no lock.
    private func step<Result: Sendable>(_ body: (inout RecentSearches<LivePage>) -> Result) -> Result {
        known.withLock { known in
            defer {
                held.set(known.count)
                dropped.set(known.dropped)
            }
            return body(&known)
        }
    }

    /// Returns 128 random bits as text. Anyone who has the id may cancel, so it must not be guessable.
    private static func freshID() -> String {
        Base64URL.encode(Secrets.random(16))
    }

    private static let full = ClientFacingError(
        status: 503, code: FailureClass.overloaded.rawValue,
        detail: "Too many searches are running (search.liveMax). Try again later.", retryable: true, retryAfter: 5)
}

/// The counters of live searches.
enum LiveCounters {
    static let held = MetricFamily(
        "larder_live_searches", .gauge, help: "Asynchronous searches that are known now, running or ended.")
    static let ended = MetricFamily(
        "larder_live_searches_total", help: "Asynchronous searches that ended, by final state.", labels: ["state"])
    static let refused = MetricFamily(
        "larder_live_searches_refused_total", help: "Asynchronous searches refused because too many were running.")
    static let dropped = MetricFamily(
        "larder_live_searches_dropped_total",
        help: "Ended asynchronous searches that were forgotten early to make room.")
}
