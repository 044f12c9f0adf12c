// The directory of large bodies: `bodies/<generation>/<two digits>/<id>`, one file for each body above 16 KiB, named by
// the id of its row. The generation is a random name that is kept in the database, so no row of a new database names a
// file of an old one. The file is written before the row that names it is committed. It is unlinked after the commit
// that removed the row, by the writer's thread alone.
//
// Names are looked up below an open directory, so files are written beside the open database, even if the path leads
// elsewhere by now. The directory is made with the first body: a full disk does not keep a database from being opened.
import Glibc
import LarderCore

final class BodyFiles: Sendable {
    /// The most bytes of one write(2) call.
    static let writeSize = 1 << 20
    /// The size of a file is rounded up to blocks of this size, in bytes.
    static let blockSize: Int64 = 4 << 10

    /// The directory of all generations.
    let root: String
    let generation: String
    /// Descriptors of files that are being read or written, and some that are kept open.
    let table = OpenBodies()
    /// Files that the writer's present transaction has written.
    private let fresh = Lock<[Int64]>([])
    private let directory = Lock<Int32>(-1)
    /// Whether the cache's directory is the one that this process has locked.
    let isInPlace: @Sendable () -> Bool
    private let lacksInodes: @Sendable () -> Bool
    private let simulatesLack: @Sendable () -> Bool
    /// Simulates a full disk, for tests: this many bytes may still be written.
    let room = Lock<Int64?>(nil)

    init(_ files: DatabaseFiles, generation: String) {
        root = files.bodies
        self.generation = generation
        isInPlace = { [files] in files.isDirectoryInPlace }
        lacksInodes = { [files] in files.lacksInodes }
        simulatesLack = { [files] in files.simulatedInodes.withLock { $0 == 0 } }
    }

    deinit {
        table.closeAll()
        directory.withLock { if $0 >= 0 { Glibc.close($0) } }
    }

    static func isGeneration(_ name: String) -> Bool {
        name.utf8.count == 16 && name.utf8.allSatisfy { ASCII.isDigit($0) || (0x61...0x66).contains($0) }
    }

    /// Bytes that a body of this size takes on the disk.
    static func blocks(_ size: Int64) -> Int64 { (size + blockSize - 1) & ~(blockSize - 1) }

    /// The number of an id's directory, of 256. Bodies that are stored one after the other lie together, 256 in a row:
    /// their names and inodes share blocks of the disk.
    func directory(of id: Int64) -> Int64 { id >> 8 & 0xFF }

    /// The name of a directory, two hexadecimal digits.
    static func directoryName(_ number: Int64) -> String {
        let text = String(number, radix: 16)
        return text.utf8.count < 2 ? "0" + text : text
    }

    func name(_ id: Int64) -> String { "\(Self.directoryName(directory(of: id)))/\(id)" }

    private var path: String { "\(root)/\(generation)" }

    // MARK: The directory

    /// The open directory, or a negated error number.
    func opened() -> Int32 {
        let held = directory.withLock { $0 }
        if held >= 0 { return held }
        // Opened outside the lock, because loops take it too.
        let found = openPrivate()
        guard found >= 0 else { return found }
        let kept = directory.withLock { held -> Int32 in
            if held < 0 { held = found }
            return held
        }
        if kept != found { Glibc.close(found) }
        return kept
    }

    /// A new descriptor of the directory, or a negated error number. A directory that was copied back or made by
    /// another program may be open to all, and the files below it too. With mode 0700 it hides them whatever modes they
    /// have, so no file must be checked.
    private func openPrivate() -> Int32 {
        let found = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard found >= 0 else { return -StoreError.lastNumber }
        var status = stat()
        if fstat(found, &status) == 0, status.st_mode & 0o7777 != 0o700 { fchmod(found, 0o700) }
        return found
    }

    /// Whether a negated error number says that there is no such file. Any other error may pass, and says nothing of
    /// what is there.
    private static func isAbsent(_ number: Int32) -> Bool { number == -ENOENT || number == -ENOTDIR }

