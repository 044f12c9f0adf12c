// The limit of open event streams, and the rules for all of them: a heartbeat when nothing happens, and an immediate
// end when the daemon stops.
import LarderCore
import LarderIO

/// The open streams of all feeds.
public final class EventStreams: Sendable {
    /// The longest silence of a stream. Intermediaries tend to close connections that are quiet for a minute; WHATWG
    /// HTML §9.2.7 advises about fifteen seconds.
    static let heartbeat = Duration.seconds(15)
    /// The number of ticks in one heartbeat interval. Streams are checked at each tick.
    static let ticks = 3

    private struct OpenStream {
        weak var reader: EventReader?
    }
    private struct State {
        var limit: Int
        var next: UInt64 = 0
        var streams: [UInt64: OpenStream] = [:]
        var isClosed = false
        var isTicking = false
    }

    private let loop: EventLoop
    private let counters: CounterRegistry
    private let open: CounterCell
    private let refused: CounterCell
    private let state: Lock<State>

    /// - Parameters:
    ///   - loop: the loop whose timers drive the heartbeat.
    ///   - limit: the maximum number of open streams.
    public init(loop: EventLoop, limit: Int, counters: CounterRegistry) {
        self.loop = loop
        self.counters = counters
        open = counters.cell(EventCounters.streams)
        refused = counters.cell(EventCounters.refused)
        state = Lock(State(limit: limit))
    }

    /// Sets a new limit. Open streams continue.
    public func setLimit(_ limit: Int) {
        state.withLock { $0.limit = limit }
    }

    /// Whether the daemon is stopping.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Ends every stream and refuses new ones. Each reader ends cleanly after the events that are there.
    public func close() {
        let readers = state.withLock { state in
            state.isClosed = true
            return state.streams.values.compactMap(\.reader)
        }
        for reader in readers { reader.close() }
    }

    /// Registers a reader and returns its stream's number.
    /// - Throws: 503 if no more streams may be open or the daemon is stopping.
    func open(_ reader: EventReader) throws(ClientFacingError) -> UInt64 {
        let (number, begins, isClosed) = state.withLock { state -> (UInt64?, Bool, Bool) in
            guard !state.isClosed, state.streams.count < state.limit else { return (nil, false, state.isClosed) }
            state.next += 1
            state.streams[state.next] = OpenStream(reader: reader)
            defer { state.isTicking = true }
            return (state.next, !state.isTicking, false)
        }
        guard let number else {
            refused.add()
            throw isClosed ? Self.stopping : Self.full
        }
        open.add()
        if begins { tickLater() }
        return number
    }

    /// Removes the stream of a reader that has left.
    func giveBack(_ number: UInt64) {
        guard state.withLock({ $0.streams.removeValue(forKey: number) != nil }) else { return }
        open.add(-1)
    }

    func cell(_ family: MetricFamily, _ feed: String) -> CounterCell { counters.cell(family, feed) }

    private func tickLater() {
        loop.post { [loop] in
            _ = loop.schedule(at: loop.monotonic + Self.heartbeat / Self.ticks) { self.tick() }
        }
    }

    /// One tick: a fraction of the heartbeat interval has passed.
    private func tick() {
        let readers = state.withLock { state -> [EventReader] in
            state.isTicking = !state.streams.isEmpty
            return state.streams.values.compactMap(\.reader)
        }
        for reader in readers { reader.tick() }
        if state.withLock({ $0.isTicking }) { tickLater() }
    }

    private static let full = ClientFacingError(
        status: 503, code: FailureClass.overloaded.rawValue,
        detail: "Too many event streams are open (server.maxEventStreams).", retryable: true, retryAfter: 15)
    static let stopping = ClientFacingError(
        status: 503, code: "stopping", detail: "Larder is stopping.", retryable: true, retryAfter: 5)
}

/// The counters of event streams.
enum EventCounters {
    static let streams = MetricFamily("larder_event_streams", .gauge, help: "Event streams open now.")
    static let refused = MetricFamily(
        "larder_event_streams_refused_total", help: "Event streams refused because too many were open.")
    static let posted = MetricFamily(
        "larder_events_total", help: "Events published, by feed.", labels: ["feed"])
    static let dropped = MetricFamily(
        "larder_events_dropped_total", help: "Events dropped because a reader was too slow, by feed.", labels: ["feed"])
}
