// When a provider that cannot be reached is called without a request, so that those who wait for it learn of its
// return. Each provider has one call a pause, and the pauses grow. A value; the time is a parameter.
import LarderCore

/// The planned trials of the providers that are away.
public struct AwayTrials: Sendable {
    /// The first pause. It doubles with each trial, up to the longest.
    public static let pauses = (first: Duration.seconds(5), longest: Duration.seconds(300))

    private struct Plan {
        var next: MonotonicTime
        var pause: Duration
    }
    private var plans: [String: Plan] = [:]

    public init() {}

    /// Returns the providers to try now, and plans their next trials. A provider that can be reached again is forgotten.
    /// - Parameter sights: the present state of every provider.
    public mutating func due(_ sights: [(provider: String, sight: LaneSight)], now: MonotonicTime) -> [String] {
        var kept: [String: Plan] = [:]
        var due: [String] = []
        for (provider, sight) in sights where sight.isReachable == false {
            var plan = plans[provider] ?? Plan(next: now + Self.pauses.first, pause: Self.pauses.first)
            if now >= plan.next, Self.mayBeTried(sight, now: now) {
                due.append(provider)
                plan.pause = min(plan.pause * 2, Self.pauses.longest)
                plan.next = now + plan.pause
            }
            kept[provider] = plan
        }
        plans = kept
        return due
    }

    /// Whether the provider is not suspended now, and its suspension, if there was one, was for not being reached. A
    /// trial says nothing about a key that was refused or a limit.
    private static func mayBeTried(_ sight: LaneSight, now: MonotonicTime) -> Bool {
        guard let suspension = sight.suspension else { return true }
        return suspension.until <= now && [.unreachable, .timedOut].contains(suspension.failure)
    }
}
