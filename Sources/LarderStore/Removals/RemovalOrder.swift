// A removal that one host sends to another: what to remove, in the byte layout of a journal record.
import LarderCore

/// What another host must remove.
public struct RemovalOrder: Sendable {
    public var selector: PurgeSelector
    /// Whether to expire instead of remove.
    public var isSoft: Bool
    /// The provider of a single key's entry, if it is known.
    public var provider: String?

    public init(selector: PurgeSelector, isSoft: Bool, provider: String? = nil) {
        self.selector = selector
        self.isSoft = isSoft
        self.provider = provider
    }

    public var encoded: Bytes {
        Tombstone(number: 0, selector: selector, isSoft: isSoft, provider: provider, at: WallTime(milliseconds: 0))
            .journalBytes
    }

    /// Nil if the bytes are no valid order.
    public init?(encoded bytes: Bytes) {
        guard let tombstone = Tombstone(journal: bytes) else { return nil }
        self.init(selector: tombstone.selector, isSoft: tombstone.isSoft, provider: tombstone.provider)
    }
}
