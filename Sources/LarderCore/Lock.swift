// The only lock type of the project, over `Synchronization.Mutex`. That gives false reports under the thread sanitizer on
// Linux, so builds for it use pthread_mutex_t. A lock is held for a few instructions only. Code inside it must not await
// and must not take another lock.
import Glibc
import Synchronization

/// A value that several threads access, one at a time.
///
/// Unchecked `Sendable`: the value is touched only inside `withLock`, between lock and unlock of its own mutex.
public final class Lock<Value>: @unchecked Sendable {
    #if THREAD_SANITIZER
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    #else
    @usableFromInline let mutex = Mutex<Void>(())
    #endif
    /// The mutex gives exclusive access. A run-time exclusivity check would cost as much as the lock.
    @exclusivity(unchecked) @usableFromInline var value: Value

    #if THREAD_SANITIZER
    public init(_ value: sending Value) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        let result = pthread_mutex_init(mutex, nil)
        precondition(result == 0, "a mutex could not be made")
        self.value = value
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }
    #else
    public init(_ value: sending Value) { self.value = value }
    #endif

    /// Runs the body with exclusive access.
    @inlinable
    public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        #if THREAD_SANITIZER
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
        #else
        return try mutex.withLock { (_: inout sending Void) throws(Failure) -> sending Result in try body(&value) }
        #endif
    }
}
