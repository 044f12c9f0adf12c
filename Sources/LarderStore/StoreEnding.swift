// The end of a database's threads. The work is bounded: each piece of it first asks whether there is still time. The
// wait for the work is not bounded: `close` waits until the work ends. Only `Daemon.stop` gives up waiting for a disk
// that never responds.
import LarderCore
import Synchronization

final class StoreEnding: Sendable {
    /// The time for all remaining work after closing begins, the last checkpoint included.
    static let span = Duration.milliseconds(2500)

    let locks = LockWaits()
    private let end = Atomic<Int64>(.max)

    func begin(at now: MonotonicTime) {
        // Set before `shorten`: a job that gives up waiting for a lock because of the closing must count as left
        // undone.
        end.store((now + Self.span).nanoseconds, ordering: .releasing)
        locks.shorten()
    }

    var hasBegun: Bool { end.load(ordering: .acquiring) != .max }

    /// Whether the time is over. Then no further work is begun.
    func isOver(at now: MonotonicTime) -> Bool {
        let end = end.load(ordering: .acquiring)
        return end != .max && now.nanoseconds >= end
    }

    /// The time left, for waits in real time; at most `span`.
    func left(at now: MonotonicTime) -> Duration {
        min(max(MonotonicTime(nanoseconds: end.load(ordering: .acquiring)) - now, .zero), Self.span)
    }
}
