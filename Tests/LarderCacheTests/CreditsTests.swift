// The remaining calls that an API reports. A report can only reduce the budget, does not cover later calls, and ends
// with its reset.
import LarderCache
import LarderCore
import Testing

@Suite struct CreditsTests {
    let now = Sample.moment
    static let perHour = CallRate(calls: 10, per: .seconds(3600))

    private func credits(_ remaining: Int, in seconds: Int64 = 600, name: String = "user") -> Credits {
        Credits([.init(name: name, limit: 500, remaining: remaining, resetsAt: now.wall + .seconds(seconds))])
    }

    @Test func whatTheAPISaysIsLeftIsAllThatIsLeft() {
        var budget = CallBudget(rate: Self.perHour, quota: nil)
        #expect(budget.take(now: now) == .granted)
        budget.learn(credits(2), callNumber: budget.taken, now: now)
        #expect(budget.remaining(now: now) == 2)
        #expect(budget.take(now: now) == .granted)
        #expect(budget.take(now: now) == .granted)
        #expect(budget.take(now: now) == .spent(until: (now + .seconds(600)).monotonic))
        #expect(budget.take(now: now + .milliseconds(599_999)) == .spent(until: (now + .seconds(600)).monotonic))
        #expect(budget.take(now: now + .seconds(600)) == .granted)
        #expect(budget.allowances(now: now + .seconds(600)).isEmpty)
    }

    @Test func itNeverAllowsMoreThanOurOwnCount() {
        var budget = CallBudget(rate: Self.perHour, quota: nil)
        for _ in 0..<10 { _ = budget.take(now: now) }
        budget.learn(credits(400), callNumber: budget.taken, now: now)
        #expect(budget.remaining(now: now) == 0)
        #expect(budget.take(now: now) == .spent(until: (now + .seconds(3600)).monotonic))
    }

    @Test func callsThatTheAnswerCannotHaveCountedAreTakenOff() {
        var budget = CallBudget(rate: nil, quota: nil)
        _ = budget.take(now: now)
        let number = budget.taken
        for _ in 0..<3 { _ = budget.take(now: now) }
        budget.learn(credits(5), callNumber: number, now: now)
        #expect(budget.remaining(now: now) == 2)
        // The responses arrive in another order than the calls were sent. The later report is lower and is correct too.
        budget.learn(credits(2), callNumber: number + 3, now: now)
        #expect(budget.remaining(now: now) == 2)
        budget.learn(credits(1), callNumber: number, now: now)
        #expect(budget.remaining(now: now) == 0, "never below nothing")
        // A call that follows a redirect counts too.
        budget.learn(credits(5), callNumber: budget.taken, now: now)
        budget.count(at: now)
        #expect(budget.remaining(now: now) == 4)
    }

    @Test func theLastWordCounts() {
        var budget = CallBudget(rate: nil, quota: nil)
        budget.learn(credits(0), callNumber: 0, now: now)
        #expect(budget.take(now: now) == .spent(until: (now + .seconds(600)).monotonic))
        budget.learn(credits(7), callNumber: 0, now: now)
        #expect(budget.remaining(now: now) == 7)
        // The smallest of several allowances decides, and the latest end.
        budget.learn(credits(0, in: 60, name: "client"), callNumber: 0, now: now)
        #expect(budget.remaining(now: now) == 0)
        #expect(budget.allowances(now: now).map(\.name) == ["client", "user"])
        #expect(budget.take(now: now) == .spent(until: (now + .seconds(60)).monotonic))
        #expect(budget.take(now: now + .seconds(60)) == .granted)
    }

    @Test func halfOfWhatTheAPIAllowsIsLeftToThoseWhoWait() {
        var budget = CallBudget(rate: nil, quota: nil)
        budget.learn(credits(251), callNumber: budget.taken, now: now)
        #expect(budget.spare(now: now) == .granted)
        _ = budget.take(now: now)
        #expect(budget.spare(now: now) == .spent(until: (now + .seconds(600)).monotonic))
        #expect(budget.take(now: now) == .granted)
        #expect(budget.spare(now: now + .seconds(600)) == .granted, "it is over then")
    }

    @Test func nothingIsBelievedForMoreThanADayAndOfNoMoreThanAFew() {
        var budget = CallBudget(rate: nil, quota: nil)
        budget.learn(credits(0, in: 30 * 86_400), callNumber: 0, now: now)
        #expect(budget.take(now: now) == .spent(until: (now + .seconds(86_400)).monotonic))
        // After the clock is set back, the report counts for a day, not for a day plus the time that the clock lost.
        let back = Moment(wall: now.wall + .seconds(-7200), monotonic: now.monotonic)
        #expect(budget.take(now: back) == .spent(until: (now + .seconds(86_400)).monotonic))
        // The same holds after a restart: the reset is no further ahead than when it was saved.
        var restarted = CallBudget(rate: nil, quota: nil)
        restarted.recall(credits(0), savedAt: now.wall, now: back)
        #expect(restarted.take(now: back) == .spent(until: (back + .seconds(600)).monotonic))
        budget.learn(credits(0, in: -1), callNumber: 0, now: now)
        #expect(budget.take(now: now) == .granted, "what is over says nothing")
        for number in 0..<100 { budget.learn(credits(1, name: "\(number)"), callNumber: budget.taken, now: now) }
        #expect(budget.allowances(now: now).count == CallBudget.mostAllowances)
    }

    @Test func newSettingsAndARestartForgetNothing() {
        var budget = CallBudget(rate: Self.perHour, quota: nil)
        _ = budget.take(now: now)
        budget.learn(credits(3), callNumber: budget.taken, now: now)
        var changed = budget.with(rate: CallRate(calls: 100, per: .seconds(60)), quota: nil)
        #expect(changed.remaining(now: now) == 3 && changed.taken == budget.taken)
        #expect(changed.take(now: now) == .granted)
        #expect(changed.remaining(now: now) == 2)

        // The saved report, and two calls recorded since then.
        let calls = [-10, 1, 2].map { now + .seconds($0) }
        var restarted = CallBudget(rate: Self.perHour, quota: nil, calls: calls)
        restarted.recall(credits(3), savedAt: now.wall, now: now + .seconds(5))
        #expect(restarted.remaining(now: now + .seconds(5)) == 1)
    }
}
