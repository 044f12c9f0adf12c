// Writes and removes entries. The file of a large body is written first. The entry's row, which makes it visible, comes
// last. A crash leaves at most a file that no row names (Bodies/BodySweep.swift).
//
// Everything runs inside the caller's transaction on the writer's connection and thread.
import Glibc
import LarderCore

final class EntryRows {
    /// The most body bytes in one transaction, and in one part of a body that streams.
    static let commitSize = 1 << 20

    let connection: DatabaseConnection
    /// The files of large bodies; if nil, none can be written.
    var files: BodyFiles?
    /// Gets each key before its row is committed.
    var keys: KeyBloomFilter?
    private(set) var nextID: Int64
    var providers: [String: Int64] = [:]
    /// Entries up to this id are in the sums of their providers; nil if it must be read.
    var counted: Int64?
    /// Number of entries since the last counting.
    var uncounted = 0
    /// Gets the rows that fail their checksum.
    var damaged: DamagedRows?
    /// The generation of this database, for `damaged`.
    var generation = 0

    init(_ connection: DatabaseConnection) throws(StoreError) {
        self.connection = connection
        // An id beyond reason is damage and is skipped: ids that follow it would overflow.
        var last: Int64 = 0
        for (table, column) in [("entry", "id"), ("provider", "counted"), ("unindexed", "id")] {
            let found = try connection.number(
                "SELECT max(\(column)) FROM \(table) WHERE \(column) < \(RowSums.largestID)")
            last = max(last, found ?? 0)
        }
        nextID = last + 1
    }

    /// A new id. If the same database is opened anew, the id of a body that was under way may be given again: that
    /// body's file then loses its name first (`BodyFiles.create`).
    func newID() -> Int64 {
        defer { nextID += 1 }
        return nextID
    }

    // MARK: Writing

    /// What was known of an entry's keys before they were noted.
    struct Announced {
        /// Certainly nothing was stored under the key.
        var isNew: Bool
        /// Certainly nothing was stored of a variant's URL.
        var isNewURL: Bool
    }

    /// Notes the key of an entry, and its URL, before anybody is asked whether the entry is still wanted: whoever makes it
    /// unwanted looks afterwards whether the key is known.
    func announce(_ entry: StoredResponse) -> Announced {
        var known = Announced(isNew: keys?.lacks(entry.key.digest) ?? false, isNewURL: false)
        keys?.note(entry.key.digest)
        if let variant = entry.variant {
            known.isNewURL = keys?.lacks(variant.url) ?? false
            keys?.note(variant.url)
        }
        return known
    }

    /// Writes a whole entry that fits in one transaction.
    /// - Parameter announced: what `announce` returned.
    func write(_ entry: StoredResponse, _ announced: Announced? = nil, now: WallTime) throws(StoreError) {
        let id = newID()
        let size = Int64(entry.body.count)
        guard size > CacheSchema.largestInRow else {
            return try complete(id, entry, size: size, content: entry.body, announced, now: now)
        }
        guard let files else { throw BodyFiles.failure("writing a body", ENOENT) }
        try complete(id, entry, size: size, content: try files.write(id, entry.body), announced, now: now)
    }

    /// Makes the entry visible in place of any other of its key. The file of a large body is named by this id.
    /// - Parameters:
    ///   - size: bytes of the whole body.
    ///   - content: the body, or the checksums of the file's pieces if it lies in a file.
    ///   - announced: what `announce` returned.
    // More than six parameters: the entry, where its body is, and when it is written.
    func complete(
        _ id: Int64, _ entry: StoredResponse, size: Int64, content: Bytes, _ announced: Announced? = nil, now: WallTime
    ) throws(StoreError) {
        let known = announced ?? announce(entry)
        if !known.isNew { try replace(entry.key.digest) }
        if let variant = entry.variant {
            connection.changedURLs.insert(variant.url)
            if !known.isNewURL { try join(variant, entry.arrival) }
        } else if !known.isNew {
            try replaceVariants(of: entry.key.digest)
        }
        let provider = try providerID(entry.provider)
        let statement = try connection.statement(Text.entry)
        statement.bind(1, id)
        statement.bind(2, entry.key.digest)
        statement.bind(3, provider)
        statement.bind(4, size)
        statement.bind(5, entry.key.bytes)
        statement.bind(6, entry.label)
        let head = EntryCodec.encode(entry)
        statement.bind(7, head)
        statement.bind(9, entry.variant?.url)
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
        if entry.hasResults(size: size) { try ResultIndex(self).note(id) }
        if Int64(content.count) != size { try countFile(id, size) }
        try count(id, provider, size)
        if let variant = entry.variant, !known.isNewURL { try limitVariants(of: variant.url) }
    }

