// The ledger's promises, one by one, in a real engine: it grants no more than the limit, counts what hosts tell it, and
// a new ledger finds out what was called before. `QuotaFleetTests` holds the whole of it.
import LarderCache
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderShared

@Suite(.enabled(if: SharedEngine.mayRun, "there is no redis-server or valkey-server on this machine"))
struct QuotaScriptTests {
    private let limit = CallRate(calls: 10, per: .seconds(60))

    /// The ledger "one", open at 3 s. These hosts are alive and have reported.
    private func opened(_ hosts: String...) throws -> ScriptedLedger {
        let ledger = try ScriptedLedger()
        for host in hosts { try ledger.sign(host, now: 0) }
        for host in hosts + ["a"] { _ = try ledger.ask(ask(host, wanted: 0), fresh: "one", now: 0) }
        try #require(try ledger.ask(ask("a", wanted: 0), now: 3000).isOpen)
        return ledger
    }

    private func ask(
        _ host: String, knows: String = "one", lease: String = "x", wanted: Int, own: Int = 0, seen: Int = 0,
        returned: (lease: String, used: Int) = ("", 0), debt: Int = 0, limits: [CallRate]? = nil
    ) -> QuotaAsk {
        var share = QuotaShare()
        let limits = limits ?? [limit]
        var ask = share.ask(
            host: host, name: lease, waiting: 0, limits: limits, own: limits.map { _ in own }, now: .distantPast)
        (ask.knows, ask.wanted, ask.debt) = (knows, wanted, debt)
        ask.seen = limits.map { _ in seen }
        (ask.returned, ask.returnedUsed) = returned
        return ask
    }

    // MARK: The limit

    @Test func noMoreIsGrantedThanTheLimit() throws {
        let ledger = try opened()
        let first = try ledger.ask(ask("a", lease: "1", wanted: 7), now: 3000)
        #expect(first.granted == 7 && first.used == [7] && first.epoch == "one")
        let second = try ledger.ask(ask("b", lease: "2", wanted: 7), now: 3000)
        #expect(second.granted == 3 && second.used == [10])
        let spent = try ledger.ask(ask("a", lease: "3", wanted: 1), now: 3000)
        #expect(spent.granted == 0 && spent.wait >= .seconds(60) && spent.used == [10])
    }

    @Test func ofSeveralLimitsTheTightestHolds() throws {
        let limits = [CallRate(calls: 10, per: .seconds(60)), CallRate(calls: 4, per: .seconds(2))]
        let ledger = try opened()
        #expect(try ledger.ask(ask("a", lease: "1", wanted: 7, limits: limits), now: 3000).granted == 4)
        let next = ask("a", lease: "2", wanted: 7, returned: ("1", 4), limits: limits)
        #expect(try ledger.ask(next, now: 3000).granted == 0)
        #expect(try ledger.ask(ask("a", lease: "3", wanted: 7, limits: limits), now: 5100).granted == 4)
        _ = try ledger.ask(ask("a", wanted: 0, returned: ("3", 4), limits: limits), now: 5200)
        #expect(try ledger.ask(ask("a", lease: "4", wanted: 7, limits: limits), now: 7300).granted == 2)
    }

    @Test func theWaitEndsWhenTheFirstCallsAreOutOfTheWindow() throws {
        let limits = [CallRate(calls: 10, per: .seconds(30))]
        let ledger = try opened()
        _ = try ledger.ask(ask("a", lease: "1", wanted: 10, limits: limits), now: 3000)
        let next = ask("a", lease: "2", wanted: 10, returned: ("1", 10), limits: limits)
        let spent = try ledger.ask(next, now: 3500)
        #expect(spent.granted == 0 && (.seconds(30)...(.seconds(30) + .seconds(30) / 64)).contains(spent.wait))
        let end = 3500 + spent.wait.milliseconds
        #expect(try ledger.ask(ask("a", lease: "3", wanted: 10, limits: limits), now: end - 1).granted == 0)
        #expect(try ledger.ask(ask("a", lease: "4", wanted: 10, limits: limits), now: end).granted == 10)
    }

    // MARK: Leases

    @Test func aLeaseThatIsNotGivenBackCountsInFullFromItsEnd() throws {
        let ledger = try opened()
        _ = try ledger.ask(ask("a", lease: "1", wanted: 10), now: 3000)
        #expect(try ledger.ask(ask("b", lease: "2", wanted: 1), now: 64_999).granted == 0)
        #expect(try ledger.ask(ask("b", lease: "3", wanted: 10), now: 66_100).granted == 10)
    }

