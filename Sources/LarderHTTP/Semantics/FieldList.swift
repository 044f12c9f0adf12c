// Lists in field values (RFC 9110 §5.6.1): members between commas, where a comma inside a quoted string is none. Empty
// members are skipped, and what follows a broken member is still read: one bad word must not undo "no-store" behind it.
import LarderCore

/// Reading comma-separated lists and the small grammars inside their members.
public enum FieldList {
    /// The members of all lines, in order, without surrounding white space; quotes are kept.
    public static func members(_ values: [String]) -> [Substring] {
        var out: [Substring] = []
        for value in values {
            var start = value.startIndex
            var isQuoted = false
            var isEscaped = false
            var place = start
            let bytes = value.utf8
            while place < bytes.endIndex {
                let byte = bytes[place]
                if isEscaped {
                    isEscaped = false
                } else if isQuoted, byte == 0x5C {
                    isEscaped = true
                } else if byte == 0x22 {
                    isQuoted.toggle()
                } else if byte == 0x2C, !isQuoted {
                    append(value[start..<place], to: &out)
                    start = bytes.index(after: place)
                }
                place = bytes.index(after: place)
            }
            append(value[start...], to: &out)
        }
        return out
    }

    private static func append(_ member: Substring, to out: inout [Substring]) {
        let trimmed = ASCII.trimmed(member)
        if !trimmed.isEmpty { out.append(trimmed) }
    }

    /// The tokens of a list of names (`Connection`, `Vary`), lower case; members that are no token are left out.
    public static func names(_ values: [String]) -> [String] {
        members(values).filter { $0.utf8.allSatisfy(ASCII.isToken) }.map(lowercased)
    }

    /// ASCII letters folded; other characters stay.
    public static func lowercased(_ text: some StringProtocol) -> String {
        String(decoding: text.utf8.map(ASCII.lowercased), as: UTF8.self)
    }

    /// One member of the form `token [ "=" ( token / quoted-string ) ]`.
    public struct Directive: Sendable, Hashable {
        /// Lower case.
        public var name: String
        /// Without quotes and escapes; nil where there is no "=".
        public var value: String?
        /// Something stood there that the grammar has no place for.
        public var isMalformed: Bool
    }

    /// The members of all lines as directives. Members that do not begin with a token are left out.
    public static func directives(_ values: [String]) -> [Directive] {
        members(values).compactMap(directive)
    }

    private static func directive(_ member: Substring) -> Directive? {
        let bytes = member.utf8
        let name = bytes.prefix(while: ASCII.isToken)
        guard !name.isEmpty else { return nil }
        var directive = Directive(name: lowercased(Substring(name)), value: nil, isMalformed: false)
        let rest = bytes[name.endIndex...]
        guard let first = rest.first else { return directive }
        guard first == 0x3D else {
            directive.isMalformed = true
            return directive
        }
        let argument = Substring(rest.dropFirst())
        if argument.utf8.first == 0x22 {
            guard let text = unquoted(argument) else {
                directive.isMalformed = true
                return directive
            }
            directive.value = text
        } else {
            directive.value = String(argument)
            directive.isMalformed = argument.isEmpty || !argument.utf8.allSatisfy(ASCII.isToken)
        }
        return directive
    }

    /// The content of a quoted string that is the whole text (RFC 9110 §5.6.4), or nil.
    public static func unquoted(_ text: some StringProtocol) -> String? {
        var out = ""
        var isEscaped = false
        var isOpen = false
        var isClosed = false
        for scalar in text.unicodeScalars {
            if !isOpen {
                guard scalar == "\"" else { return nil }
                isOpen = true
            } else if isClosed {
                return nil
            } else if isEscaped {
                out.unicodeScalars.append(scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "\"" {
                isClosed = true
            } else {
                out.unicodeScalars.append(scalar)
            }
        }
        return isClosed ? out : nil
    }
}
