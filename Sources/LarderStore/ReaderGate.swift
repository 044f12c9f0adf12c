// Decides who may have the database open. Before a damaged file is set aside every reader must have closed it: the last
// connection to close removes the log files by name, and those would be the new database's.
import Glibc
import LarderCore

/// Counts the readers' connections and lets the writer wait until there are none.
///
/// Unchecked `Sendable`: every stored variable is touched between lock and unlock of `mutex` only.
final class ReaderGate: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isOpen = true
    private var connected = 0
    private var generation = 0

    init() {
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // A step of the wall clock must not stretch a wait.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        let made = pthread_mutex_init(mutex, nil) == 0 && pthread_cond_init(condition, &attributes) == 0
        precondition(made, "a mutex could not be made")
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    /// The generation of the present database. It rises with each new database.
    var present: Int { locked { generation } }

    /// Whether no reader has a connection.
    var isUnused: Bool { locked { connected == 0 } }

    /// Called by a reader before it uses its connection. False means that the reader must close it.
    func mayStay() -> Bool { locked { isOpen } }

    /// Called by a reader without a connection. The generation of the database if the reader may open a connection,
    /// which then counts.
    func enter() -> Int? {
        locked {
            guard isOpen else { return nil }
            connected += 1
            return generation
        }
    }

    /// Called by a reader after it has closed its connection.
    func leave() {
        locked {
            connected -= 1
            pthread_cond_broadcast(condition)
        }
    }

    /// Lets no reader in and waits until the last one is out; `nudge` wakes the readers. Reads are short, and so is the
    /// wait.
    func shut(nudge: () -> Void) {
        locked { isOpen = false }
        nudge()
        locked {
            while connected > 0 { pthread_cond_wait(condition, mutex) }
        }
    }

    /// Like `shut(nudge:)`, for a bounded time, since a stalled disk may hold a reader. False if a reader is still in.
    func shut(within limit: Duration, nudge: () -> Void) -> Bool {
        locked { isOpen = false }
        nudge()
        var deadline = timespec.deadline(after: limit)
        return locked {
            while connected > 0 {
                if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { return connected == 0 }
            }
            return true
        }
    }

    /// Lets readers in, to a new database.
    func reopen() {
        locked {
            generation += 1
            isOpen = true
        }
    }
}
