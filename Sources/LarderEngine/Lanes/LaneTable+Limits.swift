// Other limits for a lane that is known, after the settings changed. A budget is made of the old one and of the calls on record, of
// which there may be many: that is no work for the lock, where every call of every provider would wait for it. It is made outside
// and put in force where the old one is still the same.
import LarderCache
import LarderCore
import LarderProviders
import LarderSettings

extension LaneTable {
    /// The budget of a lane that is to have other limits, and how often it was changed. What is reserved ahead is so under the old
    /// ones: it is given back.
    mutating func budgetToLimit(
        _ provider: String, rate: CallRate?, quota: CallRate?, now: Moment
    ) -> (budget: CallBudget, changes: Int)? {
        guard let lane = lanes[provider] else { return nil }
        if lane.budget.rate != rate || lane.budget.quota != quota { emptyStock(provider, now: now) }
        return (lane.budget, lane.budgetChanges)
    }

    /// Puts a budget in force that was made of the one of then. False where calls changed that meanwhile; then nothing changes.
    mutating func limit(_ provider: String, _ budget: CallBudget, ifUnchangedSince changes: Int) -> Bool {
        guard let lane = lanes[provider], lane.budgetChanges == changes else { return false }
        lane.budget = budget
        return true
    }
}

extension UpstreamClient {
    /// Puts other limits in force on a lane. Calls are made meanwhile, and each of them counts. Many may be on record, so the budget
    /// is made outside the lock, and anew where a call came in between.
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
        // Calls come faster than a budget can be made: they wait for this one.
        step { table in
            let known = table.budgetToLimit(provider, rate: settings.rate, quota: settings.quota, now: now)
            if let known { _ = table.limit(provider, make(known.budget), ifUnchangedSince: known.changes) }
        }
    }

    /// More tries would hold up the reload.
    private static let triesToLimit = 10
}
