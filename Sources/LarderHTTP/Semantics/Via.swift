// Via (RFC 9110 §7.6.3): each intermediary adds itself after those before it. Larder uses a pseudonym, so that no
// address leaves the machine. By the same pseudonym it recognises a request that goes in a circle.
import LarderCore

/// Writes and reads `Via`.
public enum Via {
    /// Our pseudonym (RFC 9110 §7.6.3).
    public static let pseudonym = "larder"
    private static let usual = "1.1 " + pseudonym
    /// Several daemons in a row are legitimate. A message that came through Larder more often is a loop.
    public static let loopLimit = 8

    /// Adds our member as its own line after the others (RFC 9110 §7.6.3).
    ///
    /// - Parameter version: the HTTP version of the message that was received, such as "1.1".
    public static func append(to fields: inout HeaderFields, version: String) {
        fields.add(.via, version == "1.1" ? usual : version + " " + pseudonym)
    }

    /// Whether the message came through Larder more than `loopLimit` times (RFC 9110 §7.6.3).
    public static func isLoop(_ fields: HeaderFields) -> Bool {
        fields.all(.via).reduce(0) { $0 + members(of: $1).filter(isOurs).count } > loopLimit
    }

    /// Whether a member is ours. A member is `received-protocol RWS received-by [ RWS comment ]`.
    private static func isOurs(_ member: Substring) -> Bool {
        let words = member.split { $0 == " " || $0 == "\t" }
        return words.count >= 2 && FieldList.lowercased(words[1]) == pseudonym
    }

    /// Splits at commas outside comments. Comments may be nested (RFC 9110 §5.6.5).
    private static func members(of value: String) -> [Substring] {
        var out: [Substring] = []
        var depth = 0
        var isEscaped = false
        let bytes = value.utf8
        var start = bytes.startIndex
        for place in bytes.indices {
            let byte = bytes[place]
            if isEscaped {
                isEscaped = false
            } else if byte == 0x5C, depth > 0 {
                isEscaped = true
            } else if byte == 0x28 {
                depth += 1
            } else if byte == 0x29 {
                depth = max(0, depth - 1)
            } else if byte == 0x2C, depth == 0 {
                out.append(value[start..<place])
                start = bytes.index(after: place)
            }
        }
        out.append(value[start...])
        return out
    }
}
