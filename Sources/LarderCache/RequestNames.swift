// Reads names of fields and parameters as the most forgiving server does: without regard to case and to the characters
// between letters. PHP drops a space before a parameter's name, CGI treats "-" as "_", and frameworks take "httpMethod"
// for "http_method". So names are compared by their letters alone.
import LarderCore
import LarderHTTP

/// Reads names that may mean more to a server than they say. Pure.
enum RequestNames {
    /// The letters of a name in lower case. Nil if a server may decode the name again, or into other letters.
    static func letters(_ name: String) -> String? {
        var out = Bytes()
        for byte in name.utf8 {
            guard (0x20..<0x7F).contains(byte), byte != 0x25 else { return nil }
            let lower = ASCII.lowercased(byte)
            if (0x61...0x7A).contains(lower) { out.append(lower) }
        }
        return out.lossyText
    }

    /// The letters of each name in a URL's query, or in content of type application/x-www-form-urlencoded. Nil if one
    /// of the names cannot be read with certainty.
    static func letters(ofQuery query: Substring.UTF8View) -> [String]? {
        var out: [String] = []
        for pair in query.split(whereSeparator: { $0 == 0x26 || $0 == 0x3B }) {
            guard let name = try? PercentCoding.decode(pair.prefix { $0 != 0x3D }, plusIsSpace: true),
                let letters = letters(name)
            else { return nil }
            out.append(letters)
        }
        return out
    }
}

/// Whether a POST asks its server for another method. Servers agree on no spelling: `X-HTTP-Method-Override`,
/// `_method`, `_httpMethod`, `method`, as a field, in the URL or in a form. A request that only seems to ask for one is
/// passed on, which costs a call.
public enum MethodOverride {
    /// Whether a field or a parameter of the URL asks for another method.
    /// - Parameter query: the URL's query without "?".
    public static func isAsked(fields: HeaderFields, query: String?) -> Bool {
        if fields.lines.contains(where: { RequestNames.letters($0.name).map(isMethod) ?? true }) { return true }
        guard let query else { return false }
        return RequestNames.letters(ofQuery: query[...].utf8).map { $0.contains(where: isMethod) } ?? true
    }

    /// Whether a form parameter or a member of a JSON object asks for another method. In JSON, the name "method" alone
    /// is allowed: it is what a JSON-RPC request calls.
    /// - Parameter fields: the request's fields, including `Content-Type`.
    public static func isAsked(content: Bytes, fields: HeaderFields) -> Bool {
        let type = MediaType.essence(fields.first("Content-Type")) ?? ""
        if type == "application/x-www-form-urlencoded" {
            let text = content.lossyText
            return RequestNames.letters(ofQuery: text[...].utf8).map { $0.contains(where: isMethod) } ?? true
        }
        // Servers differ in where a part's name begins and ends, so the whole content is searched.
        if type.hasPrefix("multipart/") { return isMethod(FieldList.lowercased(content.lossyText[...])) }
        guard type.hasSuffix("json"), let value = try? JSON.parse(content), value.kind == .object else { return false }
        return value.members.contains { member in
            member.name != "method" && RequestNames.letters(member.name).map(isMethod) ?? false
        }
    }

    static func isMethod(_ letters: String) -> Bool { letters.contains("method") || letters.hasSuffix("verb") }
}
