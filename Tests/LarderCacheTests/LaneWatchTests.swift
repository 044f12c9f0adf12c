// Events about a provider, by value: each change is reported once, and nothing is reported without a change.
import LarderCache
import LarderCore
import Testing

@Suite struct LaneWatchTests {
    private func sight(
        _ isReachable: Bool? = nil, suspension: Suspension? = nil, rate: Int? = nil, quota: Int? = nil
    ) -> LaneSight {
        var budgets: [BudgetKind: BudgetSight] = [:]
        if let rate { budgets[.rate] = BudgetSight(limit: 20, remaining: rate) }
        if let quota { budgets[.quota] = BudgetSight(limit: 100, remaining: quota) }
        return LaneSight(isReachable: isReachable, failure: .timedOut, suspension: suspension, budgets: budgets)
    }

    @Test func whatIsKnownAtTheBeginningIsNotTold() {
        let rest = Suspension(until: Sample.moment.monotonic, failure: .limited, step: 0)
        let known = sight(false, suspension: rest, rate: 0)
        var watch = LaneWatch(known)
        #expect(watch.look(known) == [])
        #expect(known.isAway && watch.isWearing)
    }

    @Test func comingAndGoingAreToldOnceEach() {
        var watch = LaneWatch(sight())
        #expect(watch.look(sight(true)) == [.reachable])
        #expect(watch.look(sight(true)) == [])
        #expect(watch.look(sight(false)) == [.unreachable(.timedOut)])
        #expect(watch.look(sight(false)) == [])
        #expect(watch.look(sight(true)) == [.reachable])
    }

    @Test func aRestIsToldWhenItBeginsGrowsAndEnds() {
        let first = Suspension(until: Sample.moment.monotonic, failure: .limited, step: 0)
        let longer = Suspension(until: Sample.moment.monotonic + .seconds(10), failure: .limited, step: 1)
        let cut = Suspension(until: Sample.moment.monotonic + .seconds(5), failure: .limited, step: 1)
        var watch = LaneWatch(sight(true))
        #expect(watch.look(sight(true, suspension: first)) == [.suspended(first)])
        #expect(watch.look(sight(true, suspension: first)) == [])
        #expect(watch.look(sight(true, suspension: longer)) == [.suspended(longer)])
        #expect(watch.look(sight(true, suspension: cut)) == [], "a trial that was given up is no news")
        #expect(watch.look(sight(true)) == [.resumed])
        #expect(watch.look(sight(true)) == [])
    }

