// One spelling for all spellings of a path or query that name the same resource (RFC 3986 §6.2.2.1, §6.2.2.2): an unreserved
// character stands for itself, any other byte that is encoded has upper-case digits, and a byte that no URL may hold is encoded. It is
// a part of keys only. What goes upstream is spelled as its client spelled it.

public enum EquivalentURL {
    /// - Parameter text: a path, or a query without "?". One in which a "%" lacks its two digits stays as it is: it is no URL, and what
    ///   stands behind that "%" would be read as its digits.
    public static func normalised(_ text: String) -> String {
        var text = text
        let isPlain = text.withUTF8 { bytes in bytes.allSatisfy { $0 != 0x25 && $0 < 0x80 } }
        return isPlain ? text : text.withUTF8(normalised) ?? text
    }

    private static func normalised(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        var out = Bytes()
        out.reserveCapacity(bytes.count + 16)
        var place = 0
        while place < bytes.count {
            let byte = bytes[place]
            if byte == 0x25 {
                guard place + 2 < bytes.count, let high = ASCII.hexValue(bytes[place + 1]),
                    let low = ASCII.hexValue(bytes[place + 2])
                else { return nil }
                let value = high << 4 | low
                if PercentCoding.isUnreserved(value) { out.append(value) } else { encode(value, into: &out) }
                place += 3
                continue
            }
            if byte < 0x80 { out.append(byte) } else { encode(byte, into: &out) }
            place += 1
        }
        return out.lossyText
    }

    private static func encode(_ byte: UInt8, into out: inout Bytes) {
        let digits: StaticString = "0123456789ABCDEF"
        out.append(0x25)
        digits.withUTF8Buffer {
            out.append($0[Int(byte >> 4)])
            out.append($0[Int(byte & 15)])
        }
    }
}
