// A load that spins is off its core only where the kernel gave the core to somebody else: then time passes and its own
// processor time does not. What was due or under way meanwhile waited for the load, not for the server.
import Glibc

struct Absence {
    /// Less than this is what reading two clocks costs, or an interrupt.
    static let tolerance: Int64 = 20_000

    /// Whether it looks at all: it costs a system call for each turn.
    var isLooking = false
    /// When the load came back last.
    private(set) var end = Int64.min
    private var lastTurn: Int64?
    private var lastOwn: Int64 = 0

    /// To be called in each turn of the load.
    mutating func look(_ now: Int64) {
        guard isLooking else { return }
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        note(now, own: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// - Parameter own: processor time of the thread so far.
    mutating func note(_ now: Int64, own: Int64) {
        if let lastTurn, (now - lastTurn) - (own - lastOwn) > Self.tolerance { end = now }
        (lastTurn, lastOwn) = (now, own)
    }
}