    @Test func aBudgetIsToldAtFourFifthsAtItsEndAndWhenItIsWholeAgain() {
        var watch = LaneWatch(sight(rate: 20))
        var told: [Int: [LaneEvent]] = [:]
        for remaining in stride(from: 19, through: 0, by: -1) {
            let events = watch.look(sight(rate: remaining))
            if !events.isEmpty { told[remaining] = events }
        }
        #expect(
            told == [
                4: [.budget(.rate, .scarce, BudgetSight(limit: 20, remaining: 4))],
                0: [.budget(.rate, .spent, BudgetSight(limit: 20, remaining: 0))],
            ])
        #expect(watch.look(sight(rate: 1)) == [], "one call that comes back is no end of it")
        #expect(watch.look(sight(rate: 0)) == [.budget(.rate, .spent, BudgetSight(limit: 20, remaining: 0))])
        #expect(watch.look(sight(rate: 15)) == [])
        #expect(watch.isWearing)
        #expect(watch.look(sight(rate: 20)) == [.budget(.rate, .whole, BudgetSight(limit: 20, remaining: 20))])
        #expect(!watch.isWearing)
    }

    @Test func bothLimitsAreWatchedByThemselves() {
        var watch = LaneWatch(sight(rate: 20, quota: 100))
        #expect(
            watch.look(sight(rate: 20, quota: 20)) == [
                .budget(.quota, .scarce, BudgetSight(limit: 100, remaining: 20))
            ])
        #expect(watch.level(.rate) == .whole && watch.level(.quota) == .scarce)
        #expect(watch.look(sight(rate: 20)) == [], "a limit that the settings took away")
        #expect(watch.level(.quota) == .whole)
    }

    @Test func anAPIsWordIsWatchedUpToItsReset() {
        let user = BudgetKind.credits("user")
        func sight(_ remaining: Int?, limit: Int? = 500) -> LaneSight {
            LaneSight(
                isReachable: nil, failure: nil, suspension: nil,
                budgets: remaining.map { [user: BudgetSight(limit: limit, remaining: $0)] } ?? [:])
        }
        var watch = LaneWatch(sight(nil))
        #expect(watch.look(sight(499)) == [] && watch.isWearing)
        #expect(watch.look(sight(100)) == [.budget(user, .scarce, BudgetSight(limit: 500, remaining: 100))])
        #expect(watch.look(sight(0)) == [.budget(user, .spent, BudgetSight(limit: 500, remaining: 0))])
        #expect(watch.look(sight(nil)) == [.budget(user, .whole, BudgetSight(limit: 500, remaining: nil))])
        #expect(!watch.isWearing)
        #expect(
            watch.look(sight(499)) == [] && watch.look(sight(nil)) == [], "nothing was told, so nothing is taken back")
        // Without a limit, only the end of the budget can be reported.
        #expect(watch.look(sight(1, limit: nil)) == [])
        #expect(watch.look(sight(0, limit: nil)) == [.budget(user, .spent, BudgetSight(limit: nil, remaining: 0))])
        #expect(watch.look(sight(nil)) == [.budget(user, .whole, BudgetSight(limit: nil, remaining: nil))])
        // A figure from outside may be arbitrarily large.
        #expect(watch.look(sight(.max - 1, limit: .max)) == [])
    }

    @Test func limitsAreShownInOneOrder() {
        var sight = sight(rate: 1, quota: 1)
        for name in ["user", "client"] { sight.budgets[.credits(name)] = BudgetSight(limit: 1, remaining: 1) }
        #expect(sight.kinds.map(\.word) == ["rate", "quota", "clientCredits", "userCredits"])
    }

    @Test func halfOfEachLimitIsSpare() {
        let now = Sample.moment
        var budget = CallBudget(
            rate: CallRate(calls: 4, per: .seconds(60)), quota: CallRate(calls: 6, per: .seconds(3600)))
        #expect(budget.spare(now: now) == .granted)
        _ = budget.take(now: now)
        #expect(budget.spare(now: now) == .granted)
        _ = budget.take(now: now + .seconds(1))
        #expect(budget.spare(now: now + .seconds(1)) == .spent(until: (now + .seconds(60)).monotonic))
        #expect(budget.spare(now: now + .seconds(60)) == .granted)
        _ = budget.take(now: now + .seconds(60))
        #expect(budget.spare(now: now + .seconds(200)) == .spent(until: (now + .seconds(3600)).monotonic))
        #expect(CallBudget(rate: nil, quota: nil, calls: [now]).spare(now: now) == .granted)
        var told = CallBudget(rate: nil, quota: nil)
        told.learn(
            Credits([Credits.Allowance(name: "user", limit: 10, remaining: 6, resetsAt: now.wall + .seconds(90))]),
            callNumber: 0,
            now: now)
        #expect(told.spare(now: now) == .granted)
        _ = told.take(now: now)
        #expect(
            told.spare(now: now) == .spent(until: (now + .seconds(90)).monotonic),
            "half of what the API says is left to people")
        #expect(
            told.nextWhole(now: now) == (now + .seconds(90)).monotonic && told.nextWhole(now: now + .seconds(90)) == nil
        )
        #expect(budget.nextWhole(now: now + .seconds(60)) == (now + .seconds(120)).monotonic)
        #expect(budget.nextWhole(now: now + .seconds(200)) == (now + .seconds(3660)).monotonic)
        #expect(budget.nextWhole(now: now + .seconds(3660)) == nil)
    }

    /// A lane that is quiet need not be looked at.
    @Test(arguments: [nil, false, true] as [Bool?], [nil, false, true] as [Bool?])
    func aQuietLaneHasNothingToTell(known: Bool?, now: Bool?) {
        var watch = LaneWatch(sight(known))
        let isQuiet = watch.isQuiet(now)
        #expect(isQuiet == watch.look(sight(now)).isEmpty)
    }

    @Test func aLaneWithALimitOrASuspensionIsNotQuiet() {
        let rest = Suspension(until: Sample.moment.monotonic, failure: .limited, step: 0)
        #expect(!LaneWatch(sight(true, suspension: rest)).isQuiet(true))
        #expect(!LaneWatch(sight(true, rate: 20)).isQuiet(true))
    }
}
