@testable import LarderIO

import LarderCore
import Testing

@Suite struct ArmedAlarmTests {
    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

    @Test func itIsSetForTheEarliestDeadlineOnly() {
        var alarm = ArmedAlarm()
        #expect(alarm.set(for: at(10)) == at(10))
        #expect(alarm.set(for: at(20)) == nil)
        #expect(alarm.set(for: at(5)) == at(5))
        #expect(alarm.set(for: nil) == nil)
    }

    /// Observed: the alarm of a cancelled timer rang a little before its time by the clock. No timer rang after that.
    @Test func anAlarmThatRangBeforeItsTimeByTheClockIsSetAgain() {
        var alarm = ArmedAlarm()
        #expect(alarm.set(for: at(10)) == at(10))
        alarm.rang()
        alarm.passed(at(9))
        #expect(alarm.set(for: at(12)) == at(12))
    }

    @Test func anAlarmWhoseTimeHasPassedIsSetAgain() {
        var alarm = ArmedAlarm()
        #expect(alarm.set(for: at(10)) == at(10))
        alarm.passed(at(10))
        #expect(alarm.set(for: at(11)) == at(11))
    }
}
