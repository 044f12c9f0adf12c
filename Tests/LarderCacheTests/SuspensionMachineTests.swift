// The suspension machine: every pair of state and event, the pauses, the probe, and what survives a restart.
import LarderCache
import LarderCore
import Testing

@Suite struct SuspensionMachineTests {
    let moment = Sample.moment
    let now = Sample.moment.monotonic

    func suspended(_ failure: FailureClass = .limited) -> SuspensionMachine {
        var machine = SuspensionMachine()
        _ = machine.failed(failure, now: now, retryAt: nil, random: 0)
        return machine
    }

    /// A machine after the first pause of 5 s, with its probe under way.
    func probing(_ failure: FailureClass = .limited) -> SuspensionMachine {
        var machine = suspended(failure)
        _ = machine.mayCall(now: now + .seconds(5))
        return machine
    }

    @Test func healthyProviderMayBeCalled() {
        var machine = SuspensionMachine()
        #expect(machine.mayCall(now: now) == .yes)
        #expect(machine.mayCall(now: now) == .yes)
        #expect(machine.suspension == nil)
    }

    @Test func aRestIsOneUpToItsEndAndThenAProbe() {
        let machine = suspended()
        #expect(machine.rest(at: now + .milliseconds(4999))?.until == now + .seconds(5))
        #expect(!machine.isProbing(at: now + .milliseconds(4999)))
        #expect(machine.rest(at: now + .seconds(5)) == nil && machine.isProbing(at: now + .seconds(5)))
        #expect(probing().rest(at: now + .seconds(6)) == nil && probing().isProbing(at: now + .seconds(6)))
        #expect(!SuspensionMachine().isProbing(at: now))
    }

    @Test(arguments: [FailureClass.limited, .refused])
    func providersOwnWordSuspendsAtOnce(_ failure: FailureClass) {
        var machine = SuspensionMachine()
        let suspension = machine.failed(failure, now: now, retryAt: nil, random: 0)
        #expect(suspension == Suspension(until: now + .seconds(5), failure: failure, step: 0))
        #expect(machine.mayCall(now: now) == .no(until: now + .seconds(5)))
        #expect(machine.mayCall(now: now + .milliseconds(4999)) == .no(until: now + .seconds(5)))
    }

    @Test(arguments: [FailureClass.timedOut, .unreachable, .broken])
    func badLuckSuspendsAtTheThirdOfFive(_ failure: FailureClass) {
        var machine = SuspensionMachine()
        #expect(machine.failed(failure, now: now, retryAt: nil, random: 0) == nil)
        #expect(machine.failed(failure, now: now, retryAt: nil, random: 0) == nil)
        #expect(machine.mayCall(now: now) == .yes)
        #expect(machine.failed(failure, now: now, retryAt: nil, random: 0) != nil)

        var mixed = SuspensionMachine()
        // Failures 1, 4 and 6: never three within five calls.
        for isFailure in [true, false, false, true, false, true, false, false, true] {
            if isFailure {
                #expect(mixed.failed(failure, now: now, retryAt: nil, random: 0) == nil)
            } else {
                mixed.succeeded()
            }
        }
        #expect(mixed.mayCall(now: now) == .yes)
    }

