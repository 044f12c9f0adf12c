import LarderCore
import Testing

@testable import LarderFetch

@Suite struct AdmissionTests {
    private func origin(_ host: String) -> Origin { Origin(scheme: "https", host: host, port: "443") }

    private func admission(
        _ most: Int, perOrigin: Int, waiting: Int, paced: Int = 0, pacedPerOrigin: Int = 0
    ) -> Admission {
        Admission(
            brief: Admission.Places(most: most, mostPerOrigin: perOrigin),
            paced: Admission.Places(most: paced, mostPerOrigin: pacedPerOrigin), maxWaiting: waiting)
    }

    @Test func placesAreGivenInOrderAndNeverTooMany() {
        var admission = admission(2, perOrigin: 2, waiting: 2)
        #expect(admission.ask(1, origin: origin("a")) == .granted)
        #expect(admission.ask(2, origin: origin("a")) == .granted)
        #expect(admission.ask(3, origin: origin("a")) == .waits)
        #expect(admission.ask(4, origin: origin("b")) == .waits)
        #expect(admission.ask(5, origin: origin("c")) == .refused)
        #expect(admission.next() == nil)
        admission.release(origin("a"))
        #expect(admission.next() == 3)
        #expect(admission.next() == nil)
        #expect(admission.active == 2)
        #expect(admission.waiting == 1)
    }

    @Test func anOriginsCrowdHoldsNobodyElse() {
        var admission = admission(2, perOrigin: 1, waiting: 9)
        #expect(admission.ask(1, origin: origin("a")) == .granted)
        #expect(admission.ask(2, origin: origin("a")) == .waits)
        #expect(admission.ask(3, origin: origin("b")) == .granted)
        #expect(admission.ask(4, origin: origin("c")) == .waits)
        admission.release(origin("b"))
        #expect(admission.next() == 4)
        admission.release(origin("a"))
        #expect(admission.next() == 2)
    }

    @Test func whoIsUnderWayIsNotTurnedAwayAndWhoLeavesIsForgotten() {
        var admission = admission(1, perOrigin: 1, waiting: 1)
        #expect(admission.ask(1, origin: origin("a")) == .granted)
        #expect(admission.ask(2, origin: origin("a")) == .waits)
        #expect(admission.ask(3, origin: origin("a"), isUnderWay: true) == .waits)
        admission.withdraw(2)
        admission.release(origin("a"))
        #expect(admission.next() == 3)
    }

    @Test func highLimitsPutInForceLetMoreIn() {
        var admission = admission(1, perOrigin: 1, waiting: 9)
        for id in 1...3 as ClosedRange<UInt64> { _ = admission.ask(id, origin: origin("a")) }
        admission.brief.most = 3
        admission.brief.mostPerOrigin = 3
        #expect(admission.next() == 2)
        #expect(admission.next() == 3)
    }

    @Test func whatClientsPaceUsesUpNoPlaceOfTheOthers() {
        var admission = admission(1, perOrigin: 1, waiting: 9, paced: 3, pacedPerOrigin: 2)
        #expect(admission.ask(1, origin: origin("a"), pace: .client) == .granted)
        #expect(admission.ask(2, origin: origin("a"), pace: .client) == .granted)
        #expect(admission.ask(3, origin: origin("a"), pace: .client) == .waits, "two to one origin")
        #expect(admission.ask(4, origin: origin("b"), pace: .client) == .granted)
        #expect(admission.ask(5, origin: origin("c"), pace: .client) == .waits, "three in all")
        #expect(admission.ask(6, origin: origin("a")) == .granted)
        #expect(admission.active == 4)
        admission.release(origin("a"))
        #expect(admission.next() == nil, "the others' place is none for them")
        admission.release(origin("b"), pace: .client)
        #expect(admission.next() == 5)
        admission.release(origin("a"), pace: .client)
        #expect(admission.next() == 3)
    }

    @Test func whoMovesAsideGivesItsPlaceBackAndOnlyWhereThereIsAnother() {
        var admission = admission(1, perOrigin: 1, waiting: 9, paced: 1, pacedPerOrigin: 1)
        #expect(admission.ask(1, origin: origin("a")) == .granted)
        #expect(admission.ask(2, origin: origin("a")) == .waits)
        #expect(admission.next() == nil)
        #expect(admission.moveAside(origin("a")) == true)
        #expect(admission.next() == 2)
        #expect(admission.moveAside(origin("a")) == false)
        #expect(admission.brief.taken == 1 && admission.paced.taken == 1)
        admission.release(origin("a"), pace: .client)
        #expect(admission.moveAside(origin("a")) == true)
        #expect(admission.brief.taken == 0 && admission.paced.taken == 1)
    }
}
