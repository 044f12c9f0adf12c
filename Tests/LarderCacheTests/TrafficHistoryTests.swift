// Figures over time, by value. Both clocks are set by hand.
import LarderCache
import LarderCore
import Testing

@Suite struct TrafficHistoryTests {
    /// 2026-01-01T00:00:00Z: the beginning of an hour.
    private static let start = WallTime(seconds: 1_767_225_600)

    /// Growing counters, and the clocks that a history is given.
    private struct Stand {
        var history: TrafficHistory
        var counters = TrafficFigures()
        var wall: WallTime
        var monotonic = MonotonicTime(nanoseconds: 0)

        init(_ history: TrafficHistory? = nil, at wall: WallTime = TrafficHistoryTests.start) {
            self.wall = wall
            self.history = history ?? TrafficHistory(at: wall)
        }

        mutating func look() { history.look(counters, wall: wall, monotonic: monotonic) }

        /// Counts this many hits, advances both clocks, and takes a look.
        mutating func hits(_ count: Int, then seconds: Int64) {
            counters.requests["hit", default: 0] += count
            wall = wall + .seconds(seconds)
            monotonic = monotonic + .seconds(seconds)
            look()
        }

        /// The hits by the second at which their slot begins, counted from the start.
        func shown(_ span: TrafficHistory.Span) -> [Int64: Int] {
            var shown: [Int64: Int] = [:]
            for point in history.points(span, at: wall) {
                shown[(point.at - TrafficHistoryTests.start).wholeSeconds] = point.figures.requests["hit"] ?? 0
            }
            return shown
        }
    }

    @Test func countsBelongToTheSlotInWhichTheyWereCounted() {
        var stand = Stand()
        stand.look()
        stand.hits(3, then: 5)
        stand.hits(0, then: 5)
        stand.hits(4, then: 5)
        #expect(stand.shown(.hour) == [0: 3, 5: 0, 10: 4, 15: 0])
        #expect(stand.shown(.month) == [0: 7])
        #expect(stand.history.points(.hour, at: stand.wall).map(\.isOpen) == [false, false, false, true])
    }

    @Test func aLateLookLeavesNoGapAndALongPauseDoes() {
        var stand = Stand()
        stand.look()
        stand.hits(1, then: 20)
        #expect(stand.shown(.hour) == [0: 1, 5: 0, 10: 0, 15: 0, 20: 0])
        stand.hits(2, then: 3600)
        // The slot of the previous look has just left the ring.
        #expect(stand.shown(.hour) == [3620: 0])
        #expect(stand.shown(.month) == [0: 3, 3600: 0])
    }

    @Test func aClockSetForwardLeavesAGap() {
        var stand = Stand()
        stand.look()
        stand.hits(1, then: 5)
        stand.wall = stand.wall + .seconds(600)
        stand.hits(2, then: 5)
        #expect(stand.shown(.hour) == [0: 1, 5: 2, 610: 0])
    }

    @Test func aClockSetBackByLessThanASlotLosesNothing() {
        var stand = Stand()
        stand.look()
        stand.hits(1, then: 5)
        stand.hits(2, then: 1)
        stand.wall = stand.wall + .seconds(-3)
        stand.hits(4, then: 1)
        #expect(stand.shown(.hour) == [0: 7])
        #expect(stand.shown(.month) == [0: 7])
    }

    @Test func aClockSetBackDropsSlotsThatAreLaterThanNow() {
        var stand = Stand(at: Self.start + .seconds(7200))
        stand.look()
        for _ in 0..<6 { stand.hits(1, then: 5) }
        stand.wall = Self.start + .seconds(7210)
        stand.hits(5, then: 1)
        #expect(stand.shown(.hour) == [7200: 1, 7205: 1, 7210: 6], "the present slot adds up")
        #expect(stand.shown(.month) == [7200: 11])
        stand.wall = Self.start
        stand.hits(1, then: 1)
        #expect(stand.shown(.hour) == [0: 1])
        #expect(stand.shown(.month) == [0: 1])
    }

