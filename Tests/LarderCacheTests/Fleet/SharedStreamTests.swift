// The chain of a fleet's removals. A missed removal is always detected.
import LarderCache
import LarderCore
import Testing

@Suite struct SharedStreamTests {
    private func nonce(_ number: UInt64) -> SharedGeneration { SharedGeneration(high: 7, low: number) }

    private func entry(_ number: UInt64, after before: UInt64?, isGenuine: Bool = true) -> SharedStreamEntry {
        SharedStreamEntry(
            id: SharedStreamID(milliseconds: number, number: 0), nonce: nonce(number), before: before.map(nonce),
            order: [UInt8(number)], isGenuine: isGenuine)
    }

    private func place(_ number: UInt64) -> SharedStreamCursor.Place {
        SharedStreamCursor.Place(id: SharedStreamID(milliseconds: number, number: 0), nonce: nonce(number))
    }

    private func tip(_ number: UInt64) -> SharedStreamEntry { entry(number, after: nil) }

    private var begun: SharedStreamCursor {
        var cursor = SharedStreamCursor()
        _ = cursor.take(tip: tip(1), entries: [])
        return cursor
    }

    @Test func whoReadsForTheFirstTimeMayHaveMissedSomething() {
        var cursor = SharedStreamCursor()
        #expect(cursor.take(tip: tip(5), entries: []) == [.gap])
        #expect(cursor.take(tip: tip(5), entries: []) == [])
    }

    @Test func entriesOfAWholeChainAreOrders() {
        var cursor = begun
        let entries = [entry(2, after: 1), entry(3, after: 2)]
        #expect(cursor.take(tip: tip(1), entries: entries) == entries.map { .order($0) })
        #expect(cursor.place == place(3))
    }

    @Test func aTrimmedStreamIsAGap() {
        var cursor = begun
        let late = entry(9, after: 8)
        #expect(cursor.take(tip: tip(9), entries: [late]) == [.gap, .order(late)])
    }

    @Test func aNewStreamIsAGap() {
        var cursor = begun
        #expect(cursor.take(tip: nil, entries: []) == [])
        #expect(cursor.take(tip: tip(0), entries: []) == [.gap])
        #expect(cursor.place == place(0))
    }

    @Test func anotherEntryOfTheSamePlaceIsAGap() {
        var cursor = begun
        var other = tip(1)
        other.nonce = nonce(99)
        #expect(cursor.take(tip: other, entries: []) == [.gap])
    }

    @Test func whatIsNotOfThisFleetIsPassedOverAndIsNoGap() {
        var cursor = begun
        let (foreign, next) = (entry(2, after: 9, isGenuine: false), entry(3, after: 1))
        #expect(cursor.take(tip: foreign, entries: [foreign]) == [.foreign(1)])
        #expect(cursor.take(tip: foreign, entries: []) == [])
        #expect(cursor.take(tip: next, entries: [next]) == [.order(next)])
        #expect(cursor.take(tip: foreign, entries: []) == [.gap], "the stream ends before the place")
    }

    @Test func aPlaceIsKeptOverARestart() {
        var cursor = SharedStreamCursor(kept: begun.text)
        #expect(cursor.take(tip: tip(1), entries: [entry(2, after: 1)]) == [.order(entry(2, after: 1))])
    }

    @Test(arguments: ["", "1-0", "x 00", "1-0 zz", "-1 7"])
    func whatIsNoPlaceIsTheFirstTime(_ text: String) { #expect(SharedStreamCursor(kept: text).place == nil) }

    @Test func ordersThatWaitAreKeptOverARestart() {
        var removals = SharedRemovals()
        removals.add("itunes", order: [1, 2])
        removals.add(nil, order: [3])
        var recalled = SharedRemovals()
        recalled.recall(removals.encoded)
        #expect(recalled.isGlobal && recalled.orders.map(\.bytes) == [[1, 2], [3]])
    }

    @Test func damagedOrdersCountAsAll() {
        var removals = SharedRemovals()
        removals.add("itunes", order: [1, 2])
        for length in 0..<removals.encoded.count {
            var recalled = SharedRemovals()
            recalled.recall(Bytes(removals.encoded.prefix(length)))
            #expect(recalled.isGlobal || recalled.providers == ["itunes"], "of \(length) bytes")
        }
    }

    @Test func tooManyOrdersDropAllThatIsShared() {
        var removals = SharedRemovals()
        for _ in 0...SharedRemovals.mostOrders { removals.add("itunes", order: [1]) }
        #expect(removals.isOverflown && removals.orders.count == SharedRemovals.mostOrders)
        removals.subtract(removals)
        #expect(removals.isEmpty)
    }

    @Test func urlsThatWaitAreKeptOverARestart() {
        var removals = SharedRemovals()
        removals.add(url: [9], of: "mine", order: [1])
        removals.add("itunes")
        var recalled = SharedRemovals()
        recalled.recall(removals.encoded)
        #expect(recalled.urls == [[9]] && recalled.providers == ["itunes"] && !recalled.isGlobal)
        #expect(recalled.orders.map(\.bytes) == [[1]])
    }

    @Test func whatAnEarlierVersionKeptIsRead() {
        // One provider and one order.
        let kept: Bytes = [0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0x61, 2, 0, 0, 0, 7, 8]
        var recalled = SharedRemovals()
        recalled.recall(kept)
        #expect(recalled.providers == ["a"] && recalled.orders.map(\.bytes) == [[7, 8]] && !recalled.isGlobal)
    }

    @Test func tooManyURLsAreTheirWholeProvider() {
        var removals = SharedRemovals()
        for number in 0...SharedRemovals.mostOrders { removals.add(url: Bytes(text: "\(number)"), of: "mine") }
        #expect(removals.providers == ["mine"] && removals.urls.count == SharedRemovals.mostOrders)
    }

    @Test func aURLThatIsRemovedAgainWhileItIsToldIsToldAgain() {
        var removals = SharedRemovals()
        removals.add(url: [1], of: "mine")
        let told = removals
        removals.add(url: [1], of: "mine")
        removals.subtract(told)
        #expect(removals.urls == [[1]])
    }

    @Test func whatAnotherTierCouldNotTellIsAdded() {
        var removals = SharedRemovals()
        removals.add("itunes", order: [1])
        var other = SharedRemovals()
        other.add(url: [2], of: "mine", order: [3])
        removals.merge(other)
        #expect(removals.providers == ["itunes"] && removals.urls == [[2]])
        #expect(removals.orders.map(\.bytes) == [[1], [3]])
    }
}