    @Test(arguments: [FailureClass.invalidRequest, .notFound, .notConfigured, .suspended, .overloaded])
    func whatIsNotTheProvidersFaultNeverSuspends(_ failure: FailureClass) {
        var machine = SuspensionMachine()
        for _ in 0..<20 { #expect(machine.failed(failure, now: now, retryAt: nil, random: 0) == nil) }
        #expect(machine.mayCall(now: now) == .yes)
    }

    @Test func exactlyOneCallerProbes() {
        var machine = suspended()
        let end = now + .seconds(5)
        #expect(machine.mayCall(now: end) == .probe)
        for _ in 0..<10 { #expect(machine.mayCall(now: end) == .no(until: end + .seconds(60))) }
    }

    @Test func successOfTheProbeHeals() {
        var machine = probing()
        machine.succeeded()
        #expect(machine == SuspensionMachine())
    }

    @Test func answerThatBlamesOurRequestHealsToo() {
        var machine = probing()
        #expect(machine.failed(.notFound, now: now + .seconds(6), retryAt: nil, random: 0) == nil)
        #expect(machine.mayCall(now: now + .seconds(6)) == .yes)
    }

    @Test func abandonedProbePassesToTheNextCaller() {
        var machine = probing()
        machine.abandoned(now: now + .seconds(6))
        #expect(machine.mayCall(now: now + .seconds(6)) == .probe)
        _ = machine.failed(.notConfigured, now: now + .seconds(7), retryAt: nil, random: 0)
        #expect(machine.mayCall(now: now + .seconds(7)) == .probe)
    }

    @Test func silentProbeIsGivenUp() {
        var machine = probing()
        #expect(machine.mayCall(now: now + .seconds(64)) == .no(until: now + .seconds(65)))
        #expect(machine.mayCall(now: now + .seconds(65)) == .probe)
        #expect(machine.mayCall(now: now + .seconds(65)) == .no(until: now + .seconds(125)))
    }

    @Test(arguments: [(FailureClass.limited, 900), (.refused, 3600), (.timedOut, 900)] as [(FailureClass, Int64)])
    func pausesDoubleToTheirLimit(_ failure: FailureClass, _ limit: Int64) {
        var machine = SuspensionMachine()
        var time = now
        var pauses: [Int64] = []
        while pauses.count < 30 {
            if case .no(let until) = machine.mayCall(now: time) { time = until }
            if let suspension = machine.failed(failure, now: time, retryAt: nil, random: 0) {
                pauses.append((suspension.until - time).wholeSeconds)
            }
        }
        let expected = (0..<30).map { min(limit, 5 << Int64(min($0, 40))) }
        #expect(pauses == expected)
    }

    @Test func randomLengthensByATenthAtMost() {
        for random in [0, 500, 1000, UInt64.max] {
            var machine = SuspensionMachine()
            let suspension = machine.failed(.limited, now: now, retryAt: nil, random: random)
            let pause = ((suspension?.until ?? now) - now).milliseconds
            #expect((5000...5500).contains(pause))
        }
        var machine = SuspensionMachine()
        #expect(machine.failed(.limited, now: now, retryAt: nil, random: 1000)?.until == now + .milliseconds(5500))
    }

    @Test func instantTheProviderNamesIsHonoured() {
        var machine = SuspensionMachine()
        let named = now + .seconds(7200)
        #expect(machine.failed(.limited, now: now, retryAt: named, random: 0)?.until == named)
        #expect(machine.mayCall(now: named + .seconds(-1)) == .no(until: named))
        #expect(machine.mayCall(now: named) == .probe)
        // A time in the past or too early does not shorten the pause. A time too far ahead counts as one day.
        for (retryAt, expected) in [(-100, 5), (1, 5), (864_000, 86_400)] as [(Int64, Int64)] {
            var machine = SuspensionMachine()
            let suspension = machine.failed(.limited, now: now, retryAt: now + .seconds(retryAt), random: 0)
            #expect(suspension?.until == now + .seconds(expected))
        }
    }

    @Test func callsFromBeforeTheRestChangeNothing() {
        var machine = suspended()
        let before = machine
        machine.succeeded()
        #expect(machine == before)
        #expect(machine.failed(.limited, now: now + .seconds(1), retryAt: nil, random: 0) == nil)
        #expect(machine.failed(.timedOut, now: now + .seconds(1), retryAt: nil, random: 0) == nil)
        #expect(machine.failed(.notFound, now: now + .seconds(1), retryAt: nil, random: 0) == nil)
        machine.abandoned(now: now + .seconds(1))
        #expect(machine == before)
        // A later time named by the provider still takes effect.
        let later = now + .seconds(50)
        #expect(machine.failed(.limited, now: now, retryAt: later, random: 0)?.until == later)
        #expect(machine.suspension?.step == 0)
    }

    @Test func resumeHealsFromAnyState() {
        for state in [SuspensionMachine(), suspended(), probing()] {
            var machine = state
            machine.resume()
            #expect(machine == SuspensionMachine())
        }
    }

    /// The clocks when the machine is restored, after this pause and with the wall clock set by this step.
    private func restart(after pause: Duration, setBy step: Duration = .zero) -> Moment {
        Moment(wall: moment.wall + pause + step, monotonic: MonotonicTime(nanoseconds: 77) + pause)
    }

    @Test(
        arguments: [
            (1, 0, 4), (5, 0, 0), (9, 0, 0), (1, -7200, 5), (0, -1, 5), (1, 2, 2), (1, 7200, 0), (1, -864_000, 5),
        ] as [(Int64, Int64, Int64)])
    func aRestOutlivesARestartByWhatIsLeftOfItAndNeverByMore(_ pause: Int64, _ step: Int64, _ rest: Int64) throws {
        let saved = suspended().encode(now: moment)
        let now = restart(after: .seconds(pause), setBy: .seconds(step))
        let machine = try #require(SuspensionMachine(decoding: saved, now: now))
        #expect(machine.suspension?.until == now.monotonic + .seconds(rest))
        #expect((machine.rest(at: now.monotonic) == nil) == (rest == 0))
    }

    /// Old versions recorded only the end.
    @Test(arguments: [(1800, 1800), (7200, 3600), (-1, 0)] as [(Int64, Int64)])
    func aRestOfAnOldVersionLastsAnHourAtMost(_ end: Int64, _ rest: Int64) throws {
        let text = "1 suspended \((moment.wall + .seconds(end)).milliseconds) limited 3"
        let machine = try #require(SuspensionMachine(decoding: Bytes(text: text), now: moment))
        #expect(machine.suspension == Suspension(until: now + .seconds(rest), failure: .limited, step: 3))
    }

    @Test func stateSurvivesEncoding() throws {
        var troubled = SuspensionMachine()
        _ = troubled.failed(.timedOut, now: now, retryAt: nil, random: 0)
        _ = troubled.failed(.timedOut, now: now, retryAt: nil, random: 0)
        for machine in [SuspensionMachine(), troubled, suspended(), suspended(.refused)] {
            let copy = try #require(SuspensionMachine(decoding: machine.encode(now: moment), now: moment))
            #expect(copy == machine)
        }
        var copy = try #require(SuspensionMachine(decoding: troubled.encode(now: moment), now: moment))
        #expect(copy.failed(.timedOut, now: now, retryAt: nil, random: 0) != nil)
    }

    @Test func probeUnderWayIsProbedAgainAfterARestart() throws {
        var machine = try #require(
            SuspensionMachine(decoding: probing().encode(now: moment + .seconds(6)), now: moment + .seconds(6)))
        #expect(machine.mayCall(now: now + .seconds(6)) == .probe)
    }

    @Test(arguments: [
        "", "1", "2 healthy 0", "1 healthy", "1 healthy 32", "1 healthy -1", "1 healthy 0 0", "1 suspended 5 limited",
        "1 suspended x limited 0", "1 suspended 5 nothing 0", "1 suspended 5 limited 21", "1 suspended 5 limited -1",
        "1  healthy 0", "2 suspended 5 limited 0", "2 suspended 5 -1 limited 0", "2 suspended x 5 limited 0",
        "2 suspended 5 5 limited 21", "2 suspended 5 5 nothing 0",
    ])
    func otherTextIsNoMachine(_ text: String) {
        #expect(SuspensionMachine(decoding: Bytes(text: text), now: moment) == nil)
        #expect(SuspensionMachine(decoding: [0xFF, 0xFE], now: moment) == nil)
    }

    /// Under any sequence of events, at most one probe is under way and no rest exceeds its limit.
    @Test func randomEventsKeepTheRules() {
        var random = FixedRandom(state: 7)
        for _ in 0..<300 {
            var machine = SuspensionMachine()
            var time = now
            var probeOut: MonotonicTime?
            for _ in 0..<100 {
                time = time + .milliseconds(Int64.random(in: 0...20_000, using: &random))
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1, 2:
                    if machine.mayCall(now: time) == .probe {
                        if let since = probeOut { #expect(time - since >= SuspensionMachine.probePatience) }
                        probeOut = time
                    }
                case 3:
                    machine.succeeded()
                case 4:
                    let failure = FailureClass.allCases.randomElement(using: &random) ?? .broken
                    let suspension = machine.failed(failure, now: time, retryAt: nil, random: random.next())
                    if let suspension { #expect(suspension.until - time <= SuspensionMachine.longestRefusedPause) }
                default:
                    machine.abandoned(now: time)
                }
                if case .probing = machine.state {} else { probeOut = nil }
                #expect(SuspensionMachine(decoding: machine.encode(now: moment), now: moment) != nil)
            }
        }
    }
}

extension SuspensionMachine {
    /// Records the failure of a call with the configured key, on a known path, while nothing succeeded lately. Returns
    /// the suspension if one begins or its end moves.
    mutating func failed(
        _ failure: FailureClass, now: MonotonicTime, retryAt: MonotonicTime?, random: UInt64
    ) -> Suspension? {
        let weight = FailureWeight(FailedCall(failure))
        guard case .suspended(let suspension) = failed(failure, weight, now: now, retryAt: retryAt, random: random)
        else { return nil }
        return suspension
    }
}
