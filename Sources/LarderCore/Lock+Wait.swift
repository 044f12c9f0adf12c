// Waits for a value under a lock. The check for the value and the storing of the continuation are one step under the
// lock; otherwise the value could arrive between the two and the waiter would never be resumed. No continuation is
// resumed with the lock held, since the resumed task may need the lock.

extension Lock {
    /// Waits for a value that the locked state has now or will have.
    ///
    /// - Parameter find: runs once, with the lock held. It returns the value if it is there. Otherwise it stores the
    ///   continuation in the state and returns nil. The code that takes the continuation from the state must resume it,
    ///   once, after releasing the lock.
    public func wait<Found: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ find: (inout Value, TaskContinuation<Found, Never>) -> Found?
    ) async -> Found {
        await handover(isolation: isolation) { keep($0, find) }
    }

    /// Waits for a value that the locked state has now or will have. The wait ends if the task is cancelled.
    ///
    /// - Parameter onCancel: changes the state so that `find` finds a value, and resumes the waiter. It may run before
    ///   `find`, and is called without the lock.
    public func wait<Found: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ find: (inout Value, TaskContinuation<Found, Never>) -> Found?, onCancel: @Sendable () -> Void
    ) async -> Found {
        await handover(isolation: isolation, { keep($0, find) }, onCancel: onCancel)
    }

    private func keep<Found: Sendable>(
        _ waiter: TaskContinuation<Found, Never>,
        _ find: (inout Value, TaskContinuation<Found, Never>) -> Found?
    ) {
        if let found = withLock({ find(&$0, waiter) }) { waiter.resume(returning: found) }
    }
}
