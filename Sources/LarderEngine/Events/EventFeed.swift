// One source of events and any number of readers. The feed keeps the last few events, once for all; a reader has a place
// among them. So a slow reader costs no memory: what is forgotten before its turn it does not get, and that is counted.
import LarderCore
import LarderHTTP

/// A broadcast of events in order.
public final class EventFeed: Sendable {
    /// Where a reader begins that names no event it has seen.
    public enum Start: Sendable {
        /// With the oldest event that is kept.
        case oldest
        /// With the next one.
        case next
    }

    struct Subscription {
        /// The number of the event it gets next.
        var place: UInt64
        var waiter: CheckedContinuation<Void, Never>?
        /// What it gets before any event.
        var greeting: Bytes
        var quietTicks = 0
        var needsBeat = false
        var isOver = false
    }

    struct State {
        /// The events that are kept, as text; the first has the number `first`.
        var events: [Bytes] = []
        var first: UInt64 = 1
        var isFinished = false
        var subscriptions: [UInt64: Subscription] = [:]

        var next: UInt64 { first + UInt64(events.count) }

        func isDue(_ subscription: Subscription) -> Bool {
            subscription.place < next || isFinished || subscription.isOver || subscription.needsBeat
                || !subscription.greeting.isEmpty
        }

        mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
            subscriptions.keys.compactMap { number in subscriptions[number]?.waiter.take() }
        }
    }

    /// A word for the counters: "search", "provider", "upload".
    let name: String
    private let keep: Int
    private let epoch: String
    private let posted: CounterCell
    fileprivate let dropped: CounterCell
    fileprivate let all: EventStreams
    fileprivate let state = Lock(State())

    /// - Parameters:
    ///   - keep: events that a late or slow reader still gets, at least one.
    ///   - epoch: begins every id, so that an id of another feed at the same place is known for what it is: for feeds
    ///     that a restart begins anew.
    public init(_ name: String, streams: EventStreams, keeping keep: Int, epoch: String = "") {
        self.name = name
        self.keep = max(1, keep)
        self.epoch = epoch.isEmpty ? "" : "\(epoch)-"
        all = streams
        posted = streams.cell(EventCounters.posted, name)
        dropped = streams.cell(EventCounters.dropped, name)
    }

    /// Tells everyone. After the end nothing is told.
    public func post(_ event: String, _ data: Bytes) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard !state.isFinished else { return [] }
            state.events.append(EventText.event(event, id: "\(epoch)\(state.next)", data: data))
            if state.events.count > keep {
                let excess = state.events.count - keep
                state.events.removeFirst(excess)
                state.first += UInt64(excess)
            }
            posted.add()
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Nothing more will be told: each reader ends when it has had what there is.
    func finish() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.isFinished = true
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Bytes of the events that are kept.
    var size: Int { state.withLock { $0.events.reduce(0) { $0 + $1.count } } }

    /// Whether somebody reads on: a stream that is ending wants no more.
    public var hasReaders: Bool { state.withLock { $0.subscriptions.contains { !$0.value.isOver } } }

    /// Events that the slowest reader has not had yet.
    public var backlog: Int {
        state.withLock { state in
            state.subscriptions.reduce(0) { max($0, Int(clamping: state.next - min(state.next, $1.value.place))) }
        }
    }

    /// Readers now.
    var readers: Int { state.withLock { $0.subscriptions.count } }

    /// A reader with a subscription of its own.
    /// - Parameters:
    ///   - lastID: the last event it has seen, as `Last-Event-ID` says it (WHATWG HTML §9.2.4); one that this feed did
    ///     not give counts as none.
    ///   - start: where it begins without one.
    ///   - greeting: text that it gets first.
    /// - Throws: 503 where no more streams may be open.
    public func reader(after lastID: String?, otherwise start: Start, greeting: Bytes = []) throws(ClientFacingError)
        -> EventReader
    {
        let reader = EventReader(self)
        let number = try all.open(reader)
        reader.bind(number)
        state.withLock { state in
            let known = seen(lastID, state)
            let place =
                switch start {
                case .oldest: known ?? state.first
                case .next: known ?? state.next
                }
            state.subscriptions[number] = Subscription(place: place, greeting: greeting)
        }
        // A stop in between has found the reader without its subscription.
        if all.isClosed { reader.close() }
        return reader
    }

    /// Whether a reader that has seen that event would get nothing more, ever.
    public func isExhausted(after lastID: String?) -> Bool {
        state.withLock { state in state.isFinished && seen(lastID, state) == state.next }
    }

    /// The number behind the last one seen.
    private func seen(_ lastID: String?, _ state: State) -> UInt64? {
        guard let lastID, lastID.hasPrefix(epoch), let number = UInt64(lastID.dropFirst(epoch.count)),
            number < state.next
        else { return nil }
        return number + 1
    }

    fileprivate func leave(_ number: UInt64) {
        let waiter = state.withLock { $0.subscriptions.removeValue(forKey: number)?.waiter }
        waiter?.resume()
        all.giveBack(number)
    }

    fileprivate func change(_ number: UInt64, _ body: (inout Subscription) -> Void) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard var subscription = state.subscriptions[number] else { return nil }
            body(&subscription)
            let waiter = state.isDue(subscription) ? subscription.waiter.take() : nil
            state.subscriptions[number] = subscription
            return waiter
        }
        waiter?.resume()
    }
}

