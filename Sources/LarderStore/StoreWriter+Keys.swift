// Reads the keys that the database holds, slice by slice along the index of their digests, then those of URLs with
// variants, then the places of rows that are kept ready. Reading is slow on purpose: until it ends, look-ups ask the readers, which may share a core with this
// thread.
import LarderCore

/// How far the reading of keys has come.
enum KeyReading: Sendable {
    /// Of the entries' keys, then of the URLs with variants.
    case digests(in: EntryRows.DigestColumn, after: Bytes)
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
                upkeep.keyReading = .digests(in: .key, after: [])
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
        case .digests(let column, let last):
            let digests = try database.rows.digests(in: column, after: last, atMost: Self.keysPerSlice)
            shared.keys.add(digests)
            if let last = digests.last, digests.count == Self.keysPerSlice {
                return .digests(in: column, after: last.bytes)
            }
            return column == .key ? .digests(in: .url, after: []) : .ready(afterEntry: .min, id: .min)
        case .ready(let entry, let id):
            let rows = try database.rows.readyIDs(afterEntry: entry, id: id, atMost: Self.keysPerSlice)
            shared.keys.add(rows.map { ReadyPlace(id: $0.id) })
            guard let last = rows.last, rows.count == Self.keysPerSlice else { return nil }
            return .ready(afterEntry: last.entry, id: last.id)
        }
    }
}
