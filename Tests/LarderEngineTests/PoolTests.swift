// Dealing from a pool: no two consecutive items are equal, every item is dealt before any is repeated, and nothing
// grows without bound.
import LarderCore
import LarderProviders
import Testing

@testable import LarderEngine

@Suite struct PoolTests {
    /// A generator whose numbers repeat for the same seed.
    private final class Dice {
        private var state: UInt64
        init(_ seed: UInt64) { state = seed }

        func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
    }

    @Test(arguments: [2, 3, 4, 5, 10, 40])
    func noTwoRunningAreTheSameAndAllComeBeforeAnyComesAgain(_ size: Int) {
        let ids = (0..<size).map { "joke \($0)" }
        for seed in 1...20 {
            let dice = Dice(UInt64(seed))
            var round = PoolRound()
            let dealt = (0..<size * 10).flatMap { _ in round.deal(1, of: ids, random: dice.next) }
            #expect(dealt.count == size * 10)
            #expect(Set(dealt.prefix(size)).count == size)
            #expect(zip(dealt, dealt.dropFirst()).allSatisfy { $0 != $1 })
            // An item is repeated after half of the others at the earliest.
            for (place, one) in dealt.enumerated() {
                #expect(!dealt[(place + 1)...].prefix(size / 2).contains(one))
            }
            #expect(round.dealt.count <= size)
        }
    }

    @Test func aHandHoldsNothingTwice() {
        let dice = Dice(3)
        let ids = ["a", "b", "c", "d", "e"]
        var round = PoolRound()
        for _ in 0..<50 {
            let hand = round.deal(3, of: ids, random: dice.next)
            #expect(Set(hand).count == 3)
        }
        #expect(Set(round.deal(9, of: ids, random: dice.next)) == [0, 1, 2, 3, 4], "no more than there are")
        #expect(round.deal(1, of: [], random: dice.next).isEmpty)
        #expect(round.deal(1, of: ["only"], random: dice.next) == [0])
        #expect(round.deal(1, of: ["only"], random: dice.next) == [0], "one alone is dealt again")
    }

    @Test func onlyWhatFitsIsDealt() {
        let dice = Dice(4)
        let ids = ["a", "b", "c", "d"]
        var round = PoolRound()
        for _ in 0..<20 {
            let hand = round.deal(1, of: ids, where: { $0 % 2 == 0 }, random: dice.next)
            #expect(hand == [0] || hand == [2])
        }
        #expect(round.deal(1, of: ids, where: { _ in false }, random: dice.next).isEmpty)
        // Items that left the pool are forgotten.
        _ = round.deal(1, of: ["x", "y"], random: dice.next)
        #expect(round.dealt.allSatisfy { ["x", "y"].contains($0) })
    }

    @Test func aPoolIsFilledUpOnceInAPauseWhenHalfIsDealt() {
        let dice = Dice(5)
        let key = Digest(of: Bytes(text: "pool"))
        let ids = ["a", "b", "c", "d"]
        var book = PoolRounds()
        var wishes: [Int] = []
        for second in 0..<25 {
            let wants = book.deal(
                1, from: key, ids: ids, where: { _ in true },
                now: MonotonicTime(nanoseconds: Int64(second) * 1_000_000_000),
                pause: .seconds(10),
                random: dice.next
            ).wantsRefill
            if wants { wishes.append(second) }
        }
        #expect(wishes == [1, 11, 21])
        book.filled(key, now: MonotonicTime(nanoseconds: 30_000_000_000), pause: .seconds(10))
        let early = book.deal(
            1, from: key, ids: ids, where: { _ in true }, now: MonotonicTime(nanoseconds: 39_000_000_000),
            pause: .seconds(10),
            random: dice.next)
        #expect(!early.wantsRefill)
    }

    @Test func asManyPoolsAreRememberedAsAreInUse() {
        let dice = Dice(6)
        var book = PoolRounds()
        for number in 0..<PoolRounds.limit * 3 {
            let key = Digest(of: Bytes(text: "pool \(number)"))
            _ = book.deal(
                1, from: key, ids: ["a"], where: { _ in true }, now: MonotonicTime(nanoseconds: 0), pause: .seconds(1),
                random: dice.next)
        }
        #expect(book.count == PoolRounds.limit)
    }

    @Test func aRowGivesBackWhatWasPutIn() {
        let answers = [
            PooledAnswer(id: "a \"b\"", body: Bytes(text: "{ \"id\" : 1 }")),
            PooledAnswer(id: "ü", body: Bytes(text: "[]")),
        ]
        var row = StoredResponse(
            key: CacheKey(layer: .raw, provider: "p", endpoint: "e", parameters: []), layer: .raw, provider: "p",
            endpoint: "e", body: PoolRow.encode(answers), requestTime: WallTime(seconds: 0),
            responseTime: WallTime(seconds: 0), freshUntil: WallTime(seconds: 0), staleUntil: WallTime(seconds: 0))
        #expect(PoolRow.answers(row) == answers)
        row.body = Bytes(text: "<html>")
        #expect(PoolRow.answers(row).isEmpty)
        let more = (0..<50).map { PooledAnswer(id: "\($0)", body: []) }
        let merged = PoolRow.merged(more, into: answers + [more[3]], most: 40)
        #expect(merged.count == 40 && Set(merged.map(\.id)).count == 40)
        #expect(PoolRow.merged([answers[0]], into: answers, most: 40) == answers)
    }
}
