// Which part of a wait was spent in our own queue.
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

    @Test func anEndThatIsToldBeforeItsBeginningEndsThatWait() {
        var clock = QueueClock()
        clock.leave(at: at(1))
        #expect(!clock.isRunning)
        clock.enter(at: at(2))
        #expect(!clock.isRunning)
        #expect(clock.total(at: at(9)) == .zero)
    }

    @Test func waitsOneAfterTheOtherAddUp() {
        var clock = QueueClock()
        clock.enter(at: at(1))
        clock.leave(at: at(2))
        clock.enter(at: at(7))
        #expect(clock.total(at: at(9)) == .seconds(3))
    }
}
