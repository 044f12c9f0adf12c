// Uses are noted in memory and written in batches: a write for each hit would turn every read into a write. A cheap hit
// is worth an imperfect order: an entry used within the last minute counts as used now.
import LarderCore

/// The entries used since the last flush. A value; its owner guards it.
struct RecencyNotes {
    /// At this many notes the writer flushes at once.
    static let batch = 1000
    /// At this many notes, as when the disk is full, further uses are dropped.
    static let limit = 16_384

    enum Noted {
        /// The first note since the flush: the writer must set its alarm.
        case first
        case more
        /// The batch has just become full.
        case batchIsFull
        case dropped
    }

    /// The most entries whose uses are counted.
    static let mostCounted = 16_384

    private var digests: Set<Digest> = []
    /// How often each entry was noted since the start. At `mostCounted` entries all counts are halved, and counts of 1
    /// are dropped.
    private(set) var counts: [Digest: Int] = [:]
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
            // Frees a quarter at once, so that this happens seldom. Halving also makes old uses weigh less.
            repeat {
                counts = counts.compactMapValues { $0 > 1 ? $0 / 2 : nil }
            } while counts.count > Self.mostCounted / 4 * 3
        }
        counts[digest] = 1
    }

    /// How often an entry was noted; nil if that is not known.
    func uses(of digest: Digest) -> Int? { counts[digest] }

    /// Returns all notes and clears them.
    mutating func take() -> Set<Digest> {
        defer { digests = [] }
        return digests
    }
}
