// The system calls of a tape's folder, and the only file of this room that reads errno. All names are relative to one
// descriptor of the folder, and no symbolic link is followed: what lies in a folder from a repository is foreign.
import Glibc
import LarderCore
import LarderIO

/// An open folder.
struct TapeFolder: ~Copyable {
    private let descriptor: Int32

    /// How the names of unfinished files begin.
    static let unfinished = ".unfinished-"

    /// Nil if there is no such folder.
    /// - Parameter creates: whether a missing folder is made, with its parents.
    init?(_ path: String, creates: Bool = false) throws(TapeFault) {
        if creates { _ = Folder.make(path, mode: 0o777) }
        let opened = try Self.check("open", path, except: ENOENT) { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard let opened else { return nil }
        descriptor = opened
    }

    deinit { Syscall.close(descriptor) }

    /// The result of a call; nil if it failed with the code `except`.
    private static func check(
        _ call: StaticString, _ name: String, except: Int32 = 0, _ body: () -> Int32
    ) throws(TapeFault) -> Int32? {
        while true {
            let result = body()
            if result >= 0 { return result }
            let code = errno
            if code == except { return nil }
            if code != EINTR { throw failure(call, name, code) }
        }
    }

    private static func failure(_ call: StaticString, _ name: String, _ code: Int32) -> TapeFault {
        TapeFault(.system, name, "\(SystemError(call: call, code: code))")
    }

    /// The bytes of a regular file; nil if there is none of that name.
    func read(_ name: String, limit: Int) throws(TapeFault) -> Bytes? {
        // Opening a pipe without O_NONBLOCK would wait for its writer (fifo(7)).
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        guard let file = try Self.check("open", name, except: ENOENT, { openat(descriptor, name, flags) }) else {
            return nil
        }
        defer { Syscall.close(file) }
        var status = stat()
        _ = try Self.check("fstat", name) { fstat(file, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw TapeFault(.torn, name, "is not a regular file") }
        var bytes = Bytes()
        var chunk = Bytes(repeating: 0, count: 64 << 10)
        while bytes.count <= limit {
            switch chunk.withUnsafeMutableBytes({ Syscall.read(file, into: $0) }) {
            case .bytes(let count): bytes += chunk[..<count]
            case .end: return bytes
            case .wouldBlock: throw Self.failure("read", name, EAGAIN)
            case .failed(let code): throw Self.failure("read", name, code)
            }
        }
        throw TapeFault(.torn, name, "is larger than \(Units.format(size: Int64(limit)))")
    }

    /// Makes a file with these bytes, whole or not at all. False if the name is taken: link(2) never replaces a file,
    /// so of two processes only one gets a name.
    func create(_ name: String, _ bytes: Bytes) throws(TapeFault) -> Bool {
        // Most names of a long series are taken, and the bytes need not be written to learn that.
        var status = stat()
        if fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return false }
        let temporary = "\(Self.unfinished)\(Hex.encode(Secrets.random(8)))"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        guard let file = try Self.check("open", name, { openat(descriptor, temporary, flags, 0o666) }) else {
            return false
        }
        defer { unlinkat(descriptor, temporary, 0) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Syscall.write(file, $0) }
            guard case .bytes(let count) = written else {
                Syscall.close(file)
                if case .failed(let code) = written { throw Self.failure("write", name, code) }
                throw Self.failure("write", name, EIO)
            }
            rest = rest.dropFirst(count)
        }
        // A network file system may report only now that it could not write (close(2)).
        _ = try Self.check("close", name, except: EINTR) { close(file) }
        return try Self.check("link", name, except: EEXIST) { linkat(descriptor, temporary, descriptor, name, 0) }
            != nil
    }

    func remove(_ name: String) { unlinkat(descriptor, name, 0) }
}
