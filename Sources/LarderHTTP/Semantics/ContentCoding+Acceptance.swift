// Decides whether a client accepts gzip, from the bytes of the field without copying them. The memory tier asks this
// for each hit of a response that depends on it. The rules are those of `ContentCoding.accepts`, which handles unusual
// values.
import LarderCore

extension ContentCoding {
    /// Whether a request with this `Accept-Encoding` value accepts gzip (RFC 9110 §12.5.3). The value is empty if the
    /// field is absent. Nothing is allocated unless the value contains quotes, which have no use in this field.
    public static func acceptsGzip(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        if isPlainGzip(value) { return true }
        var wildcard = false
        var place = 0
        while place < value.count {
            let start = place
            while place < value.count, value[place] != 0x2C {
                // A quoted comma does not end a member.
                if value[place] == 0x22 { return accepts(HeaderField.text(value), "gzip") }
                place += 1
            }
            let member = UnsafeBufferPointer(rebasing: value[start..<place])
            place += 1
            switch kind(of: member) {
            case .gzip: return isWanted(member)
            case .any: wildcard = isWanted(member)
            case .other: break
            }
        }
        return wildcard
    }

    /// The same for a text. Nil means that the field is absent.
    public static func acceptsGzip(_ value: String?) -> Bool {
        guard var value else { return false }
        return value.withUTF8 { acceptsGzip($0) }
    }

    /// Whether the value is "gzip" alone or first in a list, without a weight. Most clients send it so.
    @inline(__always)
    private static func isPlainGzip(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        guard value.count >= 4, value[0] == 0x67, value[1] == 0x7A, value[2] == 0x69, value[3] == 0x70 else {
            return false
        }
        // A quote further on does not change the first member.
        return value.count == 4 || value[4] == 0x2C
    }

    private enum Kind {
        case gzip, any, other
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// The coding that a member names.
    @inline(__always)
    private static func kind(of member: UnsafeBufferPointer<UInt8>) -> Kind {
        var start = 0
        while start < member.count, isBlank(member[start]) { start += 1 }
        var end = start
        while end < member.count, member[end] != 0x3B { end += 1 }
        while end > start, isBlank(member[end - 1]) { end -= 1 }
        if end - start == 1, member[start] == 0x2A { return .any }
        if end - start == 6, member[start] | 0x20 == 0x78, member[start + 1] == 0x2D { start += 2 }
        guard end - start == 4, member[start] | 0x20 == 0x67, member[start + 1] | 0x20 == 0x7A,
            member[start + 2] | 0x20 == 0x69, member[start + 3] | 0x20 == 0x70
        else { return .other }
        return .gzip
    }

    /// Whether no parameter of a member is a weight of zero: "q=0", "q=0.0" and so on, with blanks anywhere.
    @inline(__always)
    private static func isWanted(_ member: UnsafeBufferPointer<UInt8>) -> Bool {
        var place = 0
        while place < member.count, member[place] != 0x3B { place += 1 }
        while place < member.count {
            place += 1
            var seen = 0
            var isZero = true
            while place < member.count, member[place] != 0x3B {
                let byte = member[place]
                place += 1
                if isBlank(byte) { continue }
                switch seen {
                case 0: isZero = isZero && byte | 0x20 == 0x71
                case 1: isZero = isZero && byte == 0x3D
                case 2: isZero = isZero && byte == 0x30
                default: isZero = isZero && (byte == 0x2E || byte == 0x30)
                }
                seen += 1
            }
            if isZero, seen >= 3 { return false }
        }
        return true
    }
}
