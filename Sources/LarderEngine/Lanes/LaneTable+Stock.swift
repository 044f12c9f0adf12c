// Calls reserved ahead in a burst (`CallStock`): when they come into a lane's stock, and when they are given back. A
// call that is given back was never sent, so it neither counts nor stays on record.
import LarderCache
import LarderCore

extension LaneTable {
    /// The provider of a call in stock, and whether the call was sent; otherwise it was given back.
    typealias StockOutcome = (provider: String, isUsed: Bool)

    /// Records that the calls reserved ahead were written down, or could not be.
    mutating func stocked(_ ahead: [CallStock.Call], of provider: String, areWritten: Bool, now: Moment) {
        guard !ahead.isEmpty, let lane = lanes[provider] else { return }
        takeBack(lane.stock.came(ahead, areWritten: areWritten), of: provider, areWritten: areWritten, now: now)
        if let last = ahead.map(\.counted.monotonic).max() {
            actions.stockEnds.append((provider, last + .milliseconds(1)))
        }
    }

    /// Gives back the calls in stock that were not used in time.
    mutating func returnUnused(_ provider: String, now: Moment) {
        guard let lane = lanes[provider], lane.stock.count > 0 else { return }
        takeBack(lane.stock.removeOver(now: now.monotonic), of: provider, areWritten: true, now: now)
    }

    /// Gives back all calls in a stock.
    mutating func emptyStock(_ provider: String, now: Moment) {
        guard let lane = lanes[provider] else { return }
        takeBack(lane.stock.empty(), of: provider, areWritten: true, now: now)
    }

    /// Gives back all stocks because the daemon is stopping. No call is sent any more.
    mutating func end(now: Moment) {
        isEnding = true
        for provider in lanes.keys { emptyStock(provider, now: now) }
    }

    private mutating func takeBack(
        _ calls: [CallStock.Call], of provider: String, areWritten: Bool, now: Moment
    ) {
        guard !calls.isEmpty, let lane = lanes[provider] else { return }
        for call in calls {
            lane.budget.giveBack(call.counted, callNumber: call.number)
            stockOutcomes.append((provider, isUsed: false))
        }
        if areWritten { note(.unsent(provider: provider, at: calls.map(\.counted.wall))) }
        look(provider, now: now)
    }

    mutating func takeStockOutcomes() -> [StockOutcome] {
        guard !stockOutcomes.isEmpty else { return [] }
        defer { stockOutcomes = [] }
        return stockOutcomes
    }
}
