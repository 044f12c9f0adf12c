// Waits for a value that several threads reach. Whether there is something to wait for is decided in the same step of the
// lock in which the continuation is kept: else it could come between the two, and nobody would be told. No continuation is
// resumed with the lock held, since who is resumed may need it.

extension Lock {
    /// Waits for what the value has, or will have.
    ///
    /// - Parameter find: runs with the lock held, once. It returns what is there already; or it keeps the continuation in the value
    ///   and returns nil. Whoever takes it out from there resumes it, once, when the lock is free.
    public func wait<Found: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ find: (inout Value, CheckedContinuation<Found, Never>) -> Found?
    ) async -> Found {
        await handover(isolation: isolation) { keep($0, find) }
    }

    /// The same for a wait that is to end where the task is cancelled.
    ///
    /// - Parameter onCancel: changes the value, so that `find` finds something, and resumes who waits. It may come before `find`, and
    ///   is called without the lock.
    public func wait<Found: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ find: (inout Value, CheckedContinuation<Found, Never>) -> Found?, onCancel: @Sendable () -> Void
    ) async -> Found {
        await handover(isolation: isolation, { keep($0, find) }, onCancel: onCancel)
    }

    private func keep<Found: Sendable>(
        _ waiter: CheckedContinuation<Found, Never>,
        _ find: (inout Value, CheckedContinuation<Found, Never>) -> Found?
    ) {
        if let found = withLock({ find(&$0, waiter) }) { waiter.resume(returning: found) }
    }
}
