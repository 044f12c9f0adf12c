// One SQLite connection and its prepared statements.
//
// SQLite's own mutexes are off (SQLITE_OPEN_NOMUTEX, sqlite.org/threadsafe.html). A connection belongs to one thread,
// and is handed to that thread before the thread uses it. Debug builds check the thread at each step.
import CSQLite
import Glibc
import LarderCore

/// A connection with one owner.
final class DatabaseConnection {
    let handle: OpaquePointer
    private var statements: [StatementText: Statement] = [:]

    /// The text of a statement as a key. Texts are long, and few have the same length and the same end; equal literals have
    /// one address, which `==` sees at once.
    private struct StatementText: Hashable {
        let sql: String

        func hash(into hasher: inout Hasher) {
            hasher.combine(sql.utf8.count)
            sql.utf8.withContiguousStorageIfAvailable { bytes in
                // The end of a text tells a table's statements apart, its middle those with the same condition.
                for at in [bytes.count / 2, bytes.count - 8] where at >= 0 && at + 8 <= bytes.count {
                    hasher.combine(UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: at, as: UInt64.self))
                }
            }
        }
    }
    private var owner: pthread_t?
    private var isClosed = false
    /// How the connection waits for the locks of other processes.
    private var locks: LockWaits
    /// Faults that tests inject into every commit.
    var faults: StoreFaults?
    /// Counts every commit before anybody is told of it.
    var commits: CommitCount?
    /// Counts the commits in the database and beside it, for the next start; nil where no row counts them.
    var mark: RemovalMark?
    /// The latest number is written with each commit, so that a start goes on above it.
    var arrivals: ArrivalNumbers?
    /// What the present transaction takes away.
    private var taking = RemovalMark.Taking.nothing
    /// How many more bytes the files of all rows take after the present transaction (`BodyTable`).
    var fileBytes: Int64 = 0
    /// The URLs that got a variant in the present transaction.
    var changedURLs: Set<Digest> = []
    /// Bytes of a page, if the database is `cache.db`.
    var pageSize = CacheSchema.pageSize

    /// SQLite's VFS that keeps all other processes out as long as one connection of this process is open, and keeps the
    /// index of the log in memory (sqlite.org/vfs.html, "unix-excl"). The usual VFS maps that index from a file, and a
    /// process ends when it touches a mapped page that another program has cut off (SIGBUS).
    static let vfs = "unix-excl"

    /// Opens or makes a database file. A new file can be read by nobody else (its log files inherit the mode).
    /// - Parameters:
    ///   - vfs: the name of the VFS. All connections of this process to one file must keep other processes out.
    ///   - locks: how the connection waits for the locks of others, from the first statement on.
    init(path: String, vfs: String = DatabaseConnection.vfs, locks: LockWaits = LockWaits()) throws(StoreError) {
        self.locks = locks
        Self.configureOnce
        try Self.makeOrLook(path)

        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &handle, flags, vfs)
        guard let handle else {
            throw StoreError(code, "opening", "out of memory")
        }
        self.handle = handle
        guard code == SQLITE_OK else {
            let error = StoreError(handle: handle, doing: "opening")
            sqlite3_close(handle)
            isClosed = true
            throw error
        }
        locks.attend(handle)
        // A damaged or hostile schema must not be able to run functions or write to itself
        // (sqlite.org/security.html, "Untrusted SQLite Database Files").
        larder_db_config_int(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nil)
        larder_db_config_int(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nil)
        larder_db_config_int(handle, SQLITE_DBCONFIG_DQS_DDL, 0, nil)
        larder_db_config_int(handle, SQLITE_DBCONFIG_DQS_DML, 0, nil)
    }

    /// Makes the file if there is none. An existing file is checked by its name alone: closing a descriptor of it would
    /// give up the locks of every connection of this process on it, and another program that reads the database would
    /// then remove the write-ahead log when it leaves (sqlite.org/howtocorrupt.html §2.2).
    private static func makeOrLook(_ path: String) throws(StoreError) {
        var status = stat()
        if lstat(path, &status) == 0 {
            // Not SQLITE_OPEN_NOFOLLOW, which refuses a link anywhere in the path: with DynamicUser= the state
            // directory is a link.
            if status.st_mode & S_IFMT == S_IFLNK { throw StoreError.linked(path) }
            guard access(path, R_OK | W_OK) == 0 else { throw StoreError.system("opening \(path)") }
            return
        }
        let descriptor = Glibc.open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            let number = StoreError.lastNumber
            if number == ENOSPC || number == EDQUOT { throw StoreError.ofDisk(number, doing: "making \(path)") }
            throw StoreError.refusedOpening(path)
        }
        Glibc.close(descriptor)
    }

    deinit {
        precondition(isClosed, "a connection was dropped without being closed")
    }

    /// Memory statistics cost a process-wide mutex at each allocation (SQLITE_CONFIG_MEMSTATUS,
    /// sqlite.org/c3ref/c_config_covering_index_scan.html). May only be set before SQLite is first used; later it is
    /// refused without harm.
    private static let configureOnce: Void = {
        larder_config_int(SQLITE_CONFIG_MEMSTATUS, 0)
    }()

    /// Finalises every statement and closes.
    /// - Parameter keepsLog: makes no checkpoint and leaves the write-ahead log as it is, as when the file is to be set
    ///   aside.
    func close(keepsLog: Bool = false) {
        guard !isClosed else { return }
        if keepsLog { larder_db_config_int(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nil) }
        for statement in statements.values { statement.finalize() }
        statements.removeAll()
        let code = sqlite3_close(handle)
        precondition(code == SQLITE_OK, "a statement outlived its connection")
        isClosed = true
    }

    /// From now on the connection waits for locks as `locks` says.
    func wait(as locks: LockWaits) {
        self.locks = locks
        locks.attend(handle)
    }

    /// From now on the connection waits for no lock: `SQLITE_BUSY` is returned at once.
    func waitForNothing() { sqlite3_busy_handler(handle, nil, nil) }

    /// Makes the calling thread the owner.
    func adopt() { owner = pthread_self() }

    func assertOwner() {
        assert(owner.map { pthread_equal($0, pthread_self()) != 0 } ?? true, "a connection was used off its thread")
    }

    /// The prepared statement of this text, prepared at first use and kept.
    func statement(_ sql: String) throws(StoreError) -> Statement {
        assertOwner()
        let text = StatementText(sql: sql)
        if let known = statements[text] { return known }
        let made = try Statement(self, sql)
        statements[text] = made
        return made
    }

    /// Runs statements that return no rows and are not kept.
    func execute(_ sql: String) throws(StoreError) {
        assertOwner()
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw StoreError(handle: handle, doing: Statement.verb(of: sql))
        }
    }

    /// Makes the database write to a log first (sqlite.org/wal.html).
    func useLog() throws(StoreError) {
        guard try text("PRAGMA journal_mode = WAL") == "wal" else {
            throw StoreError(SQLITE_CANTOPEN, "opening", "this file system does not support a write-ahead log")
        }
    }

    /// Runs a statement with these values for its parameters, whatever rows it returns.
    func run<each Value: Bindable>(_ sql: String, _ values: repeat each Value) throws(StoreError) {
        let statement = try statement(sql)
        statement.bindAll(repeat each values)
        try statement.run()
    }

    /// What `read` makes of the first row; nil if there is none.
    func first<each Value: Bindable, Row>(
        _ sql: String, _ values: repeat each Value, read: (Statement) -> Row?
    ) throws(StoreError) -> Row? {
        let statement = try statement(sql)
        statement.bindAll(repeat each values)
        defer { statement.reset() }
        return try statement.step() ? read(statement) : nil
    }

    /// What `read` makes of all rows, without those of which it makes nil.
    func rows<each Value: Bindable, Row>(
        _ sql: String, _ values: repeat each Value, read: (Statement) -> Row?
    ) throws(StoreError) -> [Row] {
        let statement = try statement(sql)
        statement.bindAll(repeat each values)
        return try statement.rows(read)
    }

    /// The first column of the first row as a number; nil if there is no row.
    func number<each Value: Bindable>(_ sql: String, _ values: repeat each Value) throws(StoreError) -> Int64? {
        try first(sql, repeat each values) { $0.int(0) }
    }

    /// The first column of the first row as a text; nil if there is no row.
    func text(_ sql: String) throws(StoreError) -> String? { try first(sql) { $0.text(0) } }

    /// The statements of each transaction.
    private enum Text {
        static let begin = "BEGIN IMMEDIATE"
        static let commit = "COMMIT"
        static let count = """
            UPDATE bodies SET commits = coalesce(?1, commits), arrival = coalesce(?3, arrival),
              bytes = max(-(1 << 60), min(bytes, 1 << 60)) + ?2
            """
    }

    /// Prepares the statements of a transaction on a connection that counts commits.
    func prepareTransaction() throws(StoreError) {
        for text in [Text.begin, Text.commit, Text.count] { _ = try statement(text) }
    }

    /// Runs the body in a transaction that takes the write lock at once: a transaction that began by reading could meet
    /// SQLITE_BUSY whatever the timeout (sqlite.org/lang_transaction.html).
    func transaction<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        try statement(Text.begin).run()
        do {
            let before = allChanges
            taking = .nothing
            fileBytes = 0
            // What follows a transaction must not count its files twice.
            defer { fileBytes = 0 }
            let result = try body()
            let isChange = allChanges != before
            try faults?.passCommit(isChange: isChange)
            let number = isChange ? try countCommit() : nil
            // Counted even if the commit fails: it is not certain then that nothing was committed.
            defer { commits?.committed() }
            try statement(Text.commit).run()
            if let number { mark?.committed(number, taking) }
            return result
        } catch {
            // Some errors have already rolled back (sqlite.org/lang_transaction.html, "Response To Errors").
            if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
            throw error
        }
    }

    /// Notes what the present transaction takes away.
    func takes(_ what: RemovalMark.Taking) { taking = max(taking, what) }

    /// Writes the one row of `bodies`. A damaged sum of the files stays one that cannot be true, and does not overflow:
    /// a strict table would refuse the result (sqlite.org/stricttables.html).
    private func countCommit() throws(StoreError) -> Int64? {
        let number = mark?.next()
        guard number != nil || fileBytes != 0 else { return nil }
        let row = try statement(Text.count)
        if let number { row.bind(1, number) } else { row.bindNull(1) }
        row.bind(2, fileBytes)
        if let arrivals { row.bind(3, Int64(clamping: arrivals.latest)) } else { row.bindNull(3) }
        try row.run()
        return number
    }

    /// Writes the log back and cuts it. Returns whether all commits are in the database's own file, and nothing is in
    /// the log.
    func writeLogBack() -> Bool { (try? number("PRAGMA wal_checkpoint(TRUNCATE)")) == 0 }

    /// Writes the log back without cutting it, as when another program reads from it
    /// (sqlite.org/pragma.html#pragma_wal_checkpoint, PASSIVE). Returns whether all commits are in the database's own
    /// file.
    func copyLogBack() -> Bool {
        guard let result = try? statement("PRAGMA wal_checkpoint(PASSIVE)") else { return false }
        defer { result.reset() }
        guard (try? result.step()) == true else { return false }
        return result.int(0) == 0 && result.int(1) == result.int(2)
    }

    /// The name by which SQLite opened the database: absolute, and without links (sqlite.org/c3ref/db_filename.html).
    var fileName: String? { sqlite3_db_filename(handle, "main").map { String(cString: $0) } }

    /// Gives back the pages kept in memory; the next use reads them again.
    func releaseMemory() {
        assertOwner()
        sqlite3_db_release_memory(handle)
    }

    /// Pages that transactions have written since the connection was opened, to the log or to the database; wraps
    /// around. A statement that changes nothing, or sets a value that is there already, writes none
    /// (sqlite.org/c3ref/c_dbstatus_options.html, SQLITE_DBSTATUS_CACHE_WRITE).
    var pagesWritten: Int32 {
        var now: Int32 = 0
        var highest: Int32 = 0
        sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &now, &highest, 0)
        return now
    }

    /// Rows changed since the connection was opened.
    var allChanges: Int64 { sqlite3_total_changes64(handle) }

    /// Rows changed by the last statement.
    var changes: Int { Int(sqlite3_changes64(handle)) }
}

