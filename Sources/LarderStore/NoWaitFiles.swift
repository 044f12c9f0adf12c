// What the files of `NoWaitVFS` share: a descriptor of our own for each file, and the tables of methods. A descriptor is
// opened once and kept, since closing any descriptor of a file gives up all POSIX locks of the process on it
// (sqlite.org/howtocorrupt.html §2.2).
import CSQLite
import Glibc
import LarderCore

/// What the files of this VFS share.
enum NoWaitFiles {
    private struct Identity: Hashable {
        var device: UInt64
        var number: UInt64

        init(_ status: stat) { (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino)) }
    }

    private struct Shared {
        var descriptors: [Identity: Int32] = [:]
        /// One table for each of the system's: files with locks and files without have different ones.
        var tables: [UnsafePointer<sqlite3_io_methods>: UnsafePointer<sqlite3_io_methods>] = [:]
    }

    private static let shared = Lock(Shared())

    /// The end of a file; beyond every place where it cannot be told, so that nothing is taken for the end.
    static func size(_ descriptor: Int32) -> Int64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : .max
    }

    static func known(_ path: String) -> Int32? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let identity = Identity(status)
        return shared.withLock { $0.descriptors[identity] }
    }

    static func isOurs(_ file: UnsafeMutablePointer<sqlite3_file>) -> Bool {
        guard let methods = file.pointee.pMethods else { return false }
        return shared.withLock { shared in shared.tables.values.contains(methods) }
    }

    static func table(over methods: UnsafePointer<sqlite3_io_methods>) -> UnsafePointer<sqlite3_io_methods>? {
        let key = UInt(bitPattern: methods)
        let found = shared.withLock { shared -> UInt in
            guard let methods = UnsafePointer<sqlite3_io_methods>(bitPattern: key) else { return 0 }
            if let known = shared.tables[methods] { return UInt(bitPattern: known) }
            let made = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            made.initialize(to: methods.pointee)
            made.pointee.xRead = noWaitReads
            shared.tables[methods] = UnsafePointer(made)
            return UInt(bitPattern: made)
        }
        return UnsafePointer(bitPattern: found)
    }

    /// The descriptor for that file: the one there is, since a second one must never be closed again.
    static func descriptor(_ path: UnsafePointer<CChar>) -> Int32? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let identity = Identity(status)
        if let known = shared.withLock({ $0.descriptors[identity] }) { return known }
        let opened = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard opened >= 0 else { return nil }
        // What was opened counts, and not what was looked at before. Where that cannot be told it stays open, too.
        guard fstat(opened, &status) == 0 else { return nil }
        let real = Identity(status)
        return shared.withLock { shared in
            // Another thread was first, or the name changed hands: this one stays open unused, which costs a descriptor
            // and no lock.
            if let known = shared.descriptors[real] { return known }
            shared.descriptors[real] = opened
            return opened
        }
    }

    static func closeAll() {
        shared.withLock { shared in
            for descriptor in shared.descriptors.values { close(descriptor) }
            shared.descriptors = [:]
        }
    }
}
