// What cancels a piece of work that goes on in steps, some of them in tasks. The object exists before the work does, and
// each step says what cancels the work from then on.
import Synchronization

/// A piece of work that can be cancelled from any thread.
public final class RunningWork: Sendable {
    private let work = Hook<(@Sendable () -> Void)?>(nil)
    /// Atomic, because it is read under locks beside which no other lock may be taken.
    private let cancelled = Atomic<Bool>(false)

    public init() {}

    /// Whether the work was cancelled, whatever became of it.
    public var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// Takes what cancels the work from now on.
    public func attach(_ cancel: @escaping @Sendable () -> Void) {
        work.set(cancel)
        // A cancel before this point found the step before.
        if isCancelled { cancel() }
    }

    /// The same for a step that is a task.
    public func attach(_ task: Task<Void, Never>) { attach { task.cancel() } }

    /// Cancels the work: the present step, and each that follows.
    public func cancel() {
        cancelled.store(true, ordering: .releasing)
        work.get()?()
    }
}
