// Makes room by removing entries in this order: those of other key versions, those past `staleUntil`, then the least
// recently used. A slice removes a bounded number of rows and bytes. Slices follow each other while room is needed.
//
// No entry is removed only because it is stale: stale entries are served when the upstream is down.
import LarderCore

struct Evictor {
    /// The most rows that one slice removes.
    let rowsPerSlice: Int
    static let bytesPerSlice: Int64 = 4 << 20
    /// The most entries that one call of `files` looks at.
    static let looksForFiles = 64

    /// How many entries a slice removed, by reason.
    struct Slice {
        var byVersion = 0
        var expired = 0
        var unused = 0
        var rows: Int { byVersion + expired + unused }
    }

    /// An entry's place in the order of use, the least recently used first.
    struct Place: Equatable {
        var lastUsed: Int64
        var id: Int64
    }

    let rows: EntryRows

    init(rows: EntryRows, rowsPerSlice: Int = 32) {
        self.rows = rows
        self.rowsPerSlice = rowsPerSlice
    }

    /// Removes the next candidates.
    /// - Parameter bytes: bytes of bodies that suffice.
    func slice(now: WallTime, bytes: Int64 = bytesPerSlice) throws(StoreError) -> Slice {
        var left = Budget(rows: rowsPerSlice, bytes: min(bytes, Self.bytesPerSlice))
        var done = try useless(now, &left)
        done.unused += try remove("SELECT id FROM life ORDER BY lastUsed LIMIT ?3", 0, 0, &left)
        return done
    }

    /// Removes the next entries in the order of use whose bodies lie in files: nothing else makes room for a file.
    /// Other entries stay. One call looks at a bounded number of entries, so it may find none. The next call continues
    /// from there.
    /// - Parameter place: the entry that was looked at last; nil before the first entry and after the last.
    func files(bytes: Int64, after place: inout Place?) throws(StoreError) -> Slice {
        var left = Budget(rows: rowsPerSlice, bytes: min(bytes, Self.bytesPerSlice))
        var done = Slice()
        let next = try places(after: place)
        for (found, hasFile) in next {
            if left.isSpent { return done }
            place = found
            if hasFile { done.unused += try remove([found.id], &left) }
        }
        if next.count < Self.looksForFiles { place = nil }
        return done
    }

    /// The next entries in the order of use, and whether the body of each lies in a file.
    private func places(after place: Place?) throws(StoreError) -> [(Place, hasFile: Bool)] {
        try rows.connection.rows(
            """
            SELECT l.lastUsed, l.id, e.id IS NOT NULL FROM
              (SELECT id, lastUsed FROM life WHERE (lastUsed, id) > (?1, ?2) ORDER BY lastUsed, id
               LIMIT \(Self.looksForFiles)) l
              LEFT JOIN entry e ON e.id = l.id AND \(BodyTable.isInFile("e."))
            ORDER BY l.lastUsed, l.id
            """, place?.lastUsed ?? .min, place?.id ?? .min
        ) { (Place(lastUsed: $0.int(0), id: $0.int(1)), $0.int(2) != 0) }
    }

    /// Removes entries that nobody can use any more: past `staleUntil`, or of another key version. Room need not be
    /// short, because an API's terms may forbid keeping them at all.
    func useless(now: WallTime) throws(StoreError) -> Slice {
        var left = Budget(rows: rowsPerSlice, bytes: Self.bytesPerSlice)
        return try useless(now, &left)
    }

    private func useless(_ now: WallTime, _ left: inout Budget) throws(StoreError) -> Slice {
        var done = Slice()
        let current = Int64(CacheKey.version)
        done.byVersion += try remove("SELECT id FROM life WHERE version < ?1 LIMIT ?3", current, 0, &left)
        done.byVersion += try remove("SELECT id FROM life WHERE version > ?1 LIMIT ?3", current, 0, &left)
        done.expired += try remove(
            "SELECT id FROM life WHERE version = ?1 AND staleUntil < ?2 ORDER BY staleUntil LIMIT ?3", current,
            now.milliseconds, &left)
        return done
    }

    private struct Budget {
        var rows: Int
        var bytes: Int64
        var isSpent: Bool { rows <= 0 || bytes <= 0 }
    }

    private func remove(
        _ sql: String, _ first: Int64, _ second: Int64, _ left: inout Budget
    ) throws(StoreError) -> Int {
        guard !left.isSpent else { return 0 }
        // A statement with ?3 has three parameters, used or not (sqlite.org/lang_expr.html#varparam).
        return try remove(rows.connection.rows(sql, first, second, Int64(left.rows)) { $0.int(0) }, &left)
    }

    private func remove(_ ids: [Int64], _ left: inout Budget) throws(StoreError) -> Int {
        var removed = 0
        for id in ids where !left.isSpent {
            // An impossible size is damaged, and is clamped.
            let size = try rows.connection.number("SELECT size FROM entry WHERE id = ?1", id) ?? 0
            left.bytes -= max(0, min(size, Self.bytesPerSlice))
            left.rows -= 1
            // A `life` row without an entry would be chosen again and again.
            if try !rows.remove(id: id) { try rows.connection.run("DELETE FROM life WHERE id = ?1", id) }
            removed += 1
        }
        return removed
    }
}
