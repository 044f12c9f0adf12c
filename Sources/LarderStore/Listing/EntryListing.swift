// Values that show the store's entries to a person.
import LarderCore

/// The order in which entries are shown.
public enum EntryOrder: String, Sendable, CaseIterable {
    /// By the length of the body.
    case largest
    /// By the last use as stored, to the minute.
    case recentlyUsed
}

/// Which entries to list.
public struct EntryQuestion: Sendable {
    public var order: EntryOrder
    /// An entry must meet one of these; without any, every entry is meant.
    public var conditions: [PurgeCondition]
    /// The most entries to return.
    public var limit: Int
    /// The longest time of the look. After it the result is what was seen until then.
    public var time = SQLiteStore.listingTime
    /// Where an earlier look of the same order ended.
    public var after: EntryPlace?

    public init(order: EntryOrder = .recentlyUsed, conditions: [PurgeCondition] = [], limit: Int = 50) {
        self.order = order
        self.conditions = conditions
        self.limit = limit
    }

    /// Whether such an entry is meant.
    func takes(_ facts: EntryFacts) -> Bool { conditions.isEmpty || conditions.contains { $0.holds(facts) } }
}

/// One entry without its body.
public struct EntrySummary: Sendable, Hashable {
    public var digest: Digest
    public var provider: String
    public var layer: CacheKey.Layer
    /// "METHOD URL", without credentials.
    public var label: String
    public var status: Int
    /// Bytes of the body as it is stored.
    public var size: Int64
    /// Uses since the start of the daemon; nil if not known.
    public var uses: Int?
    public var receivedAt: WallTime
    public var freshUntil: WallTime
    public var staleUntil: WallTime
    public var lastUsed: WallTime
}

/// A place in an order of entries.
public struct EntryPlace: Sendable, Hashable {
    var id: Int64
    var lastUsed = Int64.max

    /// The place as text, for a client to give back.
    public var text: String { lastUsed == .max ? "\(id)" : "\(id).\(lastUsed)" }

    init(id: Int64, lastUsed: Int64 = .max) { (self.id, self.lastUsed) = (id, lastUsed) }

    /// Nil if the text is not a place.
    public init?(text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int64($0) }
        switch (parts.count, parts.first, parts.last) {
        case (1, .some(.some(let id)), _): self.init(id: id)
        case (2, .some(.some(let id)), .some(.some(let used))): self.init(id: id, lastUsed: used)
        default: return nil
        }
    }
}

/// The entries that were found.
public struct EntryListing: Sendable {
    public var entries: [EntrySummary] = []
    /// Whether every entry that could belong to the list was looked at. False if that would have taken too long: then
    /// the list is the best of those that were looked at.
    public var isComplete = true
    /// Where the look ended, if it is not complete. A look that begins here finds what was not looked at.
    public var next: EntryPlace?

    /// An empty and complete listing.
    public init() {}
}

/// One entry with its relatives.
public struct EntryDetail: Sendable {
    public var entry: EntrySummary
    public var key: CacheKey
    /// The stored entries that it was made from.
    public var parents: [EntrySummary] = []
    /// The entries made from it.
    public var children: [EntrySummary] = []
    /// Other answers of the same URL.
    public var variants: [EntrySummary] = []
}
