// A directory for one test, which is removed after the test in any case.
import Glibc

/// A new directory below /tmp. It is removed with its content when the last reference is released.
public final class TemporaryDirectory: Sendable {
    public let path: String

    public init() {
        var template = Array("/tmp/larder-test-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) }
        precondition(made != nil, "no temporary directory could be made")
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.remove(path) }

    /// Writes a file in the directory and returns the file's path.
    @discardableResult
    public func write(_ name: String, _ text: String) -> String {
        let file = "\(path)/\(name)"
        guard let handle = fopen(file, "w") else { preconditionFailure("\(file) cannot be written") }
        fputs(text, handle)
        fclose(handle)
        return file
    }

    /// The names of the directory's entries, sorted.
    public var entries: [String] { Self.entries(of: path) }

    /// The names of the entries of any directory, sorted.
    public static func entries(of path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(name(entry))
        }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
    }

    private static func name(_ entry: UnsafeMutablePointer<dirent>) -> String {
        // The name is read in place. A copy of its 256 bytes would read past the end of the directory's buffer.
        withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private static func remove(_ path: String) {
        if let directory = opendir(path) {
            while let entry = readdir(directory) {
                let name = name(entry)
                if name == "." || name == ".." { continue }
                let child = "\(path)/\(name)"
                if entry.pointee.d_type == UInt8(DT_DIR) { remove(child) } else { unlink(child) }
            }
            closedir(directory)
        }
        rmdir(path)
    }
}
