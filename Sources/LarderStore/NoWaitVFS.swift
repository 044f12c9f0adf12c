// A SQLite VFS over `DatabaseConnection.vfs` whose reads return only what the kernel's page cache holds, and
// SQLITE_BUSY otherwise. So a look-up can be tried on an event loop. A partial read without waiting means "would wait":
// SQLite would fill up a short read with zeros (sqlite.org/c3ref/io_methods.html, preadv2(2)). Each file has a second
// descriptor of our own, opened once in a process and kept: closing it would give up the POSIX locks of every
// connection on that file (sqlite.org/howtocorrupt.html §2.2). Of the methods of an opened file only `xRead` is
// replaced; our state lies behind the system's, in the room that `szOsFile` asks for (sqlite.org/vfs.html). A
// connection of this VFS must have no busy handler: it would be called for something that only the disk can end.
import CLinux
import CSQLite
import Glibc
import LarderCore

/// The VFS. It is registered once, and named when a connection is opened.
public enum NoWaitVFS {
    /// The name of the VFS for `sqlite3_open_v2`.
    public static let name = "larder-nowait"

    /// Registers the VFS at first use, once in a process. False if SQLite refuses.
    public static let isRegistered: Bool = register()

    /// Closes our own descriptors. Only once no connection of this process, of this VFS or another, has one of the
    /// files open.
    public static func closeDescriptors() { NoWaitFiles.closeAll() }

    /// Our own descriptor for a file, if there is one.
    static func descriptor(of path: String) -> Int32? { NoWaitFiles.known(path) }

    /// Makes a descriptor number refer to what another descriptor refers to (dup3(2)), closed on exec. Negative if that
    /// fails.
    static func rename(_ number: Int32, to found: Int32) -> Int32 { larder_dup3(found, number) }

    /// Opens a file below a directory if that waits for no disk. Returns a descriptor, or a negated error number.
    /// Another user's file is not opened this way (EPERM): each read of it might wait for its access time to be
    /// written. It is found open once a reader has opened it, whose own read has noted that time; the kernel notes it
    /// once a day (mount(8), relatime).
    static func openCached(_ directory: Int32, _ name: String) -> Int32 { larder_open_cached(directory, name) }

    /// Opens a file below a directory for reading. Returns a descriptor, or a negated error number. Reading notes no
    /// access time, except for another user's file: only its owner may ask for that (open(2), O_NOATIME).
    static func open(_ directory: Int32, _ name: String) -> Int32 {
        // O_NONBLOCK: opening a FIFO would wait for a writer.
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        return withoutAccessTime { more in
            let found = openat(directory, name, flags | more)
            return found >= 0 ? found : -StoreError.lastNumber
        }
    }

    /// Tries with O_NOATIME, and without it if that is not permitted.
    static func withoutAccessTime(_ open: (Int32) -> Int32) -> Int32 {
        let found = open(larder_O_NOATIME)
        return found == -EPERM ? open(0) : found
    }

    /// Whether reads of a descriptor note no access time.
    static func leavesAccessTime(_ file: Int32) -> Bool { fcntl(file, F_GETFL) & larder_O_NOATIME != 0 }

    /// Reads bytes that need no waiting. Returns their number, or a negated error number.
    static func read(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int = 0) -> Int {
        larder_pread_nowait(file, buffer.baseAddress, buffer.count, off_t(offset))
    }

    private static func register() -> Bool {
        guard let base = sqlite3_vfs_find(DatabaseConnection.vfs) else { return false }
        let state = (Int(base.pointee.szOsFile) + 15) & ~15
        let known = Base(vfs: base, state: state)
        Self.known.withLock { $0 = known }
        // Lives as long as the process: SQLite keeps the address.
        let made = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        // A copy keeps what the system's functions look for in it (pAppData).
        made.initialize(to: base.pointee)
        made.pointee.szOsFile = Int32(state + MemoryLayout<NoWaitState>.size)
        made.pointee.pNext = nil
        made.pointee.zName = UnsafePointer(strdup(name))
        made.pointee.xOpen = noWaitOpens
        made.pointee.xSleep = noWaitSleeps
        return sqlite3_vfs_register(made, 0) == SQLITE_OK
    }

    /// The system's VFS, and the offset of our state in a file of this VFS. Never changed once it is set. Unchecked
    /// Sendable: the system's VFS is never freed, and any thread may call it.
    fileprivate struct Base: @unchecked Sendable {
        let vfs: UnsafeMutablePointer<sqlite3_vfs>
        let state: Int
    }

    private static let known = Lock<Base?>(nil)

    fileprivate static var base: Base? { known.withLock { $0 } }

    /// Read with each file read, so it takes no lock.
    fileprivate static let stateOffset: Int? = base?.state
}

/// How the file reads of one connection are done. Used on the connection's thread, while the connection is open.
public struct NoWaitReads {
    private let state: UnsafeMutablePointer<NoWaitState>

