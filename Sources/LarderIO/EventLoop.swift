// A loop is one thread that waits for descriptors, timers and posted work, and runs each to its end. It never blocks
// elsewhere. A turn: wait, tell the handlers of ready descriptors (at most a batch), run due timers, run the work that
// was posted, and what that work adds, for so many rounds. What is added beyond waits for the next turn, so none of the
// three starves another.
//
// It is also a Swift executor: a task with `executorPreference: loop` runs on this thread between the handlers, and so does an
// actor with a `LoopSerialExecutor`.
import Glibc
import LarderCore

/// One thread with an epoll instance. Members under "On the loop" may be used by that thread alone and trap elsewhere;
/// `post` and what the two executors enqueue are the only ways in from another thread.
public final class EventLoop: TaskExecutor, Sendable {
    /// Its number: part of every request id made here.
    public let index: UInt16
    /// The thread's name, as debuggers show it.
    public let name: String

    /// The clock of its timers. From any thread.
    public let clock: any TimeSource

    let mark = ThreadMark()
    private let core: LoopBound<LoopCore>
    private let inbox: Lock<Inbox>
    private let wakeup: Wakeup
    private let thread = Lock<SystemThread?>(nil)

    /// Rounds of work between two looks at the descriptors. A request is a chain of short jobs of which each posts the
    /// next: a look after every one of them would cost more than the job.
    private static let rounds = 32

    enum Work {
        case closure(@Sendable () -> Void)
        case job(UnownedJob)
        case isolated(UnownedJob, LoopSerialExecutor)
    }

    private struct Inbox {
        var work: [Work] = []
        /// The loop sleeps or is about to: whoever adds work wakes it, once.
        var sleeps = false
        var stops = false
        var ended = false

        /// Whether the loop must be woken for what was just added; whoever is told so does it.
        mutating func wakes() -> Bool {
            defer { sleeps = false }
            return sleeps
        }
    }

    /// - Parameters:
    ///   - name: "loop-0", "fetch"; the kernel keeps 15 bytes of it.
    ///   - time: the clock behind `now` and timers. With any but the system's, whoever moves the clock posts to the
    ///     loop afterwards: due timers then run.
    ///   - wall: the clock behind `now` where it is another one than that of the timers.
    public init(
        name: String, index: UInt16, time: any TimeSource = SystemTime(), wall: (any TimeSource)? = nil
    ) throws(SystemError) {
        self.name = name
        self.index = index
        clock = time
        wakeup = try Wakeup()
        core = LoopBound(try LoopCore(wakeup: wakeup, time: time, wall: wall ?? time), mark: mark)
        inbox = Lock(Inbox())
    }

    deinit {
        // Whoever stopped it without waiting leaves its thread to the system.
        thread.withLock({ thread in thread.take() })?.detach()
    }

    /// Makes the thread. Once in a loop's life.
    public func start() throws(SystemError) {
        do throws(SystemThread.Failure) {
            let started = try SystemThread.start(named: name) { self.run() }
            thread.withLock { $0 = started }
        } catch {
            throw SystemError(error)
        }
    }

    /// Asks the thread to end after it has run what was posted. From any thread; later posts are dropped.
    public func stop() {
        let wakes = inbox.withLock { inbox in
            inbox.stops = true
            return inbox.wakes()
        }
        if wakes { wakeup.signal() }
    }

    /// Waits until the thread has ended. Not from the loop itself, and only after `stop`.
    public func join() {
        precondition(!isCurrent, "a loop cannot wait for itself")
        thread.withLock({ thread in thread.take() })?.join()
    }

    /// Runs the body on the loop, soon, after what was posted before by the same thread. From any thread.
    public func post(_ job: @escaping @Sendable () -> Void) {
        enqueue(.closure(job))
    }

