// A removal as one host tells it to another: what to remove, as bytes of the same layout as a record of the journal.
import LarderCore

/// What another host is to remove.
public struct RemovalOrder: Sendable {
    public var selector: PurgeSelector
    /// Expire instead of remove.
    public var isSoft: Bool
    /// Whose entry a single key is, where that is known.
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

    /// Nil where the bytes are none.
    public init?(encoded bytes: Bytes) {
        guard let tombstone = Tombstone(journal: bytes) else { return nil }
        self.init(selector: tombstone.selector, isSoft: tombstone.isSoft, provider: tombstone.provider)
    }
}
