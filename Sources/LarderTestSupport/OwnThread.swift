// Blocking work of a test on a thread of its own: the pool that Swift's tasks share has one thread a core, and the
// daemon under test needs it too.
import Glibc

/// Runs a blocking body on a new thread and hands its result back. The body belongs to the caller's test: it runs in a
/// task, which inherits what an expectation needs to know where it belongs.
public func onOwnThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await Task(executorPreference: NewThreads.shared) { try body() }.value
}

/// Gives each job a new thread.
private final class NewThreads: TaskExecutor {
    static let shared = NewThreads()

    func enqueue(_ job: consuming ExecutorJob) {
        var thread = pthread_t()
        let start = Unmanaged.passRetained(ThreadStart(UnownedJob(job))).toOpaque()
        let code = pthread_create(&thread, nil, runThread, start)
        precondition(code == 0, "no thread could be made")
        pthread_detach(thread)
    }
}

private final class ThreadStart {
    let job: UnownedJob
    init(_ job: UnownedJob) { self.job = job }
}

private let runThread: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
    if let context {
        let start = Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
        start.job.runSynchronously(on: NewThreads.shared.asUnownedTaskExecutor())
    }
    return nil
}
