// Decides whether the shared tier is asked. After some failures in a row the tier rests, so that no request waits for
// an engine that is away. When a pause is over, one operation tries the tier; the others do without it until that
// operation has ended. Pauses double up to a limit. Each is shortened at random, so that the hosts of a fleet do not
// come back at the same time.
import LarderCore

/// The circuit breaker of the shared tier. Pure: times and random numbers are parameters.
public struct SharedBreaker: Sendable, Hashable {
    /// The state of the breaker.
    public enum State: Sendable, Hashable {
        /// The tier is asked.
        /// - Parameter failures: the number of failures in a row so far.
        case closed(failures: Int)
        /// The tier is not asked before this time.
        /// - Parameter step: 0 for the first pause in a row.
        case resting(until: MonotonicTime, step: Int)
        /// One operation has been trying the tier since this time.
        case probing(since: MonotonicTime, step: Int)
    }

    /// The reply to a request for an operation. After `yes` or `probe` the caller must report the outcome with
    /// `succeeded` or `failed`.
    public enum Permission: Sendable, Hashable {
        case yes, probe, no
    }

    /// The number of failures in a row that open the breaker.
    public static let threshold = 3
    public static let firstPause: Duration = .milliseconds(500)
    public static let longestPause: Duration = .seconds(30)
    /// A probe that has not reported for this long counts as failed.
    public static let probeLimit: Duration = .seconds(10)

    public private(set) var state = State.closed(failures: 0)
    /// How many times the breaker has opened from the closed state.
    public private(set) var openings = 0

    /// Creates a closed breaker.
    public init() {}

    /// Asks whether an operation may begin.
    public mutating func permission(now: MonotonicTime) -> Permission {
        switch state {
        case .closed: return .yes
        case .resting(let until, let step):
            guard now >= until else { return .no }
            state = .probing(since: now, step: step)
            return .probe
        case .probing(let since, let step):
            guard now - since >= Self.probeLimit else { return .no }
            state = .probing(since: now, step: step)
            return .probe
        }
    }

    /// Records that an operation was answered. An operation that began before the breaker opened proves as much as a
    /// probe.
    public mutating func succeeded() { state = .closed(failures: 0) }

    /// Records that an operation was not answered, or that its reply was not valid.
    /// - Parameter random: any number. It shortens the pause by up to half.
    public mutating func failed(now: MonotonicTime, random: UInt64) {
        switch state {
        case .closed(let failures):
            guard failures + 1 >= Self.threshold else {
                state = .closed(failures: failures + 1)
                return
            }
            openings += 1
            rest(step: 0, now, random)
        case .probing(_, let step): rest(step: step + 1, now, random)
        // The operation began before the breaker opened and proves nothing new.
        case .resting: break
        }
    }

    private mutating func rest(step: Int, _ now: MonotonicTime, _ random: UInt64) {
        state = .resting(until: now + Self.pause(step: step, random: random), step: step)
    }

    /// The pause of this step: between half of its full length and its full length.
    public static func pause(step: Int, random: UInt64) -> Duration {
        let whole = min(longestPause.milliseconds, firstPause.milliseconds << Int64(min(max(0, step), 10)))
        return .milliseconds(whole - Int64(random % UInt64(whole / 2 + 1)))
    }

    /// The name of the state in status and metrics.
    public var word: String {
        switch state {
        case .closed: "closed"
        case .resting: "open"
        case .probing: "probing"
        }
    }

    /// When the tier is tried again, if the breaker is open.
    public var retryAt: MonotonicTime? {
        if case .resting(let until, _) = state { until } else { nil }
    }
}
