// A wait on a loop's timers that can be ended before its time, by whoever is first.
import LarderCore
import LarderIO

/// Waited for once, by one task.
final class Pause: Sendable {
    /// True where the time passed, false where it was broken off.
    private let ending = Promise<Bool>()

    /// Ends the wait, or has it not begin. Only the first ending counts.
    func breakOff() { ending.fulfil(false) }

    /// The same, as if the time had passed.
    func pass() { ending.fulfil(true) }

    /// Waits for that long by that clock, at most until it is broken off or the task is cancelled.
    /// - Returns: whether the time passed.
    func wait(_ duration: Duration, on loop: EventLoop, by time: any TimeSource) async -> Bool {
        let due = time.monotonic() + duration
        if ending.value == nil, !Task.isCancelled { loop.post { self.look(due, on: loop, by: time) } }
        return await ending.wait(ifCancelled: false)
    }

    /// On the loop, whose timers may count by another clock.
    private func look(_ due: MonotonicTime, on loop: EventLoop, by time: any TimeSource) {
        let rest = due - time.monotonic()
        guard rest > .zero else { return pass() }
        guard ending.value == nil else { return }
        _ = loop.schedule(at: loop.monotonic + rest) { self.look(due, on: loop, by: time) }
    }

    /// Waits until it is broken off or the task is cancelled.
    func wait() async { _ = await ending.wait(ifCancelled: false) }
}
