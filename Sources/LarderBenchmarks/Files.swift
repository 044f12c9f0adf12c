// File operations of the harness, made directly with system calls.
import Glibc
import LarderCore

enum Files {
    /// The file's text; empty if it cannot be read. Files of /proc report no length, so the file is read to its end.
    static func text(of path: String) -> String {
        guard let file = fopen(path, "re") else { return "" }
        defer { fclose(file) }
        var bytes: Bytes = []
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16_384) { chunk in
            while case let got = fread(chunk.baseAddress, 1, chunk.count, file), got > 0 {
                bytes.append(contentsOf: chunk[..<got])
            }
        }
        return bytes.lossyText
    }

    /// Writes a whole file, readable by all users.
    static func write(_ bytes: Bytes, to path: String) throws(Failure) {
        guard let file = fopen(path, "we") else { throw .failed(path, systemReason()) }
        let written = fwrite(bytes, 1, bytes.count, file)
        guard fclose(file) == 0, written == bytes.count else { throw .failed(path, systemReason()) }
    }

    /// The size of a file in bytes; 0 if it does not exist.
    static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// The disk space in bytes of a file, or of a directory with its content (stat(2): blocks of 512 bytes).
    static func diskUse(_ path: String) -> Int {
        var status = stat()
        guard lstat(path, &status) == 0 else { return 0 }
        let own = Int(status.st_blocks) * 512
        guard status.st_mode & S_IFMT == S_IFDIR else { return own }
        return names(in: path).reduce(own) { $0 + diskUse("\(path)/\($1)") }
    }

    /// The names in a directory, without "." and "..".
    static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { $0.prefix { $0 != 0 } }
            let text = String(decoding: name, as: UTF8.self)
            if text != ".", text != ".." { names.append(text) }
        }
        return names
    }

    /// Removes a file, or a directory with its content. Symbolic links are removed and never followed.
    static func remove(_ path: String) {
        if unlink(path) == 0 { return }
        for name in names(in: path) { remove("\(path)/\(name)") }
        rmdir(path)
    }
}
