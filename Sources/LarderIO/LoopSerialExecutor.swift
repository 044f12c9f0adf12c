// An actor that lives on a loop names this executor as its own. It is another object than the loop, which executes tasks: a
// task that prefers the loop then runs in no actor's isolation, and the runtime lets it go on in place where it would
// otherwise leave that isolation by a job of its own each time.

/// The executor of actors whose thread is a loop's.
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
