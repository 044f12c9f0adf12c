// How long the calls of a flight have waited in our queue. The fetcher tells it of each call, and it tells the flights that
// wait for this one: a list waits in the queue while one of its items does.
//
// It changes and is read on any thread. What one flight tells another is called outside its lock, so a beginning and an end may
// change places on the way; `QueueClock` does not mind.
import LarderCache
import LarderCore

final class FlightWait: Sendable {
    /// The flight whose work the task is.
    @TaskLocal static var current: FlightWait?

    private struct State {
        var clock = QueueClock()
        /// The flights that wait for this one, by their tickets.
        var askers: [UInt64: FlightWait] = [:]
    }
    private let state = Lock(State())

    func queued(at now: MonotonicTime) -> Duration { state.withLock { $0.clock.total(at: now) } }

    /// A call begins to wait, or waits no longer.
    func changed(_ isWaiting: Bool, at now: MonotonicTime) {
        let askers: [FlightWait] = state.withLock { state in
            let wasRunning = state.clock.isRunning
            if isWaiting { state.clock.enter(at: now) } else { state.clock.leave(at: now) }
            return wasRunning == state.clock.isRunning ? [] : Array(state.askers.values)
        }
        for asker in askers { asker.changed(isWaiting, at: now) }
    }

    /// That flight waits for this one from now on.
    func add(_ asker: FlightWait, ticket: UInt64, at now: MonotonicTime) {
        let isRunning = state.withLock { state in
            state.askers[ticket] = asker
            return state.clock.isRunning
        }
        if isRunning { asker.changed(true, at: now) }
    }

    /// And no longer.
    func remove(ticket: UInt64, at now: MonotonicTime) {
        let (asker, isRunning) = state.withLock { ($0.askers.removeValue(forKey: ticket), $0.clock.isRunning) }
        if isRunning { asker?.changed(false, at: now) }
    }
}

/// A limit on a wait, and the flight in whose work the time in our queue is counted.
public struct WaitClock: Sendable {
    let limit: WaitLimit
    private let wait: FlightWait?
    /// How long that flight had been in our queue when the limit began.
    private let queuedBefore: Duration

    init(_ limit: WaitLimit, _ wait: FlightWait?) {
        self.limit = limit
        self.wait = wait
        queuedBefore = wait?.queued(at: limit.began) ?? .zero
    }

    /// When it ends, as far as can be told.
    func end(at now: MonotonicTime) -> MonotonicTime { limit.end(queued: queued(at: now)) }

    /// Who is to blame for its end. A call that still waits when somebody looks has waited until the end and no longer. A wait
    /// that was over by then counts whole, also what of it came after the end: the clock keeps sums and no instants.
    func blame(at now: MonotonicTime) -> Blame { limit.blame(queued: queued(at: min(now, end(at: now)))) }

    private func queued(at now: MonotonicTime) -> Duration { (wait?.queued(at: now) ?? .zero) - queuedBefore }
}
