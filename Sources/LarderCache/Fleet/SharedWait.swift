// Limits the fleet to one call for one answer. Of the hosts that miss the same answer, one takes a lease and fetches.
// The others look for what it publishes. A lease has a short term and is renewed while the fetch lasts, so nobody waits
// for a dead host longer than one term. A waiting host also has its own limit, after which it fetches for itself.
import LarderCore

/// The wait of a host for another host's fetch. Pure: times and random numbers are parameters.
public struct SharedWait: Sendable, Hashable {
    /// How long a lease holds without being renewed.
    public static let term: Duration = .seconds(2)
    /// How long the engine keeps the note that nothing was published. Waiting hosts look often enough to see it.
    public static let settledFor: Duration = .seconds(1)
    private static let shortest: Duration = .milliseconds(5)
    private static let longest: Duration = .milliseconds(100)

    /// What a waiting host finds while the answer is missing.
    public enum Seen: Sendable, Hashable {
        /// Another host holds the lease.
        case held
        /// No host holds the lease: it expired or was given back.
        case free
        /// The holder of the lease has nothing to publish.
        case settled
        /// The tier did not reply.
        case unknown
    }

    /// The next step of the waiting host.
    public enum Step: Sendable, Hashable {
        /// Look again after this pause.
        case pause(Duration)
        /// Try to take the lease.
        case take
        /// Fetch without a lease.
        case goAlone
    }

    private let end: MonotonicTime
    private var pause = shortest

    /// - Parameter patience: how long the host waits before it fetches for itself.
    public init(began: MonotonicTime, patience: Duration) {
        end = began + patience
    }

    /// Decides the next step.
    /// - Parameter random: any number. It varies the pause, so that hosts do not all look at the same time.
    public mutating func next(_ seen: Seen, now: MonotonicTime, random: UInt64) -> Step {
        guard now < end else { return .goAlone }
        switch seen {
        case .free: return .take
        case .settled, .unknown: return .goAlone
        case .held:
            let whole = pause.milliseconds
            pause = min(pause * 2, Self.longest)
            return .pause(.milliseconds(whole - Int64(random % UInt64(whole / 2 + 1))))
        }
    }
}
