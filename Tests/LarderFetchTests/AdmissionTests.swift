import LarderCore
import Testing

@testable import LarderFetch

@Suite struct AdmissionTests {
    private func holder(_ name: String) -> Admission.Holder { .provider(name) }

    private func admission(
        _ most: Int, each: Int, waiting: Int, eachWaiting: Int = 99, paced: Int = 1, eachPaced: Int = 1
    ) -> Admission {
        Admission(
            settings(most, each: each, waiting: waiting, eachWaiting: eachWaiting, paced: paced, eachPaced: eachPaced))
    }

    private func settings(
        _ most: Int, each: Int, waiting: Int, eachWaiting: Int = 99, paced: Int = 1, eachPaced: Int = 1
    ) -> FetchSettings {
        FetchSettings(
            maxTransfers: most, maxStreams: paced, maxQueue: waiting,
            standard: ExchangeLimits(maxConnections: each, maxStreams: eachPaced, maxQueue: eachWaiting))
    }

    @Test func placesAreGivenInOrderAndNeverTooMany() {
        var admission = admission(2, each: 2, waiting: 2)
        #expect(admission.ask(1, holder("a")) == .granted)
        #expect(admission.ask(2, holder("a")) == .granted)
        #expect(admission.ask(3, holder("a")) == .waits)
        #expect(admission.ask(4, holder("b")) == .waits)
        #expect(admission.ask(5, holder("c")) == .refused)
        #expect(admission.next() == nil)
        admission.release(holder("a"))
        #expect(admission.next() == 3)
        #expect(admission.next() == nil)
        #expect(admission.active == 2)
        #expect(admission.waiting == 1)
    }

    @Test func aHoldersCrowdHoldsNobodyElse() {
        var admission = admission(2, each: 1, waiting: 9)
        #expect(admission.ask(1, holder("a")) == .granted)
        #expect(admission.ask(2, holder("a")) == .waits)
        #expect(admission.ask(3, holder("b")) == .granted)
        #expect(admission.ask(4, holder("c")) == .waits)
        admission.release(holder("b"))
        #expect(admission.next() == 4)
        admission.release(holder("a"))
        #expect(admission.next() == 2)
    }

