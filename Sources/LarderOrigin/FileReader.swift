// Reads a file at start, before any request is served.
import Glibc
import LarderCore

enum FileReader {
    /// In bytes. Recordings are small; a larger file is not a recording.
    private static let limit = 64 << 20

    /// Returns the whole file.
    static func read(_ path: String) throws(OriginError) -> Bytes {
        guard let file = fopen(path, "rbe") else {
            throw OriginError("\(path) cannot be opened for reading")
        }
        defer { fclose(file) }
        var bytes = Bytes()
        let isWhole = try withUnsafeTemporaryAllocation(byteCount: 256 * 1024, alignment: 1) {
            buffer throws(OriginError) -> Bool in
            while bytes.count <= limit {
                let count = fread(buffer.baseAddress, 1, buffer.count, file)
                bytes.append(contentsOf: buffer[..<count])
                if count < buffer.count {
                    if ferror(file) != 0 { throw OriginError("\(path) cannot be read") }
                    return true
                }
            }
            return false
        }
        if isWhole { return bytes }
        throw OriginError("\(path) is larger than \(Units.format(size: Int64(limit)))")
    }
}
