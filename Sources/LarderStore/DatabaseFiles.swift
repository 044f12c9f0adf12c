// The files of a database: the lock that keeps a second daemon out, the directory, the sizes of the files, free disk,
// and setting a damaged database aside. The names are `<name>.db`, its `-wal` and `-shm`, and `<name>.lock`. Large
// bodies of the cache lie beside it, in `bodies` (Bodies/BodyFiles.swift).
import Glibc
import LarderCore

/// A directory that this process has locked for one database.
///
/// The lock is `flock` on a file of its own: SQLite's own locks are per database and would let a second daemon in.
final class DatabaseFiles: Sendable {
    let directory: String
    let path: String
    let lock: Lock<Int32>
    /// The commit of the last removal; only beside the cache's database.
    let mark: RemovalMark
    /// The numbers of the responses that arrive.
    let arrivals = ArrivalNumbers()
    /// The files of the open database.
    let opened = Lock<OpenFiles?>(nil)
    /// The name by which SQLite opened the database for the loops.
    private let openedAs = Lock<String?>(nil)
    /// A simulated disk, for tests: the free bytes, given the bytes that the database and its log take.
    let reckonedFreeDisk = Hook<(@Sendable (Int64) -> Int64)?>(nil)
    /// A simulated disk, for tests: how many more files it can hold.
    let simulatedInodes = Lock<Int?>(nil)
    /// A simulated directory, for tests: the error with which it refuses to remove a name.
    let refusedRemoval = Lock<Int32?>(nil)

    /// A simulated directory, for tests: it neither renames nor removes anything.
    let refusesChanges = Lock(false)

    /// A simulated disk, for tests: called before each look at a file.
    let beforeLook = Hook<(@Sendable () -> Void)?>(nil)

    /// Makes the directory and takes the lock.
    init(directory: String, name: String, time: any TimeSource = SystemTime()) throws(StoreError) {
        self.directory = directory
        path = directory + "/\(name).db"
        mark = RemovalMark(database: path, time: time)
        try Self.makeDirectory(directory)
        let descriptor = try Self.locked(path.dropLast(3) + ".lock", in: directory)
        lock = Lock(descriptor)
        for suffix in ["", "-wal", "-shm"] { try Self.protect(path + suffix) }
    }

