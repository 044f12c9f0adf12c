// One call for the fleet: of the hosts that miss the same answer one takes a lease and fetches, the others look for what it publishes.
// A lease has a short term and is renewed while the fetch lasts, so that of a host that died nobody waits longer than that. Who
// waits is bounded by a patience of its own and then fetches for itself.
import LarderCore

/// The wait of a host for what another fetches. Pure: instants and random numbers come in.
public struct SharedWait: Sendable, Hashable {
    /// For how long a lease holds without being renewed.
    public static let term: Duration = .seconds(2)
    /// For how long it is told that nothing was published. Long enough for those who wait to see it.
    public static let settledFor: Duration = .seconds(1)
    private static let shortest: Duration = .milliseconds(5)
    private static let longest: Duration = .milliseconds(100)

    /// What a host finds of an answer that is not there.
    public enum Seen: Sendable, Hashable {
        /// Another host holds the lease.
        case held
        /// Nobody does: it lapsed, or was given back.
        case free
        /// Who held it has nothing to publish.
        case settled
        /// The tier does not tell.
        case unknown
    }

    /// What to do then.
    public enum Step: Sendable, Hashable {
        /// Look again after this.
        case pause(Duration)
        /// Try to take the lease.
        case take
        /// Fetch without one.
        case goAlone
    }

    private let end: MonotonicTime
    private var pause = shortest

    /// - Parameter patience: after which the host goes by itself.
    public init(began: MonotonicTime, patience: Duration) {
        end = began + patience
    }

    /// - Parameter random: any number; it varies the pause, so that hosts do not all look at the same instant.
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
