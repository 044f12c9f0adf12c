// What a budget keeps for a person and for the shares of tools.
import LarderCache
import LarderCore
import Testing

@Suite struct BudgetSharesTests {
    private let now = Sample.moment
    private static let perHour = CallRate(calls: 20, per: .seconds(3600))

    private func kept(
        _ shares: BudgetShares, _ tool: String, _ urgency: Urgency = .ordinary, after: Duration = .zero
    ) -> BudgetShares.Kept {
        shares.kept(from: tool, urgency, rate: Self.perHour, quota: nil, now: now.monotonic + after)
    }

    @Test func withoutARuleNothingIsKept() {
        #expect(kept(BudgetShares(), "other") == .nothing)
    }

    @Test func theReserveIsKeptFromAllButAPerson() {
        let shares = BudgetShares(.init(reserve: 10))
        #expect(kept(shares, "other").rate == 2)
        #expect(kept(shares, "other", .background).rate == 2)
        #expect(kept(shares, "other", .person) == .nothing)
    }

    @Test func theLastCallsAreForAPerson() {
        var budget = CallBudget(rate: Self.perHour, quota: nil)
        let kept = kept(BudgetShares(.init(reserve: 10)), "other")
        for _ in 0..<18 { #expect(budget.take(now: now, leaving: kept) == .granted) }
        let end = (now + .seconds(3600)).monotonic
        #expect(budget.take(now: now, leaving: kept) == .spent(until: end))
        #expect(budget.take(now: now) == .granted)
        #expect(budget.take(now: now) == .granted)
        #expect(budget.take(now: now) == .spent(until: end))
    }

    @Test func formerToolsMakeRoomForNewOnes() {
        var shares = BudgetShares(.init(tools: ["new": 10]))
        let window = Self.perHour.window
        for number in 0..<64 { shares.count("old\(number)", windows: [window], now: now.monotonic) }
        let later = now.monotonic + .seconds(7200)
        shares.count("new", windows: [window], now: later)
        #expect(shares.calls(of: "new", in: window, now: later) == 1)
    }

    @Test func aSmallLimitNeverKeepsAllOfItself() {
        let one = CallRate(calls: 1, per: .seconds(1))
        var budget = CallBudget(rate: one, quota: nil)
        let kept = BudgetShares(.init(reserve: 90)).kept(
            from: "a", .ordinary, rate: one, quota: nil, now: now.monotonic)
        #expect(budget.take(now: now, leaving: kept) == .granted)
    }

    @Test func aShareIsKeptFromTheOtherToolsUntilItIsUsed() {
        var shares = BudgetShares(.init(tools: ["editor": 25, "batch": 10]))
        #expect(kept(shares, "editor").rate == 2)
        #expect(kept(shares, "batch").rate == 5)
        #expect(kept(shares, "other", .person).rate == 7, "a person of another tool leaves the shares too")
        for _ in 0..<4 { shares.count("editor", windows: [Self.perHour.window], now: now.monotonic) }
        #expect(kept(shares, "batch").rate == 1)
        for _ in 0..<4 { shares.count("editor", windows: [Self.perHour.window], now: now.monotonic) }
        #expect(kept(shares, "batch").rate == 0, "what it uses beyond its share frees nothing of the others'")
        #expect(kept(shares, "editor").rate == 2)
    }

    @Test func aCallCountsForItsShareForItsWindowAndASixtyFourthMore() {
        var shares = BudgetShares(.init(tools: ["editor": 50]))
        shares.count("editor", windows: [Self.perHour.window], now: now.monotonic)
        let step = Self.perHour.window / 64
        #expect(kept(shares, "other", after: Self.perHour.window).rate == 9)
        #expect(kept(shares, "other", after: Self.perHour.window + step).rate == 10)
    }

    @Test func aCallThatWasNotSentDoesNotCountForItsTool() {
        var shares = BudgetShares(.init(tools: ["editor": 50]))
        for _ in 0..<2 { shares.count("editor", windows: [Self.perHour.window], now: now.monotonic) }
        shares.giveBack("editor")
        shares.giveBack("nobody")
        #expect(shares.calls(of: "editor", in: Self.perHour.window, now: now.monotonic) == 1)
    }

    @Test func noMoreToolsAreCountedThanThereMayBe() {
        var shares = BudgetShares()
        for number in 0..<1000 { shares.count("tool\(number)", windows: [Self.perHour.window], now: now.monotonic) }
        #expect(shares.tools.count == 64)
    }

    @Test func oldStepsAreForgotten() {
        var shares = BudgetShares()
        for second in 0..<5000 {
            shares.count("t", windows: [.seconds(64)], now: now.monotonic + .seconds(second))
        }
        #expect(shares.calls(of: "t", in: .seconds(64), now: now.monotonic + .seconds(4999)) <= 66)
    }

    @Test func theReserveIsAlsoKeptOfWhatTheAPISaysIsLeft() {
        var budget = CallBudget(rate: nil, quota: nil)
        let reset = now.wall + .seconds(600)
        budget.learn(
            Credits([.init(name: "user", limit: 500, remaining: 50, resetsAt: reset)]), callNumber: 0, now: now)
        let kept = kept(BudgetShares(.init(reserve: 10)), "other")
        #expect(budget.look(now: now, leaving: kept) == .spent(until: (now + .seconds(600)).monotonic))
        #expect(budget.look(now: now) == .granted)
    }

    @Test func anAPIMayTellAnyLimit() {
        var budget = CallBudget(rate: nil, quota: nil)
        let reset = now.wall + .seconds(600)
        let told = Credits([.init(name: "user", limit: .max, remaining: .max, resetsAt: reset)])
        budget.learn(told, callNumber: 0, now: now)
        #expect(budget.look(now: now, leaving: kept(BudgetShares(.init(reserve: 90)), "other")) == .granted)
    }

    @Test func callsReservedAheadLeaveWhatIsKept() {
        let rate = CallRate(calls: 100, per: .seconds(3600))
        var budget = CallBudget(rate: rate, quota: nil)
        let kept = BudgetShares(.init(reserve: 10)).kept(
            from: "", .ordinary, rate: rate, quota: nil, now: now.monotonic)
        for _ in 0..<89 { _ = budget.take(now: now) }
        var stock = CallStock()
        for _ in 0..<3 { stock.noteTurn(now: now.monotonic) }
        #expect(stock.reserveAhead(from: &budget, leaving: kept, now: now).count == 1)
        #expect(budget.remaining(now: now) == 10)
    }
}
