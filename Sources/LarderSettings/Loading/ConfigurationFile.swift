// Reads files that people write, whole and once, up to a size limit. Error messages are meant for these people. A
// secret may come through a pipe; a configuration must not.
import Glibc
import LarderCore
import LarderIO

enum ConfigurationFile {
    /// Returns the bytes of a regular file. Any other file is refused at once. A pipe can be read only once, but SIGHUP
    /// reads the configuration again. A device may have no end.
    static func readRegular(_ path: String, limit: Int) throws(SettingFault) -> Bytes {
        var status = stat()
        // Checked before opening, because opening a device may have an effect.
        if stat(path, &status) == 0 { try checkRegular(status, path) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            throw SettingFault(exists(path) ? "\(path) cannot be read by this user" : "\(path) does not exist")
        }
        defer { Syscall.close(descriptor) }
        // Checked again on the open file, because the name may mean another file by now.
        guard fstat(descriptor, &status) == 0 else { throw SettingFault("\(path) cannot be read") }
        try checkRegular(status, path)
        var bytes = Bytes()
        var chunk = Bytes(repeating: 0, count: 16 << 10)
        while bytes.count <= limit {
            switch chunk.withUnsafeMutableBytes({ Syscall.read(descriptor, into: $0) }) {
            case .bytes(let count): bytes.append(contentsOf: chunk.prefix(count))
            case .end: return bytes
            case .wouldBlock, .failed: throw SettingFault("\(path) cannot be read")
            }
        }
        throw tooLarge(path, limit)
    }

    private static func checkRegular(_ status: stat, _ path: String) throws(SettingFault) {
        let kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: ""
            case S_IFDIR: "a directory"
            case S_IFIFO: "a pipe"
            case S_IFSOCK: "a socket"
            case S_IFCHR, S_IFBLK: "a device"
            default: "no file"
            }
        guard kind.isEmpty else {
            throw SettingFault("\(path) is \(kind); a configuration is a regular file, which SIGHUP can read again")
        }
    }

    private static func tooLarge(_ path: String, _ limit: Int) -> SettingFault {
        SettingFault("\(path) is larger than \(Units.format(size: Int64(limit)))")
    }

    /// Returns the bytes of a file or pipe.
    /// - Parameter patience: how long reading a pipe may take, from opening it to its end. With nil there is no limit,
    ///   and open(2) of a pipe also waits until another process has opened it for writing (fifo(7)).
    static func read(_ path: String, limit: Int, patience: Duration? = nil) throws(SettingFault) -> Bytes {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | (patience == nil ? 0 : O_NONBLOCK))
        guard descriptor >= 0 else {
            throw SettingFault(exists(path) ? "\(path) cannot be read by this user" : "\(path) does not exist")
        }
        defer { Syscall.close(descriptor) }
        var bytes = Bytes()
        var chunk = Bytes(repeating: 0, count: 16 << 10)
        let deadline = patience.map { SystemTime().monotonic() + $0 }
        while bytes.count <= limit {
            if let deadline, !isReady(descriptor, before: deadline) {
                var fault = SettingFault("\(path) is a pipe, and its writer did not finish in time")
                fault.isSilence = true
                throw fault
            }
            switch chunk.withUnsafeMutableBytes({ Syscall.read(descriptor, into: $0) }) {
            case .bytes(let count): bytes.append(contentsOf: chunk.prefix(count))
            case .end: return bytes
            case .wouldBlock where deadline != nil: continue
            case .wouldBlock, .failed: throw SettingFault("\(path) cannot be read; is it a file?")
            }
        }
        throw tooLarge(path, limit)
    }

    /// Waits until there is something to read, or the end. A plain file is always ready, and so is a pipe whose writer
    /// has left. A pipe that has never been opened for writing is not ready (poll(2)).
    private static func isReady(_ descriptor: Int32, before deadline: MonotonicTime) -> Bool {
        let left = max(0, (deadline - SystemTime().monotonic()).milliseconds)
        return Syscall.isReadable(descriptor, within: Int32(clamping: left))
    }

    /// Whether a file of that name exists.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
