// Measures the part of a wait that Larder's own queue caused: before a call is sent, it waits in the queue for its
// place. `WaitLimit` draws the conclusions. Pure.
import LarderCore

/// The time during which at least one of several calls waited in the queue.
///
/// Calls on several threads may be reported out of order, even the end of a wait before its beginning. Beginnings and
/// ends are counted, so the order does not matter.
public struct QueueClock: Sendable, Hashable {
    private var waiting = 0
    private var since = MonotonicTime.distantPast
    private var past = Duration.zero

    public init() {}

    public var isRunning: Bool { waiting > 0 }

    /// Records that one more call waits.
    public mutating func enter(at now: MonotonicTime) {
        if waiting == 0 { since = now }
        waiting += 1
    }

    /// Records that one call no longer waits.
    public mutating func leave(at now: MonotonicTime) {
        waiting -= 1
        if waiting == 0 { past += max(.zero, now - since) }
    }

    public func total(at now: MonotonicTime) -> Duration {
        isRunning ? past + max(.zero, now - since) : past
    }
}
