// One buffer per loop, in which memory hits are put together, several pipelined ones in a row, and sent with one call.
// Small bodies are copied: that costs less than another piece for the kernel to gather. Large bodies are not copied.
import Glibc
import LarderCore

/// A fixed buffer that is filled and emptied within one turn of the loop. Confined to the loop.
final class OutputBuffer {
    /// The largest body, in bytes, that is copied.
    static let copied = 8 * 1024
    /// The longest tail in bytes: field names, three numbers, request id, Connection and line ends.
    static let longestTail = 192
    /// The most bytes of a 206 status line, Content-Range and Content-Length.
    static let longestPartFields = 192
    static let partialLine: StaticString = "HTTP/1.1 206 Partial Content\r\n"

    let capacity = 64 * 1024
    private let base: UnsafeMutablePointer<UInt8>
    private(set) var count = 0

    init() {
        base = .allocate(capacity: capacity)
    }

    deinit {
        base.deallocate()
    }

    @inline(__always)
    var room: Int { capacity - count }

    /// The bytes appended so far. Valid until the next change.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// Appends an array. The caller must have checked `room`.
    @inline(__always)
    func append(_ bytes: Bytes) {
        bytes.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            memcpy(base + count, start, source.count)
        }
        count += bytes.count
    }

    /// Appends a slice of an array. The caller must have checked `room`.
    @inline(__always)
    func append(_ bytes: Bytes, _ start: Int, _ end: Int) {
        bytes.withUnsafeBufferPointer { source in
            guard let first = source.baseAddress, start >= 0, start <= end, end <= source.count else { return }
            memcpy(base + count, first + start, end - start)
            count += end - start
        }
    }

    /// Appends a constant. The caller must have checked `room`.
    func append(_ text: StaticString) {
        memcpy(base + count, text.utf8Start, text.utf8CodeUnitCount)
        count += text.utf8CodeUnitCount
    }

    /// Appends Content-Range (RFC 9110 §14.4) and Content-Length of a part.
    func appendPart(_ start: Int, _ end: Int, of length: Int) {
        var cursor = base + count
        Self.put("Content-Range: bytes ", &cursor)
        Self.decimal(Int64(start), &cursor)
        Self.put("-", &cursor)
        Self.decimal(Int64(end - 1), &cursor)
        Self.put("/", &cursor)
        Self.decimal(Int64(length), &cursor)
        Self.put("\r\nContent-Length: ", &cursor)
        Self.decimal(Int64(end - start), &cursor)
        Self.put("\r\n", &cursor)
        count = cursor - base
    }

    /// Appends what differs between hits, and the end of the head: Age (RFC 9111 §5.1), Cache-Status (RFC 9211),
    /// X-Request-Id and, if needed, Connection.
    @inline(__always)
    func appendTail(age: Int64, ttl: Int64, id: RequestID, connection: StaticString?) {
        var cursor = base + count
        Self.put("Age: ", &cursor)
        Self.decimal(age, &cursor)
        Self.put("\r\nCache-Status: larder; hit; ttl=", &cursor)
        Self.decimal(ttl, &cursor)
        Self.put("\r\nX-Request-Id: ", &cursor)
        Self.hexadecimal(UInt64(id.loop), &cursor)
        Self.put("-", &cursor)
        Self.hexadecimal(id.sequence, &cursor)
        if let connection {
            Self.put("\r\nConnection: ", &cursor)
            Self.put(connection, &cursor)
        }
        Self.put("\r\n\r\n", &cursor)
        count = cursor - base
    }

    /// Discards the bytes.
    @inline(__always)
    func clear() { count = 0 }

    @inline(__always)
    private static func put(_ text: StaticString, _ cursor: inout UnsafeMutablePointer<UInt8>) {
        memcpy(cursor, text.utf8Start, text.utf8CodeUnitCount)
        cursor += text.utf8CodeUnitCount
    }

    @inline(__always)
    private static func decimal(_ value: Int64, _ cursor: inout UnsafeMutablePointer<UInt8>) {
        var rest = UInt64(value.magnitude)
        if value < 0 {
            cursor.pointee = 0x2D
            cursor += 1
        }
        var digits = 1
        var bound: UInt64 = 10
        while digits < 19, rest >= bound {
            digits += 1
            bound &*= 10
        }
        if rest >= 10_000_000_000_000_000_000 { digits = 20 }
        var place = cursor + digits
        cursor = place
        for _ in 0..<digits {
            place -= 1
            place.pointee = 0x30 | UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    @inline(__always)
    private static func hexadecimal(_ value: UInt64, _ cursor: inout UnsafeMutablePointer<UInt8>) {
        let digits = max(1, (64 - value.leadingZeroBitCount + 3) / 4)
        var rest = value
        var place = cursor + digits
        cursor = place
        for _ in 0..<digits {
            place -= 1
            let digit = UInt8(truncatingIfNeeded: rest & 15)
            place.pointee = digit < 10 ? 0x30 | digit : digit &+ 0x57
            rest >>= 4
        }
    }
}
