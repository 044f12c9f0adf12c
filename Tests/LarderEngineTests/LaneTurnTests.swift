// A lane is asked twice: before a call waits for its place, and when the call has the place.
import LarderCache
import LarderCore
import Testing

@testable import LarderEngine

@Suite struct LaneTurnTests {
    private let start = Moment(
        wall: WallTime(seconds: 1_767_225_600), monotonic: MonotonicTime(nanoseconds: 1_000_000_000_000))

    /// A moment whose monotonic and wall clocks both stand at the given monotonic time.
    private func moment(_ instant: MonotonicTime) -> Moment {
        Moment(wall: start.wall(at: instant), monotonic: instant)
    }

    private func lane(_ calls: Int? = nil) -> ProviderLane {
        ProviderLane(
            budget: CallBudget(rate: calls.map { CallRate(calls: $0, per: .seconds(60)) }, quota: nil),
            suspension: SuspensionMachine(), suspends: true)
    }

    @Test func lookingTakesNothingAndEachTurnTakesOne() {
        let lane = lane(2)
        for _ in 0..<9 { #expect(lane.permit(now: start) == .granted) }
        #expect(lane.admit(isProbe: false, now: start).admission == .granted)
        #expect(lane.admit(isProbe: false, now: start).admission == .granted)
        #expect(lane.admit(isProbe: false, now: start).admission == .spent(until: start.monotonic + .seconds(60)))
        #expect(lane.permit(now: start) == .spent(until: start.monotonic + .seconds(60)))
    }

    @Test func whoWaitedThroughASuspensionIsNotSent() throws {
        let lane = lane()
        #expect(lane.permit(now: start) == .granted)
        let until = try #require(lane.failed(.refused, detail: "", retryAt: nil, now: start, random: 0))
        #expect(lane.admit(isProbe: false, now: start).admission == .suspended(until: until, .refused))
    }

    @Test func theTrialIsOneCallsWhileItWaits() throws {
        let lane = lane()
        let until = try #require(lane.failed(.refused, detail: "", retryAt: nil, now: start, random: 0))
        #expect(lane.permit(now: moment(until)) == .probe)
        guard case .suspended = lane.permit(now: moment(until)) else {
            Issue.record("a second trial")
            return
        }
        #expect(lane.admit(isProbe: true, now: moment(until) + .seconds(5)).admission == .probe)
    }

    @Test func aTrialWhoseProviderWasSuspendedAnewIsNone() throws {
        let lane = lane()
        let until = try #require(lane.failed(.refused, detail: "", retryAt: nil, now: start, random: 0))
        #expect(lane.permit(now: moment(until)) == .probe)
        // A call that began before the suspension ends now. Its failure still counts as news.
        let anew = try #require(lane.failed(.refused, detail: "", retryAt: nil, now: moment(until), random: 0))
        #expect(lane.admit(isProbe: true, now: moment(until)).admission == .suspended(until: anew, .refused))
    }

    @Test func aTrialThatFindsTheBudgetSpentIsTheNextCallers() throws {
        let lane = lane(1)
        #expect(lane.admit(isProbe: false, now: start).admission == .granted)
        let until = try #require(lane.failed(.refused, detail: "", retryAt: nil, now: start, random: 0))
        #expect(lane.permit(now: moment(until)) == .spent(until: start.monotonic + .seconds(60)))
        #expect(lane.permit(now: start + .seconds(60)) == .probe)
    }
}

extension ProviderLane {
    /// Records the provider's own statement that it does not answer. Returns when it is called again.
    fileprivate func failed(
        _ failure: FailureClass, detail: String, retryAt: WallTime?, now: Moment, random: UInt64
    ) -> MonotonicTime? {
        let told = UpstreamFailure(provider: "p", failure: failure, detail: detail, retryAt: retryAt)
        guard case .suspended(let suspension) = failed(told, .word, now: now, random: random) else { return nil }
        return suspension.until
    }
}
