// What the loop believes of its timerfd, as a value: for when it is set, and whether it must be set again.
import LarderCore

/// The one alarm of a loop. It is set for the earliest deadline only; a later one waits until it has rung.
struct ArmedAlarm {
    /// For when it is set; nil where it is not, or has rung.
    private(set) var deadline: MonotonicTime?

    /// It rang. That counts whatever the clock shows: an alarm can ring some microseconds before the clock reaches its
    /// time, and one still taken for set would keep every later timer from setting it.
    mutating func rang() {
        deadline = nil
    }

    /// The clock has reached this time: an alarm set for it or before has no more to tell.
    mutating func passed(_ now: MonotonicTime) {
        if let deadline, deadline <= now { self.deadline = nil }
    }

    /// Whether it will not have rung by then.
    func isLater(than earliest: MonotonicTime) -> Bool {
        guard let deadline else { return true }
        return earliest < deadline
    }

    /// The instant to set the alarm to, now that this is the earliest deadline; nil where it need not be touched.
    mutating func set(for earliest: MonotonicTime?) -> MonotonicTime? {
        guard let earliest else { return nil }
        if let deadline, deadline <= earliest { return nil }
        deadline = earliest
        return earliest
    }
}
