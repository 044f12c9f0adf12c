// Who was asked for before: a small table of hashes in front of a full memory tier. What comes for the first time is
// only noted here; what comes again is let in. A hash has one place, and a later one in that place displaces it, so the
// table forgets by itself and never grows.

/// Hashes seen lately. Memory is taken when the first is noted: a tier that is never full needs none.
struct Doorkeeper: Sendable {
    /// Places of one shard; four bytes each. With 16 shards 65,536 targets are remembered in 256 KiB.
    static let capacity = 4096
    private var marks: ContiguousArray<UInt32> = []

    /// Notes a hash; whether it was known. A known one stays known.
    @discardableResult
    mutating func note(_ hash: UInt64) -> Bool {
        if marks.isEmpty { marks = ContiguousArray(repeating: 0, count: Self.capacity) }
        // The highest bits chose the shard; place and mark come from the others. 0 stands for an empty place.
        let place = Int(truncatingIfNeeded: hash) & (Self.capacity - 1)
        let mark = UInt32(truncatingIfNeeded: hash >> 16) | 1
        if marks[place] == mark { return true }
        marks[place] = mark
        return false
    }
}
