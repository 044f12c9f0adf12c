// Counts the entries of each provider and their bytes. A trigger subtracts removed entries at once. New entries are
// added in batches, in the transaction of the last one. Until then their ids are above the last counted one.
import LarderCore

extension EntryRows {
    /// How many new entries are counted together. A reader of the sums looks at no more than about this many.
    static let countingBatch = 256

    mutating func providerID(_ name: String) throws(StoreError) -> Int64 {
        if let known = providers[name] { return known }
        let statement = try connection.statement(
            """
            INSERT OR IGNORE INTO provider (name, counted)
            VALUES (?1, (SELECT coalesce(max(counted), 0) FROM provider))
            """)
        statement.bind(1, name)
        try statement.run()
        let look = try connection.statement("SELECT id FROM provider WHERE name = ?1")
        defer { look.reset() }
        look.bind(1, name)
        guard try look.step() else { return 0 }
        let id = look.int(0)
        providers[name] = id
        return id
    }

    /// Forgets what was learnt in a transaction that was rolled back, because it may be wrong.
    mutating func forgetProviders() {
        providers = [:]
        counted = nil
    }

    /// Adds a new entry to its provider's sums, at once or with the next batch. A body that was long under way has an
    /// id from before the last counting, and is added at once.
    mutating func count(_ id: Int64, _ provider: Int64, _ size: Int64) throws(StoreError) {
        let last: Int64
        if let counted {
            last = counted
        } else {
            last = try connection.number("SELECT max(counted) FROM provider") ?? 0
        }
        counted = last
        if id <= last {
            let sum = try connection.statement(
                "UPDATE provider SET entries = entries + 1, bytes = bytes + ?2 WHERE id = ?1")
            sum.bind(1, provider)
            sum.bind(2, size)
            return try sum.run()
        }
        uncounted += 1
        guard uncounted >= Self.countingBatch else { return }
        for (provider, more) in try added(after: last) {
            let sum = try connection.statement(
                "UPDATE provider SET entries = entries + ?2, bytes = bytes + ?3 WHERE id = ?1")
            sum.bind(1, provider)
            sum.bind(2, more.entries)
            sum.bind(3, more.bytes)
            try sum.run()
        }
        let mark = try connection.statement("UPDATE provider SET counted = ?1")
        mark.bind(1, nextID - 1)
        try mark.run()
        counted = nextID - 1
        uncounted = 0
    }

    /// The entries with ids above `last`, by their providers' ids. They are added here: SQLite would sort them to group
    /// them.
    private func added(after last: Int64) throws(StoreError) -> [Int64: (entries: Int64, bytes: Int64)] {
        let rows = try connection.statement("SELECT provider, size FROM entry WHERE id > ?1")
        defer { rows.reset() }
        rows.bind(1, last)
        var added: [Int64: (entries: Int64, bytes: Int64)] = [:]
        while try rows.step() {
            let size = rows.int(1)
            // A damaged size must not overflow the sum: nothing could be stored any more. It counts as zero, because
            // the removal of its row takes away zero as well (`BodyTable.notes`).
            let bytes = (0...(1 << 42)).contains(size) ? size : 0
            let sum = added[rows.int(0)] ?? (0, 0)
            added[rows.int(0)] = (sum.entries + 1, sum.bytes + bytes)
        }
        return added
    }
}
