// The rule of blame: which failures say something about the provider, and which about the request alone.
import LarderCache
import LarderCore
import Testing

@Suite struct FailureWeightTests {
    /// A failed call on a path that Larder knows, with the configured key, while other questions succeed.
    private static func call(
        _ failure: FailureClass, _ status: Int? = nil, _ change: (inout FailedCall) -> Void = { _ in }
    ) -> FailedCall {
        var call = FailedCall(failure, status: status)
        call.hasKnown = true
        change(&call)
        return call
    }

    private static func unknownPath(_ call: inout FailedCall) { call.isKnownPath = false }
    private static func person(_ call: inout FailedCall) { call.isPersonal = true }
    private static func client(_ call: inout FailedCall) { call.credentials = .client }
    private static func account(_ call: inout FailedCall) { call.credentials = .account }
    private static func succeededLately(_ call: inout FailedCall) { call.succeededLately = true }
    private static func nothingKnown(_ call: inout FailedCall) { call.hasKnown = false }
    private static func keyInDoubt(_ call: inout FailedCall) { call.isKeyInDoubt = true }
    private static func pause(_ call: inout FailedCall) { call.namesPause = true }

    @Test(
        arguments: [
            // The API answered.
            (call(.invalidRequest, 400), .answer), (call(.notFound, 404), .answer),
            // Larder itself did not ask.
            (call(.notConfigured), .nothing), (call(.suspended), .nothing), (call(.overloaded), .nothing),
            // Our rate: the provider's own word. A bare 403 may be a filter's word about one question.
            (call(.limited, 429), .word), (call(.limited, 200), .word), (call(.limited, 429, unknownPath), .word),
            (call(.limited, 403), .doubt(atOnce: true)), (call(.limited, 403, pause), .word),
            (call(.limited, 403, nothingKnown), .word), (call(.limited, 403, succeededLately), .word),
            // The limit of a client's own key.
            (call(.limited, 429, client), .nothing), (call(.limited, 429, account), .word),
            // Our key, or what was supplied with it.
            (call(.refused, 401), .doubt(atOnce: true)), (call(.refused, 401, nothingKnown), .word),
            (call(.refused, 401, succeededLately), .word),
            (call(.refused, 401, client), .answer), (call(.refused, 403, account), .answer),
            (call(.refused, 401, person), .doubt(atOnce: true)),
            // It does not show that the configured key works again.
            (
                call(.refused, 401) {
                    client(&$0); keyInDoubt(&$0)
                }, .nothing
            ),
            (
                call(.refused, 403) {
                    account(&$0); keyInDoubt(&$0)
                }, .nothing
            ),
            (
                call(.refused, 401) {
                    person(&$0); nothingKnown(&$0)
                }, .nothing
            ),
            (
                call(.refused, 403) {
                    unknownPath(&$0); nothingKnown(&$0)
                }, .nothing
            ),
            // A path that Larder does not know: absent, or answered in another form.
            (call(.broken, 404, unknownPath), .nothing), (call(.broken, 200, unknownPath), .nothing),
            (
                call(.broken, 404) {
                    unknownPath(&$0); nothingKnown(&$0)
                }, .nothing
            ),
            (call(.broken, 500, unknownPath), .doubt(atOnce: false)),
            // An odd question on a path that exists.
            (call(.broken, 500), .doubt(atOnce: false)), (call(.broken, 404), .doubt(atOnce: false)),
            (call(.timedOut), .doubt(atOnce: false)), (call(.broken, 500, client), .doubt(atOnce: false)),
            // A question that succeeded lately fails too, or none did.
            (call(.broken, 500, succeededLately), .luck), (call(.broken, 500, nothingKnown), .luck),
            (call(.timedOut, nil, nothingKnown), .luck),
            // No question makes a connection fail.
            (call(.unreachable), .luck), (call(.unreachable, nil, unknownPath), .luck),
        ] as [(FailedCall, FailureWeight)])
    func whomAFailureBlames(_ call: FailedCall, _ weight: FailureWeight) {
        #expect(FailureWeight(call) == weight, "\(call)")
    }

    private let now = Sample.moment.monotonic

    private func doubted(_ machine: inout SuspensionMachine, atOnce: Bool = false, after: Duration = .zero)
        -> SuspensionMachine.Consequence
    {
        machine.failed(.broken, .doubt(atOnce: atOnce), now: now + after, retryAt: nil, random: 0)
    }

    @Test func theThirdOddQuestionAsksForATrialAndSuspendsNobody() {
        var machine = SuspensionMachine()
        #expect([doubted(&machine), doubted(&machine), doubted(&machine)] == [.none, .none, .trialDue])
        #expect(machine.mayCall(now: now) == .yes)
        #expect(doubted(&machine) == .none, "one trial at a time")
        var refused = SuspensionMachine()
        #expect(doubted(&refused, atOnce: true) == .trialDue)
    }

    @Test func aTrialThatSucceedsForgetsTheFailuresAndHolds() {
        var machine = SuspensionMachine()
        #expect(doubted(&machine, atOnce: true) == .trialDue)
        machine.succeeded(inTrialAt: now)
        for _ in 0..<9 { #expect(doubted(&machine, atOnce: true, after: .seconds(29)) == .none) }
        #expect(doubted(&machine, atOnce: true, after: .seconds(30)) == .trialDue)
    }

    @Test func aTrialThatFailsSuspends() {
        var machine = SuspensionMachine()
        #expect(doubted(&machine, atOnce: true) == .trialDue)
        let suspension = Suspension(until: now + .seconds(5), failure: .refused, step: 0)
        #expect(machine.failed(.refused, .word, now: now, retryAt: nil, random: 0) == .suspended(suspension))
    }

    @Test func aTrialWithoutAnOutcomeIsMadeAgain() {
        var machine = SuspensionMachine()
        #expect(doubted(&machine, atOnce: true) == .trialDue)
        machine.abandoned(now: now)
        #expect(doubted(&machine, atOnce: true) == .trialDue)
        #expect(doubted(&machine, atOnce: true, after: SuspensionMachine.probePatience) == .trialDue, "it is silent")
    }

    @Test func anOddQuestionThatIsTheProbeLeavesTheDecisionToAKnownOne() {
        var machine = SuspensionMachine()
        _ = machine.failed(.broken, .word, now: now, retryAt: nil, random: 0)
        let end = now + .seconds(5)
        #expect(machine.mayCall(now: end) == .probe)
        #expect(doubted(&machine, after: .seconds(6)) == .trialDue)
        #expect(machine.mayCall(now: now + .seconds(7)) == .no(until: now + .seconds(66)))
        machine.succeeded(inTrialAt: now + .seconds(8))
        #expect(machine.mayCall(now: now + .seconds(8)) == .yes)
    }
}
