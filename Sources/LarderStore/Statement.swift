// A prepared statement: bind, step, read, reset. It must be reset before its transaction ends and never stay open while
// anyone waits, since an open read keeps the write-ahead log from being reused (sqlite.org/wal.html, "Avoiding
// Excessively Large WAL Files").
import CSQLite
import Glibc
import LarderCore

/// One prepared statement, used on its connection's thread.
final class Statement {
    private unowned let connection: DatabaseConnection
    private let pointer: OpaquePointer
    private let sql: String
    private var bindFailure = SQLITE_OK

    init(_ connection: DatabaseConnection, _ sql: String) throws(StoreError) {
        var pointer: OpaquePointer?
        // PERSISTENT: kept and used many times (sqlite.org/c3ref/c_prepare_dont_log.html).
        let code = sqlite3_prepare_v3(connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
        guard code == SQLITE_OK, let pointer else {
            throw StoreError(handle: connection.handle, doing: "preparing \(Self.verb(of: sql))")
        }
        (self.connection, self.sql, self.pointer) = (connection, sql, pointer)
    }

    /// Called once, by the connection.
    func finalize() { sqlite3_finalize(pointer) }

    // MARK: Binding. Indexes begin at 1. A failure is thrown by the next step.

    func bind(_ index: Int32, _ value: Int64) { note(sqlite3_bind_int64(pointer, index, value)) }

    func bind(_ index: Int32, _ value: String) {
        var value = value
        let code = value.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { chars in
                chars.baseAddress.map { larder_bind_text_copy(pointer, index, $0, Int32(clamping: chars.count)) }
                    ?? larder_bind_text_copy(pointer, index, "", 0)
            }
        }
        note(code)
    }

    /// Binds a copy of the bytes.
    func bind(_ index: Int32, _ value: Bytes) {
        note(
            value.withUnsafeBytes {
                larder_bind_blob_copy(pointer, index, $0.baseAddress ?? Self.nothing, UInt64($0.count))
            })
    }

    /// Binds the bytes in place, without a copy: they must stay valid until `reset`.
    func bind(_ index: Int32, lasting value: UnsafeRawBufferPointer) {
        note(larder_bind_blob_static(pointer, index, value.baseAddress ?? Self.nothing, UInt64(value.count)))
    }

    func bind(_ index: Int32, _ digest: Digest) {
        digest.withRawBytes { note(larder_bind_blob_copy(pointer, index, $0.baseAddress, UInt64($0.count))) }
    }

    func bind(_ index: Int32, _ digest: Digest?) {
        if let digest { bind(index, digest) } else { bindNull(index) }
    }

    func bindNull(_ index: Int32) { note(sqlite3_bind_null(pointer, index)) }

    /// Binds values to the parameters, in their order.
    func bindAll<each Value: Bindable>(_ values: repeat each Value) {
        var index: Int32 = 0
        for value in repeat each values {
            index += 1
            value.bind(to: self, index)
        }
    }

    private func note(_ code: Int32) {
        if code != SQLITE_OK { bindFailure = code }
    }

    /// An address for empty blobs, which would otherwise be bound as NULL. Never read or written, so any thread may use
    /// it.
    nonisolated(unsafe) private static let nothing = UnsafeRawPointer(
        UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))

    // MARK: Running

    /// Moves to the next row. Returns true if there is one, false at the end.
    func step() throws(StoreError) -> Bool {
        connection.assertOwner()
        guard bindFailure == SQLITE_OK else {
            let code = bindFailure
            bindFailure = SQLITE_OK
            throw StoreError(code, Self.verb(of: sql), "a parameter could not be bound")
        }
        switch sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            let error = StoreError(handle: connection.handle, doing: Self.verb(of: sql))
            sqlite3_reset(pointer)
            throw error
        }
    }

    /// Runs to the end and resets. For statements whose rows do not matter.
    func run() throws(StoreError) {
        defer { reset() }
        while try step() {}
    }

    /// What `read` makes of all rows, without those of which it makes nil.
    func rows<Row>(_ read: (Statement) -> Row?) throws(StoreError) -> [Row] {
        defer { reset() }
        var rows: [Row] = []
        while try step() {
            if let row = read(self) { rows.append(row) }
        }
        return rows
    }

    /// Ends the run. Bindings stay until they are bound anew, but bytes bound in place are not needed any more.
    func reset() {
        sqlite3_reset(pointer)
    }

    // MARK: The present row. Columns begin at 0.

    func int(_ column: Int32) -> Int64 { sqlite3_column_int64(pointer, column) }

    func double(_ column: Int32) -> Double { sqlite3_column_double(pointer, column) }

    func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(pointer, column) else { return "" }
        let count = Int(sqlite3_column_bytes(pointer, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// The bytes of a column, valid until the next step or reset.
    func raw(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(pointer, column)
        return UnsafeRawBufferPointer(
            start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(pointer, column)))
    }

    func bytes(_ column: Int32) -> Bytes { Bytes(raw(column)) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(pointer, column) == SQLITE_NULL }

    /// The first words of a statement, for messages.
    static func verb(of sql: String) -> String {
        sql.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: true).prefix(3).joined(separator: " ")
    }
}

/// A value for a parameter of a statement.
protocol Bindable {
    func bind(to statement: Statement, _ index: Int32)
}

extension Int64: Bindable {
    func bind(to statement: Statement, _ index: Int32) { statement.bind(index, self) }
}

extension String: Bindable {
    func bind(to statement: Statement, _ index: Int32) { statement.bind(index, self) }
}

extension Bytes: Bindable {
    func bind(to statement: Statement, _ index: Int32) { statement.bind(index, self) }
}

extension Digest: Bindable {
    func bind(to statement: Statement, _ index: Int32) { statement.bind(index, self) }

    /// Gives the 32 bytes without an array, so that a read allocates nothing to name its row.
    func withRawBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var raw = (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)
        return withUnsafeBytes(of: &raw) { body($0) }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether both hold the same bytes.
    func isSame(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let left = baseAddress, let right = other.baseAddress else { return true }
        return memcmp(left, right, count) == 0
    }
}
