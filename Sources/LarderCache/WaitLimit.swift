// Who is to blame for a wait that ended without an answer: the upstream (`timedOut`) or our own queue (`overloaded`).
//
// A limit grants the upstream a time. A call waits in our queue for its place before it is sent, and that is not the
// upstream's time. The deadline of an answer of several calls is prolonged by it, up to a bound; a client's patience is not.
// Queue time that does not prolong the limit is taken from the upstream's time. Our queue is to blame where it took a tenth of that time or more. Where it
// took less, the upstream had its time and is to blame, however long its calls waited before. Pure.
import LarderCore

public enum Blame: Sendable, Hashable {
    /// It had its time, or nearly all of it.
    case upstream
    /// Our queue took a tenth of that time or more.
    case ownQueue
}

public struct WaitLimit: Sendable, Hashable {
    public var began: MonotonicTime
    /// The upstream's time.
    public var granted: Duration
    /// How much of the time in our queue is added to it at most. Clients wait for an answer of several calls too, so that its
    /// deadline does not grow without a bound. Zero for a client's patience.
    public var mostQueued: Duration

    public init(began: MonotonicTime, granted: Duration, mostQueued: Duration = .zero) {
        self.began = began
        self.granted = granted
        self.mostQueued = mostQueued
    }

    /// - Parameter queued: how long calls have waited in our queue since it began.
    public func end(queued: Duration) -> MonotonicTime { began + granted + min(queued, mostQueued) }

    /// Who is to blame where it ended without an answer. A loss of less than a tenth is not counted: also a call that finds a
    /// place at once waits for a moment, while it is written down.
    ///
    /// - Parameter queued: how long calls had waited in our queue when it ended.
    public func blame(queued: Duration) -> Blame {
        let lost = queued - mostQueued
        return lost > .zero && lost * 10 >= granted ? .ownQueue : .upstream
    }
}
