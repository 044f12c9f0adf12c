// How long the calls of a flight have waited in Larder's queue, who waits for the flight, and how urgently. The fetcher
// reports each call. The flight passes each report on to the flights that wait for it: a list waits in the queue while
// one of its items does. It is as urgent as the most urgent of those who ever waited for it, and tells its calls and the
// flights that it waits for. A flight whose clients are gone is given up, and takes nobody more.
//
// Any thread changes and reads it. One flight reports to another outside its own lock, so a beginning and an end may
// arrive in the wrong order. `QueueClock` accepts that.
import LarderCache
import LarderCore

final class FlightWait: Sendable {
    /// The flight whose work the current task does.
    @TaskLocal static var current: FlightWait?

    /// Passes on the interim responses of the flight's fetch.
    let interim = InterimRelay()

    private struct State {
        var clock = QueueClock()
        /// Those that wait for this flight, by their tickets.
        var askers = Numbered<Asker>()
        /// How often one was registered.
        var registrations: UInt64 = 0
        var isGivenUp = false
        var urgency = Urgency.background
        /// The calls that wait in the queue, or have waited.
        var calls: [@Sendable (Urgency) -> Void] = []
        /// The flights that this one waits for, by its tickets there.
        var parts: [UInt64: FlightWait] = [:]
    }
    private let state = Lock(State())

    /// One that waits for a flight.
    enum Asker: Sendable {
        case flight(FlightWait)
        /// A client, or the daemon's own work.
        case client(HalfClose?, Urgency = .ordinary)

        /// The one whose task asks.
        static var current: Asker {
            if let flight = FlightWait.current { return .flight(flight) }
            return .client(AskingClient.current?.halfClose, AskingClient.urgency)
        }

        /// Makes a flight as urgent as this asker is, who waits for it from now on.
        func hurry(_ flight: FlightWait, ticket: UInt64) {
            switch self {
            case .client(_, let urgency): flight.rise(to: urgency)
            case .flight(let own): flight.rise(to: own.waits(for: flight, ticket: ticket))
            }
        }

        fileprivate func leaves(ticket: UInt64) {
            if case .flight(let own) = self { own.state.withLock { _ = $0.parts.removeValue(forKey: ticket) } }
        }

        func changed(_ isWaiting: Bool, at now: MonotonicTime) {
            if case .flight(let wait) = self { wait.changed(isWaiting, at: now) }
        }

        /// Whether no queued call waits for this asker any more.
        func hasEnded(at now: MonotonicTime) -> Bool {
            switch self {
            case .flight(let wait): wait.isForsaken(at: now)
            case .client(let end, _): end?.isOver(at: now) ?? false
            }
        }

        /// Gives up the flight that waits, if no queued call waits for it any more. False if one does.
        func giveUp(at now: MonotonicTime) -> Bool {
            switch self {
            case .flight(let wait): wait.giveUp(at: now)
            case .client: hasEnded(at: now)
            }
        }
    }

    func queued(at now: MonotonicTime) -> Duration { state.withLock { $0.clock.total(at: now) } }

    /// Reports that a call begins to wait, or waits no longer.
    func changed(_ isWaiting: Bool, at now: MonotonicTime) {
        let askers: [Asker] = state.withLock { state in
            let wasRunning = state.clock.isRunning
            if isWaiting { state.clock.enter(at: now) } else { state.clock.leave(at: now) }
            return wasRunning == state.clock.isRunning ? [] : state.askers.values
        }
        for asker in askers { asker.changed(isWaiting, at: now) }
    }

    /// How urgent the flight is.
    var urgency: Urgency { state.withLock { $0.urgency } }

    /// Makes the flight more urgent, its calls that wait in the queue, and the flights that it waits for.
    func rise(to urgency: Urgency) {
        let (calls, parts) = state.withLock { state -> ([@Sendable (Urgency) -> Void], [FlightWait]) in
            guard urgency.isMoreUrgent(than: state.urgency) else { return ([], []) }
            state.urgency = urgency
            return (state.calls, Array(state.parts.values))
        }
        for call in calls { call(urgency) }
        for part in parts { part.rise(to: urgency) }
    }

    /// Registers a call that begins to wait in the queue. It learns of the present urgency, and when that rises.
    func watch(_ call: @escaping @Sendable (Urgency) -> Void) {
        let urgency = state.withLock { state in
            // A flight makes few calls of its own.
            if state.calls.count < Self.mostCalls { state.calls.append(call) }
            return state.urgency
        }
        call(urgency)
    }

    private static let mostCalls = 64

    /// Notes that this flight waits for another one.
    private func waits(for part: FlightWait, ticket: UInt64) -> Urgency {
        state.withLock { state in
            state.parts[ticket] = part
            return state.urgency
        }
    }

    /// Whether all who wait for the flight have ended their input. A flight without askers is a refresh, or outlives the
    /// patience of its callers: it goes on.
    func isForsaken(at now: MonotonicTime) -> Bool {
        let askers = state.withLock { $0.askers.values }
        return !askers.isEmpty && askers.allSatisfy { $0.hasEnded(at: now) }
    }

    /// Gives the flight up if it is forsaken: its queued call is about to be dropped. One who is registered in the
    /// meantime keeps it.
    /// - Returns: whether it is given up. From then on nobody is registered.
    func giveUp(at now: MonotonicTime) -> Bool {
        let (askers, seen) = state.withLock { ($0.askers.values, $0.registrations) }
        guard isForsaken(at: now), askers.allSatisfy({ $0.giveUp(at: now) }) else { return false }
        return state.withLock { state in
            if state.registrations == seen { state.isGivenUp = true }
            return state.isGivenUp
        }
    }

    var isGivenUp: Bool { state.withLock { $0.isGivenUp } }

    /// Registers one that waits for this flight from now on. It calls nothing, so it may be a part of a locked step.
    /// - Returns: whether a call of the flight waits in the queue, which the caller must report to the asker
    ///   (`Asker.changed`). Nil if the flight was given up.
    func register(_ asker: Asker, ticket: UInt64) -> Bool? {
        state.withLock { state in
            if state.isGivenUp { return nil }
            state.askers[ticket] = asker
            state.registrations += 1
            return state.clock.isRunning
        }
    }

    /// Removes one that no longer waits for this flight.
    func remove(ticket: UInt64, at now: MonotonicTime) {
        let (asker, isRunning) = state.withLock { ($0.askers.removeValue(forKey: ticket), $0.clock.isRunning) }
        if isRunning { asker?.changed(false, at: now) }
        asker?.leaves(ticket: ticket)
    }
}

/// A limit of a wait, and the flight whose time in Larder's queue is counted.
public struct WaitClock: Sendable {
    let limit: WaitLimit
    private let wait: FlightWait?
    /// How long that flight had waited in the queue when the limit began.
    private let queuedBefore: Duration

    init(_ limit: WaitLimit, _ wait: FlightWait?) {
        self.limit = limit
        self.wait = wait
        queuedBefore = wait?.queued(at: limit.began) ?? .zero
    }

    /// When the limit ends, as far as is known now.
    func end(at now: MonotonicTime) -> MonotonicTime { limit.end(queued: queued(at: now)) }

    /// Who is to blame for the end of the limit. A call that is still waiting has waited until the end and no longer. A
    /// queue wait that is over counts in full, even the part after the end: the clock keeps sums and no times.
    func blame(at now: MonotonicTime) -> Blame { limit.blame(queued: queued(at: min(now, end(at: now)))) }

    private func queued(at now: MonotonicTime) -> Duration { (wait?.queued(at: now) ?? .zero) - queuedBefore }
}
