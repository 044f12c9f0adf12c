// Removals that the database does not take are written into a small file beside it, `cache.removals`, and read from
// there at the next start, before the first look-up.
//
// Its bytes are written when the file is made, so that a full disk or a spent quota does not concern it. Records follow
// one another from the beginning: length, CRC-32C, payload; a length of zero ends them. A file beside a database that cannot
// be opened or read, or in which that end is missing, may have held anything: it counts as lost, and only a file that
// is absent is new. Where a record does not fit or
// cannot be written, a mark takes the place of them all: the next start sets the database aside. Where not even the mark
// can be written, an empty file in another directory, the state's, says the same.
import Glibc
import LarderCore
import Synchronization

/// The file. Confined to the journal's thread, save for reading it at the start.
final class JournalFile {
    static let capacity = 256 << 10
    private static let discard: UInt32 = .max

    /// What an earlier run left.
    struct Content {
        var tombstones: [Tombstone] = []
        /// Nothing that is stored may be answered.
        var isLost = false
        var isEmpty: Bool { tombstones.isEmpty && !isLost }
    }

    private let path: String
    /// The database whose removals are written here.
    private let database: String
    /// The file that stands for the mark where the mark cannot be written.
    private let note: String?
    private let faults: StoreFaults
    private var descriptor: Int32 = -1
    private var end = 0
    private var isMarked = false

    init(directory: String, notes: String?, faults: StoreFaults) {
        path = directory + "/cache.removals"
        database = directory + "/cache.db"
        note = notes.map { $0 + "/cache.invalid" }
        self.faults = faults
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    // MARK: Reading

    /// Opens or makes the file and reads what it holds. A record that cannot be read stands for anything.
    func open() -> Content {
        var content = Content()
        if let note, access(note, F_OK) == 0 { content.isLost = true }
        if descriptor >= 0 { Glibc.close(descriptor) }
        end = 0
        isMarked = content.isLost
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        var isNew = false
        descriptor = Glibc.open(path, flags)
        if descriptor < 0, StoreError.lastNumber == ENOENT {
            isNew = true
            descriptor = Glibc.open(path, flags | O_CREAT, 0o600)
        }
        guard descriptor >= 0 else {
            if !isNew { content.isLost = content.isLost || isBesideDatabase }
            return content
        }
        var isRead = true
        let bytes = Bytes(room: Self.capacity) { buffer, count in
            count = pread(descriptor, buffer.baseAddress, buffer.count, 0)
            isRead = count >= 0
            count = max(0, count)
        }
        let hasEnd = read(bytes, &content)
        if content.isLost { isMarked = true }
        if !hasEnd, !isNew, !content.isLost, isBesideDatabase {
            content.isLost = true
            // It stays lost, whatever happens before the database is set aside.
            _ = mark(writesFile: true)
        }
        if isRead, bytes.count < Self.capacity { fill(from: hasEnd || isMarked ? max(bytes.count, 8) : end) }
        return content
    }

    private var isBesideDatabase: Bool { access(database, F_OK) == 0 }

    /// Returns whether the records end where they should.
    private func read(_ bytes: Bytes, _ content: inout Content) -> Bool {
        while end + 8 <= bytes.count {
            let length = Self.number(bytes, end)
            if length == 0 { return true }
            guard length != Self.discard, Int(length) <= bytes.count - end - 8 else {
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

    /// Takes the room on the disk.
    private func fill(from start: Int) {
        let zeros = Bytes(repeating: 0, count: Self.capacity - start)
        if pwrite(descriptor, zeros, zeros.count, off_t(start)) != zeros.count || fdatasync(descriptor) != 0 {
            // What there is of it does: more is tried when it is opened anew. The end that is needed takes no room.
            _ = ftruncate(descriptor, off_t(start))
            _ = ftruncate(descriptor, off_t(start + 8))
        }
    }

    // MARK: Writing

    /// Writes the records and waits for the disk. False where only memory knows of them.
    func append(_ tombstones: [Tombstone]) -> Bool {
        if isMarked { return true }
        guard faults.passJournal() else { return mark(writesFile: false) }
        if descriptor < 0 { _ = open() }
        var bytes = Bytes()
        for tombstone in tombstones {
            let payload = tombstone.journalBytes
            bytes += Self.bytes(UInt32(payload.count)) + Self.bytes(Self.checksum(payload)) + payload
        }
        let count = bytes.count
        guard end + count + 8 <= Self.capacity else { return mark(writesFile: true) }
        bytes += Self.bytes(0) + Self.bytes(0)
        guard pwrite(descriptor, bytes, bytes.count, off_t(end)) == bytes.count, fdatasync(descriptor) == 0 else {
            return mark(writesFile: true)
        }
        end += count
        return true
    }

    private func mark(writesFile: Bool) -> Bool {
        let bytes = Self.bytes(Self.discard) + Self.bytes(0)
        if writesFile, pwrite(descriptor, bytes, bytes.count, 0) == bytes.count, fdatasync(descriptor) == 0 {
            isMarked = true
        } else if let note {
            let made = Glibc.open(note, O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
            if made >= 0 {
                isMarked = fsync(made) == 0
                Glibc.close(made)
                if let slash = note.lastIndex(of: "/") {
                    let directory = Glibc.open(String(note[..<slash]), O_RDONLY | O_CLOEXEC | O_DIRECTORY)
                    if directory >= 0 {
                        fsync(directory)
                        Glibc.close(directory)
                    }
                }
            }
        }
        return isMarked
    }

    /// Everything in it is committed. Not waited for: what is read again is only removed once more.
    func clear() {
        end = 0
        isMarked = false
        if descriptor >= 0 { _ = pwrite(descriptor, Bytes(repeating: 0, count: 8), 8, 0) }
        if let note { unlink(note) }
    }

    // MARK: Bytes

    private static func bytes(_ number: UInt32) -> Bytes { withUnsafeBytes(of: number.littleEndian) { Bytes($0) } }

    private static func number(_ bytes: Bytes, _ place: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << UInt32($1 * 8) }
    }

    /// CRC-32C, bit by bit: records are short and rare.
    static func checksum(_ bytes: Bytes) -> UInt32 {
        var sum: UInt32 = .max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 1 ? 0x82F6_3B78 : 0) }
        }
        return ~sum
    }
}

extension Tombstone {
    /// Kind, softness, instant, then provider and text, each with its length.
    var journalBytes: Bytes {
        let kind: UInt8
        let text: Bytes
        var provider = provider
        switch selector {
        case .all: (kind, text) = (0, [])
        case .digest(let digest): (kind, text) = (1, digest.bytes)
        case .provider(let name): (kind, text) = (2, Bytes(text: name))
        case .term(let term, let of): (kind, text, provider) = (3, Bytes(text: term), of)
        case .url(let url, let of): (kind, text, provider) = (4, Bytes(text: url), of)
        }
        var out: Bytes = [kind, isSoft ? 1 : 0, provider == nil ? 0 : 1]
        out += withUnsafeBytes(of: at.milliseconds.littleEndian) { Bytes($0) }
        let name = Bytes(text: provider ?? "")
        out += withUnsafeBytes(of: UInt32(name.count).littleEndian) { Bytes($0) }
        return out + name + text
    }

