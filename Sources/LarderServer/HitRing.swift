// What was answered lately without leaving the loop, for explanations: one ring of fixed-size records in each loop, written with
// a few stores at each hit and read on the same loop, so that nobody takes a lock for it.
import LarderCore
import LarderHTTP

/// One answer given out of memory.
public struct HitRecord: Sendable, Hashable {
    /// Number of the request on its loop.
    public var sequence: UInt64
    public var answeredAt: WallTime
    /// Digest of the stored entry's key that the answer was made from.
    public var entry: Digest
    /// What `Age` said, in seconds.
    public var age: UInt32
    /// Seconds for which it was still fresh.
    public var ttl: UInt32
    /// 200, 206 or 304.
    public var status: UInt16
    /// GET or HEAD.
    public var method: RequestHead.MethodCode
    /// It was read from the database.
    public var isFromStore = false
}

/// The last hits of one loop. Confined to it.
final class HitRing {
    /// Records kept: 64 bytes each, 256 KiB, which the kernel gives page by page as they are first written.
    static let capacity = 4096

    private let records: UnsafeMutablePointer<HitRecord>
    /// Records ever written.
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

    /// The hits after the first `place` ever written, the oldest first: at most the last so many.
    /// - Parameter place: nil for the last ones, of which none counts as missed.
    /// - Returns: them, how many were ever written, and how many of those after the place are not among them.
    func read(after place: Int?, atMost limit: Int) -> (records: [HitRecord], written: Int, missed: Int) {
        let first = max(written - min(limit, Self.capacity), place ?? 0, 0)
        let found = (first..<max(first, written)).map { records[$0 & (Self.capacity - 1)] }
        return (found, written, place.map { max(0, first - $0) } ?? 0)
    }

    /// The hit of that number, while it is among the last. Numbers grow with time, so it is searched by halving.
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
