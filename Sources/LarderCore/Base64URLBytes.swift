// Every result of a search carries two signed handles, so encoding them is most of what signing costs: for plain bytes
// the text is written in place, three bytes at a time, instead of through a generic collection.

extension Base64URL {
    private static let digits = Bytes(text: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    /// The same text as for any other collection of these bytes (RFC 4648 §5, without padding).
    public static func encode(_ bytes: Bytes) -> String {
        String(unsafeUninitializedCapacity: length(of: bytes)) { out in
            write(bytes, to: out)
            return length(of: bytes)
        }
    }

    /// Appends that text.
    public static func append(_ bytes: Bytes, to text: inout Bytes) {
        let start = text.count
        text.append(contentsOf: repeatElement(0, count: length(of: bytes)))
        text.withUnsafeMutableBufferPointer { write(bytes, to: UnsafeMutableBufferPointer(rebasing: $0[start...])) }
    }

    private static func length(of bytes: Bytes) -> Int { (bytes.count * 4 + 2) / 3 }

    /// - Parameter out: of `length` bytes at least.
    private static func write(_ bytes: Bytes, to out: UnsafeMutableBufferPointer<UInt8>) {
        digits.withUnsafeBufferPointer { digits in
            var written = 0
            var place = 0
            func put(_ group: UInt32, _ characters: Int) {
                for position in 0..<characters {
                    out[written] = digits[Int(group >> UInt32(18 - 6 * position) & 63)]
                    written += 1
                }
            }
            while place + 3 <= bytes.count {
                put(UInt32(bytes[place]) << 16 | UInt32(bytes[place + 1]) << 8 | UInt32(bytes[place + 2]), 4)
                place += 3
            }
            switch bytes.count - place {
            case 1: put(UInt32(bytes[place]) << 16, 2)
            case 2: put(UInt32(bytes[place]) << 16 | UInt32(bytes[place + 1]) << 8, 3)
            default: break
            }
        }
    }
}
