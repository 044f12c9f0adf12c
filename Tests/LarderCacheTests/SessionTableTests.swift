// Sessions, by value: which session replaces which, and how many are remembered.
import LarderCache
import LarderCore
import Testing

@Suite struct SessionTableTests {
    private let start = Sample.moment.monotonic

    private func table(_ most: Int = 3, _ lifetime: Duration = .seconds(60)) -> SessionTable {
        SessionTable(maxSessions: most, lifetime: lifetime)
    }

    @Test func aNewerQuestionTakesTheOlderOnesPlace() {
        var table = table()
        let first = table.enter("a", asking: Bytes(text: "m"), now: start)
        let second = table.enter("a", asking: Bytes(text: "mi"), now: start)
        #expect(first.superseded == nil && first.isNew)
        #expect(second.superseded == first.turn && second.isNew)
        #expect(second.turn != first.turn)
        let third = table.enter("a", asking: Bytes(text: "m"), now: start)
        #expect(third.superseded == second.turn, "an old question asked again is a newer one")
        #expect(third.turn != first.turn)
        #expect(table.count == 1)
    }

    @Test func theSameQuestionAgainSharesItsTurn() {
        var table = table()
        let first = table.enter("a", asking: Bytes(text: "m"), now: start)
        let again = table.enter("a", asking: Bytes(text: "m"), now: start + .seconds(1))
        #expect(again.turn == first.turn)
        #expect(!again.isNew && again.superseded == nil)
    }

    @Test func aQuestionThatArrivesAfterAHigherNumberHasNoPlace() {
        var table = table()
        let newer = table.enter("a", asking: Bytes(text: "mil"), sequence: 3, now: start)
        let late = table.enter("a", asking: Bytes(text: "mi"), sequence: 2, now: start)
        #expect(late.isOutdated && late.superseded == nil)
        let again = table.enter("a", asking: Bytes(text: "mil"), sequence: 3, now: start)
        #expect(again.turn == newer.turn && !again.isOutdated, "the newer one has kept its place")
    }

    @Test func theHighestNumberCountsAlsoWhereItRepeatedAQuestion() {
        var table = table()
        _ = table.enter("a", asking: Bytes(text: "m"), sequence: 1, now: start)
        _ = table.enter("a", asking: Bytes(text: "m"), sequence: 5, now: start)
        #expect(table.enter("a", asking: Bytes(text: "mi"), sequence: 4, now: start).isOutdated)
    }

    @Test func ofEqualNumbersTheLaterQuestionTakesThePlace() {
        var table = table()
        let one = table.enter("a", asking: Bytes(text: "m"), sequence: 1, now: start)
        #expect(table.enter("a", asking: Bytes(text: "mi"), sequence: 1, now: start).superseded == one.turn)
    }

    @Test func aQuestionWithoutANumberTakesThePlaceOfANumberedOne() {
        var table = table()
        let one = table.enter("a", asking: Bytes(text: "m"), sequence: 7, now: start)
        #expect(table.enter("a", asking: Bytes(text: "mi"), now: start).superseded == one.turn)
        #expect(table.enter("a", asking: Bytes(text: "mil"), sequence: 6, now: start).isOutdated, "7 came before")
    }

    @Test func sessionsDoNotDisturbEachOther() {
        var table = table()
        let one = table.enter("a", asking: Bytes(text: "m"), now: start)
        let other = table.enter("b", asking: Bytes(text: "mi"), now: start)
        #expect(other.superseded == nil && one.turn != other.turn)
        let next = table.enter("a", asking: Bytes(text: "mil"), now: start)
        #expect(next.superseded == one.turn)
    }

    @Test func theLeastRecentlyUsedMakesRoom() {
        var table = table(2)
        let a = table.enter("a", asking: [1], now: start)
        let b = table.enter("b", asking: [1], now: start + .seconds(1))
        _ = table.enter("a", asking: [1], now: start + .seconds(2))
        let c = table.enter("c", asking: [1], now: start + .seconds(3))
        #expect(c.forgotten == [b.turn] && c.displaced == 1)
        #expect(table.count == 2)
        let kept = table.enter("a", asking: [1], now: start + .seconds(4))
        #expect(kept.turn == a.turn)
    }

    @Test func whatWasNotUsedForItsLifetimeIsForgotten() {
        var table = table(10)
        let a = table.enter("a", asking: [1], now: start)
        let late = table.enter("a", asking: [2], now: start + .seconds(60))
        #expect(late.superseded == nil, "nobody waits for it any more")
        #expect(late.forgotten == [a.turn] && late.displaced == 0)
        let b = table.enter("b", asking: [1], now: start + .seconds(200))
        #expect(b.forgotten == [late.turn] && table.count == 1)
    }
}
