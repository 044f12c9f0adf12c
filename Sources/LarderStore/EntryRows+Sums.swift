// Counts the entries of each provider and their bytes. A trigger subtracts removed entries at once. New entries are
// added in batches, in the transaction of the last one. Until then their ids are above the last counted one.
import LarderCore

extension EntryRows {
    /// How many new entries are counted together. A reader of the sums looks at no more than about this many.
    static let countingBatch = 256

    func providerID(_ name: String) throws(StoreError) -> Int64 {
        if let known = providers[name] { return known }
        try connection.run(
            """
            INSERT OR IGNORE INTO provider (name, counted)
            VALUES (?1, (SELECT coalesce(max(counted), 0) FROM provider))
            """, name)
        guard let id = try connection.number("SELECT id FROM provider WHERE name = ?1", name) else { return 0 }
        providers[name] = id
        return id
    }

    /// Forgets what was learnt in a transaction that was rolled back, because it may be wrong.
    func forgetProviders() {
        providers = [:]
        counted = nil
    }

    /// Adds a new entry to its provider's sums, at once or with the next batch. A body that was long under way has an
    /// id from before the last counting, and is added at once.
    func count(_ id: Int64, _ provider: Int64, _ size: Int64) throws(StoreError) {
        let last: Int64
        if let counted {
            last = counted
        } else {
            last = try connection.number("SELECT max(counted) FROM provider") ?? 0
        }
        counted = last
        if id <= last { return try add(provider, entries: 1, bytes: size) }
        uncounted += 1
        guard uncounted >= Self.countingBatch else { return }
        for (provider, more) in try added(after: last) { try add(provider, entries: more.entries, bytes: more.bytes) }
        try connection.run("UPDATE provider SET counted = ?1", nextID - 1)
        counted = nextID - 1
        uncounted = 0
    }

    private func add(_ provider: Int64, entries: Int64, bytes: Int64) throws(StoreError) {
        try connection.run(
            "UPDATE provider SET entries = entries + ?2, bytes = bytes + ?3 WHERE id = ?1", provider, entries, bytes)
    }

    /// The entries with ids above `last`, by their providers' ids. They are added here: SQLite would sort them to group
    /// them.
    private func added(after last: Int64) throws(StoreError) -> [Int64: (entries: Int64, bytes: Int64)] {
        let rows = try connection.rows("SELECT provider, size FROM entry WHERE id > ?1", last) {
            (provider: $0.int(0), size: $0.int(1))
        }
        var added: [Int64: (entries: Int64, bytes: Int64)] = [:]
        for (provider, size) in rows {
            // A damaged size must not overflow the sum: nothing could be stored any more. It counts as zero, because
            // the removal of its row takes away zero as well (`BodyTable.notes`).
            let bytes = (0...(1 << 42)).contains(size) ? size : 0
            let sum = added[provider] ?? (0, 0)
            added[provider] = (sum.entries + 1, sum.bytes + bytes)
        }
        return added
    }
}
