// The searches that nobody waits for: under way, and ended a while ago. Each runs in a task of its own that belongs to the
// daemon, so whoever began it may leave; cancelling that task gives up its flights, which end where nobody else waits.
import LarderCore
import LarderHTTP
import LarderIO
import LarderProviders

/// One search.
public final class LivePage: Sendable {
    /// Nobody can guess it; whoever has it may cancel.
    public let id: String
    /// What happens to it.
    public let feed: EventFeed
    fileprivate let search: Lock<LiveSearch>
    fileprivate let task = Lock<Task<Void, Never>?>(nil)
    /// Opens at the search's end.
    public let ended = Promise<Void>()

    init(_ search: LiveSearch, feed: EventFeed) {
        id = search.id
        self.feed = feed
        self.search = Lock(search)
    }

    /// How it stands now.
    public var value: LiveSearch { search.withLock { $0 } }
}

/// The searches whose clients do not wait.
public final class LiveSearches: Sendable {
    private let known: Lock<RecentSearches<LivePage>>
    private let streams: EventStreams
    private let time: any TimeSource
    private let counters: CounterRegistry
    private let isClosed = Lock(false)

    /// No searches.
    public init(limits: SearchLimits, streams: EventStreams, time: any TimeSource, counters: CounterRegistry) {
        known = Lock(RecentSearches(limits: limits))
        self.streams = streams
        self.time = time
        self.counters = counters
        // Every series is there from the start, at zero.
        for state in LiveSearch.State.allCases where state != .loading {
            _ = counters.cell(LiveCounters.ended, state.rawValue)
        }
        for family in [EventCounters.posted, EventCounters.dropped] { _ = streams.cell(family, Self.feedName) }
        _ = counters.cell(LiveCounters.refused)
        tally()
    }

    private static let feedName = "search"

    /// Takes new limits; they hold when the next search begins or ends.
    public func setLimits(_ limits: SearchLimits) {
        known.withLock { $0.limits = limits }
    }

    /// Begins a search and runs the work for it.
    /// - Throws: 503 where as many searches as may be are under way, or the daemon stops.
    public func begin(
        query: Bytes, sort: SortOrder, names: [String], shape: ResultShape = .whole,
        work: @escaping @Sendable (LivePage) async -> Void
    ) throws(ClientFacingError) -> LivePage {
        let id = Self.freshID()
        // One event when it begins, one for each source, one at the end.
        let feed = EventFeed(Self.feedName, streams: streams, keeping: names.count + 2)
        let page = LivePage(
            LiveSearch(id: id, query: query, sort: sort, names: names, shape: shape), feed: feed)
        let now = time.monotonic()
        guard !isClosed.withLock({ $0 }) else { throw EventStreams.stopping }
        guard known.withLock({ $0.begin(id, page, now: now) }) else {
            counters.cell(LiveCounters.refused).add()
            throw Self.full
        }
        feed.post("state", LiveEnvelope.stateEvent(page.value, count: 0))
        page.task.withLock { task in task = Task { await work(page) } }
        // A stop in between has not seen the task.
        if isClosed.withLock({ $0 }) {
            cancel(page)
            page.task.withLock { $0 }?.cancel()
        }
        tally()
        return page
    }

    /// The search of that id.
    /// - Throws: 404 where there is none, or none any more.
    public func find(_ id: String) throws(ClientFacingError) -> LivePage {
        let now = time.monotonic()
        let page = known.withLock { known in
            known.expire(now)
            return known[id]
        }
        guard let page else {
            throw ClientFacingError(
                status: 404, code: "unknownSearch",
                detail: "There is no search of this id; one that has ended is kept for search.liveKeep.")
        }
        return page
    }

    /// One source's answer is there.
    public func arrived(_ page: LivePage, _ place: Int, _ answer: SourceAnswer) {
        guard page.search.withLock({ $0.arrived(place, answer) }) else { return }
        page.feed.post("source", LiveEnvelope.sourceEvent(answer, page.value.shape))
    }

    /// All sources have answered.
    public func conclude(_ page: LivePage, _ conclusion: LiveSearch.Conclusion) {
        guard page.search.withLock({ $0.conclude(conclusion) }) else { return }
        close(page)
    }

    /// Ends a search that is under way; nothing happens to one that has ended.
    public func cancel(_ page: LivePage) {
        guard page.search.withLock({ $0.cancel() }) else { return }
        page.task.withLock { $0 }?.cancel()
        close(page)
    }

    /// Takes a search out: its own client was answered, and nobody else knows its id.
    public func forget(_ page: LivePage) {
        known.withLock { $0.remove(page.id) }
        tally()
    }

    /// Whether the daemon's stop has begun.
    public var isShutDown: Bool { isClosed.withLock { $0 } }

    /// Cancels all and begins no more. For the daemon's stop.
    public func shutDown() {
        isClosed.withLock { $0 = true }
        for page in known.withLock({ $0.values }) { cancel(page) }
    }

    /// Forgets what ended too long ago.
    public func expire() {
        let now = time.monotonic()
        known.withLock { $0.expire(now) }
        tally()
    }

    private func close(_ page: LivePage) {
        let search = page.value
        let count = search.conclusion?.count ?? search.answers.reduce(0) { $0 + ($1?.normalised?.count ?? 0) }
        page.feed.post("state", LiveEnvelope.stateEvent(search, count: count))
        page.feed.finish()
        let now = time.monotonic()
        let size = search.size + page.feed.size
        known.withLock { $0.end(page.id, bytes: size, now: now) }
        counters.cell(LiveCounters.ended, search.state.rawValue).add()
        tally()
        page.ended.fulfil()
    }

    private func tally() {
        let (count, dropped) = known.withLock { ($0.count, $0.dropped) }
        counters.cell(LiveCounters.held).set(count)
        counters.cell(LiveCounters.dropped).set(dropped)
    }

    /// 128 bits that nobody can guess (getrandom(2)): whoever has it may cancel.
    private static func freshID() -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64URL.encode(Bytes((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }))
    }

    private static let full = ClientFacingError(
        status: 503, code: FailureClass.overloaded.rawValue,
        detail: "As many searches are under way as search.liveMax permits.", retryable: true, retryAfter: 5)
}

/// What asynchronous searches count.
enum LiveCounters {
    static let held = MetricFamily(
        "larder_live_searches", .gauge, help: "Asynchronous searches that are known now, under way or ended.")
    static let ended = MetricFamily(
        "larder_live_searches_total", help: "Asynchronous searches ended, by their state.", labels: ["state"])
    static let refused = MetricFamily(
        "larder_live_searches_refused_total", help: "Asynchronous searches refused because too many were under way.")
    static let dropped = MetricFamily(
        "larder_live_searches_dropped_total", help: "Ended searches dropped early, to make room for others.")
}