    /// Nil if the connection uses another VFS.
    public init?(_ connection: OpaquePointer) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
            NoWaitFiles.isOurs(file), let base = NoWaitVFS.base
        else { return nil }
        state = noWaitState(file, base.state)
    }

    /// Whether reads wait for the disk. False at first.
    public var waits: Bool {
        get { state.pointee.waits }
        nonmutating set { state.pointee.waits = newValue }
    }

    /// Number of reads that would have waited.
    public var refused: Int { state.pointee.refused }

    /// Treats every page as not in memory. For tests.
    var refusesAll: Bool {
        get { state.pointee.refusesAll }
        nonmutating set { state.pointee.refusesAll = newValue }
    }
}

/// The result of a read without waiting.
enum NoWaitOutcome: Equatable {
    case whole, wouldWait
    /// The file ends within the read, which costs no waiting, or something failed. The system's own read handles and
    /// names both.
    case askSystem
    /// The file system cannot read without waiting.
    case unsupported

    /// - Parameters:
    ///   - got: number of bytes, or a negated error number.
    ///   - end: the length of the file; called only if that decides.
    init(_ got: Int, of amount: Int, at offset: Int64, end: () -> Int64) {
        switch got {
        case amount: self = .whole
        case 0...: self = end() <= offset + Int64(got) ? .askSystem : .wouldWait
        case -Int(EAGAIN): self = .wouldWait
        case -Int(EOPNOTSUPP), -Int(EINVAL), -Int(ENOSYS): self = .unsupported
        default: self = .askSystem
        }
    }
}

/// Our state, which lies behind the system's structure of an open file.
private struct NoWaitState {
    var descriptor: Int32
    /// The system's methods.
    var methods: UnsafePointer<sqlite3_io_methods>
    /// The state of the database's file. The values that follow are kept there, for its log too.
    var leader: UnsafeMutablePointer<NoWaitState>
    var waits = false
    var isUnsupported = false
    var refusesAll = false
    var refused = 0
}

private func noWaitState(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ offset: Int
) -> UnsafeMutablePointer<NoWaitState> {
    (UnsafeMutableRawPointer(file) + offset).assumingMemoryBound(to: NoWaitState.self)
}

/// xSleep. A read transaction that finds the log's index being written rests and tries again (wal.c, walTryBeginRead).
/// Here it tries again at once, and the statement fails after a hundred tries.
private func noWaitSleeps(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ microseconds: Int32) -> Int32 { microseconds }

/// xOpen. A file that is neither a database nor its log is left to the system.
private func noWaitOpens(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?,
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32, _ outFlags: UnsafeMutablePointer<Int32>?
) -> Int32 {
    guard let base = NoWaitVFS.base, let open = base.vfs.pointee.xOpen else { return SQLITE_CANTOPEN }
    let code = open(base.vfs, name, file, flags, outFlags)
    guard code == SQLITE_OK, let file, let name, flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL) != 0,
        let methods = file.pointee.pMethods, let table = NoWaitFiles.table(over: methods)
    else { return code }
    let state = noWaitState(file, base.state)
    var leader = state
    if flags & SQLITE_OPEN_WAL != 0 {
        // This call is documented for the name of a log (sqlite.org/c3ref/database_file_object.html).
        guard let main = sqlite3_database_file_object(name), NoWaitFiles.isOurs(main) else { return code }
        leader = noWaitState(main, base.state)
    }
    guard let descriptor = NoWaitFiles.descriptor(name) else { return code }
    state.initialize(to: NoWaitState(descriptor: descriptor, methods: methods, leader: leader))
    file.pointee.pMethods = table
    return code
}

/// xRead. Reads without waiting, unless the connection may wait.
func noWaitReads(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ buffer: UnsafeMutableRawPointer?, _ amount: Int32,
    _ offset: sqlite3_int64
) -> Int32 {
    guard let file, let start = NoWaitVFS.stateOffset else { return SQLITE_IOERR }
    let state = noWaitState(file, start)
    let leader = state.pointee.leader
    func waiting() -> Int32 { state.pointee.methods.pointee.xRead?(file, buffer, amount, offset) ?? SQLITE_IOERR }
    if leader.pointee.waits || leader.pointee.isUnsupported { return waiting() }
    if !leader.pointee.refusesAll {
        let own = state.pointee.descriptor
        let got = larder_pread_nowait(own, buffer, Int(amount), Int(offset))
        switch NoWaitOutcome(got, of: Int(amount), at: offset, end: { NoWaitFiles.size(own) }) {
        case .whole: return SQLITE_OK
        case .wouldWait: break
        case .askSystem: return waiting()
        case .unsupported:
            leader.pointee.isUnsupported = true
            return waiting()
        }
    }
    leader.pointee.refused += 1
    return SQLITE_BUSY
}
