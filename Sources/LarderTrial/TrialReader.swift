// A look-up on the loop's own connection: one statement by digest over today's tables, every checksum looked at, nothing
// decoded. What is found is valid until `release`.
import CLinux
import CSQLite
import Glibc
import LarderCore
import LarderStore

/// What a look-up came to.
enum TrialFound {
    case row(TrialRow)
    case absent
    /// A page of it is not in memory.
    case wouldWait
    case failed(Int32)
}

struct TrialRow {
    var id: Int64
    var size: Int
    var head: UnsafeRawBufferPointer
    /// Empty where the body lies elsewhere.
    var body: UnsafeRawBufferPointer
    var bodySum: UInt32
    var freshUntil: Int64
}

final class TrialReader {
    private let database: TrialDatabase
    private let find: OpaquePointer
    private let pieces: OpaquePointer
    private let begin: OpaquePointer
    private let commit: OpaquePointer
    private let checksBodies: Bool
    private(set) var isInTransaction = false
    let reads: NoWaitReads?

    var entries: Int { Int((try? database.number("SELECT max(id) FROM entry")) ?? 0) }

    init(_ directory: String, _ settings: TrialSettings) throws(TrialError) {
        checksBodies = settings.checksBodies
        database = try TrialDatabase("\(directory)/cache.db", isNoWait: settings.isNoWait)
        try database.run("PRAGMA cache_size = -\(settings.cacheMebibytes << 10); PRAGMA query_only = ON")
        find = try database.prepare(
            """
            SELECT e.id, e.size, l.freshUntil, l.staleUntil, e.key, e.label, e.head, e.body, e.provider, l.format, l.sums,
              l.sum
            FROM entry e CROSS JOIN life l WHERE e.digest = ?1 AND l.id = e.id
            """)
        pieces = try database.prepare(
            "SELECT id, data, sum FROM chunk WHERE id BETWEEN ?1 << 20 AND (?1 << 20) + 1048575 ORDER BY id")
        begin = try database.prepare("BEGIN")
        commit = try database.prepare("COMMIT")
        reads = NoWaitReads(database.handle)
    }

    /// Several look-ups of one turn share a snapshot, and the locks it costs.
    func beginTurn() {
        sqlite3_step(begin)
        sqlite3_reset(begin)
        isInTransaction = true
    }

    func endTurn() {
        sqlite3_step(commit)
        sqlite3_reset(commit)
        isInTransaction = false
    }

    func look(_ digest: UnsafeRawBufferPointer, key asked: UnsafeRawBufferPointer) -> TrialFound {
        larder_bind_blob_static(find, 1, digest.baseAddress, 32)
        let code = sqlite3_step(find)
        switch code {
        case SQLITE_ROW: break
        case SQLITE_DONE: return .absent
        case SQLITE_BUSY: return .wouldWait
        default: return .failed(code)
        }
        let key = raw(find, 4)
        guard key.count == asked.count, let left = key.baseAddress, let right = asked.baseAddress,
            memcmp(left, right, key.count) == 0
        else { return .absent }
        let row = TrialRow(
            id: sqlite3_column_int64(find, 0), size: Int(sqlite3_column_int64(find, 1)), head: raw(find, 6),
            body: raw(find, 7), bodySum: UInt32(truncatingIfNeeded: sqlite3_column_int64(find, 10)),
            freshUntil: sqlite3_column_int64(find, 2))
        let constant = TrialSum.constant(
            id: row.id, provider: sqlite3_column_int64(find, 8), size: Int64(row.size), digest: digest, key: key,
            head: row.head)
        let sums = UInt64(bitPattern: sqlite3_column_int64(find, 10))
        guard constant == UInt32(truncatingIfNeeded: sums >> 32),
            TrialSum.life(id: row.id, freshUntil: row.freshUntil, staleUntil: sqlite3_column_int64(find, 3))
                == sqlite3_column_int64(find, 11)
        else { return .failed(SQLITE_CORRUPT) }
        if !row.body.isEmpty, checksBodies, TrialSum.of(row.body) != row.bodySum { return .failed(SQLITE_CORRUPT) }
        return .row(row)
    }

    /// Hands on each piece of a large body where SQLite holds it. False where one would wait or is damaged.
    func eachPiece(of row: TrialRow, _ take: (UnsafeRawBufferPointer) -> Void) -> Bool {
        sqlite3_bind_int64(pieces, 1, row.id)
        defer { sqlite3_reset(pieces) }
        while true {
            let code = sqlite3_step(pieces)
            guard code == SQLITE_ROW else { return code == SQLITE_DONE }
            let piece = raw(pieces, 1)
            if checksBodies, Int64(TrialSum.of(piece)) != sqlite3_column_int64(pieces, 2) { return false }
            take(piece)
        }
    }

    func release() { sqlite3_reset(find) }

    private func raw(_ statement: OpaquePointer, _ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(statement, column)
        return UnsafeRawBufferPointer(
            start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(statement, column)))
    }
}