    /// Makes the directory if it has no name, below the directory that this process has locked. A plain file in its
    /// place, or in that of the directory above, holds no body and is removed. A symbolic link is left: somebody wants
    /// it so.
    private func make() throws(StoreError) {
        guard isInPlace() else { throw Self.failure("making \(path)", ENOENT) }
        for made in [root, path] where mkdir(made, 0o700) != 0 {
            let number = StoreError.lastNumber
            guard number == EEXIST else { throw unmade("making \(made)", number) }
            var status = stat()
            guard lstat(made, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            guard unlink(made) == 0, mkdir(made, 0o700) == 0 else {
                throw Self.failure("making \(made)", StoreError.lastNumber)
            }
        }
        let found = openPrivate()
        guard found >= 0 else { throw Self.failure("opening \(path)", -found) }
        let failed = directory.withLock { held -> Int32 in
            guard held >= 0 else {
                held = found
                return 0
            }
            // The descriptor's number must stay: others use it at this moment.
            let number = NoWaitVFS.rename(held, to: found) < 0 ? StoreError.lastNumber : 0
            Glibc.close(found)
            return number
        }
        guard failed == 0 else { throw Self.failure("opening \(path)", failed) }
    }

    /// Makes the directory anew if its name is gone or another's. Rows whose files went with it are misses.
    func check() {
        guard let held = FileIdentity(opened()), held != FileIdentity(of: path) else { return }
        try? make()
    }

    // MARK: Writing, on the writer's thread

    /// Makes a new file. An old file of that name is left from a run that was killed, or from a body that was under way
    /// when the database was opened anew. It is unlinked and not emptied, because it may still be read.
    func create(_ id: Int64) throws(StoreError) -> Int32 {
        let name = self.name(id)
        // For tests: a real lack is found by making the file.
        if simulatesLack() { throw unmade("making the file of a body", ENOSPC) }
        for _ in 0..<4 {
            let directory = opened()
            guard directory >= 0 || Self.isAbsent(directory) else { throw Self.failure("opening \(path)", -directory) }
            if directory >= 0 {
                let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
                // A loop may read by this descriptor, while the file is written and afterwards.
                let made = NoWaitVFS.withoutAccessTime { more in
                    let found = openat(directory, name, flags | more, 0o600)
                    return found >= 0 ? found : -StoreError.lastNumber
                }
                if made >= 0 { return made }
                let number = -made
                if number == EEXIST, unlinkat(directory, name, 0) == 0 { continue }
                // Something else has the directory's name, and holds no body.
                if number == ENOTDIR, unlinkat(directory, Self.directoryName(self.directory(of: id)), 0) == 0 {
                    continue
                }
                guard number == ENOENT else { throw unmade("making the file of a body", number) }
                if mkdirat(directory, Self.directoryName(self.directory(of: id)), 0o700) == 0 { continue }
                let why = StoreError.lastNumber
                if why == EEXIST { continue }
                guard why == ENOENT else { throw unmade("making the directory of a body", why) }
            }
            try make()
        }
        throw Self.failure("making the file of a body", ENOENT)
    }

    /// Writes a whole body. If the transaction fails, the file is removed.
    /// - Returns: the checksums of its pieces.
    func write(_ id: Int64, _ body: Bytes) throws(StoreError) -> Bytes {
        let file = try create(id)
        defer { Glibc.close(file) }
        fresh.withLock { $0.append(id) }
        return try put(body, in: file, of: id, at: 0)
    }

    /// Writes bytes that begin at a multiple of the piece size.
    /// - Returns: the checksums of the pieces.
    func put(_ bytes: Bytes, in file: Int32, of id: Int64, at offset: Int64) throws(StoreError) -> Bytes {
        try takeRoom(bytes.count)
        var failed: Int32 = 0
        var sums = Bytes()
        bytes.withUnsafeBytes { raw in
            var done = 0
            while done < raw.count, failed == 0 {
                let piece = UnsafeRawBufferPointer(rebasing: raw[done..<min(done + Self.writeSize, raw.count)])
                let put = pwrite(file, piece.baseAddress, piece.count, off_t(offset) + done)
                if put > 0 {
                    done += put
                } else {
                    let number = StoreError.lastNumber
                    if put == 0 || number != EINTR { failed = put == 0 ? EIO : number }
                }
            }
            if failed == 0 { sums = PieceSums.of(raw, id: id, from: offset) }
        }
        guard failed == 0 else { throw Self.failure("writing the file of a body", failed) }
        return sums
    }

    /// Removes files when the writer's transaction has ended: those of removed rows, or those that a failed one wrote.
    /// - Parameter gone: ids of the rows that the transaction removed.
    func settle(committed: Bool, gone: [Int64]) {
        let written = fresh.withLock { fresh -> [Int64] in
            defer { fresh = [] }
            return fresh
        }
        for id in committed ? gone : written { remove(id) }
    }

    /// Unlinks a file. Readers that have it open go on reading.
    func remove(_ id: Int64) {
        // Marked before, so that no loop closes a descriptor of a file without a name, which may wait for the disk.
        // Marked again after, for readers that opened the file meanwhile.
        if let idle = table.remove(id) { Glibc.close(idle) }
        let directory = opened()
        if directory >= 0 { unlinkat(directory, name(id), 0) }
        if let idle = table.remove(id) { Glibc.close(idle) }
    }

    /// Removes the files of bodies that were given up, and closes descriptors that their last reader has given back. On
    /// the writer's thread.
    func closeUnused() {
        for id in table.takeAbandoned() { remove(id) }
        while let descriptor = table.takeClosable() { Glibc.close(descriptor) }
    }

    private func takeRoom(_ count: Int) throws(StoreError) {
        let isFull = room.withLock { room -> Bool in
            guard let remaining = room else { return false }
            if remaining < Int64(count) { return true }
            room = remaining - Int64(count)
            return false
        }
        if isFull { throw Self.failure("writing the file of a body", ENOSPC) }
    }

    static func failure(_ doing: String, _ number: Int32) -> StoreError { .ofDisk(number, doing: doing) }

    /// The failure to make a file or a directory: the disk may have room, but no inode.
    private func unmade(_ doing: String, _ number: Int32) -> StoreError {
        var error = Self.failure(doing, number)
        if number == ENOSPC, lacksInodes() { error.message = StoreError.inodes }
        return error
    }

    // MARK: Reading

    enum Borrowed {
        case file(Int32)
        case absent
        /// Opening the file would wait for the disk, or might.
        case wouldWait
        /// As many files are in use as may be open.
        case tooMany
        case failed(Int32)
    }

    /// A descriptor of a body's file. The caller must give it back with `leave`.
    /// - Parameters:
    ///   - keeps: whether the file may stay open afterwards.
    ///   - waits: whether opening may wait for the disk; false on a loop.
    ///   - holds: false for one read, on a thread of the store; such a read is never refused.
    func borrow(_ id: Int64, keeps: Bool, waits: Bool, holds: Bool = true) -> Borrowed {
        if let known = table.take(id, holds: holds) { return .file(known) }
        let directory = waits ? opened() : directory.withLock { $0 }
        guard directory >= 0 else {
            return !waits ? .wouldWait : Self.isAbsent(directory) ? .absent : .failed(-directory)
        }
        let name = self.name(id)
        let made = waits ? NoWaitVFS.open(directory, name) : NoWaitVFS.openCached(directory, name)
        guard made >= 0 else { return Self.isAbsent(made) ? .absent : waits ? .failed(-made) : .wouldWait }
        var status = stat()
        guard fstat(made, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            Glibc.close(made)
            return .absent
        }
        let blocks = Self.blocks(Int64(status.st_size))
        guard let (known, isOurs) = table.add(id, made, blocks, keeps: keeps, holds: holds) else {
            Glibc.close(made)
            return .tooMany
        }
        if !isOurs { Glibc.close(made) }
        // A later removal sees the file in the table. An earlier removal has already unlinked it.
        if isOurs, fstat(made, &status) == 0, status.st_nlink == 0 { _ = table.remove(id) }
        return .file(known)
    }

    func leave(_ id: Int64) {
        if let idle = table.leave(id) { Glibc.close(idle) }
    }
}
