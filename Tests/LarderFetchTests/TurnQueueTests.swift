// Which waiting fetch goes first, and which one a full queue drops.
import LarderCore
import Testing

@testable import LarderFetch

@Suite struct TurnQueueTests {
    private let mass = CallTurn(tool: "mass", client: "a")
    private let person = CallTurn(.person, tool: "editor", client: "p")
    private let refresh = CallTurn(.background, tool: "mass", client: "a")

    private func all(_ queue: TurnQueue) -> [UInt64] {
        var queue = queue
        var order: [UInt64] = []
        while let id = queue.removeNext() { order.append(id) }
        return order
    }

    @Test func whatAPersonWaitsForGoesFirstAndRefreshesGoLast() {
        var queue = TurnQueue()
        queue.append(1, refresh)
        queue.append(2, mass)
        queue.append(3, refresh)
        queue.append(4, person)
        queue.append(5, mass)
        #expect(queue.urgency == .person)
        #expect(all(queue) == [4, 2, 5, 1, 3])
    }

    @Test func theFourthTurnInARowIsOfWhatIsLessUrgent() {
        var queue = TurnQueue()
        for id in 1...8 as ClosedRange<UInt64> { queue.append(id, CallTurn(.person, tool: "other", client: "\(id)")) }
        for id in 21...23 as ClosedRange<UInt64> { queue.append(id, CallTurn(tool: "editor", client: "e")) }
        #expect(all(queue) == [1, 2, 3, 21, 4, 5, 6, 22, 7, 8, 23])
    }

    @Test func ofWhatIsLessUrgentThatTurnIsOfWhatHasWaitedLongest() {
        var queue = TurnQueue()
        for id in 1...12 as ClosedRange<UInt64> { queue.append(id, person) }
        for id in 21...22 as ClosedRange<UInt64> { queue.append(id, mass) }
        for id in 31...32 as ClosedRange<UInt64> { queue.append(id, refresh) }
        #expect(all(queue) == [1, 2, 3, 21, 4, 5, 6, 31, 7, 8, 9, 22, 10, 11, 12, 32])
    }

