// Tells a start that the database lost commits which removed or replaced something: the end of its write-ahead log was
// damaged, or log or database were exchanged for an older copy. SQLite takes such a log for a shorter one and reports
// nothing (sqlite.org/walformat.html, "Recovery").
//
// The database counts its commits in a row. After each commit that removes or replaces, that count is written over the
// mark, a small file beside the database (`cache.mark`) that takes no new room. A database whose count is below the
// mark is set aside. The commit comes first, so a kill in between leaves a mark that asks for less.
import CSQLite
import Glibc
import LarderCore

/// The content of the mark.
struct MarkRecord: Equatable, Sendable {
    static let size = 40
    private static let magic: UInt64 = 0x6C64_722D_6D61_726B

    /// The commit of the last removal or replacement.
    var count: Int64
    /// The commit of the last removal. It was flushed to the disk before the mark was.
    var flushed: Int64
    /// When the mark was written, on the clock that begins with the machine.
    var at: MonotonicTime
    /// In which run of the machine; 0 if that is not known.
    var boot: UInt32

    init(count: Int64, flushed: Int64, at: MonotonicTime, boot: UInt32) {
        self.count = count
        self.flushed = flushed
        self.at = at
        self.boot = boot
    }

    /// Nil if the bytes are no mark, or a damaged one.
    init?(_ bytes: Bytes) {
        guard bytes.count == Self.size else { return nil }
        let numbers = (0..<5).map { place in
            bytes.withUnsafeBytes {
                UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: place * 8, as: UInt64.self))
            }
        }
        let record = MarkRecord(
            count: Int64(bitPattern: numbers[1]), flushed: Int64(bitPattern: numbers[2]),
            at: MonotonicTime(nanoseconds: Int64(bitPattern: numbers[3])), boot: UInt32(numbers[4] >> 32))
        guard record.bytes == bytes else { return nil }
        self = record
    }

    var bytes: Bytes {
        let numbers = [
            Self.magic, UInt64(bitPattern: count), UInt64(bitPattern: flushed), UInt64(bitPattern: at.nanoseconds),
        ]
        var sum = Checksum()
        for number in numbers { sum.add(number) }
        // A mark from before the run was noted has none.
        if boot != 0 { sum.add(UInt64(boot)) }
        return (numbers + [UInt64(boot) << 32 | UInt64(sum.value)]).reduce(into: Bytes()) { bytes, number in
            withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
        }
    }

    /// The least count that the database must have. If the machine was started anew, a power cut may have taken commits
    /// that were never flushed, and only those that were count. If the run is not known, a clock below `at` tells that.
    func least(at now: MonotonicTime, in run: UInt32) -> Int64 {
        let isSame = boot != 0 && run != 0 ? boot == run : now >= at
        return isSame ? count : flushed
    }
}

/// The mark of one database. The writer writes it; the journal's thread flushes it.
final class RemovalMark: Sendable {
    /// What a commit takes away, by weight.
    enum Taking: Int, Comparable, Sendable {
        case nothing, replacement, removal
        static func < (left: Taking, right: Taking) -> Bool { left.rawValue < right.rawValue }
    }

    private struct State {
        var descriptor: Int32 = -1
        /// The number of the last commit.
        var latest: Int64 = 0
        var record: MarkRecord?
        /// The generation of the database, and the commit that is remembered of it.
        var generation: UInt64?
        var remembered: Int64 = 0
        var hasFailed = false
    }

    private let path: String
    private let log: String
    private let directory: String
    private let time: any TimeSource
    private let remembered: RememberedRemovals
    private let state = Lock(State())

    /// - Parameter database: the path of the database's file.
    init(database: String, time: any TimeSource, remembered: RememberedRemovals) {
        self.remembered = remembered
        path = database.dropLast(3) + ".mark"
        log = database + "-wal"
        directory = database.lastIndex(of: "/").map { String(database[..<$0]) } ?? "."
        self.time = time
    }

    deinit { close() }

