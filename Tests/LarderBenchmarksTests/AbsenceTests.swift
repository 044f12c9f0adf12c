// A hit is left out only if the load generator, not the server, made it wait. Too much absence hides a stall, too
// little invents one.
import Testing

@testable import LarderBenchmarks

@Suite struct AbsenceTests {
    private static let millisecond: Int64 = 1_000_000

    /// The absence after looks at these times. Each look also gives the thread's run time until then. All figures are
    /// in milliseconds.
    private func absence(_ looks: [(now: Int64, own: Int64)]) -> Absence {
        var absence = Absence()
        for look in looks { absence.note(look.now * Self.millisecond, own: look.own * Self.millisecond) }
        return absence
    }

    @Test func theFirstLookFindsNothing() {
        #expect(absence([(now: 500, own: 3)]).sum == 0)
    }

    @Test func timeOnTheCoreIsNoAbsence() {
        #expect(absence([(now: 0, own: 0), (now: 10, own: 10)]).sum == 0)
    }

    @Test func timeWithoutProcessorTimeIsAbsence() {
        #expect(absence([(now: 0, own: 0), (now: 10, own: 3)]).sum == 7 * Self.millisecond)
    }

    @Test func absencesAddUp() {
        #expect(absence([(now: 0, own: 0), (now: 10, own: 3), (now: 20, own: 12)]).sum == 8 * Self.millisecond)
    }

    @Test func whatReadingClocksCostsIsNoAbsence() {
        var absence = Absence()
        absence.note(0, own: 0)
        absence.note(Absence.tolerance, own: 0)
        #expect(absence.sum == 0)
    }

    @Test func anInstantAfterAnAbsenceHasAllOfItBefore() {
        #expect(absence([(now: 0, own: 0), (now: 10, own: 3)]).sum(at: 10 * Self.millisecond) == 7 * Self.millisecond)
    }

    @Test func anInstantBeforeAnAbsenceHasNoneOfItBefore() {
        #expect(absence([(now: 0, own: 0), (now: 10, own: 3)]).sum(at: 2 * Self.millisecond) == 0)
    }

    @Test func anInstantWithinAnAbsenceHasAPartOfItBefore() {
        #expect(absence([(now: 0, own: 0), (now: 10, own: 3)]).sum(at: 5 * Self.millisecond) == 2 * Self.millisecond)
    }

    /// The second look of one turn finds the first absence, and the first look of the next turn finds the second.
    @Test func anInstantWithinTheFirstOfTwoAbsencesHasNoneOfTheSecondBefore() {
        let twice = absence([(now: 0, own: 0), (now: 10, own: 2), (now: 20, own: 4)])
        #expect(twice.sum(at: 5 * Self.millisecond) == 3 * Self.millisecond)
    }

    @Test func anInstantBetweenTwoAbsencesHasTheFirstBefore() {
        let twice = absence([(now: 0, own: 0), (now: 10, own: 2), (now: 20, own: 4)])
        #expect(twice.sum(at: 11 * Self.millisecond) == 8 * Self.millisecond)
    }

    @Test func aHitThatWaitedHalfItsTimeForTheLoadIsSpoilt() {
        let away = absence([(now: 0, own: 0), (now: 10, own: 5)])
        #expect(away.spoils(latency: 10 * Self.millisecond, before: 0))
    }

    @Test func aHitThatWaitedMostlyForTheServerIsNotSpoilt() {
        let away = absence([(now: 0, own: 0), (now: 10, own: 5)])
        #expect(!away.spoils(latency: 11 * Self.millisecond, before: 0))
    }

    @Test func whatWasBeforeAHitDoesNotSpoilIt() {
        let away = absence([(now: 0, own: 0), (now: 10, own: 5)])
        #expect(!away.spoils(latency: 0, before: away.sum))
    }
}
