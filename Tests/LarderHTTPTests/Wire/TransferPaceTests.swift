import LarderCore
import LarderHTTP
import Testing

@Suite struct TransferPaceTests {
    static let rate = MinimumRate(bytesPerSecond: 100, window: .seconds(10))

    private func at(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

    /// A pace of this many bytes every second from 0 to the end, wanted all the time.
    private func steady(_ bytes: Int, until end: Int64) -> TransferPace {
        var pace = TransferPace()
        pace.note(isWanted: true, at: at(0))
        for second in 1...end { pace.note(moved: bytes, at: at(second)) }
        return pace
    }

    @Test func aDripIsTooSlowWhenItsWindowEndsAndNotBefore() {
        var early = steady(1, until: 9)
        let isEarlySlow = early.isTooSlow(for: Self.rate)
        #expect(!isEarlySlow)
        var due = steady(1, until: 10)
        let isDueSlow = due.isTooSlow(for: Self.rate)
        #expect(isDueSlow)
    }

    @Test func exactlyTheRateIsFastEnough() {
        var enough = steady(100, until: 10)
        let isEnoughSlow = enough.isTooSlow(for: Self.rate)
        #expect(!isEnoughSlow)
        var less = steady(99, until: 10)
        let isLessSlow = less.isTooSlow(for: Self.rate)
        #expect(isLessSlow)
    }

    @Test func aRateOfZeroPermitsAnyPace() {
        var pace = steady(0, until: 1000)
        let verdict = pace.isTooSlow(for: MinimumRate(bytesPerSecond: 0, window: .seconds(1)))
        #expect(!verdict)
    }

    @Test func timeInWhichNothingIsWantedDoesNotCount() {
        var pace = TransferPace()
        pace.note(isWanted: true, at: at(0))
        pace.note(isWanted: true, at: at(9))
        // The transfer was found not wanted. The time since when is unknown, so none of it counts against the client.
        pace.note(isWanted: false, at: at(500))
        pace.note(moved: 1, at: at(900))
        pace.note(isWanted: true, at: at(1000))
        let isSlowAtFirst = pace.isTooSlow(for: Self.rate)
        #expect(!isSlowAtFirst)
        pace.note(isWanted: true, at: at(1001))
        let isSlowAtLast = pace.isTooSlow(for: Self.rate)
        #expect(isSlowAtLast)
    }

    @Test func eachWindowIsJudgedByItself() {
        var pace = steady(1_000_000, until: 10)
        let isSlowAtFirst = pace.isTooSlow(for: Self.rate)
        #expect(!isSlowAtFirst)
        for second in 11...19 { pace.note(moved: 1, at: at(Int64(second))) }
        let isSlowBetween = pace.isTooSlow(for: Self.rate)
        #expect(!isSlowBetween)
        pace.note(moved: 1, at: at(20))
        let isSlowAtLast = pace.isTooSlow(for: Self.rate)
        #expect(isSlowAtLast, "a fast beginning is no credit for later")
    }

    @Test func nothingOverflows() {
        var pace = TransferPace()
        pace.note(isWanted: true, at: at(0))
        pace.note(isWanted: true, at: MonotonicTime(nanoseconds: .max))
        let verdict = pace.isTooSlow(for: MinimumRate(bytesPerSecond: .max, window: .seconds(1)))
        #expect(verdict)
    }
}
