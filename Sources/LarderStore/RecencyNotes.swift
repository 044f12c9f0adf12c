// Uses are noted in memory and written in batches, since a write for each hit would turn every read into one.
// An imperfect order is accepted for a cheap hit: what was used within the last minute counts as used now.
import LarderCore

/// Which entries were used since the last flush. A value; its owner guards it.
struct RecencyNotes {
    /// With so many the writer flushes at once.
    static let batch = 1000
    /// Beyond this many, as when the disk is full, uses are forgotten.
    static let limit = 16_384

    enum Noted {
        /// The first one since the flush: the writer must set its alarm.
        case first
        case more
        /// The batch is full now.
        case batchIsFull
        case dropped
    }

    private var digests: Set<Digest> = []
    var isEmpty: Bool { digests.isEmpty }
    var count: Int { digests.count }

    mutating func note(_ digest: Digest) -> Noted {
        if digests.count >= Self.limit { return digests.contains(digest) ? .more : .dropped }
        guard digests.insert(digest).inserted else { return .more }
        if digests.count == 1 { return .first }
        return digests.count == Self.batch ? .batchIsFull : .more
    }

    /// All notes, which are forgotten here.
    mutating func take() -> Set<Digest> {
        defer { digests = [] }
        return digests
    }
}
