// The executor of an actor that runs on a loop. It is a separate object from the loop, which is a task executor. A task
// that prefers the loop then runs in no actor's isolation, and the runtime can continue it in place; with one object,
// leaving the actor's isolation would take a job of its own each time.

/// The executor of actors that run on a loop's thread.
public final class LoopSerialExecutor: SerialExecutor {
    public let loop: EventLoop

    public init(_ loop: EventLoop) {
        self.loop = loop
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        loop.enqueue(UnownedJob(job), on: self)
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    public func checkIsolated() {
        loop.preconditionCurrent()
    }

    public func isIsolatingCurrentContext() -> Bool? {
        loop.isCurrent
    }
}
