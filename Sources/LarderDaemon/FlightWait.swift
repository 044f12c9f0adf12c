// How long the calls of a flight have waited in our queue. The fetcher tells it of each call, and it tells the flights that
// wait for this one: a list waits in the queue while one of its items does.
//
// It changes on the fetch loop alone; it is read on any thread.
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

/// The deadline of an answer that takes several calls.
struct PlanClock: Sendable {
    let deadline: WholeDeadline
    let wait: FlightWait?

    /// - Parameter deadline: the upstream's. What its calls wait in our queue comes on top, `mostQueued` of it.
    init(began: MonotonicTime, deadline: Duration, mostQueued: Duration) {
        self.deadline = WholeDeadline(began: began, deadline: deadline, mostQueued: mostQueued)
        wait = FlightWait.current
    }

    func end(at now: MonotonicTime) -> MonotonicTime { deadline.end(queued: queued(at: now)) }

    func ended(at now: MonotonicTime) -> EndedWait {
        EndedWait(whole: now - deadline.began, queued: queued(at: now))
    }

    private func queued(at now: MonotonicTime) -> Duration { wait?.queued(at: now) ?? .zero }
}
