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
                eachMember(of: bytes) { directive(UnsafeBufferPointer(rebasing: bytes[$0]), body) }
            }
        }
    }

    private static func directive(_ member: UnsafeBufferPointer<UInt8>, _ body: (DirectiveBytes) -> Void) {
        let end = member.firstIndex { !Octet.isToken($0) } ?? member.count
        guard end > 0 else { return }
        let name = UnsafeBufferPointer(rebasing: member[..<end])
        guard end < member.count else { return body(DirectiveBytes(name: name)) }
        guard member[end] == 0x3D else { return body(DirectiveBytes(name: name, isMalformed: true)) }
        let argument = UnsafeBufferPointer(rebasing: member[(end + 1)...])
        guard argument.first == 0x22 else {
            let isToken = !argument.isEmpty && argument.allSatisfy { Octet.isToken($0) }
            return body(DirectiveBytes(name: name, value: argument, isMalformed: !isToken))
        }
        guard let text = unquoted(bytes: argument) else { return body(DirectiveBytes(name: name, isMalformed: true)) }
        text.withUnsafeBufferPointer { body(DirectiveBytes(name: name, value: $0)) }
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
