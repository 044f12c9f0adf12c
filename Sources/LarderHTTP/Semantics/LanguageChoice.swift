// The language that a client prefers to all others (RFC 9110 §12.5.4), and whether a response is in it (§8.5, RFC 4647
// §3.3.1).
import LarderCore

/// Reads language fields.
public enum LanguageChoice {
    /// A longer tag is ignored. The longest tag that RFC 5646 §4.4.1 expects has 35 bytes.
    public static let longest = 35

    /// The language range that a client wants most, in lower case. It must be the only range of its weight and no
    /// wildcard; otherwise nil.
    public static func best(_ requestFields: HeaderFields) -> String? {
        let values = requestFields.all(.acceptLanguage)
        guard !values.isEmpty, let members = PreferenceList.members(values, of: "accept-language"),
            let first = members.first, first.weight > 0, isTag(first.range)
        else { return nil }
        if members.count > 1, members[1].weight == first.weight { return nil }
        return first.range
    }

    /// The one language of a response, in lower case. Nil if the response names none or several.
    public static func language(_ fields: HeaderFields) -> String? {
        let members = FieldList.members(fields.all(.contentLanguage))
        guard members.count == 1, case let tag = FieldList.lowercased(members[0]), isTag(tag) else { return nil }
        return tag
    }

    /// Whether a tag, in lower case, is in the client's best language. No narrower range with its own weight may match
    /// the tag.
    public static func isBest(_ tag: String, for requestFields: HeaderFields) -> Bool {
        guard let best = best(requestFields), matches(best, tag),
            let members = PreferenceList.members(requestFields.all(.acceptLanguage), of: "accept-language")
        else { return false }
        return !members.contains { $0.range != best && matches(best, $0.range) && matches($0.range, tag) }
    }

    /// Whether a range matches a tag, both in lower case (RFC 4647 §3.3.1).
    public static func matches(_ range: String, _ tag: String) -> Bool { tag == range || tag.hasPrefix(range + "-") }

    private static func isTag(_ text: String) -> Bool {
        (1...longest).contains(text.utf8.count)
            && text.utf8.allSatisfy { ASCII.isLowercaseLetter($0) || ASCII.isDigit($0) || $0 == 0x2D }
            && text.utf8.first != 0x2D && text.utf8.last != 0x2D
    }
}
