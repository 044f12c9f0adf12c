// The one place where a task waits for what another thread hands it. Everything else calls this, never the standard
// library's function, so that the thread sanitizer sees the order there is. What waits for a value that is under a lock
// calls `Lock.wait`, and what waits for a value that comes once waits for a `Promise`; both are made of this.
//
// The concurrency runtime (Swift 6.3, stdlib/public/Concurrency/Task.cpp) tells the sanitizer that a continuation was
// resumed, and a task that had suspended itself learns of it when it is run again. One that was resumed before it came
// to wait goes straight on, and that way in `swift_continuation_await` tells the sanitizer nothing: the memory order
// holds, yet whatever the other thread had written looks like a race. Builds for the thread sanitizer
// (`-DTHREAD_SANITIZER`, as in .ci/run) say it here instead; in all others this is the standard function itself.

#if THREAD_SANITIZER
/// Of the sanitizer's interface, compiler-rt's sanitizer/tsan_interface.h: what was released on the address by
/// another thread happened before what follows.
@_silgen_name("__tsan_acquire")
private func threadSanitizerAcquire(_ address: UnsafeRawPointer)
#endif

/// Suspends the task until somebody resumes the continuation, exactly once, on any thread.
///
/// - Parameter body: arranges that, with the caller's isolation. On an actor with an executor of its own others may have
///   their turn between the call and this body: a condition for waiting is to be looked at inside it.
/// - Returns: what the continuation was resumed with.
public func handover<Value>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (CheckedContinuation<Value, Never>) -> Void
) async -> sending Value {
    let value = await withCheckedContinuation(isolation: isolation, body)
    #if THREAD_SANITIZER
    // The runtime releases on the address of the task that is resumed, which is this one.
    withUnsafeCurrentTask { task in
        if let task { threadSanitizerAcquire(unsafeBitCast(task, to: UnsafeRawPointer.self)) }
    }
    #endif
    return value
}

/// The same for a wait that is to end where the task is cancelled.
///
/// - Parameter onCancel: has somebody resume the continuation. Called at most once, on any thread: while the body runs, after
///   it, or, where the task is cancelled already, before it. So whoever keeps the continuation looks, in the step in which he keeps
///   it, for what this has changed.
public func handover<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (CheckedContinuation<Value, Never>) -> Void, onCancel: @Sendable () -> Void
) async -> Value {
    await withTaskCancellationHandler(
        operation: { await handover(isolation: isolation, body) }, onCancel: onCancel, isolation: isolation)
}
