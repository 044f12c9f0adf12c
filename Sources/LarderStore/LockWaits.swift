// How long a connection waits for the locks of other processes. SQLite's own handler (sqlite3_busy_timeout) cannot be
// told anything while it waits. This one checks before each pause whether the store closes. From then on each wait is
// short, and all waits together are bounded.
import CSQLite
import Glibc
import LarderCore
import Synchronization

/// Decides when to give up; a value. It adds up the pauses and does not read the clock: time that a busy machine adds
/// is no wait for a lock. SQLite counts in the same way (sqliteDefaultBusyCallback in its main.c).
struct LockPatience: Sendable {
    static let usual = Duration.seconds(5)
    static let closing = Duration.milliseconds(250)
    /// For all locks together, once the store closes.
    static let closingInAll = Duration.seconds(1)
    private static let pauses: [Int64] = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50]

    /// Time waited for the present lock.
    private var waited = Duration.zero
    /// Time waited for all locks since the store began to close.
    private(set) var waitedClosing = Duration.zero

    /// The next pause, or nil to give up.
    /// - Parameter turn: the number of earlier pauses for the present lock.
    mutating func pause(turn: Int, isClosing: Bool) -> Duration? {
        if turn <= 0 { waited = .zero }
        let left =
            isClosing ? min(Self.closing - waited, Self.closingInAll - waitedClosing) : Self.usual - waited
        guard left > .zero else { return nil }
        let pause = min(left, .milliseconds(Self.pauses[min(max(turn, 0), Self.pauses.count - 1)]))
        waited += pause
        if isClosing { waitedClosing += pause }
        return pause
    }
}

/// The lock waits of one thread's successive connections.
final class LockWaits: Sendable {
    private let closing = Atomic<Bool>(false)
    private let isRefused = Atomic<Bool>(false)
    private let patience = Lock(LockPatience())
    private let holds = Hook<(@Sendable () -> Bool)?>(nil)

    /// Runs a body that waits for no lock at all. On the connection's thread.
    func withoutWaiting<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        isRefused.store(true, ordering: .relaxed)
        defer { isRefused.store(false, ordering: .relaxed) }
        return try body()
    }

    /// Makes the waits short from now on, including one under way.
    func shorten() { closing.store(true, ordering: .releasing) }

    /// Extends a pause while the closure returns true. For tests, whose work meanwhile may take any time.
    func hold(while holds: (@Sendable () -> Bool)?) { self.holds.set(holds) }

    /// Time waited for all locks since the store began to close.
    var waitedClosing: Duration { patience.withLock { $0.waitedClosing } }

    /// Becomes the busy handler of a connection, which must keep this object for as long as it is open.
    func attend(_ handle: OpaquePointer) {
        sqlite3_busy_handler(handle, waitForLock, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Waits a little. Returns false if the lock must not be waited for any longer.
    fileprivate func pause(turn: Int) -> Bool {
        if isRefused.load(ordering: .relaxed) { return false }
        let isClosing = closing.load(ordering: .acquiring)
        guard let pause = patience.withLock({ $0.pause(turn: turn, isClosing: isClosing) }) else { return false }
        repeat {
            var rest = timespec(tv_sec: 0, tv_nsec: Int(pause.nanoseconds))
            nanosleep(&rest, nil)
        } while holds.get()?() ?? false
        return true
    }
}

/// sqlite.org/c3ref/busy_handler.html: called with the number of earlier calls for the same lock; 0 gives up.
private func waitForLock(_ context: UnsafeMutableRawPointer?, _ turn: Int32) -> Int32 {
    guard let context else { return 0 }
    return Unmanaged<LockWaits>.fromOpaque(context).takeUnretainedValue().pause(turn: Int(turn)) ? 1 : 0
}
