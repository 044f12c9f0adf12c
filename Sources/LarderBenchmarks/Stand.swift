// The environment of a run: the directory for all its files, and the arguments. Everything is removed when the run
// ends.
import CLinux
import Glibc
import LarderCore

/// Shared by all parts of a run.
final class Stand {
    let arguments: Arguments
    let signals: Signals
    /// The directory for files of every kind, below TMPDIR.
    let directory: String
    /// A directory in memory, if the system has one. Varnish recommends this for its shared log.
    let memoryDirectory: String
    private var fileCount = 0

    init(_ arguments: Arguments, _ signals: Signals) throws(Failure) {
        self.arguments = arguments
        self.signals = signals
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        directory = try Self.makeDirectory(in: base)
        memoryDirectory = access("/dev/shm", W_OK) == 0 ? try Self.makeDirectory(in: "/dev/shm") : directory
    }

    /// Removes everything that the run wrote.
    func remove() {
        for directory in [directory, memoryDirectory] { Files.remove(directory) }
    }

    private static func makeDirectory(in base: String) throws(Failure) -> String {
        var template = Array("\(base)/larder-bench-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw .failed(base, systemReason()) }
        return String(cString: made)
    }

    /// Returns a new path for each call.
    func newFile(_ name: String) -> String {
        fileCount += 1
        return "\(directory)/\(fileCount)-\(name)"
    }

    /// Makes a new directory inside the run's directory.
    func newDirectory(_ name: String) throws(Failure) -> String {
        let path = newFile(name)
        guard mkdir(path, 0o700) == 0 else { throw .failed(path, systemReason()) }
        return path
    }

    /// Makes a new directory in memory.
    func newMemoryDirectory(_ name: String) throws(Failure) -> String {
        fileCount += 1
        let path = "\(memoryDirectory)/\(fileCount)-\(name)"
        guard mkdir(path, 0o700) == 0 else { throw .failed(path, systemReason()) }
        return path
    }

    /// Replaces the words between @ signs in a template of the repository. Writes the result into the run's directory
    /// and returns its path.
    func fill(_ template: String, _ words: [String: String]) throws(Failure) -> String {
        let source = "\(arguments.templates)/\(template)"
        var text = Files.text(of: source)
        guard !text.isEmpty else { throw .failed(source, "is missing; run from the repository's root") }
        for (word, value) in words {
            text = text.split(separator: "@\(word)@", omittingEmptySubsequences: false).joined(separator: value)
        }
        let path = newFile(template)
        try Files.write(Bytes(text: text), to: path)
        return path
    }

    /// Sleeps for the whole time, even if children end meanwhile.
    func pauseWhole(milliseconds: Int) throws(Failure) {
        let end = monotonicNanoseconds() + Int64(milliseconds) * 1_000_000
        while case let left = (end - monotonicNanoseconds()) / 1_000_000, left > 0 {
            try signals.pause(milliseconds: Int(left))
        }
    }

    /// Runs a part of this program as a child, pinned to a core: the core of the load by default. Returns its output.
    func pinned(_ words: [String], seconds: Int, core: Int? = nil) throws(Failure) -> String {
        let child = try startPinned(words, core: core)
        defer { child.stop() }
        return try child.finish(seconds: seconds)
    }

    /// The same without waiting for its end.
    func startPinned(_ words: [String], core: Int? = nil) throws(Failure) -> ChildProcess {
        var path = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &path, path.count)
        guard length > 0 else { throw .failed("/proc/self/exe", systemReason()) }
        let program = String(decoding: path[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return try ChildProcess(
            words[0], [program, "--part"] + words, core: core ?? arguments.loadCore, stand: self)
    }

    /// A port that was free a moment ago, for servers that cannot choose a port themselves.
    static func freePort() throws(Failure) -> UInt16 {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw .failed("socket", systemReason()) }
        defer { close(socket) }
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, length) == 0 && getsockname(socket, address, &length) == 0
            }
        }
        guard isBound else { throw .failed("bind", systemReason()) }
        return UInt16(bigEndian: address.sin_port)
    }
}

/// An address of 127.0.0.1. The harness connects to no other host.
func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
}
