// A load that spins is off its core only where the kernel gave the core to somebody else: then time passes and its own
// processor time does not. A hit that waited mostly for that tells nothing about the server. One that waited mostly for the
// server counts whole, so that no stall is hidden by what happened to the load meanwhile.
import Glibc

struct Absence {
    /// Less than this is what reading two clocks costs, or an interrupt.
    static let tolerance: Int64 = 20_000

    /// Whether it looks at all: it costs a system call for each turn.
    var isLooking = false
    /// Nanoseconds off the core so far.
    private(set) var sum: Int64 = 0
    /// When the load came back the last time and the time before, and how long it had been away.
    private var last = (end: Int64.min / 2, length: Int64(0))
    private var previous = (end: Int64.min / 2, length: Int64(0))
    private var lastLook: Int64?
    private var lastOwn: Int64 = 0

    /// To be called in each turn of the load, and before answers are taken.
    mutating func look(_ now: Int64) {
        guard isLooking else { return }
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        note(now, own: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// - Parameter own: processor time of the thread so far.
    mutating func note(_ now: Int64, own: Int64) {
        if let lastLook, case let away = (now - lastLook) - (own - lastOwn), away > Self.tolerance {
            sum += away
            (previous, last) = (last, (now, away))
        }
        (lastLook, lastOwn) = (now, own)
    }

    /// What `sum` was at an instant since the last look but two: a turn looks twice, and what falls due was not due yet when
    /// the turn before began.
    func sum(at instant: Int64) -> Int64 {
        sum - max(0, min(last.length, last.end - instant)) - max(0, min(previous.length, previous.end - instant))
    }

    /// Whether a request waited for the load half of its time or more.
    ///
    /// - Parameter before: the sum when it was due.
    func spoils(latency: Int64, before: Int64) -> Bool { sum > before && (sum - before) * 2 >= latency }
}
