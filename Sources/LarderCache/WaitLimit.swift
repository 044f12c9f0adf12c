// Decides who is to blame for a wait that ended without an answer: the upstream (`timedOut`) or our own queue
// (`overloaded`).
//
// A limit grants the upstream a time. Before a call is sent it waits in our queue for its place, and that wait is not
// the upstream's time. It extends the deadline of an answer made from several calls, up to a bound. It does not extend
// a client's patience. Queue time that does not extend the limit is taken from the upstream's time. Our queue is to
// blame if it took a tenth of that time or more. If it took less, the upstream had its time and is to blame, however
// long its calls waited before. Pure.
import LarderCore

public enum Blame: Sendable, Hashable {
    /// The upstream had its time, or nearly all of it.
    case upstream
    /// Our queue took a tenth of the upstream's time or more.
    case ownQueue
}

public struct WaitLimit: Sendable, Hashable {
    public var began: MonotonicTime
    /// The upstream's time, from `began`.
    public var granted: Duration
    /// The most queue time that extends the limit. Clients wait for an answer made from several calls too, so its
    /// deadline must not grow without a bound. Zero for a client's patience.
    public var mostQueued: Duration

    public init(began: MonotonicTime, granted: Duration, mostQueued: Duration = .zero) {
        self.began = began
        self.granted = granted
        self.mostQueued = mostQueued
    }

    /// When the limit ends.
    /// - Parameter queued: how long calls have waited in our queue since `began`.
    public func end(queued: Duration) -> MonotonicTime { began + granted + min(queued, mostQueued) }

    /// Who is to blame if the wait ended without an answer. A loss of less than a tenth is ignored: even a call that
    /// finds a place at once waits for a moment while it is recorded.
    ///
    /// - Parameter queued: how long calls had waited in our queue when the wait ended.
    public func blame(queued: Duration) -> Blame {
        let lost = queued - mostQueued
        return lost > .zero && lost * 10 >= granted ? .ownQueue : .upstream
    }
}
