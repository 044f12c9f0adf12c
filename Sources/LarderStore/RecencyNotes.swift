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

    /// Entries whose uses are counted.
    static let mostCounted = 16_384

    private var digests: Set<Digest> = []
    /// How often each was noted since the start. Where there is no room all are halved, and the least used are forgotten.
    private var counts: [Digest: Int] = [:]
    var isEmpty: Bool { digests.isEmpty }
    var count: Int { digests.count }

    mutating func note(_ digest: Digest) -> Noted {
        count(digest)
        if digests.count >= Self.limit { return digests.contains(digest) ? .more : .dropped }
        guard digests.insert(digest).inserted else { return .more }
        if digests.count == 1 { return .first }
        return digests.count == Self.batch ? .batchIsFull : .more
    }

    private mutating func count(_ digest: Digest) {
        if let known = counts[digest] { return counts[digest] = known + 1 }
        if counts.count >= Self.mostCounted {
            // A quarter becomes free at once, so that this is rare; and what was used long ago weighs less.
            repeat {
                counts = counts.compactMapValues { $0 > 1 ? $0 / 2 : nil }
            } while counts.count > Self.mostCounted / 4 * 3
        }
        counts[digest] = 1
    }

    /// How often an entry was noted; nil where that is not known.
    func uses(of digest: Digest) -> Int? { counts[digest] }

    /// Those whose uses are known.
    var counted: [Digest: Int] { counts }

    /// All notes, which are forgotten here.
    mutating func take() -> Set<Digest> {
        defer { digests = [] }
        return digests
    }
}
