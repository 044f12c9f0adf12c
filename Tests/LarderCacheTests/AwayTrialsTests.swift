// A provider that is away is tried without a request: once a pause, only for what a trial can tell.
import LarderCache
import LarderCore
import Testing

@Suite struct AwayTrialsTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

    private func sight(
        _ isReachable: Bool?, _ failure: FailureClass = .unreachable, until: MonotonicTime? = nil
    ) -> LaneSight {
        LaneSight(
            isReachable: isReachable, failure: failure,
            suspension: until.map { Suspension(until: $0, failure: failure, step: 0) }, budgets: [:])
    }

    /// The times in seconds at which the provider is tried, of a look each second.
    private func tried(for seconds: Int, _ sight: (Int) -> LaneSight) -> [Int] {
        var trials = AwayTrials()
        return (0..<seconds).filter { second in
            !trials.due([("a", sight(second))], now: start + .seconds(Int64(second))).isEmpty
        }
    }

    @Test func thePausesGrowUpToTheLongest() {
        let times = tried(for: 1500) { _ in sight(false) }
        #expect(times.prefix(7) == [5, 15, 35, 75, 155, 315, 615])
        #expect(zip(times.dropFirst(6), times.dropFirst(5)).allSatisfy { $0 - $1 == 300 })
    }

    @Test func whoCanBeReachedOrIsUnknownIsNotTried() {
        #expect(tried(for: 100) { _ in sight(true) }.isEmpty)
        #expect(tried(for: 100) { _ in sight(nil) }.isEmpty)
    }

    @Test func afterAReturnThePausesBeginAnew() {
        #expect(tried(for: 60) { $0 == 20 ? sight(true) : sight(false) } == [5, 15, 26, 36, 56])
    }

    @Test func aSuspensionIsWaitedFor() {
        let times = tried(for: 100) { _ in sight(false, .timedOut, until: start + .seconds(60)) }
        #expect(times == [60, 70, 90])
    }

    @Test(arguments: [FailureClass.limited, .refused, .broken])
    func aSuspensionForAnotherReasonIsNotEndedByATrial(_ failure: FailureClass) {
        #expect(tried(for: 100) { _ in sight(false, failure, until: start) }.isEmpty)
    }
}
