// The state that a loop's thread owns: the epoll instance, the timers, the time of the last wake, and the work that the
// thread gave itself. It is reached only through a `LoopBound`.
import CLinux
import Glibc
import LarderCore

/// An eventfd that ends a loop's wait. It is edge-triggered, so its count is never read.
struct Wakeup: ~Copyable {
    let descriptor: Int32

    init() throws(SystemError) {
        descriptor = try Syscall.check("eventfd") { eventfd(0, larder_EFD_FLAGS) }
    }

    deinit {
        Syscall.close(descriptor)
    }

    borrowing func signal() {
        var one: UInt64 = 1
        _ = withUnsafeBytes(of: &one) { Syscall.write(descriptor, $0) }
    }
}

/// The state of a loop's thread.
final class LoopCore {
    let epoll: Epoll
    var timers = TimerHeap()
    var work: [EventLoop.Work] = []
    /// The emptied memory of work that was performed.
    private var spare: [EventLoop.Work] = []
    /// Bodies that the thread has put off until its next turn.
    var soon: [() -> Void] = []
    private(set) var now = WallTime(milliseconds: 0)
    private(set) var monotonic = MonotonicTime(nanoseconds: 0)

    private let time: any TimeSource
    private let wall: any TimeSource
    /// A timerfd on CLOCK_BOOTTIME. Unlike epoll's own timeout it counts the time that the machine slept.
    private let alarm: Int32
    private let keepsSystemTime: Bool
    private var armed = ArmedAlarm()
    private let ignored = Ignored()
    private let bell = Bell()

    /// The handler of the eventfd, which only ends the wait.
    private final class Ignored: EventHandler {
        func ready(_ events: ReadyEvents) {}
    }

    /// The handler of the timerfd.
    private final class Bell: EventHandler {
        var hasRung = false
        func ready(_ events: ReadyEvents) { hasRung = true }
    }

    init(wakeup: borrowing Wakeup, time: any TimeSource, wall: any TimeSource) throws(SystemError) {
        self.time = time
        self.wall = wall
        keepsSystemTime = time is SystemTime
        epoll = try Epoll()
        alarm = try Syscall.check("timerfd_create") { timerfd_create(CLOCK_BOOTTIME, larder_TFD_FLAGS) }
        _ = try epoll.add(wakeup.descriptor, [.readable, .edge], exclusive: false, handler: ignored)
        _ = try epoll.add(alarm, [.readable, .edge], exclusive: false, handler: bell)
    }

    deinit {
        Syscall.close(alarm)
    }

    /// Runs the bodies that were put off until now.
    func runSoon() {
        guard !soon.isEmpty else { return }
        let bodies = soon
        soon = []
        for body in bodies { body() }
    }

    /// Returns the work that the thread gave itself so far. Work that it adds later waits for the next call.
    func takeWork() -> [EventLoop.Work] {
        if work.isEmpty { return [] }
        defer { (work, spare) = (spare, []) }
        return work
    }

    /// Takes back the memory of work that was performed, so that the next needs no new memory.
    func giveBack(_ performed: consuming [EventLoop.Work]) {
        performed.removeAll(keepingCapacity: performed.capacity <= Self.mostSpare)
        spare = performed
    }

    /// The most places of work that are kept.
    private static let mostSpare = 256

    func readClock() {
        now = wall.wall()
        monotonic = time.monotonic()
    }

    /// Waits, calls the handlers of ready descriptors, and runs due timers.
    func turn(waits: Bool) {
        let count: Int
        do {
            count = try epoll.wait(timeout: waits && !hasDueTimer ? -1 : 0)
        } catch {
            preconditionFailure("an epoll descriptor of our own failed: \(error)")
        }
        readClock()
        for index in 0..<count {
            guard let (handler, events) = epoll.event(index) else { continue }
            handler.ready(events)
        }
        runTimers()
    }

    /// With the system's clock the alarm reports due timers. With a clock that is set by hand no alarm is used.
    private var hasDueTimer: Bool {
        guard !keepsSystemTime, let deadline = timers.earliest else { return false }
        return deadline <= monotonic
    }

    func schedule(at deadline: MonotonicTime, _ body: @escaping () -> Void) -> TimerToken {
        let token = timers.insert(at: deadline, body)
        arm()
        return token
    }

    private func runTimers() {
        if bell.hasRung {
            bell.hasRung = false
            armed.rang()
        }
        armed.passed(monotonic)
        guard timers.places > 0 else { return }
        // A timer that sets another one due at once must not hold the loop. A turn runs at most as many timers as there
        // were.
        var left = timers.count
        while left > 0, let body = timers.popDue(at: monotonic) {
            body()
            left -= 1
        }
        arm()
    }

    /// Sets the alarm if the next deadline is earlier than the one it is set for.
    private func arm() {
        guard keepsSystemTime, let earliest = timers.earliest, armed.isLater(than: earliest) else { return }
        // The deadline has passed. Instead of an alarm, an empty body makes the next turn come at once.
        if earliest <= monotonic { return soon.append {} }
        guard let deadline = armed.set(for: earliest) else { return }
        // Zero would disarm the alarm.
        let nanoseconds = max(1, deadline.nanoseconds)
        var when = itimerspec()
        when.it_value.tv_sec = Int(nanoseconds / 1_000_000_000)
        when.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
        _ = timerfd_settime(alarm, Int32(TFD_TIMER_ABSTIME), &when, nil)
    }

    /// Drops all handlers and timers when the thread ends.
    func clear() {
        timers = TimerHeap()
        epoll.clear()
    }
}
