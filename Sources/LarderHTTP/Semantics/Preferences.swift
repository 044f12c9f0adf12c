// The wishes of a client that need not be met (RFC 7240). If a preference occurs twice, the first counts (§2). A
// preference that cannot be read counts as absent.
import LarderCore

/// The preferences of a request.
public struct Preferences: Sendable, Hashable {
    /// Values by name. Names are in lower case. The value is "" if none was given, which means the same as an empty one
    /// (§2).
    public private(set) var values: [String: String] = [:]

    public init(_ fields: HeaderFields) {
        for member in FieldList.members(fields.all(.prefer)) {
            guard let (name, value) = Self.preference(member) else { continue }
            if values[name] == nil { values[name] = value }
        }
    }

    /// Whether the client accepts a response that says where the work continues (§4.1).
    public var respondsAsync: Bool { values["respond-async"] != nil }

    /// How long the client would wait for a whole response (§4.3), in whole seconds.
    public var wait: Duration? {
        guard let text = values["wait"], !text.isEmpty, text.count <= 9, text.utf8.allSatisfy(ASCII.isDigit)
        else { return nil }
        return Int64(text).map { .seconds($0) }
    }

    /// Parses `token [ BWS "=" BWS word ] *( OWS ";" [ OWS parameter ] )`. Parameters have no meaning here.
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
