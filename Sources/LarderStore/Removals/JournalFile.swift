// Keeps removals that the database does not take in a small file beside it, `cache.removals`. The next start reads the
// file before the first look-up.
//
// The file's bytes are written before it gets its name, so a full disk or a spent quota does not concern it, and it
// always has its full size. Records follow one another from the beginning: length, CRC-32C, payload; a length of zero
// ends them. A file that cannot be opened or read, or lacks that end, may have held anything: it counts as lost. So
// does a file that is missing or too short beside a database that was made together with one. If a record does not fit
// or cannot be written, a mark replaces all records: the next start sets the database aside. If not even the mark can
// be written, an empty file in another directory, the state's, says the same.
//
// The file may lose its name while it is open. So the name is compared before and after each write. If it is lost, a
// new file with all removals that are not committed takes its place.
import CSQLite
import Glibc
import LarderCore

/// The journal file. Confined to the journal's thread, except for reading it at the start.
final class JournalFile {
    static let capacity = 256 << 10
    private static let discard: UInt32 = .max

    /// What an earlier run left in the file.
    struct Content {
        var tombstones: [Tombstone] = []
        /// Whether removals were lost, so that no stored entry may be served.
        var isLost = false
        var isEmpty: Bool { tombstones.isEmpty && !isLost }
    }

    private let directory: String
    private let path: String
    /// The database whose removals are written here.
    private let database: String
    /// The empty file that replaces the mark if the mark cannot be written.
    private let note: String?
    private let faults: StoreFaults
    /// Whether the directory of that name is the locked one.
    private let isOurs: @Sendable () -> Bool
    private var descriptor: Int32 = -1
    private var end = 0
    private var isMarked = false
    /// How often the file was made anew because it had lost its name.
    private(set) var renewals = 0