    /// The statements of each write of an entry.
    enum Text {
        static let entry = """
            INSERT INTO entry (id, digest, provider, size, key, label, head, body, url)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """
        static let life = """
            INSERT INTO life (id, version, freshUntil, staleUntil, lastUsed, format, sums, sum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """
        static let parent = "INSERT OR IGNORE INTO parent (digest, child) VALUES (?1, ?2)"
    }

    /// Prepares the statements of a write, so that the first one need not wait for it.
    func prepare() throws(StoreError) {
        for text in [Text.entry, Text.life, Text.parent] { _ = try connection.statement(text) }
        try connection.prepareTransaction()
    }

    func note(_ parents: [Digest], of id: Int64) throws(StoreError) {
        for parent in parents {
            let row = try connection.statement(Text.parent)
            row.bind(1, parent)
            row.bind(2, id)
            try row.run()
        }
    }

    // MARK: Removing and changing

    /// - Parameter isDamaged: whether nothing that the row says can be trusted.
    /// - Returns: whether there was such an entry.
    @discardableResult
    func remove(id: Int64, isDamaged: Bool = false) throws(StoreError) -> Bool {
        let lost = try variant(id: id)
        try connection.run("DELETE FROM entry WHERE id = ?1", id)
        guard connection.changes > 0 else { return false }
        // Some requests may have got it in place of an older one.
        if let lost { try doubt(lost.url, before: isDamaged ? .max : lost.arrival) }
        return true
    }

    /// Removes the entry of a key, because another takes its place.
    func replace(_ digest: Digest) throws(StoreError) {
        try connection.run("DELETE FROM entry WHERE digest = ?1", digest)
        if connection.changes > 0 { connection.takes(.replacement) }
    }

    /// Writes uses. An entry whose last use is within the last minute is left as it is. Returns how many rows changed.
    func touch(_ digests: some Sequence<Digest>, now: WallTime) throws(StoreError) -> Int {
        var changed = 0
        for digest in digests {
            try connection.run(
                """
                UPDATE life SET lastUsed = ?2 WHERE id = (SELECT id FROM entry WHERE digest = ?1) AND lastUsed < ?3
                """, digest, now.seconds, now.seconds - 60)
            changed += connection.changes
        }
        return changed
    }

    /// Whose digest a column holds: an entry's key, or the URL of a variant.
    enum DigestColumn: String { case key = "digest", url }

    /// The different digests of a column that follow `last` in their order, read from the index alone.
    func digests(in column: DigestColumn, after last: Bytes, atMost limit: Int) throws(StoreError) -> [Digest] {
        let name = column.rawValue
        return try connection.rows(
            "SELECT DISTINCT \(name) FROM entry WHERE \(name) > ?1 ORDER BY \(name) LIMIT ?2", last, Int64(limit)
        ) { Digest(raw: $0.raw(0)) }
    }

    // MARK: Size

    /// Bytes in use, exact by construction: pages that are not free, and the blocks of files.
    func liveBytes() throws(StoreError) -> Int64 { try pageBytes() + fileBytes() }

    /// Bytes of the pages that are not free.
    func pageBytes() throws(StoreError) -> Int64 {
        let pages = try connection.number("PRAGMA page_count") ?? 0
        return (pages - (try freePages())) * connection.pageSize
    }

    func freePages() throws(StoreError) -> Int64 { try connection.number("PRAGMA freelist_count") ?? 0 }

    /// Bytes of the free pages.
    func freePageBytes() throws(StoreError) -> Int64 { try freePages() * connection.pageSize }

    /// The room that an entry will take, rather overestimated.
    struct Cost {
        /// Bytes of pages.
        var pages: Int64 = 0
        /// Bytes of the blocks of a file.
        var files: Int64 = 0
        var all: Int64 { pages + files }
    }

    static func cost(of entry: StoredResponse) -> Cost { cost(of: entry, size: Int64(entry.body.count)) }

    /// - Parameter size: bytes of the body.
    static func cost(of entry: StoredResponse, size: Int64) -> Cost {
        let head =
            entry.key.bytes.count + entry.label.utf8.count + 256
            + entry.fields.textSize
        let page = CacheSchema.reckonedPages
        if size > CacheSchema.largestInRow {
            let row = Int64(head) + PieceSums.length(of: size)
            return Cost(pages: row + 2 * page, files: BodyFiles.blocks(size))
        }
        let whole = Int64(head) + size
        return Cost(pages: whole < page / 4 ? whole * 3 / 2 : whole + page)
    }
}
