// What the loops answered from memory since somebody looked last. Each loop is asked on its own thread and copies a bounded
// number of records: a hit does nothing for it, and costs nothing more while nobody looks.
import LarderCore
import LarderIO

/// How far the rings of a server's loops have been read.
public struct HitCursor: Sendable, Hashable {
    /// Records ever written, one figure a loop.
    var written: [Int]
}

/// What was read of the rings.
public struct RecentHits: Sendable {
    public struct Hit: Sendable {
        public var id: RequestID
        public var record: HitRecord
    }

    /// Loop by loop, the oldest of each first.
    public var hits: [Hit] = []
    /// Where the next reading begins.
    public var cursor: HitCursor
    /// Hits since the last reading that are not among these.
    public var missed = 0
}

extension HTTPServer {
    /// Reads the rings of all loops.
    /// - Parameters:
    ///   - cursor: where to begin; nil for the last hits of each loop.
    ///   - limit: records that are taken of each loop, the newest: what is older counts as missed.
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
