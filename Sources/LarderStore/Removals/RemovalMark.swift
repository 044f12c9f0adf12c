// Tells a start that entries may be stored which were removed or replaced. The database may have lost commits: the end of
// its log was damaged, or log or database were exchanged for an older copy, which SQLite does not report
// (sqlite.org/walformat.html, "Recovery"). Or a removal was not committed when the process ended.
//
// The mark is a small file beside the database (`cache.mark`) that is written over and takes no new room. After each
// commit that removes or replaces, the count of commits is written into it. The commit comes first, so a kill in between
// leaves a mark that asks for less. While a removal waits for its commit, the mark says `pending`.
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
    /// In which run of the machine the mark was written; 0 if that is not known.
    var boot: UInt32
    /// Whether a removal or replacement may not be committed.
    var isPending: Bool

    init(count: Int64, flushed: Int64, boot: UInt32, isPending: Bool = false) {
        self.count = count
        self.flushed = flushed
        self.boot = boot
        self.isPending = isPending
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
            boot: UInt32(numbers[4] >> 32), isPending: numbers[3] != 0)
        guard record.bytes == bytes else { return nil }
        self = record
    }

    var bytes: Bytes {
        let numbers = [Self.magic, UInt64(bitPattern: count), UInt64(bitPattern: flushed), isPending ? 1 : 0]
        var sum = Checksum()
        for number in numbers + [UInt64(boot)] { sum.add(number) }
        return (numbers + [UInt64(boot) << 32 | UInt64(sum.value)]).reduce(into: Bytes()) { bytes, number in
            withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
        }
    }

    /// The least count that the database must have. If the machine was started anew, a power cut may have taken commits
    /// that were never flushed, and only those that were count. A run that is not known counts as the same.
    func least(in run: UInt32) -> Int64 { boot == run || boot == 0 || run == 0 ? count : flushed }
}

/// The mark of one database. The writer notes commits; the flusher's thread says `pending` and flushes.
final class RemovalMark: Sendable {
    /// What a commit takes away, by weight.
    enum Taking: Int, Comparable, Sendable {
        case nothing, replacement, removal
        static func < (left: Taking, right: Taking) -> Bool { left.rawValue < right.rawValue }
    }

    /// An open file. Whoever flushes it keeps it open, whatever takes its place meanwhile.
    private final class File: Sendable {
        let descriptor: Int32
        init(_ descriptor: Int32) { self.descriptor = descriptor }
        deinit { Glibc.close(descriptor) }
    }

    private struct State {
        var file: File?
        /// The number of the last commit.
        var latest: Int64 = 0
        var record: MarkRecord?
        var hasFailed = false
        /// The latest removal that a start must know of, and the latest up to which all are committed.
        var held: UInt64 = 0
        var settled: UInt64 = 0
        /// Whether the file said `pending` when it was opened.
        var isInherited = false
        /// Whether the disk has `pending`.
        var isFlushed = false

        var isPending: Bool { isInherited || held > settled }
    }

    private let path: String
    private let log: String
    private let directory: String
    private let time: any TimeSource
    /// Held while the file is written, so that no thread writes an older record over a newer one. Only the writer and
    /// the flusher wait for it.
    private let state = Lock(State())

    /// - Parameter database: the path of the database's file.
    init(database: String, time: any TimeSource) {
        path = database.dropLast(3) + ".mark"
        log = database + "-wal"
        directory = database.lastIndex(of: "/").map { String(database[..<$0]) } ?? "."
        self.time = time
    }

    /// Forgets the open file, because its directory is another one now. What waits for its commit still does.
    func close() {
        state.withLock { state in
            var next = State()
            (next.held, next.settled) = (state.held, state.settled)
            state = next
        }
    }

    // MARK: Opening

    /// What the file says, if there is one. A file that cannot be read, or is damaged, may have said anything.
    private enum Found { case none, lost, record(MarkRecord) }

    private func open() -> Found { state.withLock { open(&$0) } }

    private func open(_ state: inout State) -> Found {
        if let record = state.record { return .record(record) }
        let opened = Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard opened >= 0 else { return StoreError.lastNumber == ENOENT ? .none : .lost }
        let file = File(opened)
        let bytes = Bytes(room: MarkRecord.size) { buffer, count in
            count = max(0, pread(opened, buffer.baseAddress, buffer.count, 0))
        }
        guard let record = MarkRecord(bytes) else { return .lost }
        (state.file, state.record, state.isInherited) = (file, record, record.isPending)
        return .record(record)
    }

    /// The count with which a new database begins: above that of any older copy.
    var first: Int64 {
        if case .record(let record) = open() { max(record.count, state.withLock { $0.latest }) + 1 } else { 0 }
    }

    /// Whether the last run ended before all removals were committed, so that its database must not be used.
    var isInherited: Bool {
        _ = open()
        return state.withLock { $0.isInherited }
    }

    /// Notes that nothing is left of the last run's database.
    func dropInherited() { state.withLock { $0.isInherited = false } }

