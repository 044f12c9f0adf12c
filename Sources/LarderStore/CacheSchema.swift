// The layout of cache.db, and how it is opened. `Docs/store.md` explains the tables.
//
// Data that changes (freshness, last use) is apart from data that does not (head, body), so a touch or a validation
// rewrites a few bytes and not a body. Everything that belongs to an entry is removed with it by trigger, sums
// included, so no code path can forget it. New entries are counted in batches: the sums cover the entries up to the id
// `counted`, and a reader of the sums adds the few after it, so an insert writes one page less. The full-text index of
// results follows later, by way of `unindexed` (FullText/ResultIndex.swift), so no write waits for it.
//
// A body above 16 KiB lies in a file (Bodies/BodyFiles.swift); its row holds the checksums of its pieces instead.
// `bodies` is one row: the name of the files' directory, the bytes that they take on the disk, and how many commits
// changed this database and those before it in this directory (`RemovalMark`). Each commit writes that row once.
// A trigger notes the files whose rows a transaction removes, in a temporary table of the writer's connection.
//
// `life` also holds the checksums of its entry. `sums` is that of the row (upper 32 bits) and of a body in the row
// (lower), made as `format` says; `sum` is that of the times. They are not in the row itself, so that filling them in
// rewrites no body. `RowSums` says what they cover. The named steps of `CacheMigration` bring an earlier schema up to
// this one.
import CSQLite
import Glibc
import LarderCore

enum CacheSchema {
    /// "Lrdr", so that another program's database is not taken for ours (sqlite.org/pragma.html#pragma_application_id).
    static let applicationID: Int64 = 0x4C72_6472
    static let version: Int64 = 9
    /// The first version beside which there is a journal of removals.
    private static let firstWithJournal: Int64 = 5
    /// Bodies up to this size lie in their row, larger ones in a file. A row from before schema 9 may hold more, up to
    /// a piece, so what lies in a file is told by the row (`BodyTable.isInFile`, `SummedRow.isLarge`).
    static let largestInRow = 16 << 10
    /// A body in a file has a checksum for each piece of this size.
    static let pieceSize = 64 << 10
    /// The size of a page of a new database. One from before schema 9 keeps its larger pages
    /// (`DatabaseConnection.pageSize`).
    static let pageSize: Int64 = 4 << 10
    static let largestPageSize: Int64 = 16 << 10
    /// The log is written back when it has grown by this many bytes.
    private static let checkpointBytes: Int64 = 8 << 20

    private static let tables = """
        CREATE TABLE provider (
          id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
          entries INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0, counted INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE entry (
          id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, provider INTEGER NOT NULL, size INTEGER NOT NULL,
          key BLOB NOT NULL, label TEXT NOT NULL, head BLOB NOT NULL, body BLOB
        ) STRICT;
        CREATE TABLE life (
          id INTEGER PRIMARY KEY, version INTEGER NOT NULL, freshUntil INTEGER NOT NULL,
          staleUntil INTEGER NOT NULL, lastUsed INTEGER NOT NULL,
          format INTEGER NOT NULL DEFAULT 0, sums INTEGER, sum INTEGER
        ) STRICT;
        CREATE INDEX lifeEnd ON life (version, staleUntil);
        CREATE INDEX lifeUse ON life (lastUsed);
        CREATE TABLE parent (
          digest BLOB NOT NULL, child INTEGER NOT NULL, PRIMARY KEY (digest, child)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX parentChild ON parent (child);
        CREATE TRIGGER entryGone AFTER DELETE ON entry BEGIN
          UPDATE provider SET entries = entries - 1, bytes = bytes - OLD.size
          WHERE id = OLD.provider AND counted >= OLD.id;
          DELETE FROM life WHERE id = OLD.id;
          DELETE FROM parent WHERE child = OLD.id;
        END;
        """ + ResultIndex.tables + CacheMigration.table + "\n" + ReadyTable.sql + "\n" + BodyTable.sql + "\n"
        + CacheMigration.commits + "\n" + BodyTable.withoutCounting

    /// Opens the writer's connection. Makes the tables in an empty file, brings those of an earlier version up to date,
    /// and refuses any other schema as damage, since what a cache holds can be fetched again.
    /// - Parameters:
    ///   - first: the number of the last commit before this database, if it is made now.
    ///   - locks: how locks of other processes are waited for.
    ///   - isWhole: called when the database is about to be closed and opened once more. The log goes in between, with
    ///     nothing in it that the file lacks.
    static func openWriter(
        _ path: String, first: Int64 = 0, locks: LockWaits = LockWaits(), isWhole: () -> Void = {}
    ) throws(StoreError) -> DatabaseConnection {
        let connection = try openUnprepared(path, first, locks)
        do {
            guard try CacheMigration.run(connection) else { return connection }
        } catch {
            connection.close(keepsLog: true)
            throw error
        }
        // This connection knows the tables as they were before the steps.
        let isWrittenBack = connection.writeLogBack()
        if isWrittenBack { isWhole() }
        connection.close(keepsLog: !isWrittenBack)
        return try openUnprepared(path, first, locks)
    }

