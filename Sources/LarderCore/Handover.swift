// The one place where a task waits for a value from another thread. All other code calls these functions, never the
// standard library's, so that the thread sanitizer sees the memory order. A wait for a value under a lock uses
// `Lock.wait`, one for a value that comes once `Promise`; both are built on these. A task whose continuation was
// resumed before it suspended goes on directly, and that path of the runtime (Swift 6.3, `swift_continuation_await`)
// tells the sanitizer nothing: the memory order holds, but looks like a race. Builds with `-DTHREAD_SANITIZER` report
// the order here. In all others this is the standard function.

#if DEBUG
/// What resumes a waiting task. In a debug build, and so in all tests, it is checked that it is resumed exactly once.
public typealias TaskContinuation<Value, Failure: Error> = CheckedContinuation<Value, Failure>
#else
/// What resumes a waiting task. `CheckedContinuation` has no fixed layout, so whatever holds one is copied by calls of the
/// runtime; this one is a pointer (Docs/Decisions/0029).
public typealias TaskContinuation<Value, Failure: Error> = UnsafeContinuation<Value, Failure>
#endif

#if THREAD_SANITIZER
/// From the sanitizer's interface (compiler-rt, sanitizer/tsan_interface.h): whatever another thread released on the
/// address happened before what follows.
@_silgen_name("__tsan_acquire")
private func threadSanitizerAcquire(_ address: UnsafeRawPointer)
#endif

/// Suspends the task until the continuation is resumed. It must be resumed exactly once, on any thread.
///
/// - Parameter body: arranges for the resumption, with the caller's isolation. On an actor with its own executor, other
///   tasks may run between the call and this body, so a condition for waiting must be checked inside the body.
/// - Returns: the value that the continuation was resumed with.
public func handover<Value>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (TaskContinuation<Value, Never>) -> Void
) async -> sending Value {
    #if DEBUG
    let value = await withCheckedContinuation(isolation: isolation, body)
    #else
    let value = await withUnsafeContinuation(isolation: isolation, body)
    #endif
    #if THREAD_SANITIZER
    // The runtime releases on the address of the task that it resumes, which is this task.
    withUnsafeCurrentTask { task in
        if let task { threadSanitizerAcquire(unsafeBitCast(task, to: UnsafeRawPointer.self)) }
    }
    #endif
    return value
}

/// Suspends the task until the continuation is resumed or the task is cancelled.
///
/// - Parameter onCancel: makes other code resume the continuation. Called at most once, on any thread: while the body
///   runs, after it, or, if the task is already cancelled, before it. So the code that stores the continuation must
///   check, in the same step, for the change that `onCancel` makes.
public func handover<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (TaskContinuation<Value, Never>) -> Void, onCancel: @Sendable () -> Void
) async -> Value {
    await withTaskCancellationHandler(
        operation: { await handover(isolation: isolation, body) }, onCancel: onCancel, isolation: isolation)
}
