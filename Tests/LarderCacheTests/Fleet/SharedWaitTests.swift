// Waiting for a fetch by another host: what ends the wait, how often it checks, and how long it lasts.
import LarderCache
import LarderCore
import LarderTestSupport
import Testing

@Suite struct SharedWaitTests {
    let now = Sample.moment.monotonic

    func wait() -> SharedWait { SharedWait(began: now, patience: .seconds(10)) }

    @Test(arguments: [
        (SharedWait.Seen.free, SharedWait.Step.take), (.settled, .goAlone), (.unknown, .goAlone),
    ])
    func whatIsSeenSaysWhatToDo(_ seen: SharedWait.Seen, _ step: SharedWait.Step) {
        var wait = wait()
        #expect(wait.next(seen, now: now, random: 0) == step)
    }

    @Test func patienceEndsEveryWait() {
        for seen in [SharedWait.Seen.held, .free, .settled, .unknown] {
            var wait = wait()
            #expect(wait.next(seen, now: now + .seconds(10), random: 0) == .goAlone)
        }
    }

    @Test func itLooksSeldomerAndSeldomerAndNeverLessThanTenTimesASecond() {
        var wait = wait()
        var last = Duration.zero
        for _ in 0..<100 {
            guard case .pause(let pause) = wait.next(.held, now: now, random: 0) else { return #expect(Bool(false)) }
            #expect(pause >= last && pause <= .milliseconds(100))
            last = pause
        }
        #expect(last == .milliseconds(100))
    }

    @Test func pausesVaryAndAreNeverNothing() {
        for random in [UInt64(0), 1, 3, 50, .max] {
            var wait = wait()
            for _ in 0..<20 {
                guard case .pause(let pause) = wait.next(.held, now: now, random: random) else { continue }
                #expect(pause > .zero)
            }
        }
    }

    /// A lease that nobody renews is free two seconds after its host died.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func aHostThatDiedHoldsNobodyUpLongerThanATermAndAPause(_ seed: UInt64) {
        #expect(SharedWait.term <= .seconds(2))
        var (wait, random, time) = (wait(), SeededGenerator(seed), now)
        let end = now + .seconds(2)
        while case .pause(let pause) = wait.next(time < end ? .held : .free, now: time, random: random.next()) {
            time = time + pause
        }
        #expect(time >= end && time <= end + .milliseconds(100))
        #expect(wait.next(.free, now: time, random: 0) == .take)
    }
}
