// Each change of the places decides at once which exchange is next, and reports it once, whichever loop asks.
import LarderCore
import Testing

@testable import LarderFetch

@Suite struct PlaceTableTests {
    private let a = Admission.Holder.provider("a")
    private let b = Admission.Holder.provider("b")

    private func table(_ brief: Int = 9, paced: Int = 9, each: Int = 9, eachPaced: Int = 1) -> PlaceTable {
        PlaceTable(settings(brief, paced: paced, each: each, eachPaced: eachPaced))
    }

    private func settings(_ brief: Int, paced: Int, each: Int, eachPaced: Int) -> FetchSettings {
        FetchSettings(
            maxTransfers: brief, maxStreams: paced, maxQueue: 9,
            standard: ExchangeLimits(maxConnections: each, maxStreams: eachPaced, maxQueue: 2))
    }

    private func action(_ exchange: UInt64, _ core: Int, _ kind: PlaceAction.Kind) -> PlaceAction {
        PlaceAction(exchange: exchange, core: core, kind: kind)
    }

    private func grant(_ holder: Admission.Holder, _ pace: Admission.Pace = .upstream) -> PlaceAction.Kind {
        .granted(PlaceGrant(holder: holder, pace: pace))
    }

    /// A table in which responses of two loops that must leave hold both brief places of `a`. The place of their kind
    /// is taken too.
    private func withTwoThatMustLeave() -> PlaceTable {
        var table = table(each: 2)
        #expect(table.ask(1, a, core: 0, pace: .client) == .granted)
        for (id, core) in [(2, 1), (3, 2)] as [(UInt64, Int)] {
            #expect(table.ask(id, a, core: core) == .granted)
            table.stay(id, a, core: core)
            table.mustLeave(id)
        }
        #expect(table.all == [])
        return table
    }

    // MARK: Cutting

    @Test func oneWaiterCutsOneAnswerThoughSeveralLoopsHaveOne() {
        var table = withTwoThatMustLeave()
        #expect(table.ask(4, a, core: 0) == .waits)
        #expect(table.all == [action(2, 1, .cut)])
        // The other loops look again before the first loop has cut its response.
        table.mustLeave(3)
        table.apply(settings(9, paced: 9, each: 2, eachPaced: 1))
        #expect(table.all == [])
        #expect(table.confirmCut(2) == true)
        table.release(2, a, pace: .upstream)
        #expect(table.all == [action(4, 0, grant(a))])
    }

    @Test func twoWaitersCutTwoAnswers() {
        var table = withTwoThatMustLeave()
        #expect(table.ask(4, a, core: 0) == .waits)
        #expect(table.ask(5, a, core: 0) == .waits)
        #expect(table.all == [action(2, 1, .cut), action(3, 2, .cut)])
    }

    @Test func anAnswerIsNotCutForOneWhoWouldNotGetItsPlace() {
        var table = table(each: 1)
        #expect(table.ask(1, a, core: 0, pace: .client) == .granted)
        #expect(table.ask(2, a, core: 1) == .granted)
        table.stay(2, a, core: 1)
        table.mustLeave(2)
        #expect(table.ask(3, b, core: 0) == .granted)
        #expect(table.ask(4, b, core: 0) == .waits)
        #expect(table.all == [])
    }

    @Test func anAnswerThatMayStayIsNotCut() {
        var table = table(each: 1)
        #expect(table.ask(1, a, core: 0, pace: .client) == .granted)
        #expect(table.ask(2, a, core: 1) == .granted)
        table.stay(2, a, core: 1)
        #expect(table.ask(3, a, core: 0) == .waits)
        #expect(table.all == [])
        table.mustLeave(2)
        #expect(table.all == [action(2, 1, .cut)])
    }

