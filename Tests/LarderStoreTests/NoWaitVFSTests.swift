// Reading without waiting for the disk: which reads are refused, which are not, and that a refusal does no harm.
import CSQLite
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

struct NoWaitVFSTests {
    /// A database of a few hundred pages, and a connection to it through the VFS.
    private final class Bench {
        let directory = TemporaryDirectory()
        let writer: OpaquePointer
        let reader: OpaquePointer
        let find: OpaquePointer
        let reads: NoWaitReads

        init() throws {
            try #require(NoWaitVFS.isRegistered)
            let path = "\(directory.path)/cache.db"
            writer = try Self.open(path, nil)
            try Self.run(
                writer,
                """
                PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY, body BLOB);
                WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 500)
                INSERT INTO t SELECT i, zeroblob(3000) FROM n;
                """)
            // Half of the rows are in the file, half in the log.
            try Self.run(
                writer,
                """
                PRAGMA wal_checkpoint(TRUNCATE);
                UPDATE t SET body = x'0102' WHERE id % 2 = 0;
                """)
            reader = try Self.open(path, NoWaitVFS.name)
            reads = try #require(NoWaitReads(reader))
            reads.waits = true
            // Without a page cache, each statement reads every page again.
            try Self.run(reader, "PRAGMA cache_size = 0; SELECT count(*) FROM t")
            var made: OpaquePointer?
            try #require(
                sqlite3_prepare_v2(reader, "SELECT length(body) FROM t WHERE id = ?1", -1, &made, nil) == SQLITE_OK)
            find = try #require(made)
        }

        deinit {
            sqlite3_finalize(find)
            sqlite3_close(reader)
            sqlite3_close(writer)
        }

        static func open(_ path: String, _ vfs: String?) throws -> OpaquePointer {
            var handle: OpaquePointer?
            let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
            try #require(sqlite3_open_v2(path, &handle, flags, vfs) == SQLITE_OK)
            return try #require(handle)
        }

        static func run(_ handle: OpaquePointer, _ sql: String) throws {
            try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
        }

        /// The result code of the look-up, and the length found.
        func look(_ id: Int64) -> (code: Int32, length: Int64) {
            defer { sqlite3_reset(find) }
            sqlite3_bind_int64(find, 1, id)
            sqlite3_db_release_memory(reader)
            let code = sqlite3_step(find)
            return (code, code == SQLITE_ROW ? sqlite3_column_int64(find, 0) : -1)
        }
    }

    @Test func aReadThatWouldWaitIsBusyAndSucceedsWithWaitingOnTheSameStatement() throws {
        let bench = try Bench()
        for id in [Int64(7), 8] {
            bench.reads.waits = false
            bench.reads.refusesAll = true
            let before = bench.reads.refused
            #expect(bench.look(id).code == SQLITE_BUSY)
            #expect(bench.reads.refused > before)
            bench.reads.refusesAll = false
            bench.reads.waits = true
            #expect(bench.look(id).length == (id % 2 == 0 ? 2 : 3000))
        }
    }

    @Test func pagesInMemoryAreReadWithoutWaiting() throws {
        let bench = try Bench()
        for id in Int64(1)...500 { _ = bench.look(id) }
        bench.reads.waits = false
        var refused = 0
        for id in Int64(1)...500 {
            let found = bench.look(id)
            // The kernel may refuse even a page that is in memory. A look-up that is not refused must find the right
            // row.
            if found.code == SQLITE_BUSY { refused += 1 } else { #expect(found.length == (id % 2 == 0 ? 2 : 3000)) }
        }
        #expect(refused == bench.reads.refused)
    }

    @Test func aFileWithoutAPageIsReadAsEmpty() throws {
        try #require(NoWaitVFS.isRegistered)
        let directory = TemporaryDirectory()
        let handle = try Bench.open(directory.write("empty.db", ""), NoWaitVFS.name)
        defer { sqlite3_close(handle) }
        try Bench.run(handle, "CREATE TABLE t (id INTEGER PRIMARY KEY)")
    }

    @Test func refusalsLeaveTheDatabaseSound() throws {
        let bench = try Bench()
        bench.reads.waits = false
        for id in Int64(1)...50 {
            bench.reads.refusesAll = id % 3 == 0
            _ = bench.look(id)
        }
        bench.reads.refusesAll = false
        bench.reads.waits = true
        var check: OpaquePointer?
        sqlite3_prepare_v2(bench.reader, "PRAGMA quick_check", -1, &check, nil)
        defer { sqlite3_finalize(check) }
        #expect(sqlite3_step(check) == SQLITE_ROW)
        #expect(sqlite3_column_text(check, 0).map { String(cString: $0) } == "ok")
    }

    /// Closing a second descriptor would release the locks of the whole process on that file.
    @Test func aSecondConnectionOpensNoSecondDescriptorAndClosesNone() throws {
        let bench = try Bench()
        let path = "\(bench.directory.path)/cache.db"
        let first = NoWaitVFS.descriptor(of: path)
        let again = try Bench.open(path, NoWaitVFS.name)
        try Bench.run(again, "SELECT count(*) FROM t")
        #expect(NoWaitVFS.descriptor(of: path) == first)
        sqlite3_close(again)
        #expect(first != nil && NoWaitVFS.descriptor(of: path) == first)
    }

    /// SQLite would fill a short read up with zeros.
    @Test func aPartOfAPageIsNoPage() {
        #expect(NoWaitOutcome(4096, of: 16384, at: 32768, end: { 1 << 20 }) == .wouldWait)
        #expect(NoWaitOutcome(0, of: 16384, at: 32768, end: { 1 << 20 }) == .wouldWait)
        #expect(NoWaitOutcome(16384, of: 16384, at: 32768, end: { 1 << 20 }) == .whole)
    }

    @Test func theEndOfTheFileIsReadByTheSystem() {
        #expect(NoWaitOutcome(0, of: 100, at: 0, end: { 0 }) == .askSystem)
        #expect(NoWaitOutcome(4096, of: 16384, at: 32768, end: { 36864 }) == .askSystem)
    }

    @Test func aFileSystemWithoutTheQuestionIsNoFailure() {
        #expect(NoWaitOutcome(-95, of: 100, at: 0, end: { 0 }) == .unsupported)
        #expect(NoWaitOutcome(-5, of: 100, at: 0, end: { 0 }) == .askSystem)
        #expect(NoWaitOutcome(-11, of: 100, at: 0, end: { 0 }) == .wouldWait)
    }

    @Test func aConnectionOfAnotherVFSHasNoSuchReads() throws {
        let directory = TemporaryDirectory()
        let handle = try Bench.open("\(directory.path)/cache.db", nil)
        defer { sqlite3_close(handle) }
        #expect(NoWaitReads(handle) == nil)
    }
}
