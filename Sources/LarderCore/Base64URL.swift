// Base64url encoding of byte arrays. Every search result carries two signed handles, and encoding them is most of the
// cost of signing. So this code writes the text in place, three bytes at a time, instead of going through a generic
// collection.

extension Base64URL {
    private static let digits = Bytes(text: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    /// Encodes bytes as base64url without padding (RFC 4648 §5). The result equals that of the generic `encode`.
    public static func encode(_ bytes: Bytes) -> String {
        String(unsafeUninitializedCapacity: length(of: bytes.count)) { out in
            guard let start = out.baseAddress else { return 0 }
            return write(bytes, to: start)
        }
    }

    /// Appends the base64url text of the bytes.
    public static func append(_ bytes: Bytes, to text: inout Bytes) {
        text.append(room: length(of: bytes.count)) { write(bytes, to: $0) }
    }

    private static func length(of count: Int) -> Int { (count * 4 + 2) / 3 }

    /// Writes the base64url text and returns its length in bytes.
    private static func write(_ bytes: Bytes, to out: UnsafeMutablePointer<UInt8>) -> Int {
        digits.withUnsafeBufferPointer { digits in
            var written = 0
            var place = 0
            @inline(__always)
            func put(_ group: UInt32, _ characters: Int) {
                for position in 0..<characters {
                    out[written &+ position] =
                        digits[Int(group &>> UInt32(truncatingIfNeeded: 18 &- 6 &* position) & 63)]
                }
                written &+= characters
            }
            while place &+ 3 <= bytes.count {
                put(
                    UInt32(bytes[place]) &<< 16 | UInt32(bytes[place &+ 1]) &<< 8 | UInt32(bytes[place &+ 2]), 4)
                place &+= 3
            }
            switch bytes.count - place {
            case 1: put(UInt32(bytes[place]) << 16, 2)
            case 2: put(UInt32(bytes[place]) << 16 | UInt32(bytes[place + 1]) << 8, 3)
            default: break
            }
            return written
        }
    }
}
