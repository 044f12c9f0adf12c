// Writing and removing entries. The file of a large body is written first, and the entry's row, which makes it visible, comes
// last. What a crash leaves is a file that no row names (Bodies/BodySweep.swift).
//
// All of it runs inside the caller's transaction on the writer's connection.
import Glibc
import LarderCore

struct EntryRows {
    /// Bytes of bodies that one transaction may carry, and one part of a body that streams.
    static let commitSize = 1 << 20

    let connection: DatabaseConnection
    /// Where large bodies are; without it none is written.
    var files: BodyFiles?
    /// Pieces are left that schema 6 had.
    var hasOldPieces: Bool
    /// Told of each key before its row is committed.
    var keys: KeyBloomFilter?
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

    init(_ connection: DatabaseConnection) throws(StoreError) {
        self.connection = connection
        lastWithoutSum = try CacheMigration.lastWithoutSum(connection)
        hasOldPieces = try Self.hasOldPieces(connection)
        // An id beyond reason is damage: those that follow it would overflow.
        var last: Int64 = 0
        for (table, column) in [("entry", "id"), ("provider", "counted"), ("unindexed", "id")] {
            let found = try connection.number(
                "SELECT max(\(column)) FROM \(table) WHERE \(column) < \(RowSums.largestID)")
            last = max(last, found ?? 0)
        }
        nextID = last + 1
    }

    /// An id of a body that was under way may be given again where the same database is opened anew: its file then loses its
    /// name first (`BodyFiles.create`).
    mutating func newID() -> Int64 {
        defer { nextID += 1 }
        return nextID
    }

    // MARK: Writing

    /// Writes a whole entry that one transaction can carry.
    mutating func write(_ entry: StoredResponse, now: WallTime) throws(StoreError) {
        let id = newID()
        let size = Int64(entry.body.count)
        guard size > CacheSchema.pieceSize else {
            return try complete(id, entry, size: size, content: entry.body, now: now)
        }
        guard let files else { throw BodyFiles.failure("writing a body", ENOENT) }
        try complete(id, entry, size: size, content: try files.write(id, entry.body), now: now)
    }

    /// Makes the entry visible in place of any other of its key. The file of a large body has the name of this id.
    /// - Parameters:
    ///   - size: of the whole body, which lies in a file where it is larger than a piece.
    ///   - content: the body, or the checksums of the file's pieces.
    mutating func complete(
        _ id: Int64, _ entry: StoredResponse, size: Int64, content: Bytes, now: WallTime
    ) throws(StoreError) {
        let isNew = keys?.lacks(entry.key.digest) ?? false
        keys?.note(entry.key.digest)
        if !isNew { try remove(digest: entry.key.digest) }
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
        var failure: StoreError?
        content.withUnsafeBytes { raw in
            bodySum = Checksum.of(raw)
            statement.bind(8, lasting: raw)
            do throws(StoreError) { try statement.run() } catch { failure = error }
        }
        statement.bindNull(8)
        if let failure { throw failure }
        let sums = RowSums.sums(entry, id: id, provider: provider, size: size, head: head, body: bodySum)
        try begin(Life(of: entry, id: id), sums: sums, now: now)
        try note(entry.parents, of: id)
        if entry.hasResults(size: size) { try ResultIndex(connection).note(id) }
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

    /// Bytes in use, true by construction: pages that are not free, and the blocks of files.
    func liveBytes() throws(StoreError) -> Int64 { try pageBytes() + fileBytes() }

    /// Pages that are not free.
    func pageBytes() throws(StoreError) -> Int64 {
        let pages = try connection.number("PRAGMA page_count") ?? 0
        return (pages - (try freePages())) * CacheSchema.pageSize
    }

    /// The files that rows name, those under way, and those without a name that are still read.
    func fileBytes() throws(StoreError) -> Int64 {
        // What was damaged must not overflow where it is added up.
        let sum = try connection.number("SELECT bytes FROM bodies") ?? 0
        return min(max(0, sum), 1 << 60) + (files?.table.uncounted ?? 0)
    }

    func freePages() throws(StoreError) -> Int64 { try connection.number("PRAGMA freelist_count") ?? 0 }

    /// What an entry will take, rather too much.
    struct Cost {
        /// Bytes of pages.
        var pages: Int64 = 0
        /// Blocks of a file.
        var files: Int64 = 0
        var all: Int64 { pages + files }
    }

    static func cost(of entry: StoredResponse) -> Cost { cost(of: entry, size: Int64(entry.body.count)) }

    /// Of an entry and its companion.
    /// - Parameter size: of the entry's body, where that is not in the order.
    static func cost(of order: WriteOrder, size: Int64? = nil) -> Cost {
        var cost = cost(of: order.entry, size: size ?? Int64(order.entry.body.count))
        guard let companion = order.companion else { return cost }
        let more = Self.cost(of: companion.entry)
        cost.pages += more.pages
        cost.files += more.files
        return cost
    }

    /// - Parameter size: of the body.
    static func cost(of entry: StoredResponse, size: Int64) -> Cost {
        let head =
            entry.key.bytes.count + entry.label.utf8.count + 256
            + entry.fields.lines.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        if size > CacheSchema.pieceSize {
            let row = Int64(head) + PieceSums.length(of: size)
            return Cost(pages: row + 2 * CacheSchema.pageSize, files: BodyFiles.blocks(size))
        }
        let whole = Int64(head) + size
        return Cost(pages: whole < CacheSchema.pageSize / 4 ? whole * 3 / 2 : whole + CacheSchema.pageSize)
    }
}
