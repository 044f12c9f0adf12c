// When a client is told to ask again, although the wall clock was set by centuries in between.
import LarderCore
import Testing

@testable import LarderEngine

@Suite struct ToldFailureTests {
    private static let centuries = Duration.seconds(400 * 366 * 86_400)
    private let before = Moment(wall: WallTime(seconds: 20_000_000_000), monotonic: MonotonicTime(nanoseconds: 1_000))

    private func failure(_ retryAt: WallTime) -> UpstreamFailure {
        UpstreamFailure(provider: "p", failure: .limited, detail: "it rests", retryAt: retryAt)
    }

    @Test func noRetryAfterIsLongerThanADayBeyondTheLongestWindow() {
        let failure = failure(before.wall + .seconds(30))
        #expect(failure.retryAfter(now: before.wall) == 30)
        #expect(failure.retryAfter(now: before.wall + (.zero - Self.centuries)) == Int64(172_800))
        #expect(failure.clientFacing(now: WallTime(seconds: 0)).retryAfter == Int64(172_800))
    }

    @Test(arguments: [-1, 0, 1]) func aFailureThatIsToldAgainNamesTheSameInstantWhateverTheClockWasSetTo(_ steps: Int) {
        let remembered = RememberedFailure(failure(before.wall + .seconds(30)), now: before)
        let later = Moment(
            wall: before.wall + Self.centuries * steps + .seconds(10), monotonic: before.monotonic + .seconds(10))
        #expect(remembered.failure(now: later).retryAfter(now: later.wall) == 20)
    }
}
