// A file that a command reads whole: one that is named, or standard input for "-".
import Glibc
import LarderCore
import LarderIO

enum InputFile {
    /// - Parameter limit: the most bytes.
    static func read(_ path: String, limit: Int) throws(CommandFailure) -> Bytes {
        let name = path == "-" ? "standard input" : path
        let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CommandFailure(.usage, "\(name) cannot be read") }
        defer { Syscall.close(descriptor) }
        var text = Bytes()
        var chunk = Bytes(repeating: 0, count: 64 << 10)
        while true {
            switch chunk.withUnsafeMutableBytes({ Syscall.read(descriptor, into: $0) }) {
            case .bytes(let count):
                text += chunk.prefix(count)
                guard text.count <= limit else {
                    throw CommandFailure(.usage, "\(name) has more than \(Units.format(size: Int64(limit)))")
                }
            case .end: return text
            case .wouldBlock, .failed: throw CommandFailure(.usage, "\(name) cannot be read")
            }
        }
    }
}
