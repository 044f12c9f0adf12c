// Calls reserved in advance: only during a burst, only a few, and counted so that no window of the provider exceeds its
// limit.
import LarderCache
import LarderCore
import LarderTestSupport
import Testing

@Suite struct CallStockTests {
    private let start = Moment(
        wall: WallTime(seconds: 1_767_225_600), monotonic: MonotonicTime(nanoseconds: 1_000_000_000_000))

    private func budget(_ calls: Int, quota: CallRate? = nil) -> CallBudget {
        CallBudget(rate: CallRate(calls: calls, per: .seconds(60)), quota: quota)
    }

    /// A stock after this many turns at one instant.
    private func stock(turns: Int, at now: Moment) -> CallStock {
        var stock = CallStock()
        for _ in 0..<turns { stock.noteTurn(now: now.monotonic) }
        return stock
    }

    @Test func onlyABurstReservesAhead() {
        for turns in 0..<6 {
            var budget = budget(100)
            var stock = stock(turns: turns, at: start)
            #expect(stock.reserveAhead(from: &budget, now: start).count == (turns < 3 ? 0 : 5), "\(turns) turns")
        }
        var budget = budget(100)
        var slow = stock(turns: 2, at: start)
        slow.noteTurn(now: start.monotonic + .milliseconds(251))
        #expect(slow.reserveAhead(from: &budget, now: start + .milliseconds(251)).isEmpty)
        #expect(budget.remaining(now: start) == 100)
    }

    @Test(arguments: [(19, 0), (20, 1), (100, 5), (319, 15), (320, 16), (100_000, 16)])
    func atMostATwentiethOfTheSmallestLimitIsAhead(_ calls: Int, _ ahead: Int) {
        var budget = budget(calls, quota: CallRate(calls: calls * 2, per: .seconds(3600)))
        var stock = stock(turns: 3, at: start)
        #expect(stock.reserveAhead(from: &budget, now: start).count == ahead)
        #expect(stock.count == ahead, "what is being written down is ahead already")
        #expect(stock.reserveAhead(from: &budget, now: start).isEmpty)
        #expect(budget.remaining(now: start) == calls - ahead)
    }

    @Test func theLastCallsThatAreLeftAreNotReservedAhead() {
        var budget = budget(100)
        for _ in 0..<95 { _ = budget.take(now: start) }
        var stock = stock(turns: 3, at: start)
        #expect(stock.reserveAhead(from: &budget, now: start).count == 2, "half of the five that are left")
        #expect(budget.remaining(now: start) == 3)
        _ = stock.empty()
        for _ in 0..<2 { _ = budget.take(now: start) }
        for _ in 0..<3 { stock.noteTurn(now: start.monotonic) }
        #expect(stock.reserveAhead(from: &budget, now: start).isEmpty)
    }

    @Test func whereTheAPITellsWhatIsLeftNothingIsReservedAhead() {
        var budget = budget(100)
        budget.learn(
            Credits([Credits.Allowance(name: "user", limit: 500, remaining: 400, resetsAt: start.wall + .seconds(60))]),
            callNumber: 0, now: start)
        var stock = stock(turns: 3, at: start)
        #expect(stock.reserveAhead(from: &budget, now: start).isEmpty)
    }

    @Test func aCallInStockCountsFromTheLastInstantAtWhichItMayBeSent() {
        var budget = budget(20)
        var stock = stock(turns: 3, at: start)
        let ahead = stock.reserveAhead(from: &budget, now: start)
        #expect(stock.came(ahead, areWritten: true).isEmpty)
        let last = start + CallStock.keeps
        #expect(ahead.map(\.counted) == [last])
        #expect(stock.holds(now: last.monotonic))
        #expect(!stock.holds(now: last.monotonic + .nanoseconds(1)))
        let late = stock.use(now: last.monotonic + .nanoseconds(1))
        let over = stock.removeOver(now: last.monotonic)
        #expect(late == nil)
        #expect(over.isEmpty)
        let used = stock.use(now: last.monotonic)
        let again = stock.use(now: last.monotonic)
        #expect(used == ahead.first)
        #expect(again == nil, "a call is used once")
        #expect(budget.usage(now: last + .seconds(59)).rate == 19)
        #expect(budget.usage(now: last + .seconds(60)).rate == 20)
    }

    @Test func aCallInStockThatIsSentCountsFromThen() throws {
        var budget = budget(100)
        var stock = stock(turns: 3, at: start)
        _ = stock.came(stock.reserveAhead(from: &budget, now: start), areWritten: true)
        let now = start + .milliseconds(300)
        let used = stock.use(now: now.monotonic)
        var call = try #require(used).counted
        #expect(budget.send(&call, callNumber: 1, now: now) == .granted)
        let last = start + CallStock.keeps
        #expect(call == Moment(wall: last.wall, monotonic: now.monotonic), "its name on record stays")
        #expect(budget.remembered == [call, last, last, last, last])
        budget.giveBack(call, callNumber: 1)
        #expect(budget.remembered == [last, last, last, last])
    }

