// Writing and removing entries. A body is begun, appended to and completed: pieces of a large one are committed at most
// 1 MiB at a time under an id that is noted as pending, and the entry's row, which makes it visible, comes last. What a
// crash leaves is found by that note, without looking at anything else.
//
// All of it runs inside the caller's transaction on the writer's connection.
import LarderCore

struct EntryRows {
    /// Bytes of a large body that one transaction may carry.
    static let commitSize = 1 << 20

    let connection: Connection
    /// Told of each key before its row is committed.
    var keys: StoredKeys?
    private(set) var nextID: Int64
    var providers: [String: Int64] = [:]
    /// Entries up to this id are in the sums of their providers; nil where it is to be read.
    var counted: Int64?
    /// Entries that came since they were last counted.
    var uncounted = 0
    /// The last entry that may lack checksums.
    var lastWithoutSum: Int64
    /// Told of rows that fail their checksum.
    var damaged: DamagedRows?
    /// Which database this is, for those rows.
    var generation = 0

    init(_ connection: Connection) throws(StoreError) {
        self.connection = connection
        lastWithoutSum = try CacheMigration.lastWithoutSum(connection)
        // An id beyond reason is damage: those that follow it would overflow.
        var last: Int64 = 0
        for (table, column) in [("entry", "id"), ("pending", "id"), ("provider", "counted"), ("unindexed", "id")] {
            let found = try connection.number(
                "SELECT max(\(column)) FROM \(table) WHERE \(column) < \(RowSums.largestID)")
            last = max(last, found ?? 0)
        }
        nextID = last + 1
    }

    /// Ids are never given twice while the store is open, so pieces of two bodies cannot meet.
    mutating func newID() -> Int64 {
        defer { nextID += 1 }
        return nextID
    }

    // MARK: A large body

    /// Notes a body whose pieces follow.
    func begin(_ id: Int64) throws(StoreError) {
        let statement = try connection.statement("INSERT INTO pending (id) VALUES (?1)")
        statement.bind(1, id)
        try statement.run()
    }

    /// Appends pieces: `range` of the body begins at a multiple of the piece size.
    func append(_ id: Int64, _ body: Bytes, _ range: Range<Int>) throws(StoreError) {
        try body.withUnsafeBytes { raw in
            attempt { () throws(StoreError) in
                try append(id, UnsafeRawBufferPointer(rebasing: raw[range]), Int64(range.lowerBound))
            }
        }.get()
    }

    /// Appends bytes that begin at a place of the body that is a multiple of the piece size.
    func append(_ id: Int64, _ bytes: Bytes, at offset: Int64) throws(StoreError) {
        try bytes.withUnsafeBytes { raw in
            attempt { () throws(StoreError) in try append(id, raw, offset) }
        }.get()
    }

    private func attempt(_ body: () throws(StoreError) -> Void) -> Result<Void, StoreError> {
        do throws(StoreError) { return .success(try body()) } catch { return .failure(error) }
    }

    private func append(_ id: Int64, _ raw: UnsafeRawBufferPointer, _ offset: Int64) throws(StoreError) {
        let statement = try connection.statement("INSERT INTO chunk (id, data, sum) VALUES (?1, ?2, ?3)")
        let size = CacheSchema.chunkSize
        defer { statement.bindNull(2) }
        var number = id * CacheSchema.chunksPerBody + offset / Int64(size)
        for start in stride(from: 0, to: raw.count, by: size) {
            let piece = UnsafeRawBufferPointer(rebasing: raw[start..<min(start + size, raw.count)])
            statement.bind(1, number)
            statement.bind(2, lasting: piece)
            statement.bind(3, RowSums.piece(id: number, piece))
            try statement.run()
            number += 1
        }
    }

    /// Writes a whole entry that one transaction can carry.
    mutating func write(_ entry: StoredResponse, now: WallTime) throws(StoreError) {
        let id = newID()
        if entry.body.count > CacheSchema.chunkSize { try append(id, entry.body, 0..<entry.body.count) }
        try complete(id, entry, size: Int64(entry.body.count), now: now)
    }

    /// Makes the entry visible in place of any other of its key. Its pieces, if it has any, lie under the same id.
    /// - Parameter size: of the whole body, which lies in pieces where it is larger than one.
    mutating func complete(_ id: Int64, _ entry: StoredResponse, size: Int64, now: WallTime) throws(StoreError) {
        let isNew = keys?.lacks(entry.key.digest) ?? false
        keys?.note(entry.key.digest)
        if !isNew { try remove(digest: entry.key.digest) }
        let isLarge = size > CacheSchema.chunkSize
        let provider = try providerID(entry.provider)
        let statement = try connection.statement(
            """
            INSERT INTO entry (id, digest, provider, size, key, label, head, body)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """)
        statement.bind(1, id)
        statement.bind(2, entry.key.digest)
        statement.bind(3, provider)
        statement.bind(4, size)
        statement.bind(5, entry.key.bytes)
        statement.bind(6, entry.label)
        let head = EntryCodec.encode(entry)
        statement.bind(7, head)
        var bodySum: UInt32 = 0
        if isLarge {
            statement.bindNull(8)
            try statement.run()
        } else {
            var failure: StoreError?
            entry.body.withUnsafeBytes { raw in
                bodySum = Checksum.of(raw)
                statement.bind(8, lasting: raw)
                do throws(StoreError) { try statement.run() } catch { failure = error }
            }
            statement.bindNull(8)
            if let failure { throw failure }
        }
        let sums = RowSums.sums(entry, id: id, provider: provider, size: size, head: head, body: bodySum)
        try begin(Life(of: entry, id: id), sums: sums, now: now)
        try note(entry.parents, of: id)
        if entry.hasResults(size: size) { try ResultIndex(connection).note(id) }
        if isLarge { try forgetPending(id) }
        try count(id, provider, size)
    }

