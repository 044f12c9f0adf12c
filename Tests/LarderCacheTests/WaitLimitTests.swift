// When a limited wait ends, and whether the upstream or our own queue is to blame.
import LarderCore
import Testing

@testable import LarderCache

@Suite struct WaitLimitTests {
    private let began = MonotonicTime(nanoseconds: 3_000_000_000)

    private func patience(_ granted: Duration) -> WaitLimit { WaitLimit(began: began, granted: granted) }

    private func deadline(_ granted: Duration) -> WaitLimit {
        WaitLimit(began: began, granted: granted, mostQueued: .seconds(10))
    }

    @Test func theDeadlineOfAnAnswerOfSeveralCallsIsProlongedByTheQueueUpToABound() {
        let limit = deadline(.seconds(20))
        #expect(limit.end(queued: .zero) == began + .seconds(20))
        #expect(limit.end(queued: .seconds(4)) == began + .seconds(24))
        #expect(limit.end(queued: .seconds(60)) == began + .seconds(30))
    }

    @Test func aPatienceIsNotProlonged() {
        #expect(patience(.seconds(20)).end(queued: .seconds(4)) == began + .seconds(20))
    }

    @Test(arguments: [(0, Blame.upstream), (900, .upstream), (1000, .ownQueue), (10_000, .ownQueue)])
    func ofAPatienceTheUpstreamIsToBlameOnlyWhereItHadNearlyAllOfIt(_ queued: Int, _ blame: Blame) {
        #expect(patience(.seconds(10)).blame(queued: .milliseconds(queued)) == blame)
    }

    /// The upstream had its 30 s, because the queue time came on top.
    @Test(arguments: [3400, 10_000])
    func theUpstreamIsToBlameWhereTheQueueOnlyProlongedItsDeadline(_ queued: Int) {
        #expect(deadline(.seconds(30)).blame(queued: .milliseconds(queued)) == .upstream)
    }

    @Test(arguments: [(10_200, Blame.upstream), (10_300, .ownQueue), (13_000, .ownQueue)])
    func whatTheQueueTookBeyondTheBoundShortensTheDeadlineAndIsOurs(_ queued: Int, _ blame: Blame) {
        #expect(deadline(.seconds(3)).blame(queued: .milliseconds(queued)) == blame)
    }

    @Test func theQueueIsNotToBlameForAPatienceOfNothing() {
        #expect(patience(.zero).blame(queued: .zero) == .upstream)
    }
}
