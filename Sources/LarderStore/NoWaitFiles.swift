// State that the files of `NoWaitVFS` share: our own descriptor for each file, and the tables of methods. A descriptor
// is opened once and kept, since closing any descriptor of a file gives up all POSIX locks of the process on it
// (sqlite.org/howtocorrupt.html §2.2).
import CSQLite
import Glibc
import LarderCore

/// State that all files of this VFS share.
enum NoWaitFiles {
    private struct Shared {
        /// Each with the name by which it was opened.
        var descriptors: [FileIdentity: (descriptor: Int32, name: String)] = [:]
        /// One table for each of the system's: files with locks and files without have different ones.
        var tables: [UnsafePointer<sqlite3_io_methods>: UnsafePointer<sqlite3_io_methods>] = [:]
    }

    private static let shared = Lock(Shared())

    /// The length of a file; `.max` if it cannot be told, so that no place is taken for the end.
    static func size(_ descriptor: Int32) -> Int64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : .max
    }

    static func known(_ path: String) -> Int32? {
        guard let identity = FileIdentity(of: path) else { return nil }
        return shared.withLock { $0.descriptors[identity]?.descriptor }
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

    /// The descriptor for this file. An existing one is used, since a second one could never be closed again.
    static func descriptor(_ path: UnsafePointer<CChar>) -> Int32? {
        let name = String(cString: path)
        // Looked up and opened under the lock: two threads at once would open two, and the second may never be closed.
        // Loops open nothing, so no loop waits here.
        return shared.withLock { shared in
            guard let named = FileIdentity(of: name) else { return nil }
            if let known = shared.descriptors[named] { return known.descriptor }
            // A loop's read must not wait for its access time to be noted, which every commit makes due (mount(8),
            // relatime).
            let opened = NoWaitVFS.withoutAccessTime { more in
                let found = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | more)
                return found >= 0 ? found : -StoreError.lastNumber
            }
            // The opened file counts, and not the one looked at before. If its identity cannot be told, it stays open.
            guard let identity = FileIdentity(opened) else { return nil }
            // The name changed hands. This descriptor stays open unused, which costs a descriptor and no lock.
            if let known = shared.descriptors[identity] { return known.descriptor }
            shared.descriptors[identity] = (opened, name)
            return opened
        }
    }

    static func closeAll() {
        shared.withLock { shared in
            for known in shared.descriptors.values { Glibc.close(known.descriptor) }
            shared.descriptors = [:]
        }
    }

    /// Closes the descriptors of a database and of its log. Only once no connection of this process has them open.
    static func close(database name: String) {
        shared.withLock { shared in
            for (identity, known) in shared.descriptors where known.name == name || known.name == name + "-wal" {
                Glibc.close(known.descriptor)
                shared.descriptors[identity] = nil
            }
        }
    }

    /// How many descriptors are kept of a database and of its log. For tests.
    static func count(database name: String) -> Int {
        shared.withLock { $0.descriptors.values.count { $0.name == name || $0.name == name + "-wal" } }
    }
}
