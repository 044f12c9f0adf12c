// How much of a wait is our own queue's, and what follows from it.
import LarderCore
import Testing

@testable import LarderCache

@Suite struct QueueClockTests {
    private func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: 0) + .milliseconds(Int64(seconds * 1000))
    }

    @Test func callsThatWaitSideBySideAreCountedOnce() {
        var clock = QueueClock()
        clock.enter(at: at(1))
        clock.enter(at: at(2))
        clock.leave(at: at(4))
        #expect(clock.total(at: at(5)) == .seconds(4))
        clock.leave(at: at(6))
        #expect(clock.total(at: at(9)) == .seconds(5))
    }

    @Test func waitsOneAfterTheOtherAddUp() {
        var clock = QueueClock()
        clock.enter(at: at(1))
        clock.leave(at: at(2))
        clock.enter(at: at(7))
        #expect(clock.total(at: at(9)) == .seconds(3))
    }

    @Test(arguments: [(0.0, false), (0.9, false), (1.0, true), (10.0, true)])
    func theUpstreamIsToBlameOnlyWhereItHadNearlyAllOfTheTime(_ queued: Double, _ isOurs: Bool) {
        let wait = EndedWait(whole: .seconds(10), queued: .milliseconds(Int64(queued * 1000)))
        #expect(wait.isOurs == isOurs)
    }

    @Test func whatWasWaitedInTheQueueComesOnTopOfADeadlineUpToALimit() {
        let deadline = WholeDeadline(began: at(3), deadline: .seconds(20), mostQueued: .seconds(10))
        #expect(deadline.end(queued: .zero) == at(23))
        #expect(deadline.end(queued: .seconds(4)) == at(27))
        #expect(deadline.end(queued: .seconds(60)) == at(33))
    }
}