/// One pass over a feed.
public final class EventReader: BodyReader {
    /// Bytes of events that are handed over together; one that is larger goes by itself.
    private static let pieceSize = 64 * 1024

    private let feed: EventFeed
    private let number = Lock<UInt64>(0)

    fileprivate init(_ feed: EventFeed) {
        self.feed = feed
    }

    deinit { feed.leave(subscription) }

    fileprivate func bind(_ subscription: UInt64) { number.withLock { $0 = subscription } }

    private var subscription: UInt64 { number.withLock { $0 } }

    private enum Found {
        case piece(Bytes)
        case end
        case gone
        case wait
    }

    /// The next events; nil after the last. Waits for one.
    public func next() async throws(BodyFailure) -> Bytes? {
        while true {
            switch look() {
            case .piece(let piece): return piece
            case .end:
                feed.leave(subscription)
                return nil
            case .gone: throw BodyFailure("Nobody reads it any more.")
            case .wait: await wait()
            }
        }
    }

    /// Gives the subscription back.
    public func abandon() { feed.leave(subscription) }

    /// Says something to this reader alone, before the next event.
    public func greet(_ text: Bytes) { feed.change(subscription) { $0.greeting += text } }

    /// The clean end, with what is there.
    func close() { feed.change(subscription) { $0.isOver = true } }

    /// A part of the heartbeat's time has passed.
    func tick() {
        feed.change(subscription) { subscription in
            subscription.quietTicks += 1
            if subscription.quietTicks >= EventStreams.ticks { subscription.needsBeat = true }
        }
    }

    private func look() -> Found {
        let own = subscription
        return feed.state.withLock { state -> Found in
            guard var subscription = state.subscriptions[own] else { return .gone }
            if subscription.place < state.first {
                feed.dropped.add(Int(clamping: state.first - subscription.place))
                subscription.place = state.first
            }
            var piece = subscription.greeting
            subscription.greeting = []
            while subscription.place < state.next {
                let event = state.events[Int(subscription.place - state.first)]
                guard piece.isEmpty || piece.count + event.count <= Self.pieceSize else { break }
                // A large one goes alone, as the feed holds it: a slow reader has no copy of its own.
                if piece.isEmpty { piece = event } else { piece += event }
                subscription.place += 1
            }
            if piece.isEmpty, subscription.needsBeat, !state.isFinished, !subscription.isOver { piece = Self.beat }
            guard piece.isEmpty else {
                (subscription.needsBeat, subscription.quietTicks) = (false, 0)
                state.subscriptions[own] = subscription
                return .piece(piece)
            }
            return state.isFinished || subscription.isOver ? .end : .wait
        }
    }

    private static let beat = EventText.comment()

    private func wait() async {
        let own = subscription
        await feed.state.wait { state, waiter -> Void? in
            guard let subscription = state.subscriptions[own], !state.isDue(subscription) else { return () }
            state.subscriptions[own]?.waiter = waiter
            return nil
        } onCancel: {
            abandon()
        }
    }
}
