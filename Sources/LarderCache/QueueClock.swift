// How much of a wait was Larder's own. A call waits in our queue for its place before it is sent. That time is not the
// upstream's: it does not count against a deadline that an upstream has, and where it is a part of a wait that ended without
// an answer, the upstream is not to blame. Pure.
import LarderCore

/// The time in which at least one of several calls waited in our queue.
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
        guard waiting > 0 else { return }
        waiting -= 1
        if waiting == 0 { past += max(.zero, now - since) }
    }

    public func total(at now: MonotonicTime) -> Duration {
        isRunning ? past + max(.zero, now - since) : past
    }
}

/// A wait that ended without an answer.
public struct EndedWait: Sendable, Hashable {
    public var whole: Duration
    /// How much of it was waited in our queue.
    public var queued: Duration

    public init(whole: Duration, queued: Duration) {
        self.whole = whole
        self.queued = queued
    }

    /// The upstream is to blame only where it had nearly all of the time. A tenth is left out of account: a call that is
    /// written down waits for a moment too.
    public var isOurs: Bool { queued > .zero && queued * 10 >= whole }
}

/// When a whole of several calls ends that is not there: after its deadline, and after the time that its calls have waited in
/// our queue, which counts up to a limit. The clients of the whole wait too.
public struct WholeDeadline: Sendable, Hashable {
    public var began: MonotonicTime
    public var deadline: Duration
    public var mostQueued: Duration

    public init(began: MonotonicTime, deadline: Duration, mostQueued: Duration) {
        self.began = began
        self.deadline = deadline
        self.mostQueued = mostQueued
    }

    /// - Parameter queued: how long its calls have waited up to now.
    public func end(queued: Duration) -> MonotonicTime { began + deadline + min(queued, mostQueued) }
}