    @Test func whatIsGivenBackCountsAsItWasUsed() throws {
        let ledger = try opened()
        _ = try ledger.ask(ask("a", lease: "1", wanted: 10), now: 3000)
        let back = ask("a", lease: "2", wanted: 10, returned: ("1", 4))
        #expect(try ledger.ask(back, now: 3500).granted == 6)
    }

    @Test func aLeaseIsGivenBackOnceAndToItsOwnLedger() throws {
        let ledger = try opened()
        _ = try ledger.ask(ask("a", lease: "1", wanted: 10), now: 3000)
        let foreign = ask("a", knows: "another", lease: "2", wanted: 10, returned: ("1", 0))
        #expect(try ledger.ask(foreign, now: 3000).granted == 0)
        #expect(try ledger.ask(ask("a", wanted: 0, returned: ("1", 4)), now: 3000).used == [4])
        #expect(try ledger.ask(ask("a", wanted: 0, returned: ("1", 4)), now: 3000).used == [4])
    }

    @Test func aCallWithoutALeaseCountsWhenAnOpenLedgerIsTold() throws {
        let ledger = try ScriptedLedger()
        #expect(try !ledger.ask(ask("a", wanted: 0, debt: 3), fresh: "one", now: 0).isOpen)
        #expect(try ledger.ask(ask("a", wanted: 0), now: 3000).used == [0], "the host keeps it for a later question")
        #expect(try ledger.ask(ask("a", wanted: 10, debt: 4), now: 3000).granted == 6)
    }

    // MARK: A new ledger

    @Test func aNewLedgerWaitsForEveryHostThatIsAlive() throws {
        let ledger = try ScriptedLedger()
        for host in ["a", "b"] { try ledger.sign(host, now: 4000) }
        _ = try ledger.ask(ask("a", wanted: 0, own: 2), fresh: "two", now: 0)
        let closed = try ledger.ask(ask("a", wanted: 1), now: 5000)
        #expect(!closed.isOpen && closed.granted == 0 && closed.wait == .milliseconds(250) && closed.used == [0])
        #expect(try ledger.ask(ask("b", wanted: 10, own: 3), now: 5000).granted == 5)
    }

    @Test func aHostThatHasBeenSilentForTenSecondsIsNotWaitedFor() throws {
        let ledger = try ScriptedLedger()
        try ledger.sign("b", now: 0)
        _ = try ledger.ask(ask("a", wanted: 0), fresh: "two", now: 0)
        #expect(try !ledger.ask(ask("a", wanted: 1), now: 9000).isOpen)
        #expect(try ledger.ask(ask("a", wanted: 1), now: 12_000).granted == 1)
    }

    @Test func theWholeThatAHostSawBeforeCounts() throws {
        let ledger = try ScriptedLedger()
        #expect(try ledger.ask(ask("a", wanted: 10, own: 2, seen: 8), fresh: "two", now: 0).granted == 0)
        #expect(try ledger.ask(ask("a", wanted: 10), now: 3000).granted == 2)
    }

    @Test func aHostThatKnowsNoLedgerHasSeenNothing() throws {
        let ledger = try ScriptedLedger()
        _ = try ledger.ask(ask("a", knows: "", wanted: 0, own: 2, seen: 8), fresh: "two", now: 0)
        #expect(try ledger.ask(ask("a", wanted: 10), now: 3000).granted == 8)
    }

    @Test func aHostThatReportsToAnOpenLedgerAddsWhatItKnowsMore() throws {
        let ledger = try opened("a")
        #expect(try ledger.ask(ask("b", knows: "", wanted: 0, own: 3), now: 4000).used == [3])
        #expect(try ledger.ask(ask("c", knows: "zero", wanted: 0, own: 1, seen: 7), now: 4000).used == [7])
        #expect(try ledger.ask(ask("c", wanted: 0, own: 1, seen: 9), now: 4000).used == [7], "once")
    }

    @Test func aNewLedgerIsClosedWhileLeasesOfBeforeMayLast() throws {
        let ledger = try ScriptedLedger()
        try ledger.sign("a", now: 0)
        #expect(try !ledger.ask(ask("a", wanted: 1), fresh: "two", now: 0).isOpen)
        #expect(try !ledger.ask(ask("a", wanted: 1), now: 2999).isOpen)
        #expect(QuotaLedger.grace >= QuotaLedger.term + .seconds(1))
    }

    @Test func aNewLedgerOpensAfterOneWindowWhoeverIsMissing() throws {
        let ledger = try ScriptedLedger()
        _ = try ledger.ask(ask("a", wanted: 10, own: 9), fresh: "two", now: 0)
        try ledger.sign("b", now: 59_000)
        #expect(try !ledger.ask(ask("a", wanted: 10), now: 59_999).isOpen)
        #expect(try ledger.ask(ask("a", wanted: 10), now: 60_000).granted == 10)
    }
}
