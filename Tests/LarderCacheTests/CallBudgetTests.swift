// Budgets: no window holds more than the limit, in any order of events.
import LarderCore
import Testing

@testable import LarderCache

@Suite struct CallBudgetTests {
    let now = Sample.moment
    static let perMinute = CallRate(calls: 3, per: .seconds(60))
    static let perDay = CallRate(calls: 5, per: .seconds(86_400))

    @Test func withoutLimitsEverythingIsGranted() {
        var budget = CallBudget(rate: nil, quota: nil, calls: [now])
        for _ in 0..<1000 { #expect(budget.take(now: now) == .granted) }
        #expect(budget.remaining(now: now) == nil)
        #expect(budget.resetsAt(now: now) == nil)
        #expect(!budget.isLimited)
        #expect(budget.remembered.isEmpty)
    }

    @Test func windowSlides() {
        var budget = CallBudget(rate: Self.perMinute, quota: nil)
        #expect(budget.take(now: now) == .granted)
        #expect(budget.take(now: now + .seconds(10)) == .granted)
        #expect(budget.take(now: now + .seconds(20)) == .granted)
        #expect(budget.take(now: now + .seconds(30)) == .spent(until: (now + .seconds(60)).monotonic))
        #expect(budget.take(now: now + .milliseconds(59_999)) == .spent(until: (now + .seconds(60)).monotonic))
        #expect(budget.take(now: now + .seconds(60)) == .granted)
        #expect(budget.take(now: now + .seconds(61)) == .spent(until: (now + .seconds(70)).monotonic))
    }

    @Test func bothLimitsHold() {
        var budget = CallBudget(rate: Self.perMinute, quota: Self.perDay)
        for second in [0, 1, 2] { #expect(budget.take(now: now + .seconds(second)) == .granted) }
        #expect(budget.take(now: now + .seconds(3)) == .spent(until: (now + .seconds(60)).monotonic))
        #expect(budget.take(now: now + .seconds(60)) == .granted)
        #expect(budget.take(now: now + .seconds(61)) == .granted)
        #expect(budget.take(now: now + .seconds(62)) == .spent(until: (now + .seconds(86_400)).monotonic))
        #expect(budget.usage(now: now + .seconds(61)) == (rate: 0, quota: 0) as (Int?, Int?))
        #expect(budget.usage(now: now + .seconds(200)) == (rate: 3, quota: 0) as (Int?, Int?))
        #expect(budget.remaining(now: now + .seconds(200)) == 0)
    }

    @Test func eachLimitIsWholeAgainAfterItsOwnWindow() {
        var budget = CallBudget(rate: Self.perMinute, quota: Self.perDay)
        #expect(budget.take(now: now) == .granted)
        #expect(budget.resetsAt(Self.perMinute, now: now) == (now + .seconds(60)).monotonic)
        #expect(budget.resetsAt(Self.perDay, now: now) == (now + .seconds(86_400)).monotonic)
        #expect(budget.resetsAt(Self.perMinute, now: now + .seconds(60)) == nil)
        #expect(budget.resetsAt(nil, now: now) == nil)
    }

    @Test func aCallThatIsGivenBackWasNeverTaken() {
        var budget = CallBudget(rate: Self.perMinute, quota: Self.perDay)
        for second in [0, 1, 2] { #expect(budget.take(now: now + .seconds(second)) == .granted) }
        budget.giveBack(now + .seconds(1), callNumber: 2)
        #expect(budget.remembered == [now, now + .seconds(2)])
        #expect(budget.usage(now: now + .seconds(3)) == (rate: 1, quota: 3) as (Int?, Int?))
        #expect(budget.take(now: now + .seconds(3)) == .granted)
        #expect(budget.take(now: now + .seconds(4)) == .spent(until: (now + .seconds(60)).monotonic))
        // A thousand calls that were never sent do not count.
        for _ in 0..<1000 {
            #expect(budget.take(now: now + .seconds(70)) == .granted)
            budget.giveBack(now + .seconds(70), callNumber: budget.taken)
        }
        #expect(budget.usage(now: now + .seconds(70)) == (rate: 3, quota: 2) as (Int?, Int?))
    }

    /// The moment `now` after the wall clock was set by this step. The monotonic clock is unchanged.
    private func stepped(_ now: Moment, by step: Duration) -> Moment {
        Moment(wall: now.wall + step, monotonic: now.monotonic)
    }

    @Test func aCallIsGivenBackThoughTheClockWasSetBackMeanwhile() {
        var budget = CallBudget(rate: Self.perMinute, quota: nil)
        #expect(budget.take(now: now) == .granted)
        let later = stepped(now + .seconds(1), by: .seconds(-30))
        #expect(budget.take(now: later) == .granted)
        budget.giveBack(now, callNumber: 1)
        #expect(budget.remembered == [later])
    }

    @Test func whatTheAPISaysIsLeftGetsBackWhatWasTakenOff() {
        func credits(_ remaining: Int) -> Credits {
            Credits([
                Credits.Allowance(name: "user", limit: 10, remaining: remaining, resetsAt: now.wall + .seconds(600))
            ])
        }
        var budget = CallBudget(rate: nil, quota: nil)
        budget.learn(credits(5), callNumber: 0, now: now)
        #expect(budget.take(now: now) == .granted)
        budget.giveBack(now, callNumber: budget.taken)
        #expect(budget.remaining(now: now) == 5)
        // The report of a later call does not include this call.
        #expect(budget.take(now: now) == .granted)
        let number = budget.taken
        #expect(budget.take(now: now) == .granted)
        budget.learn(credits(4), callNumber: budget.taken, now: now)
        budget.giveBack(now, callNumber: number)
        #expect(budget.remaining(now: now) == 4)
    }

    /// Calls that were never sent are in no report's count, whenever the reporting call was made.
    @Test func whatWasGivenBackIsNotTakenOffWhatALateAnswerSays() {
        let credits = Credits([
            Credits.Allowance(name: "user", limit: 100, remaining: 60, resetsAt: now.wall + .seconds(600))
        ])
        var budget = CallBudget(rate: nil, quota: nil)
        #expect(budget.take(now: now) == .granted)
        let number = budget.taken
        for _ in 0..<99 { #expect(budget.take(now: now) == .granted) }
        for other in 2...100 { budget.giveBack(now, callNumber: other) }
        budget.learn(credits, callNumber: number, now: now)
        #expect(budget.remaining(now: now) == 60)
        // The report of a later call needs no correction for the calls given back.
        #expect(budget.take(now: now) == .granted)
        budget.learn(credits, callNumber: budget.taken, now: now)
        #expect(budget.remaining(now: now) == 60)
    }

    /// A forgotten return counts as a call made. So the budget may look smaller, never larger.
    @Test func onlySoManyOfThoseGivenBackAreRemembered() {
        let credits = Credits([
            Credits.Allowance(name: "user", limit: 9999, remaining: 9000, resetsAt: now.wall + .seconds(600))
        ])
        var budget = CallBudget(rate: nil, quota: nil)
        #expect(budget.take(now: now) == .granted)
        for _ in 0..<1000 {
            #expect(budget.take(now: now) == .granted)
            budget.giveBack(now, callNumber: budget.taken)
        }
        budget.learn(credits, callNumber: 1, now: now)
        #expect(budget.remaining(now: now) == 9000 - (1000 - CallBudget.mostReturned))
    }

    @Test func knownCallsCountAfterARestart() {
        let calls = [10, 0, 20].map { now + .seconds($0) }
        var budget = CallBudget(rate: Self.perMinute, quota: nil, calls: calls)
        #expect(budget.take(now: now + .seconds(30)) == .spent(until: (now + .seconds(60)).monotonic))
        #expect(budget.remembered == [0, 10, 20].map { now + .seconds($0) })
        #expect(budget.resetsAt(now: now + .seconds(30)) == (now + .seconds(80)).monotonic)
        #expect(budget.resetsAt(now: now + .seconds(80)) == nil)
    }

    @Test func onlyTheLatestCallsThatMatterAreKept() {
        let calls = (0..<10_000).map { now + .seconds(Int64($0)) }
        let budget = CallBudget(rate: Self.perMinute, quota: Self.perDay, calls: calls)
        #expect(budget.remembered == Array(calls.suffix(5)))
    }

    @Test func lostRecordCountsAsSpentForOneWindow() {
        var budget = CallBudget.spent(rate: Self.perMinute, quota: nil, now: now)
        #expect(budget.remaining(now: now) == 0)
        #expect(budget.take(now: now) == .spent(until: (now + .seconds(60)).monotonic))
        #expect(budget.take(now: now + .seconds(60)) == .granted)
        #expect(budget.remaining(now: now + .seconds(60)) == 2)
    }

    @Test func callMadeWithoutAskingIsCounted() {
        var budget = CallBudget(rate: Self.perMinute, quota: nil)
        for _ in 0..<3 { budget.count(at: now) }
        #expect(budget.take(now: now) == .spent(until: (now + .seconds(60)).monotonic))
        budget.count(at: now + .seconds(-50))
        #expect(budget.remaining(now: now + .seconds(59)) == 0, "whoever read the clock first may come last")
    }

    @Test(arguments: [-36_000, -1, 1, 36_000])
    func noStepOfTheWallClockOpensAWindowEarlyOrHoldsItShut(_ step: Int64) {
        var budget = CallBudget(rate: Self.perMinute, quota: nil)
        for _ in 0..<3 { _ = budget.take(now: now) }
        let set = stepped(now, by: .seconds(step))
        #expect(budget.take(now: set + .seconds(59)) == .spent(until: (now + .seconds(60)).monotonic))
        #expect(budget.remaining(now: set + .seconds(59)) == 0)
        #expect(budget.take(now: set + .seconds(60)) == .granted)
    }

    /// The record of the last run holds wall times. Times in the future count as calls made now.
    @Test func aRecordFromAClockThatWasSetBackBlocksForOneWindowAtMost() {
        let recorded = [0, 1, 2].map { now.wall + .seconds($0) }
        let back = stepped(now + .seconds(3), by: .seconds(-7200))
        var budget = CallBudget(rate: Self.perMinute, quota: nil, recorded: recorded, now: back)
        #expect(budget.take(now: back) == .spent(until: (back + .seconds(60)).monotonic))
        #expect(budget.take(now: back + .milliseconds(59_999)) == .spent(until: (back + .seconds(60)).monotonic))
        #expect(budget.take(now: back + .seconds(60)) == .granted)
    }

    /// A reload takes calls from the record that the old limits had forgotten. A clock step in between must not make
    /// them older.
    @Test(arguments: [-7200, 7200])
    func otherLimitsCountWhatIsOnRecordThoughTheClockWasSet(_ step: Int64) {
        let hour = CallRate(calls: 4, per: .seconds(3600))
        var budget = CallBudget(rate: CallRate(calls: 1, per: .seconds(1)), quota: nil)
        var recorded: [WallTime] = []
        for second in 0..<4 {
            #expect(budget.take(now: now + .seconds(Int64(second))) == .granted)
            recorded.append((now + .seconds(Int64(second))).wall)
        }
        let set = stepped(now + .seconds(10), by: .seconds(step))
        var hourly = budget.with(rate: hour, quota: nil, recorded: recorded, started: now, now: set)
        guard case .spent(let until) = hourly.take(now: set) else {
            Issue.record("a fifth call within the hour")
            return
        }
        #expect(until <= set.monotonic + hour.window)
    }

    @Test func whatLeftTheWindowCountsNoMore() {
        var budget = CallBudget(rate: Self.perMinute, quota: nil)
        for second in [0, 10, 20] { _ = budget.take(now: now + .seconds(second)) }
        #expect(budget.remaining(now: now + .seconds(70)) == 2)
        #expect(budget.remaining(now: now + .seconds(80)) == 3)
        #expect(budget.take(now: now + .seconds(80)) == .granted)
    }

    @Test func changedLimitsKeepTheKnownCalls() {
        var budget = CallBudget(rate: Self.perMinute, quota: nil)
        for _ in 0..<3 { _ = budget.take(now: now) }
        var smaller = budget.with(rate: CallRate(calls: 1, per: .seconds(60)), quota: nil)
        #expect(smaller.take(now: now) == .spent(until: (now + .seconds(60)).monotonic))
        var larger = budget.with(rate: CallRate(calls: 4, per: .seconds(60)), quota: nil)
        #expect(larger.take(now: now) == .granted)
        #expect(larger.take(now: now) == .spent(until: (now + .seconds(60)).monotonic))
    }

    /// Checks the promise for random instants, limits and restarts: every window that begins at a call is counted.
    @Test func noWindowEverHoldsMoreThanItsLimit() {
        var random = FixedRandom(state: 42)
        for round in 0..<60 {
            let rate = CallRate(calls: Int.random(in: 1...6, using: &random), per: .milliseconds(1000))
            let quota =
                round % 3 == 0 ? nil : CallRate(calls: Int.random(in: 1...20, using: &random), per: .seconds(10))
            var budget = CallBudget(rate: rate, quota: quota)
            var granted: [Moment] = []
            var time = now
            for _ in 0..<400 {
                time = time + .milliseconds(Int64.random(in: 0...300, using: &random))
                if Int.random(in: 0..<40, using: &random) == 0 {
                    time = stepped(time, by: .seconds(Int64.random(in: -7200...7200, using: &random)))
                }
                switch Int.random(in: 0..<20, using: &random) {
                case 0: budget = CallBudget(rate: rate, quota: quota, calls: granted.shuffled(using: &random))
                default:
                    let remaining = budget.remaining(now: time)
                    switch budget.take(now: time) {
                    case .granted:
                        #expect(remaining ?? 0 > 0)
                        granted.append(time)
                    case .spent(let until):
                        #expect(remaining == 0)
                        let until = time + (until - time.monotonic)
                        #expect(until.monotonic > time.monotonic)
                        // The promise: a call is granted at that instant, and not a millisecond earlier.
                        var copy = budget
                        #expect(copy.take(now: until + .milliseconds(-1)) != .granted)
                        #expect(copy.take(now: until) == .granted)
                    }
                }
            }
            for limit in [rate, quota].compactMap({ $0 }) {
                for (place, first) in granted.enumerated() {
                    let inside = granted[place...].prefix { $0.monotonic < (first + limit.window).monotonic }
                    #expect(inside.count <= limit.calls)
                }
            }
        }
    }

    @Test func otherLimitsKnowWhatIsOnRecordAndCountNothingTwice() {
        let start = now
        let calls = [0, 0, 1000, 61_000, 61_000].map { start + .milliseconds($0) }
        var budget = CallBudget(rate: CallRate(calls: 2, per: .seconds(60)), quota: nil, calls: calls)
        let now = start + .seconds(62)
        let day = CallRate(calls: 6, per: .seconds(86_400))
        #expect(
            budget.with(rate: nil, quota: day, recorded: calls.map(\.wall), started: start, now: now).remaining(
                now: now) == 1)
        // One more call was taken after the record was read.
        budget = CallBudget(rate: CallRate(calls: 3, per: .seconds(60)), quota: nil, calls: calls)
        #expect(budget.take(now: now) == .granted)
        #expect(
            budget.with(rate: nil, quota: day, recorded: calls.map(\.wall), started: start, now: now).remaining(
                now: now) == 0)
        #expect(budget.with(rate: nil, quota: day, recorded: [], started: start, now: now).remaining(now: now) == 3)
    }
}