    @Test func aRestartWithinASlotAddsUp() {
        var first = Stand()
        first.look()
        first.hits(3, then: 2)
        let kept = first.history.takeUnsaved(isLast: true)
        let wall = first.wall + .seconds(1)
        var second = Stand(TrafficHistory(rows: kept?.rows ?? [], runs: kept?.runs ?? [], at: wall), at: wall)
        second.look()
        second.hits(4, then: 1)
        #expect(second.shown(.hour) == [0: 7])
        #expect(second.shown(.month) == [0: 7])
        let rows = second.history.takeUnsaved()?.rows
        #expect(
            rows?.map { $0.figures.requests } == [["hit": 7], ["hit": 7], ["hit": 7]],
            "whole slots take the place of older ones")
    }

    @Test func theTimeBetweenTwoRunsIsAGapAndAnIdleRunIsNone() {
        var first = Stand()
        first.look()
        first.hits(3, then: 5)
        first.hits(0, then: 5)
        let kept = first.history.takeUnsaved(isLast: true)
        #expect(kept?.rows.map(\.at) == [Self.start, Self.start, Self.start])
        let wall = Self.start + .seconds(60)
        var second = Stand(TrafficHistory(rows: kept?.rows ?? [], runs: kept?.runs ?? [], at: wall), at: wall)
        second.look()
        #expect(second.shown(.hour) == [0: 3, 5: 0, 10: 0, 60: 0])
    }

    @Test func whereNothingWasCountedNothingIsWritten() {
        var stand = Stand()
        stand.look()
        for _ in 0..<12 { stand.hits(0, then: 5) }
        stand.counters.bytes += 90
        stand.hits(0, then: 5)
        let none = stand.history.takeUnsaved()
        #expect(none == nil)
        stand.hits(1, then: 5)
        let unsaved = stand.history.takeUnsaved()
        #expect(unsaved?.rows.map(\.span) == [.hour, .days, .month], "one slot of each ring")
        #expect(unsaved?.runs == [.init(began: Self.start, ended: Self.start + .seconds(70))])
        let (again, last) = (stand.history.takeUnsaved(), stand.history.takeUnsaved(isLast: true))
        #expect(again == nil && last == nil, "all is written")
    }

    @Test func whatCouldNotBeWrittenIsToldAgain() throws {
        var stand = Stand()
        stand.look()
        stand.hits(1, then: 5)
        let taken = stand.history.takeUnsaved()
        let unsaved = try #require(taken)
        stand.history.putBack(unsaved)
        let again = stand.history.takeUnsaved()
        #expect(again == unsaved)
    }

    @Test func aRingHoldsSevenHundredAndTwentySlots() {
        var stand = Stand()
        stand.look()
        for _ in 0..<1000 { stand.hits(1, then: 5) }
        #expect(stand.shown(.hour).count == 720)
        #expect(stand.shown(.hour).keys.min() == Int64(1405), "the slot of the last look and 719 before it")
        let unsaved = stand.history.takeUnsaved()
        #expect(unsaved?.rows.filter { $0.span == .hour }.count == 719)
    }

    @Test func theLastTwoDaysAreHeldInSlotsOfFourMinutes() {
        var stand = Stand()
        stand.look()
        for _ in 0..<48 { stand.hits(1, then: 5) }
        stand.hits(2, then: 5)
        #expect(stand.shown(.days) == [0: 48, 240: 2])
        var long = Stand()
        long.look()
        for _ in 0..<(3 * 86_400 / 30) { long.hits(1, then: 30) }
        let shown = long.shown(.days)
        #expect(shown.count == 720 && shown.keys.min() == 86_400 + 240)
        #expect(shown.values.filter { $0 != 8 } == [0], "only the present slot has not begun to count")
    }

    @Test func hoursCountedByAVersionWithoutTheRingOfDaysAreGapsInIt() {
        let now = Self.start + .seconds(4 * 3600)
        let rows = [(0, TrafficHistory.Span.month), (7200, .month), (7440, .days)].map { seconds, span in
            TrafficHistory.Row(
                span: span, at: Self.start + .seconds(seconds), figures: TrafficFigures(requests: ["hit": 1]))
        }
        let run = TrafficHistory.Run(began: Self.start, ended: now)
        let shown = Stand(TrafficHistory(rows: rows, runs: [run], at: now), at: now).shown(.days)
        #expect(shown.keys.min() == 3600, "the first hour has counts and no slots; the second has no counts")
        #expect(shown.count == 3 * 15 + 1 && shown[7440] == 1)
    }

    @Test func rowsOutOfTheirRingAndOfTheFutureAreNotTakenOver() {
        let rows = [-3600, -3595, 0, 5].map { seconds in
            TrafficHistory.Row(
                span: .hour, at: Self.start + .seconds(seconds), figures: TrafficFigures(requests: ["hit": 1]))
        }
        let history = TrafficHistory(rows: rows, at: Self.start)
        #expect(history.points(.hour, at: Self.start).map(\.at) == [Self.start + .seconds(-3595), Self.start])
    }

    @Test func percentilesComeFromTheBuckets() {
        var figures = TrafficFigures()
        #expect(figures.percentile(0.5) == nil)
        figures.durations = [50, 0, 0, 50]
        #expect(figures.percentile(0.5) == 0.1)
        #expect(figures.percentile(0.25) == 0.05)
        #expect(figures.percentile(0.75) == 0.75)
        #expect(figures.percentile(1) == 1)
        figures.durations = Array(repeating: 0, count: HistogramCell.bounds.count) + [1]
        #expect(figures.percentile(0.5) == 30_000, "what is above the last bound counts as it")
    }

    @Test func figuresSurviveTheirEncoding() {
        let figures = TrafficFigures(
            requests: ["hit": 3, "miss": 1], upstream: ["itunes": 1], errors: 2, bytes: 77, durations: [0, 4, 0, 1])
        #expect(TrafficFigures(encoded: figures.encoded) == figures)
        #expect(TrafficFigures(encoded: TrafficFigures().encoded) == TrafficFigures())
    }

    @Test func figuresOfAVersionWithoutFailedRequestsAreRead() {
        let figures = TrafficFigures(encoded: Bytes(text: #"{"r":{"hit":3},"u":{"itunes":1},"e":2,"b":77,"d":[1,4]}"#))
        #expect(
            figures
                == TrafficFigures(
                    requests: ["hit": 3], upstream: ["itunes": 1], errors: 2, bytes: 77, durations: [0, 4]))
    }

    @Test(arguments: ["", "[]", "{\"d\":[0]}", "{\"d\":[99,1]}", "{\"d\":[0,-1]}", "{\"r\":{\"hit\":\"x\"}}"])
    func damagedFiguresAreNone(_ text: String) {
        #expect(TrafficFigures(encoded: Bytes(text: text)) == nil)
    }

    @Test func aReadingThatIsOlderThanTheLastCountsNothing() {
        let before = TrafficFigures(requests: ["hit": 10], errors: 3)
        let now = TrafficFigures(requests: ["hit": 4], errors: 5)
        #expect(now.since(before) == TrafficFigures(requests: [:], errors: 2))
    }
}
