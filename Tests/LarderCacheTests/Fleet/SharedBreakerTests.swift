// The breaker of the shared tier: when it opens, how long it stays open, and who probes.
import LarderCache
import LarderCore
import Testing

@Suite struct SharedBreakerTests {
    let now = Sample.moment.monotonic

    func opened() -> SharedBreaker {
        var breaker = SharedBreaker()
        for _ in 0..<SharedBreaker.threshold { breaker.failed(now: now, random: 0) }
        return breaker
    }

    @Test func itOpensAfterFailuresInARow() {
        var breaker = SharedBreaker()
        for _ in 1..<SharedBreaker.threshold { breaker.failed(now: now, random: 0) }
        #expect(breaker.permission(now: now) == .yes)
        breaker.failed(now: now, random: 0)
        #expect(breaker.permission(now: now) == .no && breaker.word == "open")
    }

    @Test func anAnswerBetweenFailuresForgivesThem() {
        var breaker = SharedBreaker()
        for _ in 0..<10 {
            for _ in 1..<SharedBreaker.threshold { breaker.failed(now: now, random: 0) }
            breaker.succeeded()
        }
        #expect(breaker.permission(now: now) == .yes && breaker.openings == 0)
    }

    @Test func afterThePauseOneOperationTriesIt() {
        var breaker = opened()
        let end = now + SharedBreaker.firstPause
        #expect(breaker.permission(now: end + .milliseconds(-1)) == .no)
        #expect(breaker.permission(now: end) == .probe)
        #expect(breaker.permission(now: end) == .no)
    }

    @Test func aProbeThatIsAnsweredClosesIt() {
        var breaker = opened()
        _ = breaker.permission(now: now + .seconds(1))
        breaker.succeeded()
        #expect(breaker.permission(now: now + .seconds(1)) == .yes)
    }

    @Test func aProbeThatFailsDoublesThePause() {
        var breaker = opened()
        let probe = now + .seconds(1)
        _ = breaker.permission(now: probe)
        breaker.failed(now: probe, random: 0)
        #expect(breaker.retryAt == probe + SharedBreaker.firstPause * 2)
    }

    @Test func aProbeThatNeverEndsLetsAnotherTry() {
        var breaker = opened()
        let probe = now + .seconds(1)
        _ = breaker.permission(now: probe)
        #expect(breaker.permission(now: probe + SharedBreaker.probeLimit) == .probe)
    }

    @Test func failuresWhileItIsOpenChangeNothing() {
        var breaker = opened()
        let before = breaker
        breaker.failed(now: now + .milliseconds(10), random: 7)
        #expect(breaker == before)
    }

    @Test func pausesAreShortenedByChanceAndBounded() {
        #expect(SharedBreaker.pause(step: 0, random: 0) == SharedBreaker.firstPause)
        for step in [0, 3, 9, 60] {
            let pauses = (0..<1000).map { _ in SharedBreaker.pause(step: step, random: .random(in: 0 ... .max)) }
            let whole = SharedBreaker.pause(step: step, random: 0)
            #expect(pauses.allSatisfy { $0 <= whole && $0 >= whole / 2 } && Set(pauses).count > 10)
            #expect(whole <= SharedBreaker.longestPause)
        }
    }
}
