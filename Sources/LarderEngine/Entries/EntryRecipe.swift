// How an entry is found and made. An entry has a key of its own, or is one of several under a URL that the fields of a
// request select.
import LarderCache
import LarderCore

/// How one kind of entry is found and made.
public struct EntryRecipe: Sendable {
    /// What a fetch is told of the request that leads it.
    struct Order: Sendable {
        /// The result of the look-up. It holds a whole body, so it is nil for a recipe that has no use for it.
        var found: EntryCache.Found?
        /// A stale entry can stand in if the fetch fails.
        var hasFallback = false
        /// No client waits for the fetch, so the client's own directives do not count.
        var isRefresh = false
    }

    private enum Kind: Sendable {
        case keyed(EntryCache, CacheKey, make: @Sendable (_ hasFallback: Bool, FlightVoice) async -> FlightResult)
        case selected(PassSelection)
    }

    let provider: String
    private let kind: Kind

    /// The recipe of an entry with a key of its own.
    /// - Parameter make: fetches, classifies and stores, and ends when the row is committed or refused.
    public init(
        _ cache: EntryCache, _ key: CacheKey, provider: String,
        make: @escaping @Sendable (_ hasFallback: Bool) async -> FlightResult
    ) {
        self.provider = provider
        kind = .keyed(cache, key) { hasFallback, _ in await make(hasFallback) }
    }

    /// The recipe of an entry whose body may go out while it arrives.
    init(
        _ cache: EntryCache, _ key: CacheKey, announcing make: @escaping @Sendable (FlightVoice) async -> FlightResult,
        provider: String
    ) {
        self.provider = provider
        kind = .keyed(cache, key) { _, voice in await make(voice) }
    }

    /// The recipe of an entry that is one of several under a URL.
    public init(_ selection: PassSelection, provider: String) {
        self.provider = provider
        kind = .selected(selection)
    }

    private var selection: PassSelection? {
        if case .selected(let selection) = kind { selection } else { nil }
    }

    func find() async -> EntryCache.Found {
        switch kind {
        case .keyed(let cache, let key, _): await cache.lookUp(key, of: provider)
        case .selected(let selection): await selection.find()
        }
    }

    /// What `find` would find, if it is certain without waiting that nothing is stored.
    var absent: EntryCache.Found? { selection?.absent }

    func flightKey(_ found: EntryCache.Found) -> Digest {
        switch kind {
        case .keyed(_, let key, _): key.digest
        case .selected(let selection): selection.flightKey(found)
        }
    }

    /// The range that the request asks for, for a fetch that may store the response as a part.
    var part: PartPlan? { selection?.part }

    var removable: Digest {
        switch kind {
        case .keyed(_, let key, _): key.digest
        case .selected(let selection): selection.removable
        }
    }

    func selects(_ made: Made, _ found: EntryCache.Found) -> Bool { selection?.selects(made, found) ?? true }

    func order(_ found: EntryCache.Found, hasFallback: Bool, isRefresh: Bool = false) -> Order {
        Order(found: selection.map { _ in found }, hasFallback: hasFallback, isRefresh: isRefresh)
    }

    /// What does the work of `make` without a task; nil if the work is not plain enough.
    func exchange(_ order: Order) -> PassExchange? {
        guard !order.isRefresh, let found = order.found else { return nil }
        return selection?.exchange(found)
    }

    func make(_ order: Order, _ voice: FlightVoice) async -> FlightResult {
        switch kind {
        case .keyed(_, _, let make): await make(order.hasFallback, voice)
        case .selected(let selection): await selection.make(order, voice)
        }
    }
}
