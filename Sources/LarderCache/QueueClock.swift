// How much of a wait was Larder's own: a call waits in our queue for its place before it is sent. What follows from it is in
// `WaitLimit`. Pure.
import LarderCore

/// The time in which at least one of several calls waited in our queue.
///
/// Calls that wait on several threads may be told of in another order than they came: the end of a wait before its beginning.
/// Beginnings and ends are counted, so the order does not matter.
public struct QueueClock: Sendable, Hashable {
    private var waiting = 0
    private var since = MonotonicTime.distantPast
    private var past = Duration.zero

    public init() {}

    public var isRunning: Bool { waiting > 0 }

    /// One more call waits.
    public mutating func enter(at now: MonotonicTime) {
        if waiting == 0 { since = now }
        waiting += 1
    }

    /// One call waits no longer.
    public mutating func leave(at now: MonotonicTime) {
        waiting -= 1
        if waiting == 0 { past += max(.zero, now - since) }
    }

    public func total(at now: MonotonicTime) -> Duration {
        isRunning ? past + max(.zero, now - since) : past
    }
}
