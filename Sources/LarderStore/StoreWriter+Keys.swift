// Reads the keys that the database holds, slice by slice along the index of their digests. Reading is slow on purpose:
// until it ends, look-ups ask the readers, which may share a core with this thread.
import LarderCore

extension StoreWriter {
    /// Keys read between two looks at the clock.
    static let keysPerSlice = 256
    /// How long one round of reading takes, and the pause between rounds. A million keys take about half a minute.
    private static let readingTime = Duration.milliseconds(1)
    private static let readingPause = Duration.milliseconds(50)

    /// Whether the next round is due.
    func isKeyReadingDue(_ now: MonotonicTime) -> Bool {
        shared.keys.wantsReading && upkeep.readKeysAt.map { now >= $0 } ?? true
    }

    /// Reads keys for one round.
    func readKeys() {
        guard let database, shared.keys.wantsReading else { return }
        let start = shared.time.monotonic()
        attempt { () throws(StoreError) in
            if upkeep.lastKey == nil {
                let entries = try database.connection.number("SELECT total(entries) FROM provider") ?? 0
                // The file cannot hold more than 64 entries a page. A larger sum is damaged and must not decide how
                // much memory is used.
                let most = (try database.connection.number("PRAGMA page_count") ?? 0) * 64
                shared.keys.begin(capacity: Int(clamping: max(0, min(entries, most))) * 2)
                upkeep.lastKey = []
            }
            repeat {
                let digests = try database.rows.digests(after: upkeep.lastKey ?? [], atMost: Self.keysPerSlice)
                shared.keys.add(digests)
                guard let last = digests.last, digests.count == Self.keysPerSlice else {
                    shared.keys.end()
                    upkeep.lastKey = nil
                    return
                }
                upkeep.lastKey = last.bytes
            } while shared.time.monotonic() - start < Self.readingTime
        }
        upkeep.readKeysAt = upkeep.lastKey == nil ? nil : start + Self.readingPause
    }
}
