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

    /// Waits for that long, at most until it is broken off or the task is cancelled.
    /// - Returns: whether the time passed.
    func wait(_ duration: Duration, on loop: EventLoop) async -> Bool {
        await withTaskCancellationHandler {
            await handover { (continuation: CheckedContinuation<Bool, Never>) in
                let ending = state.withLock { state in
                    if state.ending == nil { state.waiting = continuation }
                    return state.ending
                }
                if let ending { return continuation.resume(returning: ending) }
                loop.post { _ = loop.schedule(at: loop.monotonic + duration) { self.end(true) } }
            }
        } onCancel: {
            breakOff()
        }
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
