// Lists in field values (RFC 9110 §5.6.1): members between commas, except commas inside quoted strings. Empty members
// are skipped, and the members after a broken one are still read: one bad word must not disable a "no-store" behind it.
import LarderCore

/// Reads comma-separated lists and the small grammars inside their members.
public enum FieldList {
    /// The members of all lines, in order, without surrounding white space. Quotes are kept.
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

    /// Passes the range of each member of one line to `body`.
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

    /// The tokens of a list of names (`Connection`, `Vary`), in lower case. Members that are not tokens are left out.
    public static func names(_ values: [String]) -> [String] {
        members(values).filter { $0.utf8.allSatisfy(ASCII.isToken) }.map { lowercased($0) }
    }

    /// The text with ASCII letters in lower case. Other characters are unchanged.
    public static func lowercased(_ text: String) -> String {
        // Most texts are already lower case, and then nothing is allocated.
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

    /// The same for a part of a text.
    public static func lowercased(_ text: Substring) -> String { lowercased(String(text)) }

    /// One member of the form `token [ "=" ( token / quoted-string ) ]`.
    public struct Directive: Sendable, Hashable {
        /// Lower case.
        public var name: String
        /// Without quotes and escapes; nil if there is no "=".
        public var value: String?
        /// Whether the member contains something that the grammar does not allow.
        public var isMalformed: Bool
    }

    /// A directive as bytes, valid only during the callback that receives it. Most directives are a known word and a
    /// number, so no texts need to be allocated.
    struct DirectiveBytes {
        /// As spelled in the field.
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

    /// Passes each directive of all lines to `body`, in order.
    static func eachDirective(of values: [String], _ body: (DirectiveBytes) -> Void) {
        for value in values {
            var text = value
            text.withUTF8 { eachDirective(in: $0, body) }
        }
    }

    /// Passes each directive of one line to `body`, in order.
    static func eachDirective(in line: UnsafeBufferPointer<UInt8>, _ body: (DirectiveBytes) -> Void) {
        eachMember(of: line) { range in
            let member = UnsafeBufferPointer(rebasing: line[range])
            if !directive(member, body), endsInQuote(member) { eachHidden(in: member, body) }
        }
    }

    /// Passes the member to `body` as a directive.
    /// - Returns: whether the member follows the grammar.
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

    /// Whether a quote in the member is not closed.
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

    /// An unclosed quote quotes nothing. The words after the commas of such a member are therefore passed on too, as
    /// malformed, so that they can forbid but not permit.
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
                // Nothing may follow the closing quote.
                return place == bytes.count - 1 ? out : nil
            } else {
                out.append(byte)
            }
        }
        return nil
    }
}
