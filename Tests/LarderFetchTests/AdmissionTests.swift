import LarderCore
import Testing

@testable import LarderFetch

@Suite struct AdmissionTests {
    private func origin(_ host: String) -> Origin { Origin(scheme: "https", host: host, port: "443") }

    @Test func slotsAreGivenInOrderAndNeverTooMany() {
        var admission = Admission(maxActive: 2, maxPerOrigin: 2, maxWaiting: 2)
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
        var admission = Admission(maxActive: 2, maxPerOrigin: 1, maxWaiting: 9)
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
        var admission = Admission(maxActive: 1, maxPerOrigin: 1, maxWaiting: 1)
        #expect(admission.ask(1, origin: origin("a")) == .granted)
        #expect(admission.ask(2, origin: origin("a")) == .waits)
        #expect(admission.ask(3, origin: origin("a"), isUnderWay: true) == .waits)
        admission.withdraw(2)
        admission.release(origin("a"))
        #expect(admission.next() == 3)
    }

    @Test func highLimitsPutInForceLetMoreIn() {
        var admission = Admission(maxActive: 1, maxPerOrigin: 1, maxWaiting: 9)
        for id in 1...3 as ClosedRange<UInt64> { _ = admission.ask(id, origin: origin("a")) }
        admission.maxActive = 3
        admission.maxPerOrigin = 3
        #expect(admission.next() == 2)
        #expect(admission.next() == 3)
    }
}
