// A suspension reported by another host with the same key. It counts like one of this host and never shortens that.
import LarderCache
import LarderCore
import Testing

@Suite struct HeardSuspensionTests {
    private let now = Sample.moment.monotonic

    private func rest(_ seconds: Int64, _ failure: FailureClass = .limited) -> Suspension {
        Suspension(until: now + .seconds(seconds), failure: failure, step: 2)
    }

    @Test func itRefusesCallsUntilItsEnd() {
        var machine = SuspensionMachine()
        let counts = machine.heard(rest(60), now: now)
        #expect(counts)
        #expect(machine.mayCall(now: now) == .no(until: now + .seconds(60)))
        #expect(machine.mayCall(now: now + .seconds(60)) == .probe)
    }

    @Test func aLongerRestOfOnesOwnStays() {
        var machine = SuspensionMachine()
        _ = machine.suspend(for: .seconds(600), now: now)
        let counts = machine.heard(rest(60), now: now)
        #expect(!counts)
        #expect(machine.suspension?.until == now + .seconds(600))
    }

    @Test func aLongerOneTakesThePlaceOfAShorter() {
        var machine = SuspensionMachine()
        _ = machine.suspend(for: .seconds(60), now: now)
        _ = machine.heard(rest(600), now: now)
        #expect(machine.suspension == rest(600))
    }

    @Test func oneThatIsOverSaysNothing() {
        var machine = SuspensionMachine()
        let counts = machine.heard(rest(0), now: now)
        #expect(!counts)
        #expect(machine.state == .healthy)
    }

    @Test func itIsBelievedForADayAtMost() {
        var machine = SuspensionMachine()
        _ = machine.heard(rest(1_000_000), now: now)
        #expect(machine.suspension?.until == now + SuspensionMachine.longestBelieved)
    }

    @Test func aTrialUnderWayIsNewsNoMore() {
        var machine = SuspensionMachine()
        _ = machine.heard(rest(5), now: now)
        _ = machine.mayCall(now: now + .seconds(5))
        let counts = machine.heard(rest(60), now: now + .seconds(5))
        #expect(counts)
        #expect(machine.rest(at: now + .seconds(6)) == rest(60))
    }
}
