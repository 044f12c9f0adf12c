// Recent responses from memory, kept for explanations. Each loop has one ring of fixed-size records. A hit writes its
// record with a few stores, and the same loop reads the ring, so no lock is needed.
import LarderCore
import LarderHTTP

/// One response that was sent from memory.
public struct HitRecord: Sendable, Hashable {
    /// The number of the request on its loop.
    public var sequence: UInt64
    public var answeredAt: WallTime
    /// The digest of the key of the stored entry that the response was made from.
    public var entry: Digest
    /// The value of `Age` in seconds.
    public var age: UInt32
    /// The remaining freshness in seconds.
    public var ttl: UInt32
    /// 200, 206 or 304.
    public var status: UInt16
    /// GET or HEAD.
    public var method: RequestHead.MethodCode
    /// Whether the response was read from the database.
    public var isFromStore = false
}

/// The last hits of one loop. Confined to that loop.
final class HitRing {
    /// The number of records kept. At 64 bytes each they take 256 KiB, allocated page by page at first write.
    static let capacity = 4096

    private let records: UnsafeMutablePointer<HitRecord>
    /// The number of records ever written.
    private var written = 0

    init() {
        records = .allocate(capacity: Self.capacity)
    }

    deinit {
        records.deallocate()
    }

    @inline(__always)
    func add(_ record: HitRecord) {
        (records + written & (Self.capacity - 1)).initialize(to: record)
        written &+= 1
    }

    /// Returns the hits after the first `place` ever written, oldest first; of more than `limit`, the newest.
    /// - Parameter place: nil for the last hits, of which none counts as missed.
    /// - Returns: the records, the number ever written, and the number after `place` that could not be returned.
    func read(after place: Int?, atMost limit: Int) -> (records: [HitRecord], written: Int, missed: Int) {
        let first = max(written - min(limit, Self.capacity), place ?? 0, 0)
        let found = (first..<max(first, written)).map { records[$0 & (Self.capacity - 1)] }
        return (found, written, place.map { max(0, first - $0) } ?? 0)
    }

    /// The hit with that number, if it is still in the ring. Numbers increase, so a binary search finds it.
    func find(_ sequence: UInt64) -> HitRecord? {
        var low = max(0, written - Self.capacity)
        var high = written
        while low < high {
            let middle = low + (high - low) / 2
            let record = records[middle & (Self.capacity - 1)]
            if record.sequence == sequence { return record }
            if record.sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}