    /// Compares the count of an opened database with the mark, and counts its commits from now on.
    /// - Parameter first: the count that the database got if it was made now.
    /// - Throws: an error of damage if the database lacks commits; another if the mark cannot be made.
    func adopt(_ connection: DatabaseConnection, first: Int64) throws(StoreError) {
        let held = try connection.number("SELECT commits FROM bodies") ?? -1
        var (count, flushed): (Int64, Int64) = (0, 0)
        var isMissing = false
        switch open() {
        // Once a commit was counted there was a mark.
        case .none, .lost: isMissing = held != 0
        case .record(let record):
            isMissing = held < record.least(in: time.boot)
            (count, flushed) = (record.count, record.flushed)
        }
        guard !isMissing, (0..<RowSums.largestID).contains(held) else {
            throw StoreError.damage("it lacks the commits of its last removals, as after damage to its write-ahead log")
        }
        let record = MarkRecord(
            count: held == first ? held : min(count, held), flushed: min(flushed, held), boot: time.boot)
        let error = state.withLock { state -> StoreError? in
            state.latest = max(state.latest, held)
            state.record = record
            return isInPlace(state) && write(&state) ? nil : make(&state)
        }
        if let error { throw error }
        connection.mark = self
    }

    /// Makes the file under another name, and renames it when its bytes are on the disk.
    private func make(_ state: inout State) -> StoreError? {
        guard var record = state.record else { return nil }
        record.isPending = state.isPending
        let temporary = path + ".new"
        unlink(temporary)
        let made = Glibc.open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard made >= 0 else { return StoreError.unmade(path) }
        let bytes = record.bytes
        guard pwrite(made, bytes, bytes.count, 0) == bytes.count, fsync(made) == 0, takeName(temporary) else {
            let error = StoreError.unmade(path)
            Glibc.close(made)
            unlink(temporary)
            return error
        }
        DatabaseFiles.sync(directory)
        (state.file, state.record, state.isFlushed) = (File(made), record, record.isPending)
        return nil
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
        guard taking > .nothing else { return }
        let boot = time.boot
        state.withLock { state in
            guard let before = state.record else { return }
            state.record = MarkRecord(
                count: number, flushed: taking == .removal ? number : before.flushed, boot: boot)
            if !write(&state) { state.hasFailed = true }
        }
    }

    /// Writes the record over the file.
    private func write(_ state: inout State) -> Bool {
        if !state.isPending { state.isFlushed = false }
        guard var record = state.record, let file = state.file else { return false }
        record.isPending = state.isPending
        let bytes = record.bytes
        guard pwrite(file.descriptor, bytes, bytes.count, 0) == bytes.count else { return false }
        state.record = record
        return true
    }

    /// Whether the mark could not be written since the last call.
    func hasFailed() -> Bool {
        state.withLock { state in
            defer { state.hasFailed = false }
            return state.hasFailed
        }
    }

    // MARK: Pending removals

    /// Says `pending` for the removals up to this one, and flushes that. On the flusher's thread.
    /// - Returns: whether a start after a crash uses nothing that these removals mean.
    func hold(_ number: UInt64) -> Bool {
        let (file, isDone) = state.withLock { state -> (File?, Bool) in
            state.held = max(state.held, number)
            switch open(&state) {
            case .record: break
            // Without a mark, a start sets aside any database that holds something (`adopt`).
            case .none: return (nil, true)
            // It may be readable at the next start.
            case .lost: return (nil, false)
            }
            if !state.isPending { return (nil, true) }
            if !isInPlace(state) { return (nil, make(&state) == nil) }
            if state.isFlushed { return (nil, true) }
            return write(&state) ? (state.file, false) : (nil, false)
        }
        guard let file else { return isDone }
        let isFlushed = fdatasync(file.descriptor) == 0
        return state.withLock { state in
            if !state.isPending { return true }
            // Another file has its place: it was flushed when it was made.
            if state.file !== file { return state.isFlushed }
            state.isFlushed = isFlushed && isInPlace(state)
            return state.isFlushed
        }
    }

    /// Notes that all removals up to this one are committed, and no later one is made yet. On the writer's thread. Does
    /// not wait for the disk: a start that still finds `pending` only begins with an empty cache.
    func settle(upTo number: UInt64) {
        state.withLock { state in
            state.settled = max(state.settled, number)
            if state.record?.isPending == true, !state.isPending, !write(&state) { state.hasFailed = true }
        }
    }

    // MARK: Its name

    private func isInPlace(_ state: State) -> Bool {
        var status = stat()
        guard let file = state.file, fstat(file.descriptor, &status) == 0 else { return false }
        return status.st_size == MarkRecord.size && FileIdentity(status).has(path)
    }

    /// Makes the file anew if it has lost its name or its bytes: the next start would set the database aside.
    func check() {
        state.withLock { state in
            if state.record != nil, !isInPlace(state) { _ = make(&state) }
        }
    }

    // MARK: Flushing

    /// Flushes the log first and the mark after it, so that a power cut that takes a removal finds no mark that asks
    /// for it, unless the disk wrote the mark by itself in between. On the flusher's thread.
    func flush() {
        // SQLite locks no byte of the log, so closing this descriptor gives up no lock
        // (sqlite.org/howtocorrupt.html §2.2). An absent log was written back, and flushed with the database.
        let opened = Glibc.open(log, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if opened >= 0 {
            fdatasync(opened)
            Glibc.close(opened)
        }
        if let file = state.withLock({ $0.file }) { fdatasync(file.descriptor) }
    }
}

extension StoreError {
    /// A file could not be made; a full disk is told as SQLite tells it.
    fileprivate static func unmade(_ path: String) -> StoreError {
        .ofDisk(lastNumber, doing: "making \(path)")
    }
}
