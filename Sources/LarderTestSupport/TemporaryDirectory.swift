// A directory of a test's own, gone when the test is over, whatever happened in it.
import Glibc

/// A fresh directory below the system's temporary one. Removed with everything in it when the last reference goes.
public final class TemporaryDirectory: Sendable {
    public let path: String

    public init() {
        var template = Array("/tmp/larder-test-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) }
        precondition(made != nil, "no temporary directory could be made")
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.remove(path) }

    /// Writes a file in it and returns the file's path.
    @discardableResult
    public func write(_ name: String, _ text: String) -> String {
        let file = "\(path)/\(name)"
        guard let handle = fopen(file, "w") else { preconditionFailure("\(file) cannot be written") }
        fputs(text, handle)
        fclose(handle)
        return file
    }

    /// The names of what is in it.
    public var entries: [String] { Self.entries(of: path) }

    /// The names of what is in any directory.
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
        // In place: a copy of the name's 256 bytes would reach past the end of the directory's buffer.
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
