// One spelling for all spellings of a path or query that name the same resource (RFC 3986 §6.2.2.1, §6.2.2.2). An
// unreserved character stands for itself. Any other encoded byte has upper-case digits. A byte that no URL may contain
// is encoded. This spelling is used in keys only: a request goes upstream in the client's spelling.

public enum EquivalentURL {
    /// Returns the normalised spelling of a text.
    /// - Parameter text: a path, or a query without "?". A text in which a "%" lacks its two digits is returned
    ///   unchanged: it is no valid URL, and the characters behind that "%" could be read as its digits.
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
