// Tells a start that the whole cache directory was exchanged for an older copy of itself: a restored backup, or a
// snapshot that was rolled back. Its mark is as old as its database, and says nothing of what was removed since.
//
// The state directory remembers the commit of the last removal (`cache.removed`). It is written over after that commit
// was flushed, so it asks for no more than the disk holds, whatever is killed in between. A database of the same
// generation that has counted fewer commits is older.
import Glibc
import LarderCore

/// What the state directory remembers of a cache; without such a directory, nothing.
struct RememberedRemovals: Sendable {
    private static let magic: UInt64 = 0x6C64_722D_7265_6D6F

    private let path: String?

    init(directory: String?) { path = directory.map { $0 + "/cache.removed" } }

    /// The least count of commits of the database of this generation.
    func least(of generation: UInt64) -> Int64 {
        guard let path else { return 0 }
        let opened = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard opened >= 0 else { return 0 }
        defer { Glibc.close(opened) }
        let bytes = Bytes(room: 32) { buffer, count in
            count = max(0, pread(opened, buffer.baseAddress, buffer.count, 0))
        }
        guard bytes.count == 32 else { return 0 }
        let count = bytes.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(fromByteOffset: 16, as: Int64.self)) }
        // Of another generation, or damaged: then nothing is known, and no cache is lost for that.
        return bytes == Self.bytes(count, generation) ? count : 0
    }

    /// Remembers the commit of the last removal. What is lost of this asks for less.
    func note(_ count: Int64, of generation: UInt64) {
        guard let path else { return }
        let opened = Glibc.open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard opened >= 0 else { return }
        let bytes = Self.bytes(count, generation)
        _ = pwrite(opened, bytes, bytes.count, 0)
        Glibc.close(opened)
    }

    private static func bytes(_ count: Int64, _ generation: UInt64) -> Bytes {
        let numbers = [magic, generation, UInt64(bitPattern: count)]
        var sum = Checksum()
        for number in numbers { sum.add(number) }
        return (numbers + [UInt64(sum.value)]).reduce(into: Bytes()) { bytes, number in
            withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
        }
    }
}
