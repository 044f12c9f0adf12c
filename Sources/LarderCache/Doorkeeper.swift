// Remembers which targets were requested before, in a small table of hashes in front of a full memory tier. The first
// request for a target is only recorded here; the next one is let in. Each hash has one place, and a later hash
// displaces an earlier one there. So the table forgets by itself and never grows.

/// Hashes seen recently. The table is allocated when the first hash is recorded: a tier that is never full needs none.
struct Doorkeeper: Sendable {
    /// The number of places of one shard, four bytes each. 16 shards remember 65,536 targets in 256 KiB.
    static let capacity = 4096
    private var marks: ContiguousArray<UInt32> = []

    /// Records a hash. Returns whether it was known; a known hash stays known.
    @discardableResult
    mutating func note(_ hash: UInt64) -> Bool {
        if marks.isEmpty { marks = ContiguousArray(repeating: 0, count: Self.capacity) }
        // The highest bits chose the shard, so place and mark come from the others. 0 marks an empty place.
        let place = Int(truncatingIfNeeded: hash) & (Self.capacity - 1)
        let mark = UInt32(truncatingIfNeeded: hash >> 16) | 1
        if marks[place] == mark { return true }
        marks[place] = mark
        return false
    }
}