    /// Sets an existing file to mode 0600: a file that was copied back or made by another program may be open to all.
    /// Called under the lock and before SQLite has the file open, since closing a descriptor of it would give up
    /// SQLite's own locks (sqlite.org/howtocorrupt.html §2.2).
    private static func protect(_ path: String) throws(StoreError) {
        // O_NONBLOCK: a named pipe in the file's place must not hold up the start.
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            // An absent file needs no protection, and a file that nobody may read has it.
            let isHarmless = [ENOENT, EACCES].contains(StoreError.lastNumber)
            if isHarmless { return }
            throw StoreError.refusedOpening(path)
        }
        defer { Glibc.close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw StoreError.system("looking at \(path)") }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o777 != 0o600 else { return }
        guard fchmod(descriptor, 0o600) == 0 else { throw StoreError.system("making \(path) private (mode 0600)") }
    }

    deinit { unlock() }

    /// Releases the lock, so that another daemon may have the directory.
    func unlock() {
        lock.withLock { descriptor in
            if descriptor >= 0 {
                // Unlocked explicitly: closing alone keeps the lock as long as any copy of the descriptor is open, such
                // as one in a child between fork and exec (flock(2)).
                flock(descriptor, LOCK_UN)
                Glibc.close(descriptor)
            }
            descriptor = -1
        }
    }

    static func makeDirectory(_ directory: String) throws(StoreError) {
        var prefix = directory.hasPrefix("/") ? "" : "."
        for part in directory.split(separator: "/") {
            prefix += "/" + part
            // Making an ancestor that exists may fail with EACCES or EROFS. What counts is that it is there.
            if mkdir(prefix, 0o700) != 0 && access(prefix, F_OK) != 0 {
                throw StoreError.system("making directory \(directory)")
            }
        }
    }

    /// Flushes the names of a directory.
    static func sync(_ directory: String) {
        let opened = Glibc.open(directory, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard opened >= 0 else { return }
        fsync(opened)
        Glibc.close(opened)
    }

    /// Bytes of the database file and of its write-ahead log; 0 if there is none.
    var sizes: (file: Int64, log: Int64) {
        beforeLook.get()?()
        return (Self.size(path), Self.size(path + "-wal"))
    }

    private static func size(_ path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Bytes that an ordinary user may still write on this file system (statvfs(3)); nil if the system does not say.
    /// Read before each write, through the lock file's descriptor, so that no path is walked.
    var freeDisk: Int64? {
        if let reckoned = reckonedFreeDisk.get() { return reckoned(sizes.file + sizes.log) }
        var status = statvfs()
        guard lock.withLock({ fstatvfs($0, &status) }) == 0 else { return nil }
        return Int64(
            clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
    }

    /// Whether the file system can hold no further file, however much room it has. File systems without a fixed number
    /// of inodes report none at all.
    var lacksInodes: Bool {
        if let simulated = simulatedInodes.withLock({ $0 }) { return simulated == 0 }
        var status = statvfs()
        return lock.withLock { fstatvfs($0, &status) } == 0 && status.f_files > 0 && status.f_favail == 0
    }

    func noteName(_ name: String?) {
        if let name { openedAs.withLock { $0 = name } }
    }

    /// Closes the descriptors that the loops' connections keep of the database and its log, so that their room on the
    /// disk is free once their names go. Every connection must be closed.
    func closeDescriptors() {
        if let name = openedAs.withLock({ $0.take() }) { NoWaitFiles.close(database: name) }
    }

    /// How many such descriptors are kept. For tests.
    var keptDescriptors: Int { openedAs.withLock { $0 }.map(NoWaitFiles.count(database:)) ?? 0 }

    /// Whether a file has the database's name.
    var isPresent: Bool { access(path, F_OK) == 0 }

    /// Whether the database's file is there and empty. No database is made so.
    var isEmptied: Bool { isPresent && sizes.file == 0 }

    /// Whether a database of this name in a directory holds anything.
    static func isFilled(_ directory: String, _ name: String) -> Bool { size("\(directory)/\(name).db") > 0 }

    /// Removes the database with its log files. Throws if one of the names stays. Every connection must be closed.
    func remove() throws(StoreError) {
        for suffix in ["-wal", "-shm", ""] {
            let name = path + suffix
            if let number = refusedRemoval.withLock({ $0 }) { throw StoreError.system("removing \(name)", number) }
            // A file that is already gone need not be removed.
            guard unlink(name) == 0 || StoreError.lastNumber == ENOENT else {
                throw StoreError.system("removing \(name)")
            }
        }
        noteAbsence()
    }

    /// Renames the database with its log files to `….corrupt-<time>`, keeps the newest two of those and removes older
    /// ones. Every connection must be closed. A file that cannot be renamed is removed, because its name must become
    /// free. If the directory refuses both, the database stays (`isPresent`).
    func setAside(at now: WallTime) -> String {
        let mark = ".corrupt-\(now.milliseconds)"
        if refusesChanges.withLock({ $0 }) { return path + mark }
        for suffix in ["-wal", "-shm", ""] where access(path + suffix, F_OK) == 0 {
            if rename(path + suffix, path + mark + suffix) != 0 { unlink(path + suffix) }
        }
        // Renamed before a new database is made, whose files have another directory.
        if hasBodies { rename(bodies, bodies + mark) }
        noteAbsence()
        removeAside(keeping: 2)
        return path + mark
    }

    /// Removes the oldest databases set aside. Returns whether there were any.
    @discardableResult
    func removeAside(keeping count: Int) -> Bool {
        let old = aside.dropLast(count)
        for file in old.map(\.path) {
            for suffix in ["-wal", "-shm", ""] { unlink(file + suffix) }
            throwAway(String(file.dropFirst(path.utf8.count)))
        }
        return !old.isEmpty
    }

    /// The directory of the cache's large bodies.
    var bodies: String { directory + "/bodies" }

    /// Whether this is the cache's database, which alone has bodies beside it.
    private var hasBodies: Bool { path.hasSuffix("/cache.db") }

    /// Moves the bodies of a database that was set aside to where they are swept in slices, since there may be many.
    private func throwAway(_ mark: String) {
        guard hasBodies, access(bodies + mark, F_OK) == 0 else { return }
        mkdir(bodies, 0o700)
        rename(bodies + mark, bodies + "/aside-" + mark.drop { $0 != "-" }.dropFirst())
    }

    /// Throws away the bodies of databases set aside that no longer exist: no row leads to such a body, and nothing
    /// else would remove it. Each database is looked up by its name. A second listing would not do: if the directory
    /// could not be opened or read again, the listing would lack databases that exist.
    func throwAwayOrphans() {
        guard hasBodies, isDirectoryInPlace else { return }
        for orphan in named("bodies.corrupt-") {
            let mark = ".corrupt-\(orphan.time)"
            guard access(path + mark, F_OK) != 0, StoreError.lastNumber == ENOENT else { continue }
            throwAway(mark)
        }
    }

    /// Renames databases set aside whose time lies after `now` to `now`, because the clock was set back since.
    /// Otherwise their loss would begin anew at each start until the clock has caught up.
    func capAside(at now: WallTime) {
        var time = now.milliseconds
        for old in aside.reversed() where old.time > now.milliseconds {
            while access(path + ".corrupt-\(time)", F_OK) == 0 { time -= 1 }
            for suffix in ["-wal", "-shm", ""] where access(old.path + suffix, F_OK) == 0 {
                rename(old.path + suffix, path + ".corrupt-\(time)" + suffix)
            }
        }
    }

    /// When a database was last set aside, according to the names of those still there. The rename itself gives the
    /// name, so no crash can come between the loss and the record of it.
    var lastSetAside: WallTime? { aside.last.map { WallTime(milliseconds: $0.time) } }

    /// The databases set aside, the oldest first.
    var aside: [(time: Int64, path: String)] {
        named(String(path.dropFirst(directory.count + 1)) + ".corrupt-")
    }

    /// The files named `start` followed by a time, the oldest first.
    private func named(_ start: String) -> [(time: Int64, path: String)] {
        guard let stream = opendir(directory) else { return [] }
        let found = Self.names(in: stream).compactMap { name -> (time: Int64, path: String)? in
            guard name.hasPrefix(start), let time = Int64(name.dropFirst(start.count)) else { return nil }
            return (time, "\(directory)/\(name)")
        }
        return found.sorted { $0.time < $1.time }
    }

    /// The names in an open directory, which is closed afterwards.
    static func names(in stream: OpaquePointer) -> [String] {
        defer { closedir(stream) }
        var found: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
                String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { found.append(name) }
        }
        return found
    }

    /// The type of the file system if it is shared over a network, else nil. A write-ahead log is not safe on such a
    /// file system (sqlite.org/wal.html, "All processes using a database must be on the same host computer").
    var networkFileSystem: String? {
        guard let real = realpath(directory, nil) else { return nil }
        defer { free(real) }
        return MountTable.networkType(of: String(cString: real), in: MountTable.read())
    }
}

/// The mounts of this process, as listed in /proc/self/mountinfo (proc_pid_mountinfo(5)).
enum MountTable {
    static func read() -> String {
        let descriptor = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var text = Bytes()
        while text.count < 1 << 20 {
            let piece = Bytes(room: 16 << 10) { buffer, count in
                count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
            }
            if piece.isEmpty { break }
            text += piece
        }
        return text.lossyText
    }

    private static let networkTypes: Set<String> = [
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "9p", "ceph", "glusterfs", "fuse.glusterfs",
        "fuse.sshfs",
        "lustre", "ocfs2", "gfs2", "beegfs", "fuse.s3fs", "davfs", "fuse.rclone",
    ]

    /// The type of the mount that holds a path if it is a network file system: the last mount of the longest matching
    /// mount point.
    static func networkType(of path: String, in table: String) -> String? {
        var best: (length: Int, type: String)?
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 6, let dash = words.firstIndex(of: "-"), dash + 1 < words.count else { continue }
            let point = words[4].replacing("\\040", with: " ")
            guard point == "/" || path == point || path.hasPrefix(point + "/") else { continue }
            if point.utf8.count >= best?.length ?? 0 { best = (point.utf8.count, String(words[dash + 1])) }
        }
        return best.flatMap { networkTypes.contains($0.type) ? $0.type : nil }
    }
}
