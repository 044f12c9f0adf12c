// What was asked for while a provider was away and answered stale: when it is back these are refreshed, one at a time,
// the last one asked for first. Nobody waits for them, so a failure ends the round at once and the rest is kept for the
// next return.
import LarderCore

/// The stale entries in demand, by provider. A value; `Item` is whatever its owner needs to refresh one.
public struct RefreshQueue<Item: Sendable>: Sendable {
    /// What became of a demand.
    public enum Noted: Sendable, Hashable {
        /// The provider is there: whoever asked has its refresh under way.
        case notAway
        case added
        /// It was noted before and is now the latest.
        case renewed
        /// Added in place of the one that was asked for longest ago.
        case displaced
    }

    @usableFromInline
    struct Waiting: Sendable {
        @usableFromInline var isAway = false
        @usableFromInline var isRunning = false
        /// The one asked for longest ago first.
        @usableFromInline var order: [Digest] = []
        @usableFromInline var items: [Digest: Item] = [:]

        @inlinable init() {}
    }

    @usableFromInline var providers: [String: Waiting] = [:]
    /// Entries of one provider; zero keeps none.
    public var limit: Int

    @inlinable
    public init(limit: Int) {
        self.limit = limit
    }

    /// All that wait, of every provider.
    @inlinable
    public var count: Int { providers.values.reduce(0) { $0 + $1.order.count } }

    /// The provider cannot be had from now on.
    @inlinable
    public mutating func left(_ provider: String) {
        providers[provider, default: Waiting()].isAway = true
    }

    /// The provider can be had again. True where a round begins by this: its owner then asks for `next` until there is
    /// none.
    @inlinable
    public mutating func returned(_ provider: String) -> Bool {
        guard var waiting = providers[provider] else { return false }
        waiting.isAway = false
        let begins = !waiting.isRunning && !waiting.order.isEmpty
        if begins { waiting.isRunning = true }
        providers[provider] = waiting
        return begins
    }

    /// A stale entry was asked for.
    ///
    /// - Parameter hasFailed: its own refresh has just failed: it counts though the provider is not known to be away.
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

    /// The next one to refresh; it is taken out. Nil where the round is over: nothing is left, or the provider is away.
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

    /// It could not be refreshed: it is kept, and the round is over.
    @inlinable
    public mutating func failed(_ provider: String, _ key: Digest, _ item: Item) {
        putBack(provider, key, item)
        providers[provider]?.isRunning = false
    }

    /// It cannot be refreshed yet: it is the next one again.
    @inlinable
    public mutating func putBack(_ provider: String, _ key: Digest, _ item: Item) {
        guard var waiting = providers[provider], waiting.items[key] == nil, waiting.order.count < limit else { return }
        waiting.items[key] = item
        waiting.order.append(key)
        providers[provider] = waiting
    }

    /// Ends the round and forgets what waits. Returns how many that were.
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

    /// Forgets everything that waits, as after a change of settings. A round under way ends by finding nothing.
    @inlinable
    public mutating func forgetAll() {
        for provider in providers.keys {
            providers[provider]?.order = []
            providers[provider]?.items = [:]
        }
    }
}