    private static func openUnprepared(
        _ path: String, _ first: Int64, _ locks: LockWaits
    ) throws(StoreError) -> DatabaseConnection {
        let connection = try DatabaseConnection(path: path, locks: locks)
        do {
            if try connection.number("PRAGMA page_count") == 0 {
                // Both must precede the first table; auto_vacuum cannot be switched on later without a full VACUUM
                // (sqlite.org/pragma.html#pragma_auto_vacuum).
                try connection.execute("PRAGMA page_size = \(pageSize); PRAGMA auto_vacuum = INCREMENTAL;")
            }
            try configure(connection, cacheKiB: 4096)
            try connection.execute(
                """
                PRAGMA journal_size_limit = \(64 << 20);
                PRAGMA wal_autocheckpoint = \(checkpointBytes / connection.pageSize);
                """)
            try makeOrCheck(connection, first)
            try connection.execute(BodyTable.notes)
            return connection
        } catch {
            connection.close(keepsLog: true)
            throw error
        }
    }

    /// Whether the file may hold entries that a record in the journal removed; older schemas had no journal. Reads the
    /// header (sqlite.org/fileformat2.html#the_database_header) before SQLite has the file open, because a step from an
    /// older schema writes the log back.
    static func mayHaveJournal(_ path: String) -> Bool {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return access(path, F_OK) == 0 }
        defer { Glibc.close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size > 0 else { return false }
        let header = Bytes(room: 100) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        guard header.count == 100 else { return true }
        func number(_ place: Int) -> Int64 { header[place..<(place + 4)].reduce(0) { $0 << 8 | Int64($1) } }
        let isOlder = number(68) == applicationID && (1..<firstWithJournal).contains(number(60))
        return !isOlder
    }

    /// Opens a reader's connection to a database that the writer has made. It cannot write.
    static func openReader(_ path: String) throws(StoreError) -> DatabaseConnection {
        let connection = try DatabaseConnection(path: path)
        do {
            // No look-up waits longer than 250 ms for another process's lock.
            sqlite3_busy_timeout(connection.handle, 250)
            try configure(connection, cacheKiB: 16_384)
            try connection.execute("PRAGMA query_only = ON")
            return connection
        } catch {
            connection.close(keepsLog: true)
            throw error
        }
    }

    /// Opens a loop's connection. Its reads do not wait once `waits` is false. It cannot write.
    static func openLook(
        _ path: String, cacheKiB: Int
    ) throws(StoreError) -> (connection: DatabaseConnection, reads: NoWaitReads) {
        let connection = try DatabaseConnection(path: path, vfs: NoWaitVFS.name)
        do throws(StoreError) {
            guard let reads = NoWaitReads(connection.handle) else { throw ReadyConnection.unsupported }
            reads.waits = true
            // It is opened on a thread that also serves look-ups.
            sqlite3_busy_timeout(connection.handle, 250)
            try configure(connection, cacheKiB: cacheKiB)
            try connection.execute("PRAGMA query_only = ON")
            return (connection, reads)
        } catch {
            connection.close(keepsLog: true)
            throw error
        }
    }

    private static func configure(_ connection: DatabaseConnection, cacheKiB: Int) throws(StoreError) {
        guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
            throw StoreError(
                code: SQLITE_CANTOPEN, extendedCode: SQLITE_CANTOPEN, doing: "opening",
                message: "this file system does not support a write-ahead log")
        }
        // NORMAL: a power cut may lose the last commits, never the database
        // (sqlite.org/pragma.html#pragma_synchronous). mmap off: an I/O error in a mapped page is a SIGBUS.
        // secure_delete FAST: overwrites deleted content if that costs no more I/O.
        try connection.execute(
            """
            PRAGMA synchronous = NORMAL; PRAGMA mmap_size = 0; PRAGMA cache_size = -\(cacheKiB);
            PRAGMA temp_store = MEMORY; PRAGMA secure_delete = FAST; PRAGMA cell_size_check = ON;
            """)
        connection.pageSize = try connection.number("PRAGMA page_size") ?? pageSize
    }

    /// Makes the tables if there are none. Refuses a database of another program, of a later version, or so old that no
    /// step leads from it.
    private static func makeOrCheck(_ connection: DatabaseConnection, _ first: Int64) throws(StoreError) {
        let found = try connection.number("PRAGMA user_version") ?? 0
        let owner = try connection.number("PRAGMA application_id") ?? 0
        if owner == applicationID, (CacheMigration.oldest...version).contains(found) { return }
        let tableCount = try connection.number("SELECT count(*) FROM sqlite_schema")
        guard found == 0, owner == 0, tableCount == 0 else {
            throw StoreError(
                code: SQLITE_NOTADB, extendedCode: SQLITE_NOTADB, doing: "opening",
                message: "schema \(found) of application \(owner) is not ours")
        }
        try connection.transaction { () throws(StoreError) in
            try connection.execute(tables)
            try connection.execute("UPDATE bodies SET commits = \(first)")
            try connection.execute("PRAGMA user_version = \(version); PRAGMA application_id = \(applicationID);")
            try CacheMigration.record(connection, CacheMigration.steps.map(\.name), lastID: 0)
        }
    }
}
