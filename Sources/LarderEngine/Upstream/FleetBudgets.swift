// Budgets that the hosts of a fleet share. A call is taken from the fleet's budget first, then from the host's own record of the same
// limits, which a host that stands alone again finds as it should be.
import LarderCache
import LarderCore
import LarderProviders
import LarderSettings
import LarderShared

/// Which budgets are the fleet's.
struct FleetBudgets: Sendable {
    /// The tier that hosts share, where it keeps budgets.
    var tier: SharedTier?
    /// As they are configured.
    var providers: [ConfiguredProvider] = []
}

/// One budget of the fleet.
struct FleetBudget: Sendable {
    var tier: SharedTier
    var subject: QuotaSubject
}

extension UpstreamClient {
    /// Takes budgets from that tier from now on; with nil they are this host's own.
    public func share(_ tier: SharedTier?) {
        fleet.withLock { $0.tier = tier.flatMap { $0.settings.hasQuota ? $0 : nil } }
    }

    /// The budget that an attempt is to be taken from; nil where it is this host's own.
    func fleetBudget(of number: UInt64) -> FleetBudget? {
        guard let tier = fleet.withLock({ $0.tier }),
            let name = step({ $0.attempts[number]?.provider })
        else { return nil }
        return subject(name).map { FleetBudget(tier: tier, subject: $0) }
    }

    private func subject(_ name: String) -> QuotaSubject? {
        fleet.withLock { fleet in
            fleet.providers.first { $0.name == name }?.quotaSubject
        }
    }

    /// Redirects were calls, too.
    func countFleetHops(_ provider: String, _ hops: Int) {
        guard hops > 0, let tier = fleet.withLock({ $0.tier }), subject(provider) != nil else { return }
        for _ in 0..<hops { tier.countCall(provider) }
    }

    /// This host's own calls in each window.
    func ownCalls(_ subject: QuotaSubject) -> [Int] {
        let now = time.moment()
        return step { table in
            guard let budget = table.lanes[subject.provider]?.budget else { return subject.limits.map { _ in 0 } }
            let usage = budget.usage(now: now)
            return subject.limits.map { limit in
                let left = limit == budget.rate ? usage.rate : limit == budget.quota ? usage.quota : nil
                return left.map { max(0, limit.calls - $0) } ?? 0
            }
        }
    }

    /// Tells the fleet's ledgers what this host has called.
    /// - Returns: false where one of them has not heard.
    public func reportFleetCalls() async -> Bool {
        let (tier, subjects) = fleet.withLock { ($0.tier, $0.providers.compactMap(\.quotaSubject)) }
        guard let tier else { return true }
        var haveHeard = true
        for subject in subjects {
            let hasHeard = await tier.reportCalls(subject, own: ownCalls(subject))
            haveHeard = haveHeard && hasHeard
        }
        return haveHeard
    }
}

extension ConfiguredProvider {
    /// Nil where nothing is limited, or the provider shares nothing.
    var quotaSubject: QuotaSubject? {
        var limits = [settings.rate, settings.quota].compactMap { $0 }
        // Of two with one window the smaller counts: the ledger keeps one count for each window.
        if limits.count == 2, limits[0].window == limits[1].window {
            limits = limits[0].calls <= limits[1].calls ? [limits[0]] : [limits[1]]
        }
        guard settings.isShared, !limits.isEmpty else { return nil }
        let identity = [settings.name, settings.key ?? ""] + settings.baseURLs
        return QuotaSubject(provider: name, identity: Bytes(text: identity.joined(separator: "\n")), limits: limits)
    }
}
