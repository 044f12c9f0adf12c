// The writer's half: rows of the daemon's schema whose head is the answer's own, ready to send; many in one transaction.
// A body in a file is written before its row.
import CSQLite
import Glibc
import LarderCore
import LarderStore

/// What was accepted and is to be committed.
struct TrialEntry: Sendable {
    var digest: Digest
    var key: Bytes
    /// Status line and fields, without the empty line at the end.
    var head: Bytes
    var body: Bytes
}

final class TrialRows {
    private let database: TrialDatabase
    private let directory: String
    private let bodies: TrialSettings.Bodies
    private let entry: OpaquePointer
    private let life: OpaquePointer
    private let chunk: OpaquePointer
    private let begin: OpaquePointer
    private let commit: OpaquePointer
    private var nextID: Int64

    /// The daemon's own store makes the schema.
    static func make(_ directory: String) async throws {
        let store = try SQLiteStore.open(
            directory: directory, settings: StoreSettings(), log: .silent, counters: CounterRegistry())
        await store.close()
        mkdir("\(directory)/bodies", 0o700)
    }

    init(_ directory: String, _ bodies: TrialSettings.Bodies) throws(TrialError) {
        self.directory = directory
        self.bodies = bodies
        database = try TrialDatabase("\(directory)/cache.db", isNoWait: false)
        try database.run("PRAGMA wal_autocheckpoint = 512; PRAGMA cache_size = -4096; PRAGMA secure_delete = FAST")
        try database.run("INSERT OR IGNORE INTO provider (id, name, counted) VALUES (1, 'trial', 0)")
        entry = try database.prepare(
            """
            INSERT OR REPLACE INTO entry (id, digest, provider, size, key, label, head, body)
            VALUES (?1, ?2, 1, ?3, ?4, '', ?5, ?6)
            """)
        life = try database.prepare(
            """
            INSERT INTO life (id, version, freshUntil, staleUntil, lastUsed, format, sums, sum)
            VALUES (?1, 1, ?2, ?3, 0, 1, ?4, ?5)
            """)
        chunk = try database.prepare("INSERT INTO chunk (id, data, sum) VALUES (?1, ?2, ?3)")
        begin = try database.prepare("BEGIN IMMEDIATE")
        commit = try database.prepare("COMMIT")
        nextID = try database.number("SELECT coalesce(max(id), 0) + 1 FROM entry")
    }

    func write(_ entries: [TrialEntry], now: Int64) -> Bool {
        guard run(begin) else { return false }
        for one in entries { put(one, now) }
        return run(commit)
    }

    private func run(_ statement: OpaquePointer) -> Bool {
        defer { sqlite3_reset(statement) }
        return sqlite3_step(statement) == SQLITE_DONE
    }

    private func put(_ one: TrialEntry, _ now: Int64) {
        let id = nextID
        nextID += 1
        let size = one.body.count
        let (fresh, stale) = (now + 3_600_000, now + 7_200_000)
        let isInRow = size <= (bodies == .rows ? 64 << 10 : TrialSettings.inRow)
        one.body.withUnsafeBytes { body in
            let sum = isInRow || bodies != .rows ? TrialSum.of(body) : 0
            if !isInRow { bodies == .rows ? putPieces(id, body) : putFile(id, body) }
            one.key.withUnsafeBytes { key in
                one.head.withUnsafeBytes { head in
                    withRawDigest(one.digest) { digest in
                        let constant = TrialSum.constant(
                            id: id, provider: 1, size: Int64(size), digest: digest, key: key, head: head)
                        sqlite3_bind_int64(entry, 1, id)
                        larder_bind_blob_copy(entry, 2, digest.baseAddress, 32)
                        sqlite3_bind_int64(entry, 3, Int64(size))
                        larder_bind_blob_static(entry, 4, key.baseAddress, UInt64(key.count))
                        larder_bind_blob_static(entry, 5, head.baseAddress, UInt64(head.count))
                        if isInRow {
                            larder_bind_blob_static(entry, 6, body.baseAddress, UInt64(size))
                        } else {
                            sqlite3_bind_null(entry, 6)
                        }
                        _ = run(entry)
                        sqlite3_bind_int64(life, 1, id)
                        sqlite3_bind_int64(life, 2, fresh)
                        sqlite3_bind_int64(life, 3, stale)
                        sqlite3_bind_int64(life, 4, Int64(bitPattern: UInt64(constant) << 32 | UInt64(sum)))
                        sqlite3_bind_int64(life, 5, TrialSum.life(id: id, freshUntil: fresh, staleUntil: stale))
                        _ = run(life)
                    }
                }
            }
        }
    }

    private func putPieces(_ id: Int64, _ body: UnsafeRawBufferPointer) {
        for (number, start) in stride(from: 0, to: body.count, by: 64 << 10).enumerated() {
            let piece = UnsafeRawBufferPointer(rebasing: body[start..<min(start + 64 << 10, body.count)])
            sqlite3_bind_int64(chunk, 1, id << 20 + Int64(number))
            larder_bind_blob_static(chunk, 2, piece.baseAddress, UInt64(piece.count))
            sqlite3_bind_int64(chunk, 3, Int64(TrialSum.of(piece)))
            _ = run(chunk)
        }
    }

    private func putFile(_ id: Int64, _ body: UnsafeRawBufferPointer) {
        let file = open("\(directory)/bodies/\(id)", O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        _ = Glibc.write(file, body.baseAddress, body.count)
        close(file)
    }

    /// Entries `/fill/1` to `/fill/COUNT`.
    static func fill(_ directory: String, count: Int, size: Int, bodies: TrialSettings.Bodies) throws(TrialError) {
        let rows = try TrialRows(directory, bodies)
        let head = Bytes(
            text: "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nCache-Control: max-age=3600\r\n"
                + "Date: Sun, 01 Jan 2034 00:00:00 GMT\r\nETag: \"fill\"\r\nContent-Length: \(size)\r\n")
        var state: UInt64 = 88_172_645_463_325_252
        let body = (0..<size).map { _ -> UInt8 in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state >> 32)
        }
        var batch: [TrialEntry] = []
        for number in 1...max(1, count) {
            let key = Bytes(text: "/fill/\(number)")
            batch.append(TrialEntry(digest: Digest(of: key), key: key, head: head, body: body))
            if batch.count == 1000 || number == count {
                guard rows.write(batch, now: SystemTime().wall().milliseconds) else {
                    throw TrialError(description: "a commit failed")
                }
                batch = []
            }
        }
        try rows.database.run("PRAGMA wal_checkpoint(TRUNCATE)")
        print("filled \(count) entries of \(size) bytes")
    }
}

/// The 32 bytes of a digest.
func withRawDigest<Result>(_ digest: Digest, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    var raw = (
        digest.words.0.bigEndian, digest.words.1.bigEndian, digest.words.2.bigEndian, digest.words.3.bigEndian
    )
    return withUnsafeBytes(of: &raw) { body($0) }
}
