// What a client would like, without insisting on it (RFC 7240). Of a preference that is given twice the first counts (§2);
// one that cannot be read is as if it had not been said.
import LarderCore

/// The preferences of a request.
public struct Preferences: Sendable, Hashable {
    /// Value by name; names in lower case, "" where none was given: that is the same as an empty one (§2).
    public private(set) var values: [String: String] = [:]

    public init(_ fields: HeaderFields) {
        for member in FieldList.members(fields.all("Prefer")) {
            guard let (name, value) = Self.preference(member) else { continue }
            if values[name] == nil { values[name] = value }
        }
    }

    /// An answer that says where the work goes on is welcome (§4.1).
    public var respondsAsync: Bool { values["respond-async"] != nil }

    /// How long the client would wait for a whole answer (§4.3), whole seconds.
    public var wait: Duration? {
        guard let text = values["wait"], !text.isEmpty, text.count <= 9, text.utf8.allSatisfy(ASCII.isDigit)
        else { return nil }
        return Int64(text).map { .seconds($0) }
    }

    /// `token [ BWS "=" BWS word ] *( OWS ";" [ OWS parameter ] )`; of the parameters none means anything here.
    private static func preference(_ member: Substring) -> (name: String, value: String)? {
        let name = member.prefix { $0.utf8.allSatisfy(ASCII.isToken) }
        guard !name.isEmpty else { return nil }
        let rest = ASCII.trimmed(member[name.endIndex...])
        let lowered = FieldList.lowercased(name)
        if rest.isEmpty || rest.hasPrefix(";") { return (lowered, "") }
        guard rest.hasPrefix("=") else { return nil }
        let text = ASCII.trimmed(rest.dropFirst())
        if text.hasPrefix("\"") {
            guard let end = endOfQuoted(text), let value = FieldList.unquoted(text[...end]) else { return nil }
            return (lowered, value)
        }
        return (lowered, String(ASCII.trimmed(text.prefix { $0 != ";" })))
    }

    private static func endOfQuoted(_ text: Substring) -> Substring.Index? {
        var isEscaped = false
        for place in text.indices.dropFirst() {
            if isEscaped {
                isEscaped = false
            } else if text[place] == "\\" {
                isEscaped = true
            } else if text[place] == "\"" {
                return place
            }
        }
        return nil
    }
}
