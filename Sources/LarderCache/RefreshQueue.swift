// Remembers the entries that were requested and answered stale while their provider was away. When the provider is back
// they are refreshed one at a time, the last one requested first. No request waits for them, so a failure ends the
// round at once and the rest is kept for the next return.
import LarderCore

/// The requested stale entries, by provider. A value. `Item` is what the owner needs to refresh an entry.
public struct RefreshQueue<Item: Sendable>: Sendable {
    /// The result of noting a request.
    public enum Noted: Sendable, Hashable {
        /// The provider is not away, so the request has started a refresh itself.
        case notAway
        case added
        /// The entry was noted before and is now the latest.
        case renewed
        /// The entry was added in place of the least recently requested one.
        case displaced
    }

    @usableFromInline
    struct Waiting: Sendable {
        @usableFromInline var isAway = false
        @usableFromInline var isRunning = false
        /// The least recently requested first.
        @usableFromInline var order: [Digest] = []
        @usableFromInline var items: [Digest: Item] = [:]

        @inlinable init() {}
    }

    @usableFromInline var providers: [String: Waiting] = [:]
    /// The most entries of one provider; zero keeps none.
    public var limit: Int

    @inlinable
    public init(limit: Int) {
        self.limit = limit
    }

    /// The number of entries that wait, of all providers.
    @inlinable
    public var count: Int { providers.values.reduce(0) { $0 + $1.order.count } }

    /// Records that the provider is away.
    @inlinable
    public mutating func left(_ provider: String) {
        providers[provider, default: Waiting()].isAway = true
    }

    /// Records that the provider is back. Returns true if a round begins. The owner then calls `next` until it returns
    /// nil.
    @inlinable
    public mutating func returned(_ provider: String) -> Bool {
        guard var waiting = providers[provider] else { return false }
        waiting.isAway = false
        let begins = !waiting.isRunning && !waiting.order.isEmpty
        if begins { waiting.isRunning = true }
        providers[provider] = waiting
        return begins
    }

    /// Notes that a stale entry was requested.
    ///
    /// - Parameter hasFailed: whether the entry's own refresh has just failed. It is then noted even if the provider is
    ///   not known to be away.
    @inlinable
    public mutating func asked(_ provider: String, _ key: Digest, hasFailed: Bool = false, _ item: Item) -> Noted {
        guard limit > 0 else { return .notAway }
        var waiting = providers[provider] ?? Waiting()
        guard waiting.isAway || hasFailed else { return .notAway }
        var noted = Noted.added
        if waiting.items.updateValue(item, forKey: key) != nil {
            waiting.order.removeAll { $0 == key }
            noted = .renewed
        } else if waiting.order.count >= limit {
            waiting.items[waiting.order.removeFirst()] = nil
            noted = .displaced
        }
        waiting.order.append(key)
        providers[provider] = waiting
        return noted
    }

    /// Takes out the next entry to refresh. Nil if the round is over: nothing is left, or the provider is away.
    @inlinable
    public mutating func next(_ provider: String) -> (key: Digest, item: Item)? {
        guard var waiting = providers[provider], waiting.isRunning else { return nil }
        guard !waiting.isAway, let key = waiting.order.popLast(), let item = waiting.items.removeValue(forKey: key)
        else {
            waiting.isRunning = false
            providers[provider] = waiting
            return nil
        }
        providers[provider] = waiting
        return (key, item)
    }

    /// Puts back an entry whose refresh failed, and ends the round.
    @inlinable
    public mutating func failed(_ provider: String, _ key: Digest, _ item: Item) {
        putBack(provider, key, item)
        providers[provider]?.isRunning = false
    }

    /// Puts back an entry that cannot be refreshed yet. It is the next one again.
    @inlinable
    public mutating func putBack(_ provider: String, _ key: Digest, _ item: Item) {
        guard var waiting = providers[provider], waiting.items[key] == nil, waiting.order.count < limit else { return }
        waiting.items[key] = item
        waiting.order.append(key)
        providers[provider] = waiting
    }

    /// Ends the round and forgets the waiting entries. Returns their number.
    @inlinable
    public mutating func giveUp(_ provider: String) -> Int {
        guard var waiting = providers[provider] else { return 0 }
        let count = waiting.order.count
        waiting.order = []
        waiting.items = [:]
        waiting.isRunning = false
        providers[provider] = waiting
        return count
    }

    /// Forgets all waiting entries, as after a change of settings. A round under way ends because nothing is left.
    @inlinable
    public mutating func forgetAll() {
        for provider in providers.keys {
            providers[provider]?.order = []
            providers[provider]?.items = [:]
        }
    }
}
