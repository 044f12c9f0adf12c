// Byte classes of RFC 9110 §5 and byte comparisons for parsing. They run once per byte, so they copy and allocate
// nothing.
import LarderCore

/// Byte classes and comparisons of the parser.
enum Octet {
    /// Token characters (RFC 9110 §5.6.2) as two bit sets: below 64, and from 64 to 127.
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        let set: UInt64 = byte < 64 ? 0x03FF_6CFA_0000_0000 : byte < 128 ? 0x57FF_FFFF_C7FF_FFFE : 0
        return set >> UInt64(byte & 63) & 1 == 1
    }

    /// Any byte above the space except DEL.
    @inline(__always)
    static func isTarget(_ byte: UInt8) -> Bool { byte > 0x20 && byte != 0x7F }

    /// Visible characters, space, tab and bytes above ASCII (RFC 9110 §5.5).
    @inline(__always)
    static func isValue(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }

    /// Marks, in eight bytes at once, each byte that is below `bound` or is DEL by setting its highest bit. `bound`
    /// repeats one byte of at most 0x80. The lowest mark is exact; a byte above it may be marked wrongly.
    @inline(__always)
    static func marks(_ word: UInt64, below bound: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let high: UInt64 = 0x8080_8080_8080_8080
        let delete = word ^ 0x7F7F_7F7F_7F7F_7F7F
        return ((word &- bound) & ~word | (delete &- ones) & ~delete) & high
    }

    /// Whether the bytes equal a lower-case name, ignoring the case of ASCII letters. At least as many bytes as the
    /// name has must be readable.
    @inline(__always)
    static func equals(_ start: UnsafePointer<UInt8>, _ name: StaticString) -> Bool {
        let expected = name.utf8Start
        var difference: UInt8 = 0
        for index in 0..<name.utf8CodeUnitCount {
            let byte = start[index]
            let folded = ASCII.lowercased(byte)
            difference |= folded ^ expected[index]
        }
        return difference == 0
    }

    @inline(__always)
    static func methodCode(_ start: UnsafePointer<UInt8>, _ length: Int) -> RequestHead.MethodCode {
        if length == 3, start[0] == 0x47, start[1] == 0x45, start[2] == 0x54 { return .get }
        if length == 4, start[0] == 0x48, start[1] == 0x45, start[2] == 0x41, start[3] == 0x44 { return .head }
        return .other
    }
}
