// Files that people wrote are read whole and once, up to a limit; the message of a failure is for them.
import Glibc
import LarderCore
import LarderIO

enum ConfigurationFile {
    /// The bytes of a file or pipe.
    static func read(_ path: String, limit: Int) throws(SettingFault) -> Bytes {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw SettingFault(exists(path) ? "\(path) cannot be read by this user" : "\(path) does not exist")
        }
        defer { Syscall.close(descriptor) }
        var bytes = Bytes()
        var chunk = Bytes(repeating: 0, count: 16 << 10)
        while bytes.count <= limit {
            switch chunk.withUnsafeMutableBytes({ Syscall.read(descriptor, into: $0) }) {
            case .bytes(let count): bytes.append(contentsOf: chunk.prefix(count))
            case .end: return bytes
            case .wouldBlock, .failed: throw SettingFault("\(path) cannot be read; is it a file?")
            }
        }
        throw SettingFault("\(path) is larger than \(Units.format(size: Int64(limit)))")
    }

    /// Whether something of that name is there.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