    func note(_ parents: [Digest], of id: Int64) throws(StoreError) {
        for parent in parents {
            let row = try connection.statement("INSERT OR IGNORE INTO parent (digest, child) VALUES (?1, ?2)")
            row.bind(1, parent)
            row.bind(2, id)
            try row.run()
        }
    }

    private func forgetPending(_ id: Int64) throws(StoreError) {
        let statement = try connection.statement("DELETE FROM pending WHERE id = ?1")
        statement.bind(1, id)
        try statement.run()
    }

    /// The first body that is noted as pending and may be swept. Never that of an entry: such a note is damaged.
    func firstPending(_ mayGo: (Int64) -> Bool) throws(StoreError) -> Int64? {
        let statement = try connection.statement(
            "SELECT id FROM pending p WHERE NOT EXISTS (SELECT 1 FROM entry e WHERE e.id = p.id) ORDER BY id")
        defer { statement.reset() }
        while try statement.step() {
            let id = statement.int(0)
            if mayGo(id) { return id }
        }
        return nil
    }

    /// Removes up to `limit` pieces of a pending body, and its note with the last one; true then.
    func sweep(_ id: Int64, limit: Int) throws(StoreError) -> Bool {
        let statement = try connection.statement(
            """
            DELETE FROM chunk WHERE id IN (
              SELECT id FROM chunk WHERE id BETWEEN ?1 << 20 AND (?1 << 20) + 1048575 LIMIT ?2)
            """)
        statement.bind(1, id)
        statement.bind(2, Int64(limit))
        try statement.run()
        guard connection.changes < limit else { return false }
        try forgetPending(id)
        return true
    }

    // MARK: Removing and changing

    func remove(id: Int64) throws(StoreError) {
        let statement = try connection.statement("DELETE FROM entry WHERE id = ?1")
        statement.bind(1, id)
        try statement.run()
    }

    func remove(digest: Digest) throws(StoreError) {
        let statement = try connection.statement("DELETE FROM entry WHERE digest = ?1")
        statement.bind(1, digest)
        try statement.run()
    }

    /// Notes uses; an entry noted within the last minute is left as it is. Returns how many rows changed.
    func touch(_ digests: some Sequence<Digest>, now: WallTime) throws(StoreError) -> Int {
        var changed = 0
        for digest in digests {
            let statement = try connection.statement(
                """
                UPDATE life SET lastUsed = ?2 WHERE id = (SELECT id FROM entry WHERE digest = ?1) AND lastUsed < ?3
                """)
            statement.bind(1, digest)
            statement.bind(2, now.seconds)
            statement.bind(3, now.seconds - 60)
            try statement.run()
            changed += connection.changes
        }
        return changed
    }

    /// The digests that follow another in their order, from the index alone.
    func digests(after last: Bytes, atMost limit: Int) throws(StoreError) -> [Digest] {
        let statement = try connection.statement("SELECT digest FROM entry WHERE digest > ?1 ORDER BY digest LIMIT ?2")
        defer { statement.reset() }
        statement.bind(1, last)
        statement.bind(2, Int64(limit))
        var found: [Digest] = []
        while try statement.step() {
            if let digest = Digest(bytes: statement.bytes(0)) { found.append(digest) }
        }
        return found
    }

    // MARK: Size

    /// Bytes in use, true by construction: pages that are not free.
    func liveBytes() throws(StoreError) -> Int64 {
        let pages = try connection.number("PRAGMA page_count") ?? 0
        return (pages - (try freePages())) * CacheSchema.pageSize
    }

    func freePages() throws(StoreError) -> Int64 { try connection.number("PRAGMA freelist_count") ?? 0 }

    /// About how many bytes of pages so many bytes of a large body take.
    static func cost(ofPieces count: Int64) -> Int64 { count + count / 16 + CacheSchema.pageSize }

    /// About how many bytes of pages an entry will take, rather too many.
    static func cost(of entry: StoredResponse) -> Int64 {
        let head =
            entry.key.bytes.count + entry.label.utf8.count + 256
            + entry.fields.lines.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        if entry.body.count > CacheSchema.chunkSize {
            return Int64(entry.body.count + entry.body.count / 16 + head) + 2 * CacheSchema.pageSize
        }
        let whole = Int64(head + entry.body.count)
        return whole < CacheSchema.pageSize / 4 ? whole * 3 / 2 : whole + CacheSchema.pageSize
    }
}