    @Test func anAnswerIsNotCutWhereWhoWaitedHasLeftMeanwhile() {
        var table = withTwoThatMustLeave()
        #expect(table.ask(4, a, core: 0) == .waits)
        #expect(table.all == [action(2, 1, .cut)])
        table.withdraw(4)
        #expect(table.confirmCut(2) == false)
        #expect(table.ask(5, a, core: 0) == .waits)
        #expect(table.all == [action(2, 1, .cut)])
    }

    @Test func anAnswerThatIsToBeCutMovesWhereItsPlaceComesFreeMeanwhile() {
        var table = withTwoThatMustLeave()
        #expect(table.ask(4, a, core: 0) == .waits)
        #expect(table.all == [action(2, 1, .cut)])
        table.release(1, a, pace: .client)
        #expect(table.all == [action(2, 1, .moved), action(4, 0, grant(a))])
        #expect(table.confirmCut(2) == false)
    }

    // MARK: Moving

    @Test func aFreedPlaceGoesFirstToWhoMoves() {
        var table = table(each: 2)
        #expect(table.ask(1, a, core: 0, pace: .client) == .granted)
        #expect(table.ask(2, a, core: 0, pace: .client) == .waits)
        #expect(table.ask(3, a, core: 1) == .granted)
        table.stay(3, a, core: 1)
        #expect(table.all == [])
        table.release(1, a, pace: .client)
        #expect(table.all == [action(3, 1, .moved)])
        table.release(3, a, pace: .upstream)
        #expect(table.all == [action(2, 0, grant(a, .client))])
    }

    @Test func whoAsksBeforeAnotherLoopLooksDoesNotTakeThePlaceOfWhoMoves() {
        var table = table(each: 2)
        #expect(table.ask(1, a, core: 0, pace: .client) == .granted)
        #expect(table.ask(2, a, core: 1) == .granted)
        table.stay(2, a, core: 1)
        table.release(1, a, pace: .client)
        #expect(table.ask(3, a, core: 0, pace: .client) == .waits)
        #expect(table.all == [action(2, 1, .moved)])
    }

    @Test func whoAsksBeforeAnotherLoopLooksDoesNotOvertakeWhoWaits() {
        var table = table(each: 1)
        #expect(table.ask(1, a, core: 0) == .granted)
        #expect(table.ask(2, a, core: 1) == .waits)
        table.release(1, a, pace: .upstream)
        #expect(table.ask(3, a, core: 0) == .waits)
        #expect(table.all == [action(2, 1, grant(a))])
    }

    @Test func anAnswerThatEndsBeforeItHearsThatItMovedGivesTheOtherPlaceBack() {
        var table = table(each: 1)
        #expect(table.ask(1, a, core: 0) == .granted)
        table.stay(1, a, core: 0)
        #expect(table.admission.brief.taken == 0 && table.admission.paced.taken == 1)
        table.release(1, a, pace: .upstream)
        #expect(table.admission.brief.taken == 0 && table.admission.paced.taken == 0)
    }

    @Test func anAnswerThatMovedDoesNotStayAgain() {
        var table = table(each: 1, eachPaced: 2)
        #expect(table.ask(1, a, core: 0) == .granted)
        table.stay(1, a, core: 0)
        table.stay(1, a, core: 0)
        #expect(table.all == [action(1, 0, .moved)])
        #expect(table.admission.paced.taken == 1)
    }

    // MARK: Actions

    @Test func eachActionIsHandedOutOnce() {
        var table = table(each: 1)
        #expect(table.ask(1, a, core: 0) == .granted)
        #expect(table.ask(2, a, core: 1) == .waits)
        table.release(1, a, pace: .upstream)
        #expect(table.next() == action(2, 1, grant(a)))
        #expect(table.next() == nil)
    }

    @Test func whoLeavesBeforeItsGrantIsTakenOnLetsTheNextOneHaveIt() {
        var table = table(each: 1)
        #expect(table.ask(1, a, core: 0) == .granted)
        #expect(table.ask(2, a, core: 1) == .waits)
        #expect(table.ask(3, a, core: 2) == .waits)
        table.release(1, a, pace: .upstream)
        table.withdraw(2)
        #expect(table.all == [action(3, 2, grant(a))])
        #expect(table.admission.active == 1)
    }

