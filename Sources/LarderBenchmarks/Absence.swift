// Measures how long the spinning load was off its core. A spinning load leaves its core only if the kernel gives the
// core to another thread: wall time then passes, and the thread's processor time does not. A hit that waited mostly for
// this says nothing about the server and is not counted. A hit that waited mostly for the server counts in full, so an
// absence of the load hides no stall.
import Glibc

struct Absence {
    /// In nanoseconds. Shorter differences come from reading two clocks or from an interrupt.
    static let tolerance: Int64 = 20_000

    /// Whether absences are measured. Measuring costs a system call in each turn.
    var isLooking = false
    /// The time off the core so far, in nanoseconds.
    private(set) var sum: Int64 = 0
    /// The last absence and the one before it: when it ended and how long it was, in nanoseconds.
    private var last = (end: Int64.min / 2, length: Int64(0))
    private var previous = (end: Int64.min / 2, length: Int64(0))
    private var lastLook: Int64?
    private var lastOwn: Int64 = 0

    /// Called in each turn of the load, and before answers are read.
    mutating func look(_ now: Int64) {
        guard isLooking else { return }
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        note(now, own: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// - Parameter own: the processor time of the thread so far, in nanoseconds.
    mutating func note(_ now: Int64, own: Int64) {
        if let lastLook, case let away = (now - lastLook) - (own - lastOwn), away > Self.tolerance {
            sum += away
            (previous, last) = (last, (now, away))
        }
        (lastLook, lastOwn) = (now, own)
    }

    /// The value that `sum` had at an instant. The instant must be after the last look but two. This holds because a
    /// turn looks twice, and a request that falls due in a turn was not due when the previous turn began.
    func sum(at instant: Int64) -> Int64 {
        sum - max(0, min(last.length, last.end - instant)) - max(0, min(previous.length, previous.end - instant))
    }

    /// Whether a request waited for the load for at least half of its latency.
    ///
    /// - Parameter before: the value of `sum` when the request was due.
    func spoils(latency: Int64, before: Int64) -> Bool { sum > before && (sum - before) * 2 >= latency }
}
