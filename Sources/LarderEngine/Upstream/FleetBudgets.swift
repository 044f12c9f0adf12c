// Budgets and suspensions that the hosts of a fleet share. A call is taken from the fleet's budget first, then from the
// host's own record of the same limits. A host that leaves the fleet therefore has a correct record.
import LarderCache
import LarderCore
import LarderProviders
import LarderSettings
import LarderShared

/// The shared budgets in force.
struct FleetBudgets: Sendable {
    /// The shared tier, if it keeps budgets.
    var tier: SharedTier?
    /// The providers as configured.
    var providers: [ConfiguredProvider] = []
    /// The percentage of each limit that is kept for what a person waits for.
    var reserve = 0
}

extension UpstreamClient {
    /// Sets the tier that keeps the budgets. With nil they are this host's own.
    public func share(_ tier: SharedTier?) {
        fleet.withLock { $0.tier = tier.flatMap { $0.settings.hasQuota ? $0 : nil } }
    }

    /// Returns the fleet budget of an attempt; nil if the budget is this host's own. The reserve holds for the fleet. The
    /// shares of tools hold on each host, for its own calls.
    func fleetBudget(of number: UInt64, _ urgency: Urgency?) -> (tier: SharedTier, subject: QuotaSubject)? {
        let (tier, reserve) = fleet.withLock { ($0.tier, $0.reserve) }
        guard let tier, let attempt = step({ $0.attempt(number) }), var subject = subject(attempt.provider)
        else { return nil }
        if reserve > 0, (urgency ?? attempt.user.urgency) == .person {
            subject.isReserve = true
        } else {
            subject.reserve = reserve
        }
        return (tier, subject)
    }

    private func subject(_ name: String) -> QuotaSubject? {
        fleet.withLock { fleet in
            fleet.providers.first { $0.name == name }?.quotaSubject
        }
    }

    /// Counts redirects in the fleet's budget, because each was a call.
    func countFleetHops(_ provider: String, _ hops: Int) {
        guard hops > 0, let tier = fleet.withLock({ $0.tier }), subject(provider) != nil else { return }
        for _ in 0..<hops { tier.countCall(provider) }
    }

    /// Returns the number of this host's own calls in each window.
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

    /// Reports this host's calls to the fleet's ledgers.
    /// - Returns: false if any of them could not be told.
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

// MARK: Suspensions

extension UpstreamClient {
    /// Tells the fleet about the provider's present suspension, or its end.
    func tellFleetOfSuspension(_ provider: String, _ now: Moment) {
        guard
            let (tier, caller) = fleet.withLock({ fleet -> (SharedTier, SharedCaller)? in
                guard let tier = fleet.tier, let caller = fleet.caller(provider) else { return nil }
                return (tier, caller)
            })
        else { return }
        let suspension = step { $0.lanes[provider]?.suspension.rest(at: now.monotonic) }
        tier.tell(
            suspension.map { SharedSuspension(rest: $0.until - now.monotonic, failure: $0.failure, step: $0.step) },
            of: caller)
    }

    /// Takes in news from another host: a suspension, or a gap in which news may have been lost.
    public func hear(_ news: SharedNews) async {
        switch news {
        case .order: break
        case .gap: await readFleetSuspensions()
        case .suspension(let suspension, let code):
            let provider = fleet.withLock { fleet in
                fleet.providers.first { provider in
                    fleet.caller(provider.name).map { fleet.tier?.isNamed($0, by: code) ?? false } ?? false
                }?.name
            }
            if let provider { await heard(suspension, provider) }
        }
    }

    /// Takes over the suspensions that the tier holds.
    public func readFleetSuspensions() async {
        let (tier, callers) = fleet.withLock { fleet in
            (fleet.tier, fleet.providers.compactMap { fleet.caller($0.name) })
        }
        guard let tier else { return }
        for (caller, suspension) in zip(callers, await tier.suspensions(of: callers)) where suspension != nil {
            await heard(suspension, caller.provider)
        }
    }

    private func heard(_ suspension: SharedSuspension?, _ provider: String) async {
        let now = time.moment()
        let isNew = step { table in
            guard let suspension else {
                // A suspension after failed connections concerns only this host and stays.
                switch table.lanes[provider]?.suspension.suspension?.failure {
                case .limited, .refused, .suspended: return table.resume(provider, now: now)
                default: return false
                }
            }
            let own = Suspension(
                until: now.monotonic + suspension.rest, failure: suspension.failure, step: suspension.step)
            return table.heard(own, of: provider, now: now)
        }
        guard isNew else { return }
        let reason = suspension?.failure.rawValue ?? "resumed"
        log.notice("another host reported a suspension", ["provider": provider, "reason": reason])
        await flush()
    }
}

extension FleetBudgets {
    /// Returns how the provider's callers are identified; nil if there is no such provider or it is not shared.
    func caller(_ name: String) -> SharedCaller? {
        providers.first { $0.name == name && $0.settings.isShared }.map {
            SharedCaller(provider: name, identity: $0.callerIdentity)
        }
    }
}

extension ConfiguredProvider {
    /// The data by which the API tells its callers apart.
    var callerIdentity: Bytes {
        Bytes(text: ([settings.name, settings.key ?? ""] + settings.baseURLs).joined(separator: "\n"))
    }

    /// What the fleet counts for this provider; nil if nothing is limited or the provider is not shared.
    var quotaSubject: QuotaSubject? {
        var limits = [settings.rate, settings.quota].compactMap { $0 }
        // If both limits have the same window, the smaller counts, because the ledger keeps one count for each window.
        if limits.count == 2, limits[0].window == limits[1].window {
            limits = limits[0].calls <= limits[1].calls ? [limits[0]] : [limits[1]]
        }
        guard settings.isShared, !limits.isEmpty else { return nil }
        return QuotaSubject(provider: name, identity: callerIdentity, limits: limits)
    }
}
