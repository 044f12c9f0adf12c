// A value that comes once. A response, a timer and a departing client may all be about to end one wait: the first one
// gives the value, and the others change nothing. A task that starts to wait after the value has come does not wait at
// all.

/// A value that will be given once. Any number of tasks may wait for it. Copies are the same promise.
public struct Promise<Value: Sendable>: Sendable {
    private enum State {
        case open([TaskContinuation<Value, Never>])
        case kept(Value)
    }

    private let state = Lock(State.open([]))

    public init() {}

    /// Gives the value and wakes the waiters. May be called on any thread.
    /// - Returns: false if a value was given before.
    @discardableResult
    public func fulfil(_ value: Value) -> Bool {
        let waiters = state.withLock { state -> [TaskContinuation<Value, Never>]? in
            guard case .open(let waiters) = state else { return nil }
            state = .kept(value)
            return waiters
        }
        for waiter in waiters ?? [] { waiter.resume(returning: value) }
        return waiters != nil
    }

    /// The value, if it has been given.
    public var value: Value? {
        state.withLock { if case .kept(let value) = $0 { value } else { nil } }
    }

    /// Waits for the value and returns it. Cancelling the task does not end the wait.
    public func wait(isolation: isolated (any Actor)? = #isolation) async -> Value {
        await state.wait(isolation: isolation, Self.find)
    }

    /// Waits for the value and returns it. If the task is cancelled first, it fulfils the promise with `ifCancelled`,
    /// for all waiters.
    public func wait(isolation: isolated (any Actor)? = #isolation, ifCancelled value: Value) async -> Value {
        await state.wait(isolation: isolation, Self.find, onCancel: { fulfil(value) })
    }

    private static func find(_ state: inout State, _ waiter: TaskContinuation<Value, Never>) -> Value? {
        switch state {
        case .kept(let value): return value
        case .open(let waiters):
            state = .open(waiters + [waiter])
            return nil
        }
    }
}

extension Promise<Void> {
    /// Fulfils the promise: the awaited event has happened.
    @discardableResult
    public func fulfil() -> Bool { fulfil(()) }
}