    @Test func aTurnThatProgramsOweToRefreshesWaitsForAPerson() {
        var queue = TurnQueue()
        for id in 1...5 as ClosedRange<UInt64> { queue.append(id, mass) }
        queue.append(31, refresh)
        for id in 1...3 as ClosedRange<UInt64> { #expect(queue.removeNext() == id) }
        queue.append(41, person)
        #expect(all(queue) == [41, 31, 4, 5])
    }

    @Test func personsWhoWaitAloneOweNoTurn() {
        var queue = TurnQueue()
        for id in 1...8 as ClosedRange<UInt64> { queue.append(id, person) }
        for id in 1...4 as ClosedRange<UInt64> { #expect(queue.removeNext() == id) }
        queue.append(21, mass)
        #expect(all(queue) == [5, 6, 7, 21, 8])
    }

    @Test func nothingIsOwedToWhatIsGone() {
        var queue = TurnQueue()
        for id in 1...8 as ClosedRange<UInt64> { queue.append(id, person) }
        queue.append(21, mass)
        for id in 1...3 as ClosedRange<UInt64> { #expect(queue.removeNext() == id) }
        queue.remove(21, mass)
        queue.append(22, mass)
        #expect(all(queue) == [4, 5, 6, 22, 7, 8])
    }

    @Test func toolsTakeTurnsHoweverManyClientsOneHas() {
        var queue = TurnQueue()
        for id in 1...6 as ClosedRange<UInt64> { queue.append(id, CallTurn(tool: "mass", client: "\(id)")) }
        for id in 11...13 as ClosedRange<UInt64> { queue.append(id, CallTurn(tool: "editor", client: "one")) }
        #expect(all(queue) == [1, 11, 2, 12, 3, 13, 4, 5, 6])
    }

    @Test func clientsOfOneToolTakeTurnsAndKeepTheirOrder() {
        var queue = TurnQueue()
        for id in 1...3 as ClosedRange<UInt64> { queue.append(id, CallTurn(tool: "t", client: "crowd")) }
        queue.append(4, CallTurn(tool: "t", client: "one"))
        #expect(all(queue) == [1, 4, 2, 3])
    }

    @Test func whatIsRemovedIsNotServedAndOthersKeepTheirTurns() {
        var queue = TurnQueue()
        queue.append(1, mass)
        queue.append(2, person)
        queue.append(3, mass)
        queue.remove(2, person)
        queue.remove(1, mass)
        queue.remove(9, mass)
        #expect(queue.count == 1)
        #expect(all(queue) == [3])
    }

    @Test func aFullQueueDropsTheLastOfWhatIsLessUrgent() {
        var queue = TurnQueue()
        queue.append(1, mass)
        queue.append(2, mass)
        #expect(queue.displaced(by: person) == 2)
        queue.append(3, refresh)
        #expect(queue.displaced(by: person) == 3)
        #expect(queue.displaced(by: mass) == 3)
        #expect(queue.displaced(by: refresh) == nil)
    }

    @Test func aQuarterOfAFullQueueIsLeftToWhatIsLessUrgent() {
        var queue = TurnQueue()
        for id in 1...2 as ClosedRange<UInt64> { queue.append(id, mass) }
        for id in 11...15 as ClosedRange<UInt64> { queue.append(id, CallTurn(.person, tool: "other", client: "\(id)")) }
        let another = CallTurn(.person, tool: "other", client: "a")
        #expect(queue.displaced(by: another) == 2)
        queue.append(16, CallTurn(.person, tool: "other", client: "16"))
        #expect(queue.displaced(by: another) == nil)
        let displaced = queue.displaced(by: person)
        #expect(displaced.map { (11...16).contains($0) } == true, "the tool of the crowd makes room: \(displaced ?? 0)")
    }

    @Test func amongWhatIsEquallyUrgentTheToolThatFilledTheQueueMakesRoom() {
        var queue = TurnQueue()
        for id in 1...3 as ClosedRange<UInt64> { queue.append(id, CallTurn(tool: "mass", client: "\(id % 2)")) }
        #expect(queue.displaced(by: CallTurn(tool: "editor", client: "x")) == 3)
        queue.append(4, CallTurn(tool: "editor", client: "x"))
        queue.append(5, CallTurn(tool: "editor", client: "x"))
        #expect(queue.displaced(by: CallTurn(tool: "editor", client: "x")) == nil, "mass has only one more")
        #expect(queue.displaced(by: CallTurn(tool: "editor", client: "y")) == 5, "of the tool's own clients x has more")
    }

    @Test func manyClientsOfOneToolDoNotPushOutAnotherTool() {
        var queue = TurnQueue()
        queue.append(1, CallTurn(tool: "editor", client: "x"))
        queue.append(2, CallTurn(tool: "editor", client: "x"))
        queue.append(3, CallTurn(tool: "mass", client: "a"))
        queue.append(4, CallTurn(tool: "mass", client: "b"))
        for name in ["c", "d", "e"] { #expect(queue.displaced(by: CallTurn(tool: "mass", client: name)) == nil) }
    }

    // MARK: Over all holders

    private func admission(_ most: Int, each: Int, waiting: Int) -> Admission {
        Admission(
            FetchSettings(
                maxTransfers: most, maxStreams: 1, maxQueue: waiting,
                standard: ExchangeLimits(maxConnections: each, maxStreams: 1, maxQueue: 99)))
    }

    @Test func aPersonGoesBeforeTheTurnOfAnotherProvider() {
        var admission = admission(1, each: 1, waiting: 9)
        #expect(admission.ask(1, .provider("a")) == .granted)
        #expect(admission.ask(2, .provider("b"), turn: mass) == .waits)
        #expect(admission.ask(3, .provider("c"), turn: person) == .waits)
        admission.release(.provider("a"))
        #expect(admission.grant()?.id == 3)
    }

    @Test func theFourthTurnInARowIsOfAnotherProviderThatIsLessUrgent() {
        var admission = admission(1, each: 1, waiting: 99)
        #expect(admission.ask(1, .provider("a")) == .granted)
        for id in 2...9 as ClosedRange<UInt64> {
            #expect(admission.ask(id, .provider("a"), turn: person) == .waits)
        }
        #expect(admission.ask(21, .provider("b"), turn: mass) == .waits)
        var order: [UInt64] = []
        var holder = Admission.Holder.provider("a")
        for _ in 0..<5 {
            admission.release(holder)
            guard let next = admission.grant() else { break }
            order.append(next.id)
            holder = next.holder
        }
        #expect(order == [2, 3, 4, 21, 5])
    }

    @Test func personsHaveNineTurnsOfSixteenHoweverManyProvidersWait() {
        var admission = admission(1, each: 1, waiting: 999)
        #expect(admission.ask(1, .provider("z")) == .granted)
        let holders = ["b", "c", "d", "e", "f"].map(Admission.Holder.provider)
        for id in 101...140 as ClosedRange<UInt64> {
            #expect(admission.ask(id, .provider("a"), turn: person) == .waits)
            #expect(admission.ask(id + 100, .provider("a"), turn: mass) == .waits)
            #expect(admission.ask(id + 200, holders[Int(id) % 5], turn: mass) == .waits)
        }
        var order: [UInt64] = []
        var holder = Admission.Holder.provider("z")
        for _ in 0..<40 {
            admission.release(holder)
            guard let next = admission.grant() else { break }
            order.append(next.id)
            holder = next.holder
        }
        #expect(order.count == 40)
        #expect(order.prefix(16).count { $0 < 200 } == 9, "\(order)")
        #expect(order.count { $0 < 200 } == 23, "30 turns of the holder, of which each fourth is of the mass: \(order)")
        #expect(order.count { $0 > 300 } == 10, "\(order)")
    }

    @Test func nothingIsOwedToAnotherProvidersFetchesThatAreGone() {
        var admission = admission(1, each: 1, waiting: 99)
        #expect(admission.ask(1, .provider("a")) == .granted)
        for id in 2...4 as ClosedRange<UInt64> {
            #expect(admission.ask(id, .provider("a"), turn: person) == .waits)
        }
        #expect(admission.ask(21, .provider("b"), turn: mass) == .waits)
        for id in 2...4 as ClosedRange<UInt64> {
            admission.release(.provider("a"))
            #expect(admission.grant()?.id == id)
        }
        admission.withdraw(21)
        #expect(admission.ask(22, .provider("b"), turn: mass) == .waits)
        #expect(admission.ask(5, .provider("a"), turn: person) == .waits)
        admission.release(.provider("a"))
        #expect(admission.grant()?.id == 5)
    }

    @Test(arguments: [Urgency.ordinary, .background])
    func nothingMoreUrgentMakesRoom(_ urgency: Urgency) {
        var admission = admission(1, each: 1, waiting: 5)
        #expect(admission.ask(1, .provider("a")) == .granted)
        for id in 2...6 as ClosedRange<UInt64> { #expect(admission.ask(id, .provider("a"), turn: person) == .waits) }
        #expect(admission.ask(7, .provider("b"), turn: CallTurn(urgency, tool: "mass", client: "a")) == .refused)
    }

    @Test func ofWhatIsAsUrgentTheProviderWithTheMostMakesRoomHoweverManyPersonsWait() {
        var admission = admission(1, each: 1, waiting: 9)
        #expect(admission.ask(1, .provider("a")) == .granted)
        for id in 2...7 as ClosedRange<UInt64> { #expect(admission.ask(id, .provider("a"), turn: person) == .waits) }
        for id in 8...10 as ClosedRange<UInt64> { #expect(admission.ask(id, .provider("b"), turn: mass) == .waits) }
        #expect(admission.ask(11, .provider("c"), turn: mass) == .replaces(10))
    }

    @Test func theQuarterIsThatOfTheWholeQueueAlsoWithinTheNewcomersProvider() {
        var admission = admission(1, each: 1, waiting: 8)
        #expect(admission.ask(1, .provider("a")) == .granted)
        for id in 2...3 as ClosedRange<UInt64> { #expect(admission.ask(id, .provider("a"), turn: mass) == .waits) }
        for (id, name) in zip(4...9 as ClosedRange<UInt64>, ["b", "c", "d", "e", "f", "g"]) {
            #expect(admission.ask(id, .provider(name), turn: person) == .waits)
        }
        #expect(admission.ask(10, .provider("a"), turn: person) == .refused, "the two of eight are left")
    }

    @Test func whatBecomesMoreUrgentGoesFirst() {
        var admission = admission(1, each: 1, waiting: 9)
        #expect(admission.ask(1, .provider("a")) == .granted)
        for id in 2...4 as ClosedRange<UInt64> { #expect(admission.ask(id, .provider("a"), turn: mass) == .waits) }
        admission.rise(4, to: .person)
        admission.rise(3, to: .background)
        admission.rise(99, to: .person)
        #expect(admission.waiting == 3)
        admission.release(.provider("a"))
        #expect(admission.grant()?.id == 4)
        admission.release(.provider("a"))
        #expect(admission.grant()?.id == 2)
    }

    @Test func aQueueThatIsFullInTotalDropsWhatIsLessUrgentWhereverItWaits() {
        var admission = admission(1, each: 1, waiting: 2)
        #expect(admission.ask(1, .provider("a")) == .granted)
        #expect(admission.ask(2, .provider("a"), turn: mass) == .waits)
        #expect(admission.ask(3, .provider("b"), turn: mass) == .waits)
        #expect(admission.ask(4, .provider("c"), turn: mass) == .refused)
        guard case .replaces = admission.ask(5, .provider("c"), turn: person) else {
            Issue.record("a person is refused for the crowd")
            return
        }
    }

    @Test func aProviderWithACrowdOfPersonsGivesUpOneOfThemForAnotherProvider() {
        var admission = admission(1, each: 1, waiting: 5)
        #expect(admission.ask(1, .provider("a")) == .granted)
        #expect(admission.ask(2, .provider("a"), turn: mass) == .waits)
        for id in 3...6 as ClosedRange<UInt64> { #expect(admission.ask(id, .provider("a"), turn: person) == .waits) }
        #expect(admission.ask(7, .provider("b"), turn: person) == .replaces(6))
    }

    @Test func aCrowdOfPersonsLeavesAQuarterOfTheWholeQueueToOtherProviders() {
        var admission = admission(1, each: 1, waiting: 4)
        #expect(admission.ask(1, .provider("a")) == .granted)
        #expect(admission.ask(2, .provider("b"), turn: mass) == .waits)
        for id in 3...5 as ClosedRange<UInt64> {
            #expect(admission.ask(id, .provider("a"), turn: CallTurn(.person, client: "\(id)")) == .waits)
        }
        #expect(admission.ask(6, .provider("a"), turn: CallTurn(.person, client: "6")) == .refused)
    }
}
