// The end of a database's threads. It is the work that is bounded: each piece of it asks whether there is still time. Who
// closes waits for that work to end, however long it takes; only `Daemon.stop` gives up waiting for a disk that never
// answers.
import LarderCore
import Synchronization

final class StoreEnding: Sendable {
    /// From the closing on there is so much time for what waits, the last checkpoint included.
    static let span = Duration.milliseconds(2500)

    let locks = LockWaits()
    private let end = Atomic<Int64>(.max)

    func begin(at now: MonotonicTime) {
        // First: what gives up waiting for a lock because of the closing counts as left.
        end.store((now + Self.span).nanoseconds, ordering: .releasing)
        locks.shorten()
    }

    var hasBegun: Bool { end.load(ordering: .acquiring) != .max }

    /// Nothing more is begun.
    func isOver(at now: MonotonicTime) -> Bool {
        let end = end.load(ordering: .acquiring)
        return end != .max && now.nanoseconds >= end
    }

    /// What is left of the time, for waits of real time.
    func left(at now: MonotonicTime) -> Duration {
        min(max(MonotonicTime(nanoseconds: end.load(ordering: .acquiring)) - now, .zero), Self.span)
    }
}
