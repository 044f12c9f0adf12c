// A mutex with a condition, for threads that wait for each other: `Lock` has no condition to wait on. The condition's
// clock is the monotonic one, because a step of the wall clock must not stretch a wait.
import Glibc

final class Monitor {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
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

    func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Waits until it is woken, or until an instant. Inside `locked`.
    /// - Returns: false if the instant has passed.
    func wait(until end: timespec? = nil) -> Bool {
        guard var end else { return pthread_cond_wait(condition, mutex) == 0 }
        return pthread_cond_timedwait(condition, mutex, &end) != ETIMEDOUT
    }

    func wakeOne() { pthread_cond_signal(condition) }
    func wakeAll() { pthread_cond_broadcast(condition) }
}

extension timespec {
    /// An instant of CLOCK_MONOTONIC, in nanoseconds.
    init(monotonic nanoseconds: Int64) {
        self.init(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }

    /// An instant this much later on CLOCK_MONOTONIC, a day at most. For waits on a condition of that clock.
    static func deadline(after wait: Duration) -> timespec {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let (seconds, attoseconds) = max(.zero, min(wait, .seconds(86_400))).components
        let nanoseconds = now.tv_nsec + Int(attoseconds / 1_000_000_000)
        return timespec(
            tv_sec: now.tv_sec + Int(seconds) + nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
    }
}