    init(
        directory: String, notes: String? = nil, faults: StoreFaults, isOurs: @escaping @Sendable () -> Bool = { true }
    ) {
        self.directory = directory
        path = directory + "/cache.removals"
        database = directory + "/cache.db"
        note = notes.map { $0 + "/cache.invalid" }
        self.faults = faults
        self.isOurs = isOurs
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    // MARK: Reading

    /// Opens or makes the file and reads its records. A record that cannot be read counts as lost removals.
    /// - Parameter makes: false to only read, and make nothing.
    func open(makes: Bool = true) -> Content {
        var content = Content()
        if let note, access(note, F_OK) == 0 { content.isLost = true }
        if descriptor >= 0 { Glibc.close(descriptor) }
        end = 0
        descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        let isAbsent = descriptor < 0 && StoreError.lastNumber == ENOENT
        var status = stat()
        let isFile = descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        let hasEnd = isFile && read(&content)
        let isWhole = isFile && status.st_size >= Self.capacity
        if !hasEnd && !isAbsent {
            content.isLost = content.isLost || isBesideDatabase
        } else if !isWhole {
            content.isLost = content.isLost || CacheSchema.mayHaveJournal(database)
        }
        isMarked = content.isLost
        guard makes else { return content }
        if !isWhole {
            // A lost journal stays marked, whatever happens before the database is set aside.
            if make(content.tombstones) { return content }
            if isMarked { _ = mark(writesFile: isFile) }
        } else if Int64(status.st_blocks) * 512 < Int64(Self.capacity) {
            fill(from: isMarked ? 8 : end)
        }
        return content
    }

    private var isBesideDatabase: Bool { access(database, F_OK) == 0 }

    /// Returns whether the records end where they should.
    private func read(_ content: inout Content) -> Bool {
        let bytes = Bytes(room: Self.capacity) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        while end + 8 <= bytes.count {
            let length = Self.number(bytes, end)
            if length == 0 { return true }
            // A mark is an end too.
            if length == Self.discard, end == 0 {
                content.isLost = true
                return true
            }
            guard Int(length) <= bytes.count - end - 8 else {
                content.isLost = true
                return false
            }
            let payload = Bytes(bytes[(end + 8)..<(end + 8 + Int(length))])
            guard Self.number(bytes, end + 4) == Self.checksum(payload), let read = Tombstone(journal: payload) else {
                content.isLost = true
                return false
            }
            content.tombstones.append(read)
            end += 8 + Int(length)
        }
        return false
    }

    // MARK: Making

    /// Makes the file with these records, or with the mark, and names it when all of it is on the disk: no crash leaves
    /// a file that holds less than the one before.
    private func make(_ tombstones: [Tombstone]) -> Bool {
        var bytes = Self.records(tombstones)
        if isMarked || bytes.count + 8 > Self.capacity {
            isMarked = true
            bytes = Self.bytes(Self.discard)
        }
        let needed = bytes.count
        let end = isMarked ? 0 : bytes.count
        bytes += Bytes(repeating: 0, count: Self.capacity - bytes.count)
        let temporary = path + ".new"
        unlink(temporary)
        let made = Glibc.open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard made >= 0 else { return false }
        // Room that the disk does not have now is taken at a later start. A hole reads as the end.
        let isWritten =
            max(0, pwrite(made, bytes, bytes.count, 0)) >= needed
            && ftruncate(made, off_t(Self.capacity)) == 0
        guard isWritten, fsync(made) == 0, takeName(temporary) else {
            Glibc.close(made)
            unlink(temporary)
            return false
        }
        DatabaseFiles.sync(directory)
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = made
        self.end = end
        return true
    }

    private func takeName(_ temporary: String) -> Bool {
        if rename(temporary, path) == 0 { return true }
        // A directory has the name.
        return rmdir(path) == 0 && rename(temporary, path) == 0
    }

    /// Takes the room on the disk that it did not have when the file was made.
    private func fill(from start: Int) {
        let zeros = Bytes(repeating: 0, count: Self.capacity - start)
        _ = pwrite(descriptor, zeros, zeros.count, off_t(start))
        _ = fdatasync(descriptor)
    }

    // MARK: Its name

    /// Whether the open file still has its name and its size.
    var isInPlace: Bool {
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_size >= Self.capacity else { return false }
        return switch FileIdentity.look(path) {
        case .file(let found): found == FileIdentity(status)
        case .absent: false
        case .unknown: true
        }
    }

    /// Makes the file anew with all removals that are not committed, but not in a directory that is another process's
    /// by now.
    /// - Returns: false if some removal is not safe.
    func renew(_ pending: [Tombstone]) -> Bool {
        if isOurs(), make(pending) {
            renewals += 1
            return true
        }
        // Nothing was in the lost file, so it is no reason to distrust what is stored. The file is made later.
        if pending.isEmpty, !isMarked { return true }
        return mark(writesFile: false)
    }

    // MARK: Writing

    /// Writes the records and waits for the disk. Returns false if the removals are in memory only.
    /// - Parameter pending: all removals that are not committed, these among them.
    func append(_ tombstones: [Tombstone], pending: () -> [Tombstone]) -> Bool {
        guard faults.passJournal() else { return isMarked || mark(writesFile: false) }
        if isInPlace {
            let isKept = write(tombstones)
            // Records written into a file without a name are gone with the process.
            if isInPlace { return isKept }
        }
        return renew(pending())
    }

    private func write(_ tombstones: [Tombstone]) -> Bool {
        if isMarked || tombstones.isEmpty { return true }
        let records = Self.records(tombstones)
        guard end + records.count + 8 <= Self.capacity else { return mark(writesFile: true) }
        let bytes = records + Self.bytes(0) + Self.bytes(0)
        guard pwrite(descriptor, bytes, bytes.count, off_t(end)) == bytes.count, fdatasync(descriptor) == 0 else {
            return mark(writesFile: true)
        }
        end += records.count
        return true
    }

    private func mark(writesFile: Bool) -> Bool {
        let bytes = Self.bytes(Self.discard) + Self.bytes(0)
        if writesFile, pwrite(descriptor, bytes, bytes.count, 0) == bytes.count, fdatasync(descriptor) == 0 {
            isMarked = true
        } else if let note {
            let made = Glibc.open(note, O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard made >= 0 else { return false }
            isMarked = fsync(made) == 0
            Glibc.close(made)
            if let slash = note.lastIndex(of: "/") { DatabaseFiles.sync(String(note[..<slash])) }
        } else {
            return false
        }
        return isMarked
    }

    /// Clears the file, because everything in it is committed. Does not wait for the disk: a record that is read again
    /// is only removed once more.
    func clear() {
        end = 0
        isMarked = false
        if descriptor >= 0 { _ = pwrite(descriptor, Bytes(repeating: 0, count: 8), 8, 0) }
        if let note { unlink(note) }
    }

    // MARK: Bytes

    private static func records(_ tombstones: [Tombstone]) -> Bytes {
        var bytes = Bytes()
        for tombstone in tombstones {
            let payload = tombstone.journalBytes
            bytes += Self.bytes(UInt32(payload.count)) + Self.bytes(checksum(payload)) + payload
        }
        return bytes
    }

    private static func bytes(_ number: UInt32) -> Bytes { withUnsafeBytes(of: number.littleEndian) { Bytes($0) } }

    private static func number(_ bytes: Bytes, _ place: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << UInt32($1 * 8) }
    }

    /// CRC-32C, computed bit by bit: records are short and rare.
    static func checksum(_ bytes: Bytes) -> UInt32 {
        var sum: UInt32 = .max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 1 ? 0x82F6_3B78 : 0) }
        }
        return ~sum
    }
}
