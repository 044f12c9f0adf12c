// A reload changes the limits while calls are made. Every call is still counted.
import LarderCache
import LarderCore
import Testing

@testable import LarderEngine

@Suite struct LaneLimitTests {
    private let now = Moment(
        wall: WallTime(seconds: 1_767_225_600), monotonic: MonotonicTime(nanoseconds: 1_000_000_000_000))
    private let old = CallRate(calls: 9, per: .seconds(60))
    private let new = CallRate(calls: 2, per: .seconds(60))

    private func table() -> LaneTable {
        var table = LaneTable()
        table.add(
            "p",
            ProviderLane(
                budget: CallBudget(rate: old, quota: nil), suspension: SuspensionMachine(), suspends: true))
        return table
    }

    private func call(_ table: inout LaneTable) -> LaneTable.Turn {
        guard case .entered(let number) = table.enter("p", now: now) else { return .gone }
        return table.take(number, now: now) { _, _ in nil }
    }

    @Test func aBudgetThatNobodyChangedMeanwhileIsPutInForce() throws {
        var table = table()
        _ = call(&table)
        let found = table.budgetToLimit("p", rate: new, quota: nil, now: now)
        let known = try #require(found)
        let made = known.budget.with(rate: new, quota: nil)
        #expect(table.limit("p", made, ifUnchangedSince: known.changes) == true)
        #expect(table.lanes["p"]?.budget.rate == new)
        #expect(table.lanes["p"]?.budget.taken == known.budget.taken)
    }

    @Test func aCallThatIsMadeMeanwhileIsNotLost() throws {
        var table = table()
        let found = table.budgetToLimit("p", rate: new, quota: nil, now: now)
        let known = try #require(found)
        _ = call(&table)
        let made = known.budget.with(rate: new, quota: nil)
        #expect(table.limit("p", made, ifUnchangedSince: known.changes) == false)
        #expect(table.lanes["p"]?.budget.rate == old)
        #expect(table.lanes["p"]?.budget.taken ?? 0 > known.budget.taken)
    }

    @Test func aLaneThatIsNotKnownHasNoBudget() {
        var table = table()
        let found = table.budgetToLimit("q", rate: new, quota: nil, now: now)
        #expect(found == nil)
        #expect(table.limit("q", CallBudget(rate: new, quota: nil), ifUnchangedSince: 0) == false)
    }
}
