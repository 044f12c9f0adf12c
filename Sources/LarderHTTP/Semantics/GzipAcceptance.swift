// Whether a client takes gzip, read from the bytes of its field as they lie: memory asks this for each hit of an answer
// that depends on it. The same rules as `ContentCoding.accepts`, which reads what is out of the ordinary.
import LarderCore

extension ContentCoding {
    /// Whether a request whose `Accept-Encoding` has that value takes gzip (RFC 9110 §12.5.3); empty where absent.
    /// Nothing is allocated unless the value has quotes in it, for which this field has no use.
    public static func acceptsGzip(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        if isPlainGzip(value) { return true }
        var wildcard = false
        var place = 0
        while place < value.count {
            let start = place
            while place < value.count, value[place] != 0x2C {
                // A quoted comma ends no member.
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

    /// The same of a text; nil where the field is absent.
    public static func acceptsGzip(_ value: String?) -> Bool {
        guard var value else { return false }
        return value.withUTF8 { acceptsGzip($0) }
    }

    /// "gzip" alone or first in a list, without a weight: how most clients begin.
    @inline(__always)
    private static func isPlainGzip(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        guard value.count >= 4, value[0] == 0x67, value[1] == 0x7A, value[2] == 0x69, value[3] == 0x70 else {
            return false
        }
        // A quote further on does not change what the first member says.
        return value.count == 4 || value[4] == 0x2C
    }

    private enum Kind {
        case gzip, any, other
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// The coding a member names.
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

    /// Whether no parameter of a member is a weight of zero: "q=0", "q=0.0" and so on, blanks anywhere.
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