    @Test func whatIsNotUsedInTimeIsGivenBackAndCountsNowhere() {
        var budget = budget(100)
        #expect(budget.take(now: start) == .granted)
        var stock = stock(turns: 3, at: start)
        _ = stock.came(stock.reserveAhead(from: &budget, now: start), areWritten: true)
        _ = stock.use(now: start.monotonic)
        let over = stock.removeOver(now: start.monotonic + .milliseconds(1001))
        #expect(over.count == 4)
        for call in over { budget.giveBack(call.counted, callNumber: call.number) }
        #expect(budget.remembered == [start, start + CallStock.keeps])
        #expect(stock.count == 0)
    }

    @Test func whatIsWrittenDownWhileTheStockIsEmptiedDoesNotComeIntoIt() {
        var budget = budget(100)
        var stock = stock(turns: 3, at: start)
        let ahead = stock.reserveAhead(from: &budget, now: start)
        #expect(stock.empty().isEmpty)
        #expect(stock.came(ahead, areWritten: true) == ahead)
        #expect(!stock.holds(now: start.monotonic))
        let again = stock.reserveAhead(from: &budget, now: start)
        #expect(stock.came(again, areWritten: false) == again, "what is not on record may not be sent")
        #expect(!stock.holds(now: start.monotonic))
        #expect(stock.count == 0)
    }

    @Test func aCallThatIsWrittenDownSlowlyCountsFromItsSending() {
        var budget = budget(2)
        #expect(budget.take(now: start) == .granted)
        var call = start
        #expect(budget.send(&call, callNumber: 1, now: start + .seconds(5)) == .granted)
        #expect(call == Moment(wall: start.wall, monotonic: start.monotonic + .seconds(5)), "its name on record stays")
        #expect(budget.usage(now: start + .seconds(64)).rate == 1)
        budget.giveBack(call, callNumber: 1)
        #expect(budget.remembered.isEmpty)
    }

    @Test func aCallThatWasWrittenDownForAWindowIsNotSentBesideThoseThatWereGrantedMeanwhile() {
        var budget = budget(2)
        #expect(budget.take(now: start) == .granted)
        var call = start
        let later = start + .seconds(61)
        #expect(budget.take(now: later) == .granted)
        #expect(budget.take(now: later) == .granted)
        #expect(
            budget.send(&call, callNumber: 1, now: later) == .spent(until: (later + .seconds(60)).monotonic))
        #expect(budget.remembered == [later, later])
    }

    /// Turns, commits of any length, abandoned calls and advancing clocks, in random order.
    @Test(arguments: 0..<40)
    func noWindowOfTheProviderEverHoldsMoreThanTheLimit(_ seed: Int) {
        var random = SeededGenerator(UInt64(seed) &+ 1)
        let limit = CallRate(calls: [20, 45, 200][seed % 3], per: .seconds([2, 10][seed % 2]))
        var budget = CallBudget(rate: limit, quota: nil)
        var stock = CallStock()
        var now = start
        var writing: [(call: Moment, number: Int, ahead: [CallStock.Call], end: MonotonicTime)] = []
        var sent: [MonotonicTime] = []
        for _ in 0..<3000 {
            now = now + .milliseconds(Int64.random(in: 0...(Bool.random(using: &random) ? 5 : 60), using: &random))
            for call in stock.removeOver(now: now.monotonic) {
                budget.giveBack(call.counted, callNumber: call.number)
            }
            for done in writing where done.end <= now.monotonic {
                for call in stock.came(done.ahead, areWritten: Int.random(in: 0..<20, using: &random) > 0) {
                    budget.giveBack(call.counted, callNumber: call.number)
                }
                var call = done.call
                guard budget.send(&call, callNumber: done.number, now: now) == .granted else { continue }
                sent.append(now.monotonic)
            }
            writing.removeAll { $0.end <= now.monotonic }
            stock.noteTurn(now: now.monotonic)
            if let used = stock.use(now: now.monotonic) {
                var call = used.counted
                let grant = budget.send(&call, callNumber: used.number, now: now)
                #expect(grant == .granted)
                if Int.random(in: 0..<10, using: &random) == 0 {
                    budget.giveBack(call, callNumber: used.number)
                } else {
                    sent.append(now.monotonic)
                }
            } else if budget.take(now: now) == .granted {
                let length = Int64.random(
                    in: 0...(Int.random(in: 0..<50, using: &random) == 0 ? 15_000 : 8), using: &random)
                writing.append(
                    (
                        now, budget.taken, stock.reserveAhead(from: &budget, now: now),
                        now.monotonic + .milliseconds(length)
                    ))
            }
        }
        #expect(sent.count > limit.calls)
        for place in limit.calls..<sent.count {
            #expect(sent[place] >= sent[place - limit.calls] + limit.window, "call \(place)")
        }
    }
}
