// What the store shows of its entries to a person: values only.
import LarderCore

/// In which order entries are shown.
public enum EntryOrder: String, Sendable, CaseIterable {
    /// By the length of the body.
    case largest
    /// By the uses that are known since the start.
    case mostUsed
    /// By the time of storing.
    case oldest
    case newest
    /// Those that are fresh, by the end of their freshness.
    case soonStale
    /// By the last use that is written down, to the minute.
    case recentlyUsed
}

/// Which entries are asked for.
public struct EntryQuestion: Sendable {
    public var order: EntryOrder
    /// One of them must hold; any entry is meant where there is none.
    public var conditions: [PurgeCondition]
    /// Only these and what was made from them; empty for any.
    public var digests: [Digest]
    /// At most so many.
    public var limit: Int

    public init(
        order: EntryOrder = .newest, conditions: [PurgeCondition] = [], digests: [Digest] = [], limit: Int = 50
    ) {
        self.order = order
        self.conditions = conditions
        self.digests = digests
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
    /// Of the body as it is stored, in bytes.
    public var size: Int64
    /// Uses since the start of the daemon; nil where none is known.
    public var uses: Int?
    public var receivedAt: WallTime
    public var freshUntil: WallTime
    public var staleUntil: WallTime
    public var lastUsed: WallTime
}

/// What was found.
public struct EntryListing: Sendable {
    public var entries: [EntrySummary] = []
    /// Every entry was looked at that could be among them. False where that would have taken too long: then these are the
    /// ones among those that were looked at.
    public var isComplete = true

    /// Nothing, found completely.
    public init() {}
}

/// One entry with those that belong to it.
public struct EntryDetail: Sendable {
    public var entry: EntrySummary
    public var key: CacheKey
    /// What it was made from; those of them that are stored.
    public var parents: [EntrySummary] = []
    /// What was made from it.
    public var children: [EntrySummary] = []
    /// Other answers of the same URL.
    public var variants: [EntrySummary] = []
}

/// What a purge would take.
public struct PurgePreview: Sendable {
    public var entries = 0
    /// Of their bodies.
    public var bytes: Int64 = 0
    /// Of some of them.
    public var labels: [String] = []
    /// All entries were looked at; false where that would have taken too long.
    public var isComplete = true

    /// Labels that are given.
    public static let mostLabels = 20
}
