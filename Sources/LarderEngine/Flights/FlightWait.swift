// How long the calls of a flight have waited in Larder's queue, and who waits for the flight. The fetcher reports each
// call. The flight passes each report on to the flights that wait for it: a list waits in the queue while one of its
// items does. A flight whose clients are gone is given up, and takes nobody more.
//
// Any thread changes and reads it. One flight reports to another outside its own lock, so a beginning and an end may
// arrive in the wrong order. `QueueClock` accepts that.
import LarderCache
import LarderCore

final class FlightWait: Sendable {
    /// The flight whose work the current task does.
    @TaskLocal static var current: FlightWait?

    private struct State {
        var clock = QueueClock()
        /// Those that wait for this flight, by their tickets.
        var askers: [UInt64: Asker] = [:]
        /// How often one was registered.
        var registrations: UInt64 = 0
        var isGivenUp = false
    }
    private let state = Lock(State())

    /// One that waits for a flight.
    enum Asker: Sendable {
        case flight(FlightWait)
        /// A client, or the daemon's own work.
        case client(HalfClose?)

        /// The one whose task asks.
        static var current: Asker { FlightWait.current.map { .flight($0) } ?? .client(AskingClient.current?.halfClose) }

        func changed(_ isWaiting: Bool, at now: MonotonicTime) {
            if case .flight(let wait) = self { wait.changed(isWaiting, at: now) }
        }

        /// Whether no queued call waits for this asker any more.
        func hasEnded(at now: MonotonicTime) -> Bool {
            switch self {
            case .flight(let wait): wait.isForsaken(at: now)
            case .client(let end): end?.isOver(at: now) ?? false
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
            return wasRunning == state.clock.isRunning ? [] : Array(state.askers.values)
        }
        for asker in askers { asker.changed(isWaiting, at: now) }
    }

    /// Whether all who wait for the flight have ended their input. A flight without askers is a refresh, or outlives the
    /// patience of its callers: it goes on.
    func isForsaken(at now: MonotonicTime) -> Bool {
        let askers = state.withLock { Array($0.askers.values) }
        return !askers.isEmpty && askers.allSatisfy { $0.hasEnded(at: now) }
    }

    /// Gives the flight up if it is forsaken: its queued call is about to be dropped. One who is registered in the
    /// meantime keeps it.
    /// - Returns: whether it is given up. From then on nobody is registered.
    func giveUp(at now: MonotonicTime) -> Bool {
        let (askers, seen) = state.withLock { (Array($0.askers.values), $0.registrations) }
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