extension StoreError {
    /// The last failure of a connection. SQLite's messages name tables and columns, never bound values.
    init(handle: OpaquePointer, doing: String) {
        let error = StoreError(
            sqlite3_extended_errcode(handle), doing,
            sqlite3_errmsg(handle).map { String(cString: $0) } ?? "unknown error")
        self = error.told(sqlite3_system_errno(handle))
    }

    /// Whether the file is no database, or a damaged one. No other error may lead to setting it aside: a full disk or a
    /// busy file says nothing about its content.
    var isDamage: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_FORMAT }

    var isDiskFull: Bool { code == SQLITE_FULL }

    /// Whether opening a database failed because the disk is full: there was no room for its log or for the shared
    /// memory beside it (sqlite.org/rescode.html#ioerr_shmsize).
    public var isForWantOfRoom: Bool {
        code == SQLITE_FULL || extendedCode == Self.noSharedMemory || extendedCode == Self.noWrite
    }
    private static let noSharedMemory = SQLITE_IOERR | 19 << 8
    private static let noWrite = SQLITE_IOERR | 3 << 8

    /// Whether the disk does not take what is written: it is full, or past a limit of size or quota, which SQLite
    /// reports as an input/output error (sqlite.org/rescode.html#ioerr_write).
    var isLackOfDisk: Bool { code == SQLITE_FULL || code == SQLITE_IOERR }
}
