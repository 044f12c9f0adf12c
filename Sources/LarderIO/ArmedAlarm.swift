// The state of the loop's timerfd, as a value: the deadline it is set for, and whether it must be set again.
import LarderCore

/// The one alarm of a loop. It is set for the earliest deadline only; later deadlines wait until it has rung.
struct ArmedAlarm {
    /// The deadline that the alarm is set for; nil if it is not set or has rung.
    private(set) var deadline: MonotonicTime?

    /// Records that the alarm rang. This counts whatever the clock shows: an alarm can ring some microseconds before
    /// the clock reaches its time. If it still counted as set, no later timer would set it again.
    mutating func rang() {
        deadline = nil
    }

    /// Records that the clock has reached a time. An alarm set for that time or before has nothing more to report.
    mutating func passed(_ now: MonotonicTime) {
        if let deadline, deadline <= now { self.deadline = nil }
    }

    /// Whether the alarm, as it is set, rings later than this deadline or not at all.
    func isLater(than earliest: MonotonicTime) -> Bool {
        guard let deadline else { return true }
        return earliest < deadline
    }

    /// Returns the time to set the alarm to, given the earliest deadline; nil if the alarm need not change.
    mutating func set(for earliest: MonotonicTime?) -> MonotonicTime? {
        guard let earliest else { return nil }
        if let deadline, deadline <= earliest { return nil }
        deadline = earliest
        return earliest
    }
}
