// A value that comes once. An answer, a timer and a client that leaves may all be about to end one wait: whoever is first gives
// the value, the others change nothing. Who comes to wait when it is there does not wait at all.

/// A value that somebody will give, and any number of tasks wait for. Copies are the same promise.
public struct Promise<Value: Sendable>: Sendable {
    private enum State {
        case open([CheckedContinuation<Value, Never>])
        case kept(Value)
    }

    private let state = Lock(State.open([]))

    public init() {}

    /// Gives the value and wakes who waits, on whichever thread.
    /// - Returns: false where another was first.
    @discardableResult
    public func fulfil(_ value: Value) -> Bool {
        let waiters = state.withLock { state -> [CheckedContinuation<Value, Never>]? in
            guard case .open(let waiters) = state else { return nil }
            state = .kept(value)
            return waiters
        }
        for waiter in waiters ?? [] { waiter.resume(returning: value) }
        return waiters != nil
    }

    /// The value, where it has come.
    public var value: Value? {
        state.withLock { if case .kept(let value) = $0 { value } else { nil } }
    }

    /// Returns the value when it is there. Cancelling the task ends no wait.
    public func wait(isolation: isolated (any Actor)? = #isolation) async -> Value {
        await state.wait(isolation: isolation, Self.find)
    }

    /// Returns the value when it is there. Where the task is cancelled before, that gives the promise this value, for all who wait.
    public func wait(isolation: isolated (any Actor)? = #isolation, ifCancelled value: Value) async -> Value {
        await state.wait(isolation: isolation, Self.find, onCancel: { fulfil(value) })
    }

    private static func find(_ state: inout State, _ waiter: CheckedContinuation<Value, Never>) -> Value? {
        switch state {
        case .kept(let value): return value
        case .open(let waiters):
            state = .open(waiters + [waiter])
            return nil
        }
    }
}

extension Promise<Void> {
    /// What was waited for has happened.
    @discardableResult
    public func fulfil() -> Bool { fulfil(()) }
}
