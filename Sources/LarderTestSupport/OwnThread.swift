// Blocking work of a test on a thread of its own: the pool that Swift's tasks share has one thread a core, and the
// daemon under test needs it too.
import LarderCore

/// Runs a blocking body on a new thread and hands its result back. The body belongs to the caller's test: it runs in a
/// task, which inherits what an expectation needs to know where it belongs.
public func onOwnThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await Task(executorPreference: NewThreads.shared) { try body() }.value
}

/// Gives each job a new thread.
private final class NewThreads: TaskExecutor {
    static let shared = NewThreads()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        startThread { job.runSynchronously(on: NewThreads.shared.asUnownedTaskExecutor()) }.detach()
    }
}

/// Runs the body on a new thread, which somebody joins or detaches.
public func startThread(_ body: @escaping @Sendable () -> Void) -> SystemThread {
    do throws(SystemThread.Failure) {
        return try SystemThread.start(body)
    } catch {
        preconditionFailure("no thread could be made")
    }
}
