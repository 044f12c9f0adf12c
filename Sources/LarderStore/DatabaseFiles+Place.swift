// Checks whether the open files are those that the directory names. A person, or a program that frees disk, may remove
// the directory while the daemon runs. What is written then is gone with the daemon, and another daemon could lock a
// new directory of that name. So the lock is taken anew, on the new directory's own file, before a database is made
// there.
import CSQLite
import Glibc
import LarderCore

/// Identifies a file, whatever its name.
struct FileIdentity: Sendable, Hashable {
    var device: UInt64
    var number: UInt64

    init(_ status: stat) { (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino)) }

    /// The file of a name; nil if there is none, or if the file system does not say.
    init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The file of an open descriptor; nil if the file system does not say.
    init?(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Whether there is certainly no file of that name.
    static func isAbsent(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 && [ENOENT, ENOTDIR].contains(StoreError.lastNumber)
    }

    /// Whether this file has that name. True if the file system does not say.
    func has(_ path: String) -> Bool {
        var status = stat()
        if stat(path, &status) == 0 { return FileIdentity(status) == self }
        return ![ENOENT, ENOTDIR].contains(StoreError.lastNumber)
    }
}

/// The files that an open database consists of.
struct OpenFiles: Sendable {
    var database: FileIdentity
    var log: FileIdentity?
}

extension DatabaseFiles {
    private var lockPath: String { path.dropLast(3) + ".lock" }

    /// Opens and locks the lock file.
    static func locked(_ path: String, in directory: String) throws(StoreError) -> Int32 {
        let descriptor = Glibc.open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw StoreError.system("opening \(path)") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            Glibc.close(descriptor)
            throw StoreError(
                code: SQLITE_BUSY, extendedCode: nil, doing: "locking \(directory)",
                message: "another larder is using this directory")
        }
        return descriptor
    }

    /// Notes that the database of that name is the one that is open. Commits go into its log from now on.
    func noteOpened() {
        guard let database = FileIdentity(of: path) else { return }
        let made = OpenFiles(database: database, log: FileIdentity(of: path + "-wal"))
        // The index of the log is in memory. A file of it is from a version that used it, or from another program, and
        // nobody else has the database open now.
        unlink(path + "-shm")
        opened.withLock { $0 = made }
        isInUse = true
    }

    /// Whether the open database still has its name, and so has its log.
    var isDatabaseInPlace: Bool {
        beforeLook.get()?()
        guard let known = opened.withLock({ $0 }) else { return true }
        // SQLite removes the log when the last connection closes, and a connection is open
        // (sqlite.org/walformat.html, "Files On Disk").
        return known.database.has(path) && known.log?.has(path + "-wal") ?? true
    }

    // MARK: In use

    /// Whether commits may be in the log alone. Kept over a crash as the length of the lock file, which takes no room
    /// on the disk. File systems with a journal write metadata in order, so a power cut cannot leave this set without
    /// the log: the log's file is made before this is set, and removed after it is cleared.
    var isInUse: Bool {
        get {
            var status = stat()
            return lock.withLock { $0 >= 0 && fstat($0, &status) == 0 && status.st_size > 0 }
        }
        set { _ = lock.withLock { $0 >= 0 ? ftruncate($0, newValue ? 1 : 0) : 0 } }
    }

    /// Clears `isInUse` if there is no database: then no log can be missing.
    func noteAbsence() {
        if FileIdentity.isAbsent(path) { isInUse = false }
    }

    /// Whether the log of the database is gone, though the daemon that had it open did not close it.
    var hasLostLog: Bool {
        isInUse && sizes.file > 0 && FileIdentity.isAbsent(path + "-wal")
    }

    /// Whether the held lock is on the file that a second daemon would lock.
    var isDirectoryInPlace: Bool {
        beforeLook.get()?()
        return FileIdentity(lock.withLock { $0 })?.has(lockPath) ?? true
    }

    var isInPlace: Bool { isDatabaseInPlace && isDirectoryInPlace }

    /// Makes the directory anew and locks it. The old lock is given up only then.
    func takePlace() throws(StoreError) {
        try Self.makeDirectory(directory)
        let made = try Self.locked(lockPath, in: directory)
        lock.withLock { held in
            // The store was closed meanwhile.
            let isOver = held < 0
            Glibc.close(isOver ? made : held)
            if !isOver { held = made }
        }
    }
}
