import LarderCore
import Testing

@Suite struct TimeTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"), (1_767_225_599, "2025-12-31T23:59:59Z"),
            (-1, "1969-12-31T23:59:59Z"), (4_107_542_400, "2100-03-01T00:00:00Z"),
            (-62_135_596_800, "0001-01-01T00:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
            (253_402_300_800, "9999-12-31T23:59:59Z"),
        ] as [(Int64, String)])
    func wallTimeIsWrittenAsRFC3339(seconds: Int64, text: String) {
        #expect(WallTime(seconds: seconds).rfc3339 == text)
    }

    @Test func everyDayOfFourCenturiesSurvivesTheWayThroughTheCalendar() {
        for day in Int64(-10_000)...136_097 {
            let (year, month, date) = WallTime.civil(fromDays: day)
            guard WallTime.days(year: year, month: month, day: date) == day else {
                Issue.record("day \(day) came back as another")
                return
            }
        }
    }

    @Test func addingNeverWraps() {
        #expect(WallTime.distantFuture + .seconds(1) == .distantFuture)
        #expect(WallTime.distantPast + .seconds(-1) == .distantPast)
        #expect(MonotonicTime(nanoseconds: .max) + .seconds(1) == MonotonicTime(nanoseconds: .max))
    }

    @Test func noSpanWraps() {
        let now = WallTime(seconds: 1_767_225_600)
        #expect(now - .distantPast > .seconds(60) && .distantPast - now < .seconds(-60))
        #expect(.distantFuture - .distantPast > .seconds(60))
        #expect((.distantFuture - now).milliseconds == Int64.max - now.milliseconds)
    }

    @Test func noEndIsToldFurtherAheadThanADayBeyondTheLongestWindow() {
        let now = Moment(wall: WallTime(seconds: 1_767_225_600), monotonic: MonotonicTime(nanoseconds: 5_000_000_000))
        let furthest = now.wall + .seconds(2 * 86_400)
        #expect(now.boundedWall(at: now.monotonic + .seconds(60)) == now.wall + .seconds(60))
        #expect(now.boundedWall(at: MonotonicTime(nanoseconds: .max)) == furthest)
        #expect(Moment.bounded(now.wall + .seconds(400 * 366 * 86_400), now: now.wall) == furthest)
        #expect(Moment.bounded(.distantFuture, now: now.wall) == furthest)
        #expect(Moment.bounded(.distantPast, now: now.wall) == .distantPast)
    }

    @Test func ageIsNeverNegativeWhenTheClockStepsBack() {
        let now = WallTime(seconds: 1000)
        let entry = StoredResponse(
            key: CacheKey(bytes: [1]), layer: .raw, provider: "p", endpoint: "e", requestTime: now, responseTime: now,
            initialAge: 3000, freshUntil: now, staleUntil: now)
        #expect(entry.age(at: WallTime(seconds: 0)) == 3)
        #expect(entry.age(at: WallTime(seconds: 1010)) == 13)
    }

    /// Up to 4,722 seconds a sum, and up to 302,231 seconds the milliseconds, are computed in one word.
    @Test(arguments: [
        0, 1, 999_999, 9_223_372_037, 4_722_366_482_869, 4_722_366_482_870, 86_400_000_000_000, 302_231_454_903_657,
        302_231_454_903_658, 400_000_000_000_001,
    ])
    func aDurationIsAddedToTheNanosecond(nanoseconds: Int64) {
        let start = MonotonicTime(nanoseconds: 5)
        #expect((start + .nanoseconds(nanoseconds)).nanoseconds == 5 + nanoseconds)
        #expect((start + .nanoseconds(-nanoseconds)).nanoseconds == 5 - nanoseconds)
        #expect(Duration.nanoseconds(nanoseconds).milliseconds == nanoseconds / 1_000_000)
        #expect(Duration.nanoseconds(-nanoseconds).milliseconds == -(nanoseconds / 1_000_000))
    }

    @Test func aSumBeyondTheClockSaturates() {
        #expect((MonotonicTime(nanoseconds: .max - 1) + .seconds(1)).nanoseconds == .max)
        #expect((MonotonicTime(nanoseconds: .min + 1) + .seconds(-1)).nanoseconds == .min)
        #expect((MonotonicTime(nanoseconds: 0) + .seconds(Int64.max / 2)).nanoseconds == .max)
    }
}
