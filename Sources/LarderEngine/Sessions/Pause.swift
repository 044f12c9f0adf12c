// A wait on a loop's timers that can be ended early. The first ending counts.
import LarderCore
import LarderIO

/// One wait by one task.
final class Pause: Sendable {
    /// True if the time passed, false if the wait was broken off.
    private let ending = Promise<Bool>()

    /// Ends the wait, or prevents it if it has not begun. Only the first ending counts.
    func breakOff() { ending.fulfil(false) }

    /// Ends the wait as if the time had passed.
    func pass() { ending.fulfil(true) }

    /// Waits for a duration by the given clock, until it has passed, `breakOff()` is called or the task is cancelled.
    /// - Returns: whether the time passed.
    func wait(_ duration: Duration, on loop: EventLoop, by time: any TimeSource) async -> Bool {
        let due = time.monotonic() + duration
        if ending.value == nil, !Task.isCancelled { loop.post { self.look(due, on: loop, by: time) } }
        return await ending.wait(ifCancelled: false)
    }

    /// Runs on the loop. It checks the time again when the timer fires, since the loop's timers may use another clock.
    private func look(_ due: MonotonicTime, on loop: EventLoop, by time: any TimeSource) {
        let rest = due - time.monotonic()
        guard rest > .zero else { return pass() }
        guard ending.value == nil else { return }
        _ = loop.schedule(at: loop.monotonic + rest) { self.look(due, on: loop, by: time) }
    }

    /// Waits until `breakOff()` is called or the task is cancelled.
    func wait() async { _ = await ending.wait(ifCancelled: false) }
}