    @Test func holdersThatWaitForTheSamePlacesTakeTurns() {
        var admission = admission(1, each: 1, waiting: 9)
        #expect(admission.ask(1, holder("a")) == .granted)
        for id in 2...4 as ClosedRange<UInt64> { #expect(admission.ask(id, holder("a")) == .waits) }
        #expect(admission.ask(5, holder("b")) == .waits)
        var order: [UInt64] = []
        var before = holder("a")
        while admission.waiting > 0 {
            admission.release(before)
            guard let id = admission.next() else { break }
            order.append(id)
            before = holder(id == 5 ? "b" : "a")
        }
        #expect(order == [2, 5, 3, 4])
    }

    @Test func clientsOfOneHolderTakeTurnsAndEachKeepsItsOrder() {
        var admission = admission(1, each: 1, waiting: 99)
        #expect(admission.ask(1, holder("a"), turn: CallTurn(client: "crowd")) == .granted)
        for id in 2...5 as ClosedRange<UInt64> {
            #expect(admission.ask(id, holder("a"), turn: CallTurn(client: "crowd")) == .waits)
        }
        #expect(admission.ask(6, holder("a"), turn: CallTurn(client: "one")) == .waits)
        #expect(admission.ask(7, holder("a"), turn: CallTurn(client: "other")) == .waits)
        #expect(admission.ask(8, holder("a"), turn: CallTurn(client: "one")) == .waits)
        var order: [UInt64] = []
        while admission.waiting > 0 {
            admission.release(holder("a"))
            if let id = admission.next() { order.append(id) }
        }
        #expect(order == [2, 6, 7, 3, 8, 4, 5])
    }

    @Test func aFullQueueTurnsAwayTheClientThatFilledIt() {
        var admission = admission(1, each: 1, waiting: 99, eachWaiting: 3)
        #expect(admission.ask(1, holder("a"), turn: CallTurn(client: "crowd")) == .granted)
        for id in 2...4 as ClosedRange<UInt64> {
            #expect(admission.ask(id, holder("a"), turn: CallTurn(client: "crowd")) == .waits)
        }
        #expect(admission.ask(5, holder("a"), turn: CallTurn(client: "crowd")) == .refused)
        #expect(admission.ask(6, holder("a"), turn: CallTurn(client: "one")) == .replaces(4))
        #expect(admission.ask(7, holder("a"), turn: CallTurn(client: "one")) == .refused, "the crowd has only one more")
        #expect(admission.waiting == 3)
        admission.release(holder("a"))
        #expect(admission.next() == 2)
        admission.release(holder("a"))
        #expect(admission.next() == 6)
    }

    @Test func aProvidersQueueIsBoundedByItself() {
        var admission = admission(9, each: 1, waiting: 99, eachWaiting: 1)
        #expect(admission.ask(1, holder("a")) == .granted)
        #expect(admission.ask(2, holder("a")) == .waits)
        #expect(admission.ask(3, holder("a")) == .refused)
        #expect(admission.ask(4, holder("b")) == .granted)
        #expect(admission.ask(5, holder("b")) == .waits)
    }

    @Test func aQueueThatIsFullInAllTurnsAwayTheHolderThatFilledIt() {
        var admission = admission(9, each: 1, waiting: 5)
        for (id, name) in zip(1...3 as ClosedRange<UInt64>, ["a", "b", "c"]) {
            #expect(admission.ask(id, holder(name)) == .granted)
        }
        for id in 4...6 as ClosedRange<UInt64> { #expect(admission.ask(id, holder("a")) == .waits) }
        for id in 7...8 as ClosedRange<UInt64> { #expect(admission.ask(id, holder("b")) == .waits) }
        #expect(admission.ask(9, holder("c")) == .replaces(6), "nothing of it waits yet")
        #expect(admission.ask(10, holder("c")) == .refused, "nobody has two more")
        #expect(admission.ask(11, holder("a")) == .refused)
        #expect(admission.waiting == 5 && admission.brief.waiting(for: holder("a")) == 2)
        admission.release(holder("c"))
        #expect(admission.next() == 9)
    }

    @Test func aHolderThatMakesRoomGivesUpTheLastFetchOfItsCrowd() {
        var admission = admission(9, each: 1, waiting: 4)
        #expect(admission.ask(1, holder("a")) == .granted)
        #expect(admission.ask(2, holder("b")) == .granted)
        for id in 3...5 as ClosedRange<UInt64> {
            #expect(admission.ask(id, holder("a"), turn: CallTurn(client: "crowd")) == .waits)
        }
        #expect(admission.ask(6, holder("a"), turn: CallTurn(client: "one")) == .waits)
        #expect(admission.ask(7, holder("b"), turn: CallTurn(client: "other")) == .replaces(5))
    }

    @Test func whoHasWaitedForTheOtherKindIsNotTurnedAwayAndWhoLeavesIsForgotten() {
        var admission = admission(1, each: 1, waiting: 1)
        #expect(admission.ask(1, holder("a")) == .granted)
        #expect(admission.ask(2, holder("a")) == .waits)
        #expect(admission.ask(3, holder("a"), hasWaited: true) == .waits)
        admission.withdraw(2)
        admission.release(holder("a"))
        #expect(admission.next() == 3)
    }

    @Test func highLimitsPutInForceLetMoreIn() {
        var admission = admission(1, each: 1, waiting: 9)
        for id in 1...3 as ClosedRange<UInt64> { _ = admission.ask(id, holder("a")) }
        admission.apply(settings(3, each: 3, waiting: 9))
        #expect(admission.next() == 2)
        #expect(admission.next() == 3)
    }

    @Test func eachProviderHasTheNumberThatIsItsOwn() {
        var settings = settings(9, each: 1, waiting: 9)
        settings.providers = ["wide": ExchangeLimits(maxConnections: 2, maxStreams: 1)]
        var admission = Admission(settings)
        #expect(admission.ask(1, holder("wide")) == .granted)
        #expect(admission.ask(2, holder("wide")) == .granted)
        #expect(admission.ask(3, holder("wide")) == .waits)
        #expect(admission.ask(4, holder("other")) == .granted)
        #expect(admission.ask(5, holder("other")) == .waits)
    }

    @Test func whatClientsPaceUsesUpNoPlaceOfTheOthers() {
        var admission = admission(1, each: 1, waiting: 9, paced: 3, eachPaced: 2)
        #expect(admission.ask(1, holder("a"), pace: .client) == .granted)
        #expect(admission.ask(2, holder("a"), pace: .client) == .granted)
        #expect(admission.ask(3, holder("a"), pace: .client) == .waits, "two of one holder")
        #expect(admission.ask(4, holder("b"), pace: .client) == .granted)
        #expect(admission.ask(5, holder("c"), pace: .client) == .waits, "three in all")
        #expect(admission.ask(6, holder("a")) == .granted)
        #expect(admission.active == 4)
        admission.release(holder("a"))
        #expect(admission.next() == nil, "the others' place is none for them")
        admission.release(holder("b"), pace: .client)
        #expect(admission.next() == 5)
        admission.release(holder("a"), pace: .client)
        #expect(admission.next() == 3)
    }

    @Test func whoMovesAsideGivesItsPlaceBackAndOnlyWhereThereIsAnother() {
        var admission = admission(1, each: 1, waiting: 9, paced: 1, eachPaced: 1)
        #expect(admission.ask(1, holder("a")) == .granted)
        #expect(admission.ask(2, holder("a")) == .waits)
        #expect(admission.next() == nil)
        #expect(admission.moveAside(holder("a")) == true)
        #expect(admission.next() == 2)
        #expect(admission.moveAside(holder("a")) == false)
        #expect(admission.brief.taken == 1 && admission.paced.taken == 1)
        admission.release(holder("a"), pace: .client)
        #expect(admission.moveAside(holder("a")) == true)
        #expect(admission.brief.taken == 0 && admission.paced.taken == 1)
    }
}

extension Admission {
    /// The next exchange that may start.
    fileprivate mutating func next() -> UInt64? { grant()?.id }
}
