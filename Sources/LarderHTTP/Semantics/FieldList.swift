// Lists in field values (RFC 9110 §5.6.1): members between commas, where a comma inside a quoted string is none. Empty
// members are skipped, and what follows a broken member is still read: one bad word must not undo "no-store" behind it.
import LarderCore

/// Reading comma-separated lists and the small grammars inside their members.
public enum FieldList {
    /// The members of all lines, in order, without surrounding white space; quotes are kept.
    public static func members(_ values: [String]) -> [Substring] {
        var out: [Substring] = []
        for value in values {
            var text = value
            text.withUTF8 { bytes in
                eachMember(of: bytes) { range in
                    let start = value.utf8.index(value.startIndex, offsetBy: range.lowerBound)
                    out.append(value[start..<value.utf8.index(start, offsetBy: range.count)])
                }
            }
        }
        return out
    }

    /// Tells where the members of one line lie.
    private static func eachMember(of bytes: UnsafeBufferPointer<UInt8>, _ body: (Range<Int>) -> Void) {
        var start = 0
        var isQuoted = false
        var isEscaped = false
        for place in bytes.indices {
            let byte = bytes[place]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == 0x5C {
                isEscaped = true
            } else if byte == 0x22 {
                isQuoted.toggle()
            } else if byte == 0x2C, !isQuoted {
                member(bytes, start, place, body)
                start = place + 1
            }
        }
        member(bytes, start, bytes.count, body)
    }

    private static func member(
        _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int, _ body: (Range<Int>) -> Void
    ) {
        var (start, end) = (start, end)
        while start < end, isBlank(bytes[start]) { start += 1 }
        while start < end, isBlank(bytes[end - 1]) { end -= 1 }
        if start < end { body(start..<end) }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// The tokens of a list of names (`Connection`, `Vary`), lower case; members that are no token are left out.
    public static func names(_ values: [String]) -> [String] {
        members(values).filter { $0.utf8.allSatisfy(ASCII.isToken) }.map { lowercased($0) }
    }

    /// ASCII letters folded; other characters stay.
    public static func lowercased(_ text: String) -> String {
        // Mostly it is lower case already, and then nothing is made.
        guard text.utf8.contains(where: { $0 &- 0x41 < 26 }) else { return text }
        return String(unsafeUninitializedCapacity: text.utf8.count) { out in
            var count = 0
            for byte in text.utf8 {
                out[count] = ASCII.lowercased(byte)
                count += 1
            }
            return count
        }
    }

    /// The same of a part of a text.
    public static func lowercased(_ text: Substring) -> String { lowercased(String(text)) }

    /// One member of the form `token [ "=" ( token / quoted-string ) ]`.
    public struct Directive: Sendable, Hashable {
        /// Lower case.
        public var name: String
        /// Without quotes and escapes; nil where there is no "=".
        public var value: String?
        /// Something stood there that the grammar has no place for.
        public var isMalformed: Bool
    }

    /// The same as bytes, valid while it is told of: most directives are a known word and a number, of which no texts
    /// need be made.
    struct DirectiveBytes {
        /// As it is spelled.
        var name: UnsafeBufferPointer<UInt8>
        var value: UnsafeBufferPointer<UInt8>?
        var isMalformed = false
    }

    /// The members of all lines as directives. Members that do not begin with a token are left out.
    public static func directives(_ values: [String]) -> [Directive] {
        var out: [Directive] = []
        eachDirective(of: values) { directive in
            out.append(
                Directive(
                    name: lowercased(String(decoding: directive.name, as: UTF8.self)),
                    value: directive.value.map { String(decoding: $0, as: UTF8.self) },
                    isMalformed: directive.isMalformed))
        }
        return out
    }

    /// Tells of the same one after the other.
    static func eachDirective(of values: [String], _ body: (DirectiveBytes) -> Void) {
        for value in values {
            var text = value
            text.withUTF8 { bytes in
                eachMember(of: bytes) { range in
                    let member = UnsafeBufferPointer(rebasing: bytes[range])
                    if !directive(member, body), endsInQuote(member) { eachHidden(in: member, body) }
                }
            }
        }
    }

    /// Whether the member is one by the grammar.
    private static func directive(
        _ member: UnsafeBufferPointer<UInt8>, _ body: (DirectiveBytes) -> Void
    ) -> Bool {
        let end = member.firstIndex { !Octet.isToken($0) } ?? member.count
        guard end > 0 else { return false }
        var found = DirectiveBytes(name: UnsafeBufferPointer(rebasing: member[..<end]))
        guard end < member.count else {
            body(found)
            return true
        }
        found.isMalformed = true
        guard member[end] == 0x3D else {
            body(found)
            return false
        }
        let argument = UnsafeBufferPointer(rebasing: member[(end + 1)...])
        guard argument.first == 0x22 else {
            found.isMalformed = argument.isEmpty || !argument.allSatisfy { Octet.isToken($0) }
            found.value = argument
            body(found)
            return !found.isMalformed
        }
        guard let text = unquoted(bytes: argument) else {
            body(found)
            return false
        }
        found.isMalformed = false
        text.withUnsafeBufferPointer {
            found.value = $0
            body(found)
        }
        return true
    }

    /// Whether a quote in the member has no end.
    private static func endsInQuote(_ member: UnsafeBufferPointer<UInt8>) -> Bool {
        var isQuoted = false
        var isEscaped = false
        for byte in member {
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == 0x5C {
                isEscaped = true
            } else if byte == 0x22 {
                isQuoted.toggle()
            }
        }
        return isQuoted
    }

    /// A quote that has no end quotes nothing: what stands behind the commas of its member is told of too, as malformed, so that it
    /// forbids what it forbids and permits nothing.
    private static func eachHidden(in member: UnsafeBufferPointer<UInt8>, _ body: (DirectiveBytes) -> Void) {
        for piece in member.split(separator: 0x2C).dropFirst() {
            let begin = piece.firstIndex { !isBlank($0) } ?? piece.endIndex
            let end = piece[begin...].firstIndex { !Octet.isToken($0) } ?? piece.endIndex
            guard begin < end else { continue }
            body(DirectiveBytes(name: UnsafeBufferPointer(rebasing: member[begin..<end]), isMalformed: true))
        }
    }

    /// The content of a quoted string that is the whole text (RFC 9110 §5.6.4), or nil.
    public static func unquoted(_ text: some StringProtocol) -> String? {
        var text = String(text)
        return text.withUTF8 { unquoted(bytes: $0) }.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func unquoted(bytes: UnsafeBufferPointer<UInt8>) -> Bytes? {
        guard bytes.first == 0x22 else { return nil }
        var out = Bytes()
        var isEscaped = false
        for place in 1..<bytes.count {
            let byte = bytes[place]
            if isEscaped {
                out.append(byte)
                isEscaped = false
            } else if byte == 0x5C {
                isEscaped = true
            } else if byte == 0x22 {
                // Nothing stands behind the end.
                return place == bytes.count - 1 ? out : nil
            } else {
                out.append(byte)
            }
        }
        return nil
    }
}
