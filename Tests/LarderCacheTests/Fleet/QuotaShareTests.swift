// The calls of a host in a fleet: none without a lease, and none after its end. `QuotaScriptTests` tests the ledger.
import LarderCache
import LarderCore
import Testing

@Suite struct QuotaShareTests {
    private let limit = CallRate(calls: 10, per: .seconds(60))
    private let start = MonotonicTime.distantPast + .seconds(1000)

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
