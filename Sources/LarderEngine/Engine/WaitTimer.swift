// The timer that looks whether a wait has ended. It belongs to one loop and ends with the wait: thousands of hits on flights
// would else leave thousands of timers behind, each for as long as its asker would have waited.
import LarderCore
import LarderIO

final class WaitTimer: Sendable {
    private struct State {
        var isOver = false
        var token: TimerToken?
        var loop: EventLoop?
    }
    private let state = Lock(State())

    /// Sets it, in place of one that has run. On the loop. Nothing is set where the wait is over.
    func set(at end: MonotonicTime, on loop: EventLoop, _ look: @escaping @Sendable () -> Void) {
        let token = loop.schedule(at: end, look)
        let isOver = state.withLock { state in
            if !state.isOver { (state.token, state.loop) = (token, loop) }
            return state.isOver
        }
        if isOver { loop.cancel(token) }
    }

    /// The wait is over. On any thread.
    func end() {
        let (token, loop) = state.withLock { state in
            defer { (state.isOver, state.token, state.loop) = (true, nil, nil) }
            return (state.token, state.loop)
        }
        guard let token, let loop else { return }
        if loop.isCurrent { loop.cancel(token) } else { loop.post { loop.cancel(token) } }
    }
}
