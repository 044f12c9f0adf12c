// New limits for an existing lane after the settings changed. The new budget is made from the old one and from the
// calls on record. These may be many, and every call of every provider would wait if the budget were made under the
// lock. It is therefore made outside, and put in force only if the old budget has not changed meanwhile.
import LarderCache
import LarderCore
import LarderProviders
import LarderSettings

extension LaneTable {
    /// Returns the budget of a lane that gets new limits, and how often that budget was changed. Calls reserved ahead
    /// under the old limits are given back.
    mutating func budgetToLimit(
        _ provider: String, rate: CallRate?, quota: CallRate?, now: Moment
    ) -> (budget: CallBudget, changes: Int)? {
        guard let lane = lanes[provider] else { return nil }
        if lane.budget.rate != rate || lane.budget.quota != quota { emptyStock(provider, now: now) }
        return (lane.budget, lane.budgetChanges)
    }

    /// Puts a new budget in force. Returns false, and changes nothing, if calls changed the old budget meanwhile.
    mutating func limit(_ provider: String, _ budget: CallBudget, ifUnchangedSince changes: Int) -> Bool {
        guard let lane = lanes[provider], lane.budgetChanges == changes else { return false }
        lane.budget = budget
        return true
    }
}

extension UpstreamClient {
    /// Puts new limits in force on a lane. Calls made meanwhile are counted. Many calls may be on record, so the budget
    /// is made outside the lock, and made again if a call came in between.
    func limit(_ provider: String, _ settings: ProviderSettings, _ record: [WallTime], now: Moment) {
        let make = { [started] (budget: CallBudget) in
            budget.with(rate: settings.rate, quota: settings.quota, recorded: record, started: started, now: now)
        }
        for _ in 0..<Self.triesToLimit {
            let known = step { $0.budgetToLimit(provider, rate: settings.rate, quota: settings.quota, now: now) }
            guard let known else { return }
            let made = make(known.budget)
            if step({ $0.limit(provider, made, ifUnchangedSince: known.changes) }) { return }
        }
        // Calls come faster than a budget can be made. Make this one under the lock; calls wait for it.
        step { table in
            let known = table.budgetToLimit(provider, rate: settings.rate, quota: settings.quota, now: now)
            if let known { _ = table.limit(provider, make(known.budget), ifUnchangedSince: known.changes) }
        }
    }

    /// The number of tries outside the lock. More would hold up the reload.
    private static let triesToLimit = 10
}
