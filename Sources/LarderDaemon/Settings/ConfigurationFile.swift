// Files that people wrote are read whole and once, up to a limit; the message of a failure is for them.
import Glibc
import LarderCore
import LarderIO

enum ConfigurationFile {
    /// The bytes of a file or pipe.
    /// - Parameter patience: how long a pipe may take from its opening to its end; nil waits for as long as it takes. open(2)
    ///   of a pipe that nobody has opened for writing waits too, unless it is told not to (fifo(7)).
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
                var fault = SettingFault("\(path) is a pipe, and nobody has written all of it in time")
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
        throw SettingFault("\(path) is larger than \(Units.format(size: Int64(limit)))")
    }

    /// Whether there is something to read, or the end. A plain file is always ready, and so is a pipe whose writer has left;
    /// one that nobody has opened for writing yet is not (poll(2)).
    private static func isReady(_ descriptor: Int32, before deadline: MonotonicTime) -> Bool {
        let left = max(0, (deadline - SystemTime().monotonic()).milliseconds)
        return Syscall.isReadable(descriptor, within: Int32(clamping: left))
    }

    /// Whether something of that name is there.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
