// The timer that checks whether a wait has ended. It belongs to one loop and is cancelled with the wait. Otherwise
// thousands of flight joins would leave thousands of timers, each for as long as its waiter could have waited.
import LarderCore
import LarderIO

final class WaitTimer: Sendable {
    private struct State {
        var isOver = false
        var token: TimerToken?
        var loop: EventLoop?
    }
    private let state = Lock(State())

    /// Sets the timer, in place of one that has fired. Must be called on the loop. If the wait is over, no timer stays
    /// set.
    func set(at end: MonotonicTime, on loop: EventLoop, _ look: @escaping @Sendable () -> Void) {
        let token = loop.schedule(at: end, look)
        let isOver = state.withLock { state in
            if !state.isOver { (state.token, state.loop) = (token, loop) }
            return state.isOver
        }
        if isOver { loop.cancel(token) }
    }

    /// Ends the wait and cancels the timer. May be called on any thread.
    func end() {
        let (token, loop) = state.withLock { state in
            defer { (state.isOver, state.token, state.loop) = (true, nil, nil) }
            return (state.token, state.loop)
        }
        guard let token, let loop else { return }
        if loop.isCurrent { loop.cancel(token) } else { loop.post { loop.cancel(token) } }
    }
}
