// Writes structured fields (RFC 8941 §4.1). A value that was read, or made by Larder, can always be written: texts are
// reduced to the characters that a string may contain.
import LarderCore

extension StructuredField {
    /// A string of printable ASCII in quotes (RFC 8941 §4.1.6); other characters become "?".
    public static func quoted(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22, 0x5C:
                out += "\\"
                out.unicodeScalars.append(scalar)
            case 0x20...0x7E: out.unicodeScalars.append(scalar)
            default: out += "?"
            }
        }
        return out + "\""
    }

    /// A token if the text is one (RFC 8941 §3.3.4), else a string.
    public static func tokenOrQuoted(_ text: String) -> String {
        let startsToken = text.utf8.first.map { $0 == 0x2A || ASCII.isLetter($0) } ?? false
        let isToken = startsToken && text.utf8.allSatisfy { ASCII.isToken($0) || $0 == 0x3A || $0 == 0x2F }
        return isToken ? text : quoted(text)
    }

    /// An integer clamped to the 15 digits that it may have (RFC 8941 §3.3.1).
    public static func integer(_ value: Int64) -> Int64 {
        min(max(value, -999_999_999_999_999), 999_999_999_999_999)
    }

    /// A dictionary as a field value (RFC 8941 §4.1.2). The result is "" for an empty dictionary, which must not be
    /// sent.
    public static func text(_ dictionary: Dictionary) -> String {
        dictionary.members.map { key, member in
            if case .item(let item) = member, item.value == .boolean(true) { return key + text(item.parameters) }
            return "\(key)=\(text(member))"
        }.joined(separator: ", ")
    }

    /// A list as a field value (RFC 8941 §4.1.1).
    public static func text(_ list: [Member]) -> String {
        list.map { text($0) }.joined(separator: ", ")
    }

    /// A member (RFC 8941 §4.1.1.1).
    public static func text(_ member: Member) -> String {
        switch member {
        case .item(let item): text(item)
        case .innerList(let items, let parameters):
            "(\(items.map { text($0) }.joined(separator: " ")))" + text(parameters)
        }
    }

    /// An item (RFC 8941 §4.1.3).
    public static func text(_ item: Item) -> String { text(item.value) + text(item.parameters) }

    private static func text(_ parameters: Parameters) -> String {
        parameters.members.map { key, value in
            value == .boolean(true) ? ";\(key)" : ";\(key)=\(text(value))"
        }.joined()
    }

    private static func text(_ value: BareItem) -> String {
        switch value {
        case .integer(let number): "\(integer(number))"
        case .decimal(let thousandths): decimal(thousandths)
        case .string(let text): quoted(text)
        case .token(let text): text
        case .bytes(let bytes): ":\(base64(bytes)):"
        case .boolean(let isTrue): isTrue ? "?1" : "?0"
        }
    }

    /// At least one digit after the point, and no trailing zeros beyond that (RFC 8941 §4.1.5).
    private static func decimal(_ thousandths: Int64) -> String {
        let limited = min(max(thousandths, -999_999_999_999_999), 999_999_999_999_999)
        let size = limited.magnitude
        var part = "\(size % 1000 + 1000)".dropFirst()
        while part.count > 1, part.last == "0" { part.removeLast() }
        return "\(limited < 0 ? "-" : "")\(size / 1000).\(part)"
    }

    private static func base64(_ bytes: Bytes) -> String {
        let text = Base64URL.encode(bytes)
        let standard = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return String(standard) + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    }
}
