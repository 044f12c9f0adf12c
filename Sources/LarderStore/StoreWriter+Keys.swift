// Reads the keys that the database holds, slice by slice along the index of their digests, then those of URLs with
// variants, then the places of rows that are kept ready. Reading is slow on purpose: until it ends, look-ups ask the readers, which may share a core with this
// thread.
import LarderCore

/// How far the reading of keys has come.
enum KeyReading: Sendable {
    case entries(after: Bytes)
    case urls(after: Bytes)
    case ready(afterEntry: Int64, id: Int64)
}

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
            if upkeep.keyReading == nil {
                let entries = try database.connection.number("SELECT total(entries) FROM provider") ?? 0
                // The file cannot hold more than 64 entries a page. A larger sum is damaged and must not decide how
                // much memory is used.
                let most = (try database.connection.number("PRAGMA page_count") ?? 0) * 64
                shared.keys.begin(capacity: Int(clamping: max(0, min(entries, most))) * 3)
                upkeep.keyReading = .entries(after: [])
            }
            repeat {
                upkeep.keyReading = try readSlice(database)
                if upkeep.keyReading == nil { return shared.keys.end() }
            } while shared.time.monotonic() - start < Self.readingTime
        }
        upkeep.readKeysAt = upkeep.keyReading == nil ? nil : start + Self.readingPause
    }

    /// Reads the next slice. Returns where the one after it begins; nil after the last.
    private func readSlice(_ database: Database) throws(StoreError) -> KeyReading? {
        switch upkeep.keyReading {
        case nil: return nil
        case .entries(let last):
            let digests = try database.rows.digests(after: last, atMost: Self.keysPerSlice)
            shared.keys.add(digests)
            guard let last = digests.last, digests.count == Self.keysPerSlice else { return .urls(after: []) }
            return .entries(after: last.bytes)
        case .urls(let last):
            let digests = try database.rows.urls(after: last, atMost: Self.keysPerSlice)
            shared.keys.add(digests)
            guard let last = digests.last, digests.count == Self.keysPerSlice else {
                return .ready(afterEntry: .min, id: .min)
            }
            return .urls(after: last.bytes)
        case .ready(let entry, let id):
            let rows = try database.rows.readyIDs(afterEntry: entry, id: id, atMost: Self.keysPerSlice)
            shared.keys.add(rows.map { ReadyPlace(id: $0.id) })
            guard let last = rows.last, rows.count == Self.keysPerSlice else { return nil }
            return .ready(afterEntry: last.entry, id: last.id)
        }
    }
}
