// Runs blocking work of a test on its own thread. Swift's tasks share a pool with one thread for each core, and the
// daemon under test needs that pool too.
import LarderCore

/// Runs a blocking body on a new thread and returns its result. The body runs in a task, so it inherits the task-local
/// values by which an expectation finds its test.
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

/// Runs the body on a new thread. The caller joins or detaches it.
public func startThread(_ body: @escaping @Sendable () -> Void) -> SystemThread {
    do throws(SystemThread.Failure) {
        return try SystemThread.start(body)
    } catch {
        preconditionFailure("no thread could be made")
    }
}
