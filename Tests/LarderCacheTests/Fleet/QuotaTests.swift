// The calls of a fleet. No ledger grants more than the limit, and no host calls without a lease.
import LarderCache
import LarderCore
import Testing

@Suite struct QuotaTests {
    private let limit = CallRate(calls: 10, per: .seconds(60))
    private let start = MonotonicTime.distantPast + .seconds(1000)

    /// A ledger that is open at 3 s.
    private func ledger(_ hosts: Set<String> = ["a"]) -> QuotaLedger {
        var ledger = QuotaLedger(epoch: "one", now: 0)
        for host in hosts.sorted() { _ = ledger.ask(ask(host, wanted: 0), alive: hosts, now: 0) }
        _ = ledger.ask(ask("a", wanted: 0), alive: hosts, now: 3000)
        return ledger
    }

    private func ask(
        _ host: String, knows: String = "one", lease: String = "x", wanted: Int, own: Int = 0, seen: Int = 0
    ) -> QuotaAsk {
        var share = QuotaShare()
        var ask = share.ask(
            host: host, name: lease, waiting: 0, limits: [limit], own: [own], now: start)
        ask.knows = knows
        ask.wanted = wanted
        ask.seen = [seen]
        return ask
    }

    @Test func noMoreIsGrantedThanTheLimit() {
        var ledger = ledger()
        #expect(ledger.ask(ask("a", lease: "1", wanted: 7), alive: [], now: 3000).granted == 7)
        #expect(ledger.ask(ask("b", lease: "2", wanted: 7), alive: [], now: 3000).granted == 3)
        let spent = ledger.ask(ask("a", lease: "3", wanted: 1), alive: [], now: 3000)
        #expect(spent.granted == 0 && spent.wait >= .seconds(60))
    }

    @Test func aLeaseThatIsNotGivenBackCountsInFullFromItsEnd() {
        var ledger = ledger()
        _ = ledger.ask(ask("a", lease: "1", wanted: 10), alive: [], now: 3000)
        #expect(ledger.ask(ask("b", lease: "2", wanted: 1), alive: [], now: 64_999).granted == 0)
        #expect(ledger.ask(ask("b", lease: "3", wanted: 10), alive: [], now: 66_100).granted == 10)
    }

    @Test func whatIsGivenBackCountsAsItWasUsed() {
        var ledger = ledger()
        _ = ledger.ask(ask("a", lease: "1", wanted: 10), alive: [], now: 3000)
        var back = ask("a", lease: "2", wanted: 10)
        (back.returned, back.returnedUsed) = ("1", 4)
        #expect(ledger.ask(back, alive: [], now: 3500).granted == 6)
    }

    @Test func aNewLedgerWaitsForEveryHostThatIsAlive() {
        var ledger = QuotaLedger(epoch: "two", now: 0)
        _ = ledger.ask(ask("a", wanted: 0, own: 2), alive: ["a", "b"], now: 0)
        #expect(!ledger.ask(ask("a", wanted: 1), alive: ["a", "b"], now: 5000).isOpen)
        #expect(ledger.ask(ask("b", wanted: 10, own: 3), alive: ["a", "b"], now: 5000).granted == 5)
    }

    @Test func theWholeThatAHostSawBeforeCounts() {
        var ledger = QuotaLedger(epoch: "two", now: 0)
        #expect(ledger.ask(ask("a", wanted: 10, own: 2, seen: 8), alive: [], now: 0).granted == 0)
        #expect(ledger.ask(ask("a", wanted: 10), alive: ["a"], now: 3000).granted == 2)
    }

    @Test func aNewLedgerIsClosedWhileLeasesOfBeforeMayLast() {
        var ledger = QuotaLedger(epoch: "two", now: 0)
        #expect(!ledger.ask(ask("a", wanted: 1), alive: ["a"], now: 2999).isOpen)
    }

