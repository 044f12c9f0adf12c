// Memory hits since the last reading. Each loop copies a bounded number of records on its own thread. A hit does no
// extra work for this, and costs nothing more while nobody reads.
import LarderCore
import LarderIO

/// How far a reader has read the rings of the server's loops.
public struct HitCursor: Sendable, Hashable {
    /// The number of records ever written, one number per loop.
    var written: [Int]
}

/// The result of one reading of the rings.
public struct RecentHits: Sendable {
    public struct Hit: Sendable {
        public var id: RequestID
        public var record: HitRecord
    }

    /// The hits, loop by loop, oldest first within each loop.
    public var hits: [Hit] = []
    /// Where the next reading begins.
    public var cursor: HitCursor
    /// The number of hits since the last reading that are not in `hits`.
    public var missed = 0
}

extension HTTPServer {
    /// Reads the rings of all loops.
    /// - Parameters:
    ///   - cursor: where to begin; nil for the last hits of each loop.
    ///   - limit: the most records to take from each loop. The newest are taken; older ones count as missed.
    public func hits(after cursor: HitCursor?, atMost limit: Int) async -> RecentHits {
        var found = RecentHits(cursor: HitCursor(written: []))
        for (place, loop) in loops.enumerated() {
            let worker = workers[place]
            let start = cursor?.written[place]
            let read = await handover { continuation in
                loop.post {
                    continuation.resume(returning: worker.value.recent.read(after: start, atMost: limit))
                }
            }
            found.hits += read.records.map {
                RecentHits.Hit(id: RequestID(loop: loop.index, sequence: $0.sequence), record: $0)
            }
            found.cursor.written.append(read.written)
            found.missed += read.missed
        }
        return found
    }
}
