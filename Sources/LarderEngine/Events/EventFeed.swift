// One source of events and any number of readers. The feed keeps the last few events once; each reader has a place
// among them. A slow reader therefore costs no memory: it misses the events that were dropped before its turn, and a
// counter counts them.
import LarderCore
import LarderHTTP

/// A broadcast of events in order.
public final class EventFeed: Sendable {
    /// The start of a reader that names no event it has seen.
    public enum Start: Sendable {
        /// The oldest event that is kept.
        case oldest
        /// The next event that is posted.
        case next
    }

    struct Subscription {
        /// The number of the next event that the reader gets.
        var place: UInt64
        var waiter: TaskContinuation<Void, Never>?
        /// Text that the reader gets before any event.
        var greeting: Bytes
        var quietTicks = 0
        var needsBeat = false
        var isOver = false
    }

    struct State {
        /// The kept events as text. The first has the number `first`.
        var events: [Bytes] = []
        var first: UInt64 = 1
        var isFinished = false
        var subscriptions: [UInt64: Subscription] = [:]

        var next: UInt64 { first + UInt64(events.count) }

        func isDue(_ subscription: Subscription) -> Bool {
            subscription.place < next || isFinished || subscription.isOver || subscription.needsBeat
                || !subscription.greeting.isEmpty
        }

        mutating func takeWaiters() -> [TaskContinuation<Void, Never>] {
            subscriptions.keys.compactMap { number in subscriptions[number]?.waiter.take() }
        }
    }

    /// The feed's label in counters: "search", "provider" or "upload".
    let name: String
    private let keep: Int
    private let epoch: String
    private let posted: CounterCell
    fileprivate let dropped: CounterCell
    fileprivate let all: EventStreams
    fileprivate let state = Lock(State())

    /// - Parameters:
    ///   - keep: the number of events kept for late or slow readers; at least 1.
    ///   - epoch: the prefix of every event id, for feeds that start over when the daemon restarts. An id of another
    ///     feed at the same place is then recognised as foreign.
    public init(_ name: String, streams: EventStreams, keeping keep: Int, epoch: String = "") {
        self.name = name
        self.keep = max(1, keep)
        self.epoch = epoch.isEmpty ? "" : "\(epoch)-"
        all = streams
        posted = streams.cell(EventCounters.posted, name)
        dropped = streams.cell(EventCounters.dropped, name)
    }

    /// Posts an event to all readers. After `finish()` this does nothing.
    public func post(_ event: String, _ data: Bytes) {
        let waiters = state.withLock { state -> [TaskContinuation<Void, Never>] in
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

    /// Ends the feed. Each reader ends after it has read the events that are kept.
    func finish() {
        let waiters = state.withLock { state -> [TaskContinuation<Void, Never>] in
            state.isFinished = true
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// The total size of the kept events, in bytes.
    var size: Int { state.withLock { $0.events.reduce(0) { $0 + $1.count } } }

    /// Whether any reader is active. A stream that is ending does not count.
    public var hasReaders: Bool { state.withLock { $0.subscriptions.contains { !$0.value.isOver } } }

    /// The number of events that the slowest reader has not read yet.
    public var backlog: Int {
        state.withLock { state in
            state.subscriptions.reduce(0) { max($0, Int(clamping: state.next - min(state.next, $1.value.place))) }
        }
    }

    /// The number of readers.
    var readers: Int { state.withLock { $0.subscriptions.count } }

    /// Opens a reader with its own subscription.
    /// - Parameters:
    ///   - lastID: the last event that the reader has seen, as in `Last-Event-ID` (WHATWG HTML §9.2.4). An id that this
    ///     feed did not give counts as none.
    ///   - start: the reader's start if `lastID` gives none.
    ///   - greeting: text that the reader gets first.
    /// - Throws: 503 if no more streams may be open.
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
        // If the streams were closed since `open`, the reader had no subscription to end yet. End it now.
        if all.isClosed { reader.close() }
        return reader
    }

    /// Whether a reader that has seen this event would never get another.
    public func isExhausted(after lastID: String?) -> Bool {
        state.withLock { state in state.isFinished && seen(lastID, state) == state.next }
    }

    /// Returns the number of the event after the last one seen.
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
        let waiter = state.withLock { state -> TaskContinuation<Void, Never>? in
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
    /// The limit of events handed over together, in bytes. A larger event is handed over alone.
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

    /// Returns the next events, or nil after the last. Waits until there is one.
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

    /// Ends the subscription.
    public func abandon() { feed.leave(subscription) }

    /// Sends text to this reader alone, before its next event.
    public func greet(_ text: Bytes) { feed.change(subscription) { $0.greeting += text } }

    /// Ends the stream cleanly, after the events that are there.
    func close() { feed.change(subscription) { $0.isOver = true } }

    /// Counts one tick, a fraction of the heartbeat interval. After enough quiet ticks the reader gets a comment line.
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
                // A large event is handed over alone and shares the feed's storage, so a slow reader holds no copy.
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
