// The checksums of a body in a file: one for each piece of 64 KiB, so that a range is checked by its own pieces. All of
// them are one blob, four bytes each, least significant first, in the column of `entry` that holds a small body. The
// blob has a checksum itself, in the place of a small body's. Each checksum covers the id of the body and the number of
// the piece, so no file is taken for another's.
import Glibc
import LarderCore

enum PieceSums {
    /// The blob for bytes that begin at a multiple of the piece size.
    static func of(_ bytes: UnsafeRawBufferPointer, id: Int64, from offset: Int64) -> Bytes {
        let size = CacheSchema.pieceSize
        var blob = Bytes()
        blob.reserveCapacity(4 * ((bytes.count + size - 1) / size))
        var number = offset / Int64(size)
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + size, bytes.count)])
            withUnsafeBytes(of: RowSums.piece(id: id, number: number, piece).littleEndian) {
                blob.append(contentsOf: $0)
            }
            number += 1
        }
        return blob
    }

    /// The length of a body's blob, in bytes.
    static func length(of size: Int64) -> Int64 {
        let piece = Int64(CacheSchema.pieceSize)
        return (size + piece - 1) / piece * 4
    }

    /// Whether pieces of the body that begin at `offset` match the blob.
    static func fit(_ blob: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer, id: Int64, from offset: Int64)
        -> Bool
    {
        let size = CacheSchema.pieceSize
        var number = offset / Int64(size)
        guard (number * 4 + length(of: Int64(bytes.count))) <= Int64(blob.count) else { return false }
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + size, bytes.count)])
            let sum = blob.loadUnaligned(fromByteOffset: Int(number) * 4, as: UInt32.self)
            guard UInt32(littleEndian: sum) == RowSums.piece(id: id, number: number, piece) else { return false }
            number += 1
        }
        return true
    }
}

/// Reads of a body's file that wait for the disk. Only on the store's threads.
enum BodyRead {
    /// Reads bytes from `offset` on. Returns fewer if the file ends before, or if the disk has lost what follows.
    static func bytes(_ file: Int32, at offset: Int64, count: Int) throws(StoreError) -> Bytes {
        var failed: Int32 = 0
        let bytes = Bytes(room: count) { buffer, done in
            while done < count {
                let got = pread(file, buffer.baseAddress.map { $0 + done }, count - done, off_t(offset) + done)
                if got > 0 {
                    done += got
                } else {
                    let number = StoreError.lastNumber
                    if got < 0 && number == EINTR { continue }
                    if got < 0 && number != EIO { failed = number }
                    return
                }
            }
        }
        guard failed == 0 else { throw BodyFiles.failure("reading the file of a body", failed) }
        return bytes
    }

    /// Reads a stretch of a body, in whole pieces that are checked against their checksums. Nil if a piece is damaged.
    /// - Parameter length: bytes of the body.
    static func stretch(
        _ file: Int32, _ id: Int64, at offset: Int64, count: Int, of length: Int64, sums: UnsafeRawBufferPointer
    ) throws(StoreError) -> Bytes? {
        let size = Int64(CacheSchema.pieceSize)
        guard offset >= 0, count > 0, offset + Int64(count) <= length else { return nil }
        let start = offset / size * size
        let end = min(length, (offset + Int64(count) + size - 1) / size * size)
        var bytes = try Self.bytes(file, at: start, count: Int(end - start))
        guard Int64(bytes.count) == end - start,
            bytes.withUnsafeBytes({ PieceSums.fit(sums, $0, id: id, from: start) })
        else { return nil }
        if offset > start { return Bytes(bytes[Int(offset - start)..<(Int(offset - start) + count)]) }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
