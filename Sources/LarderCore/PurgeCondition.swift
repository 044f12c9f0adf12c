// Conditions for purging many entries at once. An entry must meet all conditions that are given.

/// The facts of an entry that a purge condition checks.
public struct EntryFacts: Sendable, Hashable {
    public var provider: String?
    /// "METHOD URL".
    public var label: String
    public var layer: CacheKey.Layer?
    /// When the stored response was received.
    public var receivedAt: WallTime?

    public init(provider: String?, label: String, layer: CacheKey.Layer?, receivedAt: WallTime?) {
        self.provider = provider
        self.label = label
        self.layer = layer
        self.receivedAt = receivedAt
    }

    /// The facts of a stored response.
    public init(_ entry: StoredResponse) {
        self.init(
            provider: entry.provider, label: entry.label, layer: entry.layer, receivedAt: entry.responseTime)
    }

    /// The URL of the label; nil if the label has none.
    public var url: Substring? {
        guard let space = label.firstIndex(of: " ") else { return nil }
        return label[label.index(after: space)...]
    }
}

/// Selects the entries that a purge removes or a listing shows. Nil means any.
public struct PurgeCondition: Sendable, Hashable {
    public var provider: String?
    public var layer: CacheKey.Layer?
    /// The beginning of the URL, in any spelling of it (`EquivalentURL`): an entry keeps the one that was asked for first.
    /// Upper and lower case differ in a path (RFC 3986 §6.2.2.1).
    public var prefix: String? {
        didSet { prefix = prefix.map(EquivalentURL.normalised) }
    }
    /// Selects entries whose response was received before that instant.
    public var receivedBefore: WallTime?

    public init(
        provider: String? = nil, layer: CacheKey.Layer? = nil, prefix: String? = nil, receivedBefore: WallTime? = nil
    ) {
        self.provider = provider
        self.layer = layer
        self.prefix = prefix.map(EquivalentURL.normalised)
        self.receivedBefore = receivedBefore
    }

    /// Whether all given conditions hold. A condition on a fact that is not known does not hold.
    public func holds(_ facts: EntryFacts) -> Bool {
        if let provider, facts.provider != provider { return false }
        if let layer, facts.layer != layer { return false }
        if let receivedBefore {
            guard let at = facts.receivedAt, at < receivedBefore else { return false }
        }
        if let prefix {
            guard let url = facts.url, EquivalentURL.normalised(String(url)).utf8.starts(with: prefix.utf8) else {
                return false
            }
        }
        return true
    }
}

extension CacheKey.Layer {
    /// The word for people and programs.
    public var word: String {
        switch self {
        case .raw: "raw"
        case .normalised: "results"
        case .artwork: "artwork"
        }
    }

    /// The layer with that word; nil if there is none.
    public init?(word: String) {
        guard let layer = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = layer
    }
}
