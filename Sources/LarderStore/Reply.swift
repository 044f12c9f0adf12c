// A reply that is waited for a bounded time. Either the store's thread or the clock resumes it, whichever comes first.
// A value that comes too late is dropped, and `resume` tells the caller so.
import LarderCore
import Synchronization

/// A reply as seen by the clock that limits the wait.
protocol Lapsing: AnyObject, Sendable {
    var isGiven: Bool { get }
    /// Ends the wait, because its time has passed.
    func lapse()
}

final class Reply<Value: Sendable>: Lapsing {
    private let continuation: TaskContinuation<Value, Never>
    private let late: @Sendable () -> Value
    private let given = Atomic<Bool>(false)

    /// - Parameter late: makes the value that the waiter gets when the time has passed.
    init(_ continuation: TaskContinuation<Value, Never>, late: @escaping @Sendable () -> Value) {
        self.continuation = continuation
        self.late = late
    }

    var isGiven: Bool { given.load(ordering: .relaxed) }

    /// Returns false if the reply was given before.
    @discardableResult
    func resume(returning value: Value) -> Bool {
        guard !given.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        continuation.resume(returning: value)
        return true
    }

    func lapse() {
        // Claimed before `late` runs: `late` has side effects, which must not happen if the store has already replied.
        guard !given.exchange(true, ordering: .acquiringAndReleasing) else { return }
        continuation.resume(returning: late())
    }
}

/// Something that nobody waits for, and that should be over in time.
final class Late: Lapsing {
    private let isOpen: @Sendable () -> Bool
    private let then: @Sendable () -> Void

    /// - Parameter then: called if it is still open when the time has passed.
    init(_ isOpen: @escaping @Sendable () -> Bool, then: @escaping @Sendable () -> Void) {
        (self.isOpen, self.then) = (isOpen, then)
    }

    var isGiven: Bool { !isOpen() }
    func lapse() { then() }
}

extension BoundedWaits {
    /// Hands a job with a reply to a thread of the store and waits for the reply, a bounded time.
    /// - Parameters:
    ///   - late: the reply if that takes longer.
    ///   - refused: the reply if the job is not taken.
    ///   - put: puts the job into a queue. Returns whether that took it.
    func ask<Value: Sendable>(
        _ length: Length, late: @escaping @Sendable () -> Value, refused: () -> Value, put: (Reply<Value>) -> Bool
    ) async -> Value {
        await handover { continuation in
            let reply = Reply(continuation, late: late)
            if put(reply) { add(reply, length) } else { reply.resume(returning: refused()) }
        }
    }
}
