// What a purge of many entries means by several marks at once. All that are given must hold.

/// What a purge may ask of an entry.
public struct EntryFacts: Sendable, Hashable {
    public var provider: String?
    /// "METHOD URL".
    public var label: String
    public var layer: CacheKey.Layer?
    /// When its answer came.
    public var receivedAt: WallTime?

    public init(provider: String?, label: String, layer: CacheKey.Layer?, receivedAt: WallTime?) {
        self.provider = provider
        self.label = label
        self.layer = layer
        self.receivedAt = receivedAt
    }

    /// Those of a whole entry.
    public init(_ entry: StoredResponse) {
        self.init(
            provider: entry.provider, label: entry.label, layer: entry.layer, receivedAt: entry.responseTime)
    }

    /// The URL of the label; nil where it has none.
    public var url: Substring? {
        guard let space = label.firstIndex(of: " ") else { return nil }
        return label[label.index(after: space)...]
    }
}

/// Which entries a purge takes, or a listing shows. Nil means any.
public struct PurgeCondition: Sendable, Hashable {
    public var provider: String?
    public var layer: CacheKey.Layer?
    /// What the URL begins with, byte by byte: upper and lower case differ in a path (RFC 3986 §6.2.2.1).
    public var prefix: String?
    /// Entries whose answer came before that instant.
    public var receivedBefore: WallTime?

    public init(
        provider: String? = nil, layer: CacheKey.Layer? = nil, prefix: String? = nil, receivedBefore: WallTime? = nil
    ) {
        self.provider = provider
        self.layer = layer
        self.prefix = prefix
        self.receivedBefore = receivedBefore
    }

    /// Whether all that is asked holds. What is not known of an entry does not.
    public func holds(_ facts: EntryFacts) -> Bool {
        if let provider, facts.provider != provider { return false }
        if let layer, facts.layer != layer { return false }
        if let receivedBefore {
            guard let at = facts.receivedAt, at < receivedBefore else { return false }
        }
        if let prefix {
            guard let url = facts.url, url.utf8.starts(with: prefix.utf8) else { return false }
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

    /// The layer of that word.
    public init?(word: String) {
        guard let layer = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = layer
    }
}
