// An answer that somebody waits for a bounded time: whoever comes first gives it, the store's thread or the clock. What
// comes too late is dropped, and the giver is told.
import LarderCore
import Synchronization

/// A reply as the clock sees it.
protocol Lapsing: AnyObject, Sendable {
    var isGiven: Bool { get }
    /// Nobody waits any longer.
    func lapse()
}

final class Reply<Value: Sendable>: Lapsing {
    private let continuation: CheckedContinuation<Value, Never>
    private let late: @Sendable () -> Value
    private let given = Atomic<Bool>(false)

    /// - Parameter late: what is said when the time has passed.
    init(_ continuation: CheckedContinuation<Value, Never>, late: @escaping @Sendable () -> Value) {
        self.continuation = continuation
        self.late = late
    }

    var isGiven: Bool { given.load(ordering: .relaxed) }

    /// False where it was too late.
    @discardableResult
    func resume(returning value: Value) -> Bool {
        guard !given.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        continuation.resume(returning: value)
        return true
    }

    func lapse() {
        // Claimed first: what lateness brings about is undone by nobody once the store has answered.
        guard !given.exchange(true, ordering: .acquiringAndReleasing) else { return }
        continuation.resume(returning: late())
    }
}
