// Whether the shared tier is asked. After some failures in a row it rests: nobody waits for an engine that is away. When a pause
// is over, one operation tries it; the others go on without it until that has ended. Pauses double up to a bound, and each is
// shortened by chance, so that the hosts of a fleet do not come back at the same instant.
import LarderCore

/// The breaker of the shared tier. Pure: instants and random numbers come in.
public struct SharedBreaker: Sendable, Hashable {
    /// What the breaker is at.
    public enum State: Sendable, Hashable {
        /// The tier is asked.
        /// - Parameter failures: in a row, so far.
        case closed(failures: Int)
        /// The tier is not asked before that instant.
        /// - Parameter step: 0 for the first pause in a row.
        case resting(until: MonotonicTime, step: Int)
        /// One operation is trying it since that instant.
        case probing(since: MonotonicTime, step: Int)
    }

    /// The answer to asking for an operation. Who was given `yes` or `probe` tells how it ended: `succeeded` or `failed`.
    public enum Permission: Sendable, Hashable {
        case yes, probe, no
    }

    /// Failures in a row that open it.
    public static let threshold = 3
    public static let firstPause: Duration = .milliseconds(500)
    public static let longestPause: Duration = .seconds(30)
    /// A probe that has told nothing for this long counts as failed.
    public static let probeLimit: Duration = .seconds(10)

    public private(set) var state = State.closed(failures: 0)
    /// Times that it opened after it was closed.
    public private(set) var openings = 0

    /// A closed one.
    public init() {}

    /// Whether an operation may begin.
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

    /// An operation was answered. What began before the breaker opened says as much as a probe does.
    public mutating func succeeded() { state = .closed(failures: 0) }

    /// An operation was not answered, or by what is no answer.
    /// - Parameter random: any number; it shortens the pause by up to half.
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
        // It began before the breaker opened, and says nothing new.
        case .resting: break
        }
    }

    private mutating func rest(step: Int, _ now: MonotonicTime, _ random: UInt64) {
        state = .resting(until: now + Self.pause(step: step, random: random), step: step)
    }

    /// The pause of that step: between half of its whole length and that.
    public static func pause(step: Int, random: UInt64) -> Duration {
        let whole = min(longestPause.milliseconds, firstPause.milliseconds << Int64(min(max(0, step), 10)))
        return .milliseconds(whole - Int64(random % UInt64(whole / 2 + 1)))
    }

    /// The word of status and metrics.
    public var word: String {
        switch state {
        case .closed: "closed"
        case .resting: "open"
        case .probing: "probing"
        }
    }

    /// When it is tried again, where it is open.
    public var retryAt: MonotonicTime? {
        if case .resting(let until, _) = state { until } else { nil }
    }
}
