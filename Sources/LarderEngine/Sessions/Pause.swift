// A wait on a loop's timers that can be ended before its time, by whoever is first.
import LarderCore
import LarderIO

/// Waited for once, by one task.
final class Pause: Sendable {
    private struct State {
        /// True where the time passed, false where it was broken off.
        var ending: Bool?
        var waiting: CheckedContinuation<Bool, Never>?
    }
    private let state = Lock(State())

    /// Ends the wait, or has it not begin. Only the first ending counts.
    func breakOff() { end(false) }

    /// The same, as if the time had passed.
    func pass() { end(true) }

    /// Waits for that long by that clock, at most until it is broken off or the task is cancelled.
    /// - Returns: whether the time passed.
    func wait(_ duration: Duration, on loop: EventLoop, by time: any TimeSource) async -> Bool {
        let due = time.monotonic() + duration
        return await withTaskCancellationHandler {
            await handover { (continuation: CheckedContinuation<Bool, Never>) in
                let ending = state.withLock { state in
                    if state.ending == nil { state.waiting = continuation }
                    return state.ending
                }
                if let ending { return continuation.resume(returning: ending) }
                loop.post { self.look(due, on: loop, by: time) }
            }
        } onCancel: {
            breakOff()
        }
    }

    /// On the loop, whose timers may count by another clock.
    private func look(_ due: MonotonicTime, on loop: EventLoop, by time: any TimeSource) {
        let rest = due - time.monotonic()
        guard rest > .zero else { return end(true) }
        guard state.withLock({ $0.ending == nil }) else { return }
        _ = loop.schedule(at: loop.monotonic + rest) { self.look(due, on: loop, by: time) }
    }

    /// Waits until it is broken off or the task is cancelled.
    func wait() async {
        _ = await withTaskCancellationHandler {
            await handover { (continuation: CheckedContinuation<Bool, Never>) in
                let ending = state.withLock { state in
                    if state.ending == nil { state.waiting = continuation }
                    return state.ending
                }
                if let ending { continuation.resume(returning: ending) }
            }
        } onCancel: {
            breakOff()
        }
    }

    private func end(_ ending: Bool) {
        let waiting = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard state.ending == nil else { return nil }
            state.ending = ending
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: ending)
    }
}
