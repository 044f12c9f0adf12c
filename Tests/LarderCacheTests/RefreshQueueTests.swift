// Refreshes when a provider returns, by value: each entry requested while it was away is refreshed once, the latest
// first.
import LarderCache
import LarderCore
import Testing

@Suite struct RefreshQueueTests {
    private func key(_ name: String) -> Digest { Digest(of: Bytes(text: name)) }

    private func drain(_ queue: inout RefreshQueue<String>, _ provider: String) -> [String] {
        var items: [String] = []
        while let (_, item) = queue.next(provider) { items.append(item) }
        return items
    }

    @Test func onlyWhatIsAskedForWhileItIsAwayIsKept() {
        var queue = RefreshQueue<String>(limit: 10)
        #expect(queue.asked("itunes", key("early"), "early") == .notAway)
        queue.left("itunes")
        #expect(queue.asked("itunes", key("a"), "a") == .added)
        #expect(queue.asked("newsapi", key("n"), "n") == .notAway)
        let drained1 = drain(&queue, "itunes")
        #expect(drained1.isEmpty, "nothing before it is back")
        let begins = queue.returned("itunes")
        #expect(begins)
        #expect(queue.asked("itunes", key("late"), "late") == .notAway)
        let drained2 = drain(&queue, "itunes")
        #expect(drained2 == ["a"])
        #expect(queue.count == 0)
    }

    @Test func eachOnceAndTheLatestFirst() {
        var queue = RefreshQueue<String>(limit: 10)
        queue.left("itunes")
        for name in ["a", "b", "c"] { _ = queue.asked("itunes", key(name), name) }
        #expect(queue.asked("itunes", key("a"), "a again") == .renewed)
        #expect(queue.count == 3)
        let begins = queue.returned("itunes")
        #expect(begins)
        let drained3 = drain(&queue, "itunes")
        #expect(drained3 == ["a again", "c", "b"])
    }

    @Test func theOldestMakesRoom() {
        var queue = RefreshQueue<String>(limit: 2)
        queue.left("itunes")
        _ = queue.asked("itunes", key("a"), "a")
        _ = queue.asked("itunes", key("b"), "b")
        #expect(queue.asked("itunes", key("c"), "c") == .displaced)
        _ = queue.returned("itunes")
        let drained4 = drain(&queue, "itunes")
        #expect(drained4 == ["c", "b"])
        var none = RefreshQueue<String>(limit: 0)
        none.left("itunes")
        #expect(none.asked("itunes", key("a"), "a") == .notAway)
    }

    @Test func theFirstFailureEndsTheRoundAndKeepsTheRest() throws {
        var queue = RefreshQueue<String>(limit: 10)
        queue.left("itunes")
        for name in ["a", "b", "c"] { _ = queue.asked("itunes", key(name), name) }
        _ = queue.returned("itunes")
        let next = queue.next("itunes")
        let (digest, item) = try #require(next)
        queue.failed("itunes", digest, item)
        let drained5 = drain(&queue, "itunes")
        #expect(drained5.isEmpty)
        #expect(queue.count == 3)
        let begins = queue.returned("itunes")
        #expect(begins, "the next return tries again")
        let drained6 = drain(&queue, "itunes")
        #expect(drained6 == ["c", "b", "a"])
    }

    @Test func oneRoundAtATimeAndNoneWhileItIsAwayAgain() throws {
        var queue = RefreshQueue<String>(limit: 10)
        queue.left("itunes")
        for name in ["a", "b", "c"] { _ = queue.asked("itunes", key(name), name) }
        let first = queue.returned("itunes")
        let second = queue.returned("itunes")
        #expect(first && !second)
        _ = queue.next("itunes")
        queue.left("itunes")
        let drained7 = drain(&queue, "itunes")
        #expect(drained7.isEmpty)
        #expect(queue.count == 2)
        let third = queue.returned("itunes")
        #expect(third)
    }

    @Test func whatMustWaitIsTheNextAgain() throws {
        var queue = RefreshQueue<String>(limit: 10)
        queue.left("itunes")
        for name in ["a", "b"] { _ = queue.asked("itunes", key(name), name) }
        _ = queue.returned("itunes")
        let next = queue.next("itunes")
        let (digest, item) = try #require(next)
        queue.putBack("itunes", digest, item)
        let again = queue.next("itunes")
        #expect(again?.item == item)
        queue.putBack("itunes", digest, item)
        #expect(queue.giveUp("itunes") == 2)
        let drained8 = drain(&queue, "itunes")
        #expect(drained8.isEmpty && queue.count == 0)
    }
}