    /// Forgets the open file, because its directory is another one now.
    func close() {
        let descriptor = state.withLock { state -> Int32 in
            defer { state = State() }
            return state.descriptor
        }
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    // MARK: Opening

    /// What the file says; nil if there is none. A file that cannot be read, or is damaged, may have said anything.
    private enum Found { case none, lost, record(MarkRecord) }

    private func open() -> Found {
        if let record = state.withLock({ $0.record }) { return .record(record) }
        let opened = Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard opened >= 0 else { return StoreError.lastNumber == ENOENT ? .none : .lost }
        let bytes = Bytes(room: MarkRecord.size) { buffer, count in
            count = max(0, pread(opened, buffer.baseAddress, buffer.count, 0))
        }
        guard let record = MarkRecord(bytes) else {
            Glibc.close(opened)
            return .lost
        }
        state.withLock { ($0.descriptor, $0.record) = (opened, record) }
        return .record(record)
    }

    /// The count with which a new database begins: above that of any older copy.
    var first: Int64 {
        if case .record(let record) = open() { max(record.count, state.withLock { $0.latest }) + 1 } else { 0 }
    }

    /// Compares the count of an opened database with the mark, and counts its commits from now on.
    /// - Parameter first: the count that the database got if it was made now.
    /// - Throws: an error of damage if the database lacks commits; another if the mark cannot be made.
    func adopt(_ connection: DatabaseConnection, first: Int64) throws(StoreError) {
        let held = try connection.number("SELECT commits FROM bodies") ?? -1
        let now = time.monotonic()
        var (count, flushed): (Int64, Int64) = (0, 0)
        var isMissing = false
        switch open() {
        // Once a commit was counted there was a mark.
        case .none, .lost: isMissing = held != 0
        case .record(let record):
            isMissing = held < record.least(at: now, in: time.boot)
            (count, flushed) = (record.count, record.flushed)
        }
        guard !isMissing, (0..<RowSums.largestID).contains(held) else {
            throw StoreError(
                code: SQLITE_CORRUPT, extendedCode: SQLITE_CORRUPT, doing: "opening",
                message: "it lacks the commits of its last removals, as after damage to its write-ahead log")
        }
        let generation = UInt64(try BodyTable.generation(connection), radix: 16)
        let least = generation.map(remembered.least) ?? 0
        guard held >= least else {
            throw StoreError(
                code: SQLITE_CORRUPT, extendedCode: SQLITE_CORRUPT, doing: "opening",
                message: "it is an older copy: it lacks removals that the state directory remembers")
        }
        state.withLock { state in
            state.latest = max(state.latest, held)
            (state.generation, state.remembered) = (generation, least)
        }
        let record = MarkRecord(
            count: held == first ? held : min(count, held), flushed: min(flushed, held), at: now, boot: time.boot)
        if !isInPlace || !write(record) { try make(record) }
        connection.mark = self
    }

    /// Makes the file under another name, and renames it when its bytes are on the disk.
    private func make(_ record: MarkRecord) throws(StoreError) {
        let temporary = path + ".new"
        unlink(temporary)
        let made = Glibc.open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard made >= 0 else { throw StoreError.unmade(path) }
        let bytes = record.bytes
        guard pwrite(made, bytes, bytes.count, 0) == bytes.count, fsync(made) == 0, takeName(temporary) else {
            let error = StoreError.unmade(path)
            Glibc.close(made)
            unlink(temporary)
            throw error
        }
        DatabaseFiles.sync(directory)
        let old = state.withLock { state -> Int32 in
            defer { (state.descriptor, state.record) = (made, record) }
            return state.descriptor
        }
        if old >= 0 { Glibc.close(old) }
    }

    private func takeName(_ temporary: String) -> Bool {
        if rename(temporary, path) == 0 { return true }
        // A directory has the name.
        return rmdir(path) == 0 && rename(temporary, path) == 0
    }

    // MARK: Counting

    /// The number of the next commit. A number is given once, even if the commit fails: it is not certain then that
    /// nothing was committed.
    func next() -> Int64 {
        state.withLock { state in
            state.latest += 1
            return state.latest
        }
    }

    /// Notes a commit. On the writer's thread, before anybody is told of the commit.
    func committed(_ number: Int64, _ taking: Taking) {
        guard taking > .nothing, let before = state.withLock({ $0.record }) else { return }
        let flushed = taking == .removal ? number : before.flushed
        let record = MarkRecord(count: number, flushed: flushed, at: time.monotonic(), boot: time.boot)
        if !write(record) {
            state.withLock { $0.hasFailed = true }
        }
    }

    private func write(_ record: MarkRecord) -> Bool {
        let descriptor = state.withLock { state -> Int32 in
            state.record = record
            return state.descriptor
        }
        let bytes = record.bytes
        return pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
    }

    /// Whether the mark could not be written since the last call.
    func hasFailed() -> Bool {
        state.withLock { state in
            defer { state.hasFailed = false }
            return state.hasFailed
        }
    }

    // MARK: Its name

    private var isInPlace: Bool {
        var status = stat()
        let descriptor = state.withLock { $0.descriptor }
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else { return false }
        return switch FileIdentity.look(path) {
        case .file(let found): found == FileIdentity(status) && status.st_size == MarkRecord.size
        case .absent: false
        case .unknown: true
        }
    }

    /// Makes the file anew if it has lost its name or its bytes: the next start would set the database aside.
    func check() {
        guard let record = state.withLock({ $0.record }), !isInPlace else { return }
        try? make(record)
    }

    // MARK: Flushing

    /// Flushes the log first and the mark after it, so that a power cut that takes a removal finds no mark that asks
    /// for it, unless the disk wrote the mark by itself in between. What is flushed then is remembered. On the journal's
    /// thread.
    func flush() {
        let (removal, generation, remembered) = state.withLock {
            ($0.record?.flushed ?? 0, $0.generation, $0.remembered)
        }
        guard flushFiles(), let generation, removal > remembered else { return }
        self.remembered.note(removal, of: generation)
        state.withLock { if $0.generation == generation { $0.remembered = removal } }
    }

    private func flushFiles() -> Bool {
        // SQLite locks no byte of the log, so closing this descriptor gives up no lock
        // (sqlite.org/howtocorrupt.html §2.2). An absent log was written back, and flushed with the database.
        let opened = Glibc.open(log, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        var isFlushed = opened >= 0 || StoreError.lastNumber == ENOENT
        if opened >= 0 {
            isFlushed = fdatasync(opened) == 0
            Glibc.close(opened)
        }
        let descriptor = state.withLock { $0.descriptor }
        if descriptor >= 0 { _ = fdatasync(descriptor) }
        return isFlushed
    }
}

extension StoreError {
    /// A file could not be made; a full disk is told as SQLite tells it.
    fileprivate static func unmade(_ path: String) -> StoreError {
        .ofDisk(lastNumber, doing: "making \(path)")
    }
}
