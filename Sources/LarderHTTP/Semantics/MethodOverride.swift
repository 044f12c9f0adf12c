// A request that asks its server to apply another method than its own. Servers agree on no spelling:
// `X-HTTP-Method-Override`, `_method`, `_httpMethod`, `method`, as a field, in the URL or in a form.
import LarderCore

/// Finds the method that a request asks for beside its own. Pure.
public enum MethodOverride {
    // MARK: Any request

    /// The method that a field or a parameter of the URL names, an unsafe one first. Nil if there is none. A field with
    /// a known name asks for whatever it says; any other field about a method, only if it names one. A parameter counts
    /// only if it names a method that changes something, because many APIs have a parameter called "method".
    /// - Parameter query: the URL's query without "?".
    public static func method(fields: HeaderFields, query: String?) -> Method? {
        var asked: [Method] = []
        fields.visit { line in
            guard mayEndField(line.name), isField(HeaderField.text(line.name)) else { return true }
            let method = Method(ASCII.trimmed(HeaderField.text(line.value)[...]).uppercased())
            let isKnown = RequestNames.letters(HeaderField.text(line.name)).map(known.contains) ?? false
            if isKnown ? !method.name.isEmpty : registered.contains(method.name) { asked.append(method) }
            return true
        }
        for pair in (query ?? "")[...].utf8.split(separator: 0x26) {
            if let method = method(parameter: pair) { asked.append(method) }
        }
        return asked.first { !$0.isSafe } ?? asked.first
    }

    /// The query without the parameters that ask for another method: the URL that the server then changes.
    public static func stripped(_ query: String) -> String? {
        let kept = query[...].utf8.split(separator: 0x26).filter { method(parameter: $0) == nil }
        return kept.isEmpty ? nil : kept.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "&")
    }

    private static func method(parameter pair: Substring.UTF8View) -> Method? {
        // Most queries have no such parameter.
        guard pair.contains(where: { $0 | 0x20 == 0x64 }), let equals = pair.firstIndex(of: 0x3D),
            let name = try? PercentCoding.decode(pair[..<equals], plusIsSpace: true),
            let value = try? PercentCoding.decode(pair[equals...].dropFirst(), plusIsSpace: true),
            let letters = RequestNames.letters(name), known.contains(letters),
            letters != "method" || name.hasPrefix("_")
        else { return nil }
        let method = Method(value.uppercased())
        return changing.contains(method.name) ? method : nil
    }

    /// Whether a field with this name may ask for another method.
    public static func isField(_ name: String) -> Bool {
        var name = name
        guard name.withUTF8({ mayEndField($0) }) else { return false }
        return RequestNames.letters(name).map(isMethod) ?? false
    }

    /// Whether a field name ends as those that ask for another method do: override, method, verb. This is all that a
    /// head with other fields pays.
    @inlinable @inline(__always)
    public static func mayEndField(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard name.count > 3 else { return false }
        switch UInt16(name[name.count - 2] | 0x20) << 8 | UInt16(name[name.count - 1] | 0x20) {
        case 0x6465, 0x6F64, 0x7262: return true
        default: return false
        }
    }

    /// The letters of the names that servers read.
    private static let known: Set<String> = [
        "xhttpmethodoverride", "xhttpmethod", "xmethodoverride", "httpmethodoverride", "httpmethod", "methodoverride",
        "method",
    ]
    private static let changing: Set<String> = ["POST", "PUT", "PATCH", "DELETE"]
    /// The methods of RFC 9110, RFC 4918 and RFC 5789.
    private static let registered: Set<String> = changing.union([
        "GET", "HEAD", "OPTIONS", "QUERY", "PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK",
    ])

    // MARK: A POST that is declared to read

    /// Whether a field or a parameter of the URL may ask for another method than POST. A request that only seems to ask
    /// for one is passed on, which costs a call.
    /// - Parameter query: the URL's query without "?".
    public static func isAsked(fields: HeaderFields, query: String?) -> Bool {
        if fields.contains(where: { RequestNames.letters($0.name).map(isMethod) ?? true }) { return true }
        guard let query else { return false }
        return RequestNames.letters(ofQuery: query[...].utf8).map { $0.contains(where: isMethod) } ?? true
    }

    /// Whether a form parameter or a member of a JSON object asks for another method. In JSON, the name "method" alone
    /// is allowed: it is what a JSON-RPC request calls. Content without a type may be either: many servers take it for a
    /// form.
    /// - Parameter fields: the request's fields, including `Content-Type`.
    public static func isAsked(content: Bytes, fields: HeaderFields) -> Bool {
        let types = fields.all(.contentType)
        guard types.count == 1, let type = MediaType.essence(types[0]) else {
            return mayAsk(form: content) || mayAsk(json: content)
        }
        if type == "application/x-www-form-urlencoded" { return mayAsk(form: content) }
        // Servers differ in where a part's name begins and ends, so the whole content is searched.
        if type.hasPrefix("multipart/") { return isMethod(FieldList.lowercased(content.lossyText[...])) }
        return type.hasSuffix("json") && mayAsk(json: content)
    }

    private static func mayAsk(form content: Bytes) -> Bool {
        let text = content.lossyText
        return RequestNames.letters(ofQuery: text[...].utf8).map { $0.contains(where: isMethod) } ?? true
    }

    private static func mayAsk(json content: Bytes) -> Bool {
        guard let value = try? JSON.parse(content), value.kind == .object else { return false }
        return value.members.contains { member in
            member.name != "method" && RequestNames.letters(member.name).map(isMethod) ?? false
        }
    }

    /// Whether the letters of a name speak of a method.
    public static func isMethod(_ letters: String) -> Bool { letters.contains("method") || letters.hasSuffix("verb") }
}
