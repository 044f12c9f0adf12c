// Reading the keys that the database holds, a slice after the other along the index of their digests. It is in no hurry:
// until it is done look-ups ask the readers, whose core it may share.
import LarderCore

extension StoreWriter {
    /// Keys read between two looks at the clock.
    static let keysPerSlice = 256
    /// How long is read at a time, and what lies between two times: a million keys take about half a minute.
    private static let readingTime = Duration.milliseconds(1)
    private static let readingPause = Duration.milliseconds(50)

    /// Whether keys are to be read now.
    func isKeyReadingDue(_ now: MonotonicTime) -> Bool {
        shared.keys.wantsReading && upkeep.readKeysAt.map { now >= $0 } ?? true
    }

    /// Reads on for a moment.
    func readKeys() {
        guard let database, shared.keys.wantsReading else { return }
        let start = shared.time.monotonic()
        attempt { () throws(StoreError) in
            if upkeep.lastKey == nil {
                let entries = try database.connection.number("SELECT total(entries) FROM provider") ?? 0
                // Sums that more could not fit the file are damaged: no memory for them.
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