    @Test func aGrantThatFindsItsExchangeGoneGoesToTheNextOne() {
        var table = table(each: 1)
        #expect(table.ask(1, a, core: 0) == .granted)
        #expect(table.ask(2, a, core: 1) == .waits)
        #expect(table.ask(3, a, core: 2) == .waits)
        table.release(1, a, pace: .upstream)
        #expect(table.next() == action(2, 1, grant(a)))
        table.giveBack(PlaceGrant(holder: a, pace: .upstream))
        #expect(table.all == [action(3, 2, grant(a))])
    }

    @Test func whoIsReplacedIsToldOnItsLoopAndHasLeftTheQueue() {
        var table = table(each: 1)
        #expect(table.ask(1, a, core: 0) == .granted)
        #expect(table.ask(2, a, core: 1, turn: CallTurn(client: "crowd")) == .waits)
        #expect(table.ask(3, a, core: 2, turn: CallTurn(client: "crowd")) == .waits)
        #expect(table.ask(4, a, core: 0, turn: CallTurn(client: "one")) == .waits)
        #expect(table.all == [action(3, 2, .replaced)])
        #expect(table.admission.waiting == 2)
    }

    /// The request's body arrived whole in the meantime.
    @Test func whoWasReplacedInOneQueueCanBeTakenOutOfTheOther() {
        var table = table(each: 1)
        #expect(table.ask(1, a, core: 0, pace: .client) == .granted)
        #expect(table.ask(2, a, core: 0) == .granted)
        for id in 3...4 as ClosedRange<UInt64> {
            #expect(table.ask(id, a, core: 1, turn: CallTurn(client: "crowd"), pace: .client) == .waits)
        }
        #expect(table.ask(5, a, core: 0, turn: CallTurn(client: "one"), pace: .client) == .waits)
        #expect(table.all == [action(4, 1, .replaced)])
        table.withdraw(4)
        #expect(table.ask(4, a, core: 1, turn: CallTurn(client: "crowd"), hasWaited: true) == .waits)
        #expect(table.admission.brief.waiting == 1)
        table.withdraw(4)
        #expect(table.admission.brief.waiting == 0)
        table.release(2, a, pace: .upstream)
        #expect(table.all == [])
    }

    // MARK: Load

    /// Each step finds the figures of the step before, whichever thread made that step.
    @Test func theFiguresShownAreThoseOfTheLastStep() async {
        let counters = CounterRegistry()
        let places = SharedPlaces(FetchSettings(), cells: FetchCells(counters))
        let active = counters.cell(FetchCounters.active)
        let holder = a
        let isRight: @Sendable (PlaceTable) -> Bool = { active.current == $0.admission.active }
        let wrong = await withTaskGroup(returning: Int.self) { group in
            for core in 0..<8 {
                group.addTask {
                    var wrong = 0
                    for number in 0..<5000 {
                        let id = UInt64(core * 10_000 + number)
                        let (hasPlace, wasRight) = places.step { table in
                            let wasRight = isRight(table)
                            return (table.ask(id, holder, core: core) == .granted, wasRight)
                        }
                        let isRight = places.step { table in
                            let wasRight = isRight(table)
                            if hasPlace { table.release(id, holder, pace: .upstream) } else { table.withdraw(id) }
                            return wasRight
                        }
                        wrong += (wasRight ? 0 : 1) + (isRight ? 0 : 1)
                    }
                    return wrong
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
        #expect(active.current == 0)
    }
}

extension PlaceTable {
    /// The actions due now.
    fileprivate var all: [PlaceAction] {
        mutating get {
            var all: [PlaceAction] = []
            while let action = next() { all.append(action) }
            return all
        }
    }
}