    /// The loop whose thread this is, if any.
    public static var current: EventLoop? {
        pthread_getspecific(currentKey).map { Unmanaged<EventLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Where each loop's thread keeps its loop, which lives for as long as the thread runs.
    private static let currentKey: pthread_key_t = {
        var key = pthread_key_t()
        let code = pthread_key_create(&key, nil)
        precondition(code == 0, "no key for the threads' loops")
        return key
    }()

    /// Whether this is the loop's thread.
    public var isCurrent: Bool { mark.isCurrent }

    /// Traps on any other thread.
    public func preconditionCurrent() {
        precondition(mark.isCurrent, "called away from its loop")
    }

    // MARK: Executor

    public func enqueue(_ job: consuming ExecutorJob) {
        enqueue(.job(UnownedJob(job)))
    }

    func enqueue(_ job: UnownedJob, on executor: LoopSerialExecutor) {
        enqueue(.isolated(job, executor))
    }

    private func enqueue(_ work: Work) {
        if mark.isCurrent {
            core.value.work.append(work)
            return
        }
        let wakes = inbox.withLock { inbox in
            guard !inbox.ended else { return false }
            inbox.work.append(work)
            return inbox.wakes()
        }
        if wakes { wakeup.signal() }
    }

    // MARK: On the loop

    /// Watches a descriptor, which must not block. The handler is kept until `deregister`.
    /// - Parameter exclusive: of several loops watching the same descriptor, wake few (EPOLLEXCLUSIVE).
    public func register(
        _ descriptor: Int32, _ interest: Interest, exclusive: Bool = false, handler: any EventHandler
    ) throws(SystemError) -> Registration {
        try core.value.epoll.add(descriptor, interest, exclusive: exclusive, handler: handler)
    }

    /// Changes what is told. Not for an exclusive registration (epoll_ctl(2)).
    public func modify(_ registration: Registration, _ interest: Interest) throws(SystemError) {
        try core.value.epoll.modify(registration, interest)
    }

    /// Ends the watch; to be called before the descriptor is closed. Events already fetched are dropped.
    public func deregister(_ registration: Registration) {
        core.value.epoll.remove(registration)
    }

    /// Runs the body once the clock has reached the deadline.
    public func schedule(at deadline: MonotonicTime, _ body: @escaping () -> Void) -> TimerToken {
        core.value.schedule(at: deadline, body)
    }

    /// Drops a timer; nothing happens where it has run.
    public func cancel(_ timer: TimerToken) {
        core.value.timers.cancel(timer)
    }

    /// Runs the body in the next turn, after those who wait have had theirs: how a handler with more to do gives way.
    public func soon(_ body: @escaping () -> Void) {
        core.value.soon.append(body)
    }

    /// Reads the clock within a turn, before something that came after the turn began is answered by it.
    public func readClock() { core.value.readClock() }

    /// The time read at the last wake, or by `readClock` since.
    public var now: WallTime { core.value.now }
    public var monotonic: MonotonicTime { core.value.monotonic }

    /// Descriptors watched beside the loop's own, and timers in force: for tests and the status page.
    public var load: (descriptors: Int, timers: Int) { (core.value.epoll.count - 2, core.value.timers.count) }

    // MARK: The thread

    private func run() {
        mark.setCurrent()
        pthread_setspecific(Self.currentKey, Unmanaged.passUnretained(self).toOpaque())
        let core = core.value
        core.readClock()
        var sleeps = false
        var ends = false
        while !ends {
            core.turn(waits: sleeps)
            core.runSoon()
            if !core.work.isEmpty { performOwn(core) }
            let isIdle = core.work.isEmpty && core.soon.isEmpty
            let posted = inbox.withLock { inbox in
                // Emptied only where there was something: to empty an array that is handed out makes a new one.
                defer { if !inbox.work.isEmpty { inbox.work = [] } }
                inbox.ended = isIdle && inbox.work.isEmpty && inbox.stops
                inbox.sleeps = isIdle && inbox.work.isEmpty && !inbox.stops
                (ends, sleeps) = (inbox.ended, inbox.sleeps)
                return inbox.work
            }
            if !posted.isEmpty {
                // It may have come long after the turn began, and a deadline counts from when it was asked for.
                core.readClock()
                perform(posted)
                performOwn(core)
            }
        }
        core.clear()
        pthread_setspecific(Self.currentKey, nil)
        mark.clear()
    }

    /// The work that the thread gave itself, and what that adds.
    private func performOwn(_ core: LoopCore) {
        var round = 0
        while !core.work.isEmpty, round < Self.rounds {
            perform(core.takeWork())
            round += 1
        }
    }

    private func perform(_ batch: [Work]) {
        for work in batch {
            switch work {
            case .closure(let body): body()
            case .job(let job):
                job.runSynchronously(on: asUnownedTaskExecutor())
            case .isolated(let job, let executor):
                job.runSynchronously(
                    isolatedTo: executor.asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
            }
        }
    }
}
