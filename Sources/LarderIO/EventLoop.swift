// A loop is one thread that waits for descriptors, timers and posted work, and runs each to its end. It blocks nowhere
// else. In each turn it waits, calls the handlers of ready descriptors (at most one batch), runs due timers, and runs
// the posted work and, for a limited number of rounds, the work that this adds. Anything beyond waits for the next
// turn, so none of the three starves another.
//
// A loop is also a Swift executor. A task with `executorPreference: loop` runs on this thread between the handlers, and
// so does an actor with a `LoopSerialExecutor`.
import Glibc
import LarderCore

/// One thread with an epoll instance. Members under "On the loop" may be used only on that thread, and trap elsewhere.
/// Other threads reach it only through `post`, `stop` and the two executors.
public final class EventLoop: TaskExecutor, Sendable {
    /// The loop's number, which is part of every request id made here.
    public let index: UInt16
    /// The thread's name, as debuggers show it.
    public let name: String

    /// The clock of the loop's timers. May be read on any thread.
    public let clock: any TimeSource

    let mark = ThreadMark()
    private let core: LoopBound<LoopCore>
    private let inbox: Lock<Inbox>
    private let wakeup: Wakeup
    private let thread = Lock<SystemThread?>(nil)

    /// Rounds of work between two checks of the descriptors. A request is a chain of short jobs, each of which posts
    /// the next. A check after every job would cost more than the job.
    private static let rounds = 32

    enum Work {
        case closure(@Sendable () -> Void)
        case job(UnownedJob)
        case isolated(UnownedJob, LoopSerialExecutor)
    }

    private struct Inbox {
        var work: [Work] = []
        /// The loop sleeps or is about to. The caller that adds work must wake it, once.
        var sleeps = false
        var stops = false
        var ended = false

        /// Whether the caller must wake the loop for the work it just added. True for one caller only.
        mutating func wakes() -> Bool {
            defer { sleeps = false }
            return sleeps
        }
    }

    /// - Parameters:
    ///   - name: the thread's name, such as "loop-0" or "fetch"; the kernel keeps 15 bytes of it.
    ///   - time: the clock of timers and, by default, of `now`. A caller that moves a clock other than the system's
    ///     must then post to the loop, so that due timers run.
    ///   - wall: the clock of `now`, if it differs from that of the timers.
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
        // The loop was stopped without `join()`. Detach its thread.
        thread.withLock({ thread in thread.take() })?.detach()
    }

    /// Starts the thread. Must be called once in a loop's life.
    public func start() throws(SystemError) {
        do throws(SystemThread.Failure) {
            let started = try SystemThread.start(named: name) { self.run() }
            thread.withLock { $0 = started }
        } catch {
            throw SystemError(error)
        }
    }

    /// Asks the thread to end after it has run the posted work. May be called on any thread. Later posts are dropped.
    public func stop() {
        let wakes = inbox.withLock { inbox in
            inbox.stops = true
            return inbox.wakes()
        }
        if wakes { wakeup.signal() }
    }

    /// Waits until the thread has ended. Must be called after `stop()`, and not on the loop itself.
    public func join() {
        precondition(!isCurrent, "a loop cannot wait for itself")
        thread.withLock({ thread in thread.take() })?.join()
    }

    /// Runs the body on the loop soon, after the work that the same thread posted before. May be called on any thread.
    public func post(_ job: @escaping @Sendable () -> Void) {
        enqueue(.closure(job))
    }

    /// The loop that runs on the current thread, if any.
    public static var current: EventLoop? {
        pthread_getspecific(currentKey).map { Unmanaged<EventLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The thread-specific key of each thread's loop. The loop lives as long as its thread runs.
    private static let currentKey: pthread_key_t = {
        var key = pthread_key_t()
        let code = pthread_key_create(&key, nil)
        precondition(code == 0, "no key for the threads' loops")
        return key
    }()

    /// Whether the current thread is the loop's.
    public var isCurrent: Bool { mark.isCurrent }

    /// Traps unless called on the loop's thread.
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

    /// Watches a descriptor, which must be non-blocking. The handler is kept until `deregister`.
    /// - Parameter exclusive: whether few of several loops that watch the descriptor are woken (EPOLLEXCLUSIVE).
    public func register(
        _ descriptor: Int32, _ interest: Interest, exclusive: Bool = false, handler: any EventHandler
    ) throws(SystemError) -> Registration {
        try core.value.epoll.add(descriptor, interest, exclusive: exclusive, handler: handler)
    }

    /// Changes the events that are reported. Not for an exclusive registration (epoll_ctl(2)).
    public func modify(_ registration: Registration, _ interest: Interest) throws(SystemError) {
        try core.value.epoll.modify(registration, interest)
    }

    /// Ends the watch. Must be called before the descriptor is closed. Events already fetched are dropped.
    public func deregister(_ registration: Registration) {
        core.value.epoll.remove(registration)
    }

    /// Runs the body once the clock has reached the deadline.
    public func schedule(at deadline: MonotonicTime, _ body: @escaping () -> Void) -> TimerToken {
        core.value.schedule(at: deadline, body)
    }

    /// Cancels a timer. Does nothing if it has fired.
    public func cancel(_ timer: TimerToken) {
        // What the body holds is released when the heap is whole again.
        withExtendedLifetime(core.value.timers.cancel(timer)) {}
    }

    /// Runs the body in the next turn, after others have had theirs. A handler with more to do uses this to yield.
    public func soon(_ body: @escaping () -> Void) {
        core.value.soon.append(body)
    }

    /// Reads the clock within a turn. Needed before answering an event that came after the turn began.
    public func readClock() { core.value.readClock() }

    /// The time read at the last wake or by `readClock()` since.
    public var now: WallTime { core.value.now }
    public var monotonic: MonotonicTime { core.value.monotonic }

    /// The watched descriptors, without the loop's own, and the timers in force. For tests and the status page.
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
                // Emptied only if there was something: emptying an array that is returned allocates a new one.
                defer { if !inbox.work.isEmpty { inbox.work = [] } }
                inbox.ended = isIdle && inbox.work.isEmpty && inbox.stops
                inbox.sleeps = isIdle && inbox.work.isEmpty && !inbox.stops
                (ends, sleeps) = (inbox.ended, inbox.sleeps)
                return inbox.work
            }
            if !posted.isEmpty {
                // The work may have come long after the turn began, and its deadlines must count from now.
                core.readClock()
                perform(posted)
                performOwn(core)
            }
        }
        core.clear()
        pthread_setspecific(Self.currentKey, nil)
        mark.clear()
    }

    /// Runs the work that the thread gave itself, and the work that this adds, for at most `rounds` rounds.
    private func performOwn(_ core: LoopCore) {
        var round = 0
        while !core.work.isEmpty, round < Self.rounds {
            let batch = core.takeWork()
            perform(batch)
            core.giveBack(batch)
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
