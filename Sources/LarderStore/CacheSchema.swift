// The layout of cache.db, and how it is opened. `Docs/store.md` explains the tables. A database of another version is
// set aside, since what a cache holds can be fetched again. Data that changes (freshness, last use) is apart from data
// that does not, so a touch or a validation rewrites a few bytes. What belongs to an entry is removed with it by
// trigger, sums included. New entries are counted in batches: the sums cover the entries up to the id `counted`, and a
// reader adds the few after it. A body above 16 KiB lies in a file (Bodies/BodyFiles.swift); its row holds the
// checksums of its pieces. `RowSums` says what the checksums in `life` cover; they are not in the row itself, so that a
// change of times rewrites no body. `url` is the digest of a variant's URL (`StoredVariant`).
import CSQLite
import Glibc
import LarderCore

enum CacheSchema {
    /// "Lrdr", so that another program's database is not taken for ours (sqlite.org/pragma.html#pragma_application_id).
    static let applicationID: Int64 = 0x4C72_6472
    static let version: Int64 = 11
    /// Bodies up to this size lie in their row, larger ones in a file.
    static let largestInRow = 16 << 10
    /// A body in a file has a checksum for each piece of this size.
    static let pieceSize = 64 << 10
    /// The size of a page.
    static let pageSize: Int64 = 4 << 10
    /// What a write is reckoned to take in pages, besides its own bytes.
    static let reckonedPages: Int64 = 16 << 10
    /// The log is written back when it has grown by this many bytes.
    private static let checkpointBytes: Int64 = 8 << 20

    private static let tables = """
        CREATE TABLE provider (
          id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
          entries INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0, counted INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE entry (
          id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, provider INTEGER NOT NULL, size INTEGER NOT NULL,
          key BLOB NOT NULL, label TEXT NOT NULL, head BLOB NOT NULL, body BLOB, url BLOB
        ) STRICT;
        CREATE INDEX entryURL ON entry (url) WHERE url IS NOT NULL;
        CREATE TABLE life (
          id INTEGER PRIMARY KEY, version INTEGER NOT NULL, freshUntil INTEGER NOT NULL,
          staleUntil INTEGER NOT NULL, lastUsed INTEGER NOT NULL,
          format INTEGER NOT NULL, sums INTEGER NOT NULL, sum INTEGER NOT NULL
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
        """ + ResultIndex.tables + ReadyTable.sql + "\n" + BodyTable.sql

    /// Opens the writer's connection. Makes the tables in an empty file, and refuses any other schema as damage.
    /// - Parameters:
    ///   - first: the number of the last commit before this database, if it is made now.
    ///   - locks: how locks of other processes are waited for.
    static func openWriter(
        _ path: String, first: Int64 = 0, locks: LockWaits = LockWaits()
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
        try connection.useLog()
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

    /// Makes the tables if there are none. Refuses a database of another program or version, and one whose schema
    /// was changed.
    private static func makeOrCheck(_ connection: DatabaseConnection, _ first: Int64) throws(StoreError) {
        let found = try connection.number("PRAGMA user_version") ?? 0
        let owner = try connection.number("PRAGMA application_id") ?? 0
        if owner == applicationID, found == version { return try check(connection) }
        let tableCount = try connection.number("SELECT count(*) FROM sqlite_schema")
        guard found == 0, owner == 0, tableCount == 0 else {
            throw StoreError(
                SQLITE_NOTADB, "opening",
                owner == applicationID
                    ? "it has schema \(found), and this version of Larder has schema \(version)"
                    : "it belongs to another program")
        }
        try connection.transaction { () throws(StoreError) in
            try connection.execute(tables)
            let sum = try schemaSum(connection)
            try connection.execute(
                """
                UPDATE bodies SET commits = \(first), schemaSum = \(sum);
                PRAGMA user_version = \(version); PRAGMA application_id = \(applicationID);
                """)
        }
    }

    /// A flipped bit of the schema makes statements fail or read another table, which no checksum of a row can tell.
    private static func check(_ connection: DatabaseConnection) throws(StoreError) {
        let sum: Int64?
        do throws(StoreError) {
            sum = try connection.number("SELECT schemaSum FROM bodies")
        } catch {
            // The flipped bit may be in a name of this statement.
            guard error.code == SQLITE_ERROR else { throw error }
            sum = nil
        }
        guard try sum == schemaSum(connection) else {
            throw StoreError.damage("the schema was changed by another program")
        }
    }

    /// The checksum of the schema as SQLite keeps it: texts and root pages.
    private static func schemaSum(_ connection: DatabaseConnection) throws(StoreError) -> Int64 {
        let rows = try connection.statement(
            "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema ORDER BY rowid")
        defer { rows.reset() }
        var sum = Checksum()
        while try rows.step() {
            for column: Int32 in [0, 1, 2, 4] { sum.add(measured: rows.raw(column)) }
            sum.add(rows.int(3))
        }
        return Int64(sum.value)
    }
}
