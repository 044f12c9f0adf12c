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
    private var nextID: Int64
    private var providers: [String: Int64] = [:]

    init(_ connection: Connection) throws(StoreError) {
        self.connection = connection
        let last = try connection.number(
            "SELECT max(coalesce((SELECT max(id) FROM entry), 0), "
                + "coalesce((SELECT max(id) FROM pending), 0))")
        nextID = (last ?? 0) + 1
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
        let statement = try connection.statement("INSERT INTO chunk (id, data) VALUES (?1, ?2)")
        let size = CacheSchema.chunkSize
        var failure: StoreError?
        body.withUnsafeBytes { raw in
            do throws(StoreError) {
                for start in stride(from: range.lowerBound, to: range.upperBound, by: size) {
                    statement.bind(1, id * CacheSchema.chunksPerBody + Int64(start / size))
                    let end = min(start + size, range.upperBound)
                    statement.bind(2, lasting: UnsafeRawBufferPointer(rebasing: raw[start..<end]))
                    try statement.run()
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Writes a whole entry that one transaction can carry.
    mutating func write(_ entry: StoredResponse, now: WallTime) throws(StoreError) {
        let id = newID()
        if entry.body.count > CacheSchema.chunkSize { try append(id, entry.body, 0..<entry.body.count) }
        try complete(id, entry, now: now)
    }

    /// Makes the entry visible in place of any other of its key. Its pieces, if it has any, lie under the same id.
    mutating func complete(_ id: Int64, _ entry: StoredResponse, now: WallTime) throws(StoreError) {
        try remove(digest: entry.key.digest)
        let isLarge = entry.body.count > CacheSchema.chunkSize
        let provider = try providerID(entry.provider)
        let statement = try connection.statement(
            """
            INSERT INTO entry (id, digest, provider, size, key, label, head, body)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """)
        statement.bind(1, id)
        statement.bind(2, entry.key.digest)
        statement.bind(3, provider)
        statement.bind(4, Int64(entry.body.count))
        statement.bind(5, entry.key.bytes)
        statement.bind(6, entry.label)
        statement.bind(7, EntryCodec.encode(entry))
        if isLarge {
            statement.bindNull(8)
            try statement.run()
        } else {
            var failure: StoreError?
            entry.body.withUnsafeBytes { raw in
                statement.bind(8, lasting: raw)
                do throws(StoreError) { try statement.run() } catch { failure = error }
            }
            statement.bindNull(8)
            if let failure { throw failure }
        }
        let life = try connection.statement(
            "INSERT INTO life (id, version, freshUntil, staleUntil, lastUsed) VALUES (?1, ?2, ?3, ?4, ?5)")
        life.bind(1, id)
        life.bind(2, Int64(entry.key.bytes.first ?? 0))
        life.bind(3, entry.freshUntil.milliseconds)
        life.bind(4, entry.staleUntil.milliseconds)
        life.bind(5, now.seconds)
        try life.run()
        for parent in entry.parents {
            let row = try connection.statement("INSERT OR IGNORE INTO parent (digest, child) VALUES (?1, ?2)")
            row.bind(1, parent)
            row.bind(2, id)
            try row.run()
        }
        if isLarge { try forgetPending(id) }
    }

    private func forgetPending(_ id: Int64) throws(StoreError) {
        let statement = try connection.statement("DELETE FROM pending WHERE id = ?1")
        statement.bind(1, id)
        try statement.run()
    }

    /// Removes up to `limit` pieces of a body that was begun and never completed; false when none is left. Only the
    /// writer writes, and it sweeps between bodies: what is pending then has been given up.
    func sweepPending(limit: Int) throws(StoreError) -> Bool {
        guard let id = try connection.number("SELECT min(id) FROM pending"), id > 0 else { return false }
        let statement = try connection.statement(
            """
            DELETE FROM chunk WHERE id IN (
              SELECT id FROM chunk WHERE id BETWEEN ?1 << 20 AND (?1 << 20) + 1048575 LIMIT ?2)
            """)
        statement.bind(1, id)
        statement.bind(2, Int64(limit))
        try statement.run()
        if connection.changes < limit { try forgetPending(id) }
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

    func freshen(_ digest: Digest, freshUntil: WallTime, staleUntil: WallTime) throws(StoreError) {
        let statement = try connection.statement(
            """
            UPDATE life SET freshUntil = ?2, staleUntil = ?3 WHERE id = (SELECT id FROM entry WHERE digest = ?1)
            """)
        statement.bind(1, digest)
        statement.bind(2, freshUntil.milliseconds)
        statement.bind(3, staleUntil.milliseconds)
        try statement.run()
    }

    /// Expires an entry without removing it; true where it was not expired already.
    func expire(id: Int64, now: WallTime) throws(StoreError) -> Bool {
        let statement = try connection.statement("UPDATE life SET freshUntil = ?2 WHERE id = ?1 AND freshUntil > ?2")
        statement.bind(1, id)
        statement.bind(2, now.milliseconds)
        try statement.run()
        return connection.changes > 0
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

    // MARK: Providers

    private mutating func providerID(_ name: String) throws(StoreError) -> Int64 {
        if let known = providers[name] { return known }
        let statement = try connection.statement("INSERT OR IGNORE INTO provider (name) VALUES (?1)")
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

    /// What was learnt in a transaction that was rolled back may be wrong.
    mutating func forgetProviders() { providers = [:] }

    // MARK: Size

    /// Bytes in use, true by construction: pages that are not free.
    func liveBytes() throws(StoreError) -> Int64 {
        let pages = try connection.number("PRAGMA page_count") ?? 0
        return (pages - (try freePages())) * CacheSchema.pageSize
    }

    func freePages() throws(StoreError) -> Int64 { try connection.number("PRAGMA freelist_count") ?? 0 }

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
