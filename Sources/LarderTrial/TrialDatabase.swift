// A connection and its statements, as little as a trial needs.
import CSQLite
import LarderCore
import LarderStore

struct TrialError: Error, CustomStringConvertible {
    var description: String
}

final class TrialDatabase {
    let handle: OpaquePointer

    init(_ path: String, isNoWait: Bool) throws(TrialError) {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &handle, flags, isNoWait ? NoWaitVFS.name : nil)
        guard let handle, code == SQLITE_OK else { throw TrialError(description: "opening \(path): \(code)") }
        self.handle = handle
        // Opening reads what it must and may wait; only look-ups must not.
        let reads = NoWaitReads(handle)
        reads?.waits = true
        try run(
            "PRAGMA mmap_size = 0; PRAGMA synchronous = NORMAL; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY"
        )
        try run("SELECT count(*) FROM provider")
        reads?.waits = false
    }

    deinit { sqlite3_close_v2(handle) }

    func run(_ sql: String) throws(TrialError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw TrialError(description: "\(sql): \(code)") }
    }

    func prepare(_ sql: String) throws(TrialError) -> OpaquePointer {
        var made: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
        guard code == SQLITE_OK, let made else { throw TrialError(description: "\(sql): \(code)") }
        return made
    }

    func number(_ sql: String) throws(TrialError) -> Int64 {
        let statement = try prepare(sql)
        defer { sqlite3_finalize(statement) }
        return sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0
    }
}
