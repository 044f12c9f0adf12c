// Whether the files that are open are those that the directory names. A person, or a program that frees disk, may remove
// the directory while the daemon runs: what is written then is gone with the daemon, and another daemon could lock a new
// directory of that name. So the lock is taken anew, on the new directory's own file, before a database is made there.
import CSQLite
import Glibc
import LarderCore

/// Which file it is, whatever its name.
struct FileIdentity: Sendable, Equatable {
    var device: UInt64
    var number: UInt64

    /// Of the file of that name; nil where there is none. A file system that does not say leaves it open.
    enum Look { case file(FileIdentity), absent, unknown }

    static func look(_ path: String) -> Look {
        var status = stat()
        if stat(path, &status) == 0 { return .file(FileIdentity(status)) }
        return [ENOENT, ENOTDIR].contains(StoreError.lastNumber) ? .absent : .unknown
    }

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
    }
}

extension DatabaseFiles {
    private var lockPath: String { path.dropLast(3) + ".lock" }

    /// Locks the file of that name.
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

    /// The database of this moment is the one that is open.
    func noteOpened() {
        guard case .file(let identity) = FileIdentity.look(path) else { return }
        opened.withLock { $0 = identity }
    }

    /// Whether the open database still has its name.
    var isDatabaseInPlace: Bool {
        guard let known = opened.withLock({ $0 }) else { return true }
        return switch FileIdentity.look(path) {
        case .file(let found): found == known
        case .absent: false
        case .unknown: true
        }
    }

    /// Whether the lock is on the file that a second daemon would lock.
    var isDirectoryInPlace: Bool {
        var status = stat()
        let held = lock.withLock { $0 }
        guard held >= 0, fstat(held, &status) == 0 else { return true }
        return switch FileIdentity.look(lockPath) {
        case .file(let found): found == FileIdentity(status)
        case .absent: false
        case .unknown: true
        }
    }

    var isInPlace: Bool { isDatabaseInPlace && isDirectoryInPlace }

    /// Makes the directory anew and locks it; the old lock is given up only then.
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