    @Test func aNewLedgerOpensAfterOneWindowWhoeverIsMissing() {
        var ledger = QuotaLedger(epoch: "two", now: 0)
        #expect(ledger.ask(ask("a", wanted: 10, own: 9), alive: ["a", "b"], now: 60_000).granted == 10)
    }

    @Test func aHostCallsNothingWithoutALease() {
        var share = QuotaShare()
        #expect(share.take(now: start) == .ask)
        let ask = share.ask(
            host: "a", name: "x", waiting: 3, limits: [CallRate(calls: 100, per: .seconds(60))], own: [0], now: start)
        #expect(ask.wanted == 3)
        share.unanswered(ask, now: start)
        #expect(share.take(now: start) == .unanswered(until: start + QuotaShare.pause))
    }

    @Test func aLeaseEndsBeforeTheLedgerSaysSo() {
        var share = QuotaShare()
        let ask = share.ask(host: "a", name: "x", waiting: 1, limits: [limit], own: [0], now: start)
        let reply = QuotaReply(epoch: "one", granted: 2, wait: .zero, isOpen: true, used: [2])
        share.answered(reply, to: ask, sentAt: start, now: start + .seconds(1))
        guard case .granted(let until) = share.take(now: start + .seconds(1)) else { return #expect(Bool(false)) }
        #expect(until < start + QuotaLedger.term)
        #expect(share.take(now: start + QuotaLedger.term) == .ask)
    }

    @Test func aCallWithoutALeaseIsOwed() {
        var share = QuotaShare()
        share.countMade(now: start)
        let ask = share.ask(host: "a", name: "x", waiting: 1, limits: [limit], own: [0], now: start)
        #expect(ask.debt == 1)
    }

    /// A share with a lease of two calls.
    private func leased() -> QuotaShare {
        var share = QuotaShare()
        let ask = share.ask(host: "a", name: "first", waiting: 2, limits: [limit], own: [0], now: start)
        let reply = QuotaReply(epoch: "one", granted: 2, wait: .zero, isOpen: true, used: [2])
        share.answered(reply, to: ask, sentAt: start, now: start)
        return share
    }

    private func question(_ share: inout QuotaShare) -> QuotaAsk {
        share.ask(host: "a", name: "second", waiting: 1, limits: [limit], own: [0], now: start)
    }

    @Test func aLeaseWhoseCallHasNotLeftRunsOut() {
        var share = leased()
        guard case .granted(let until) = share.take(now: start), case .granted = share.take(now: start) else {
            return #expect(Bool(false))
        }
        share.callLeft(grantedUntil: until)
        #expect(question(&share).returned.isEmpty, "the ledger would count the other call before it leaves")
    }

    @Test func aLeaseWhoseCallsHaveLeftIsGivenBack() {
        var share = leased()
        for _ in 0..<2 {
            if case .granted(let until) = share.take(now: start) { share.callLeft(grantedUntil: until) }
        }
        let ask = question(&share)
        #expect(ask.returned == "first" && ask.returnedUsed == 2)
    }

    @Test func aCallOfAnEarlierLeaseSaysNothingOfTheOneInHand() {
        var share = leased()
        guard case .granted = share.take(now: start), case .granted = share.take(now: start) else {
            return #expect(Bool(false))
        }
        share.callLeft(grantedUntil: start)
        #expect(question(&share).returned.isEmpty)
    }

    @Test func allWaitForANewLedger() {
        var share = QuotaShare()
        let ask = share.ask(host: "a", name: "x", waiting: 3, limits: [limit], own: [0], now: start)
        let closed = QuotaReply(epoch: "two", granted: 0, wait: .milliseconds(250), isOpen: false, used: [0])
        share.answered(closed, to: ask, sentAt: start, now: start)
        #expect(share.take(now: start) == .wait(until: start + .milliseconds(250)))
        #expect(share.take(now: start + .milliseconds(250)) == .ask)
    }
}