    init?(journal bytes: Bytes) {
        guard bytes.count >= 15 else { return nil }
        let at = bytes.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(fromByteOffset: 3, as: Int64.self)) }
        let length = bytes.withUnsafeBytes {
            UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: 11, as: UInt32.self))
        }
        guard Int(length) <= bytes.count - 15 else { return nil }
        let name = bytes[15..<(15 + Int(length))]
        let rest = Bytes(bytes[(15 + Int(length))...])
        let provider = bytes[2] == 1 ? Bytes(name).lossyText : nil
        let selector: PurgeSelector
        switch bytes[0] {
        case 0: selector = .all
        case 1:
            guard let digest = Digest(bytes: rest) else { return nil }
            selector = .digest(digest)
        case 2: selector = .provider(rest.lossyText)
        case 3: selector = .term(rest.lossyText, provider: provider)
        case 4: selector = .url(rest.lossyText, provider: provider)
        default: return nil
        }
        self.init(
            number: 0, selector: selector, isSoft: bytes[1] == 1, provider: provider, at: WallTime(milliseconds: at))
    }
}

/// The journal's thread, `store-j`: a disk that stands still holds up nothing but it.
final class RemovalJournal: Sendable {
    private enum Job: Sendable {
        case keep(Tombstone, Reply<Bool>?)
        case clear(upTo: UInt64)
        /// The directory is another one.
        case open
    }

    private let jobs = WorkQueue<Job>(capacity: .max, crowd: .max, threads: 1)
    /// There may be something in the file.
    private let isUsed = Atomic<Bool>(true)

    /// Writes it down. False where that failed or takes too long.
    func keep(_ tombstone: Tombstone, _ waits: BoundedWaits) async -> Bool {
        isUsed.store(true, ordering: .releasing)
        return await handover { continuation in
            let reply = Reply(continuation, late: { false })
            guard jobs.insist(.keep(tombstone, reply)) else { return _ = reply.resume(returning: false) }
            waits.add(reply, .removal)
        }
    }

    /// Writes it down some time; nobody waits.
    func note(_ tombstone: Tombstone) {
        isUsed.store(true, ordering: .releasing)
        _ = jobs.insist(.keep(tombstone, nil))
    }

    /// Tombstones up to that number are committed, and there is no other.
    func clear(upTo number: UInt64) {
        if isUsed.load(ordering: .acquiring) { _ = jobs.insist(.clear(upTo: number)) }
    }

    func open() { _ = jobs.insist(.open) }

    /// What waits is still written.
    func end() { jobs.end() }

    /// The thread's life.
    /// - Parameter kept: called with the number of each tombstone that is safe now, or with nil where one is not.
    func run(_ file: JournalFile, kept: (UInt64?) -> Void) {
        var seen = 0
        var latest: UInt64 = 0
        while true {
            switch jobs.take(upTo: 256, seen: &seen) {
            case .ended: return
            case .nothing: break
            case .jobs(let taken):
                var run: [(Tombstone, Reply<Bool>?)] = []
                func write() {
                    guard !run.isEmpty else { return }
                    isUsed.store(true, ordering: .releasing)
                    let isKept = file.append(run.map(\.0))
                    for (tombstone, reply) in run {
                        kept(isKept ? tombstone.number : nil)
                        reply?.resume(returning: isKept)
                    }
                    run = []
                }
                for job in taken {
                    switch job {
                    case .keep(let tombstone, let reply):
                        latest = max(latest, tombstone.number)
                        run.append((tombstone, reply))
                    case .clear(let number):
                        write()
                        if latest <= number {
                            file.clear()
                            isUsed.store(false, ordering: .releasing)
                        }
                    case .open:
                        write()
                        _ = file.open()
                    }
                }
                write()
            }
        }
    }
}
