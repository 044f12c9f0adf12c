// How long a connection waits for the locks of other processes. SQLite's own handler (sqlite3_busy_timeout) cannot be told
// anything while it waits. This one looks before each pause whether the store closes: from then on the waits are short, and
// there is an end to all of them together.
import CSQLite
import Glibc
import LarderCore
import Synchronization

/// When to give up, by value. The pauses are added up, not the clock: what a busy machine adds is no wait for a lock. SQLite
/// counts in the same way (sqliteDefaultBusyCallback in its main.c).
struct LockPatience: Sendable {
    static let usual = Duration.seconds(5)
    static let closing = Duration.milliseconds(250)
    /// Once the store closes, for all locks together.
    static let closingInAll = Duration.seconds(1)
    private static let pauses: [Int64] = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50]

    /// For the present lock.
    private var waited = Duration.zero
    /// For all locks since the store closes.
    private(set) var waitedClosing = Duration.zero

    /// The next pause, or nil where it is time to give up.
    /// - Parameter turn: how many pauses there were for the present lock.
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

/// The waits of one thread's connections, one after the other.
final class LockWaits: Sendable {
    private let closing = Atomic<Bool>(false)
    private let isRefused = Atomic<Bool>(false)
    private let patience = Lock(LockPatience())
    private let holds = Lock<(@Sendable () -> Bool)?>(nil)

    /// Runs something for which no lock is waited for at all. On the connection's thread.
    func withoutWaiting<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        isRefused.store(true, ordering: .relaxed)
        defer { isRefused.store(false, ordering: .relaxed) }
        return try body()
    }

    /// From now on the waits are short; one that is under way, too.
    func shorten() { closing.store(true, ordering: .releasing) }

    /// A pause lasts on while that holds, for tests: what they do meanwhile may take any time.
    func hold(while holds: (@Sendable () -> Bool)?) { self.holds.withLock { $0 = holds } }

    /// For all locks since then.
    var waitedClosing: Duration { patience.withLock { $0.waitedClosing } }

    /// Takes over the waiting of a connection, which must keep this object for as long as it is open.
    func attend(_ handle: OpaquePointer) {
        sqlite3_busy_handler(handle, waitForLock, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Waits a little. False where the lock is to be waited for no longer.
    fileprivate func pause(turn: Int) -> Bool {
        if isRefused.load(ordering: .relaxed) { return false }
        let isClosing = closing.load(ordering: .acquiring)
        guard let pause = patience.withLock({ $0.pause(turn: turn, isClosing: isClosing) }) else { return false }
        repeat {
            var rest = timespec(tv_sec: 0, tv_nsec: Int(pause.nanoseconds))
            nanosleep(&rest, nil)
        } while holds.withLock({ $0 })?() ?? false
        return true
    }
}

/// sqlite.org/c3ref/busy_handler.html: called with the number of earlier calls for the same lock; 0 gives up.
private func waitForLock(_ context: UnsafeMutableRawPointer?, _ turn: Int32) -> Int32 {
    guard let context else { return 0 }
    return Unmanaged<LockWaits>.fromOpaque(context).takeUnretainedValue().pause(turn: Int(turn)) ? 1 : 0
}
