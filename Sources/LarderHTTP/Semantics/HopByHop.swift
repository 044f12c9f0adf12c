// Fields that belong to one connection. They are neither stored nor forwarded (RFC 9110 §7.6.1, RFC 9111 §3.1).
import LarderCore

/// Separates connection fields from message fields.
public enum HopByHop {
    private static let names = [
        "connection", "proxy-connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
        "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    ]
    private static let always = FieldNameSet(names + (names + ["content-length"]).flatMap(shadows))

    /// The spellings of a name with "_" in place of some hyphens, such as "Content_Length". CGI (RFC 3875 §4.1.18), and
    /// interfaces modelled on it, take them for the name itself, so they would frame the message for the next reader.
    private static func shadows(_ name: String) -> [String] {
        let parts = name.split(separator: "-")
        var spellings = [String(parts[0])]
        for part in parts.dropFirst() {
            spellings = spellings.flatMap { ["\($0)-\(part)", "\($0)_\(part)"] }
        }
        return spellings.filter { $0 != name }
    }

    /// The fields without those of the connection, without the fields that `Connection` lists, and without those that
    /// another reader could take for framing ("Transfer_Encoding"). Decide about caching before calling this: a
    /// `Connection` field may list a field that the decision needs.
    public static func endToEnd(_ fields: HeaderFields) -> HeaderFields {
        // Most messages have nothing to remove, and then nothing is copied.
        guard fields.contains(anyOf: always) else { return fields }
        let listed = listedNames(fields)
        return fields.filtered { !$0.isIn(always) && !$0.isIn(listed) }
    }

    /// The names that `Connection` lists, as far as they matter. Most lines say "keep-alive", which is removed in any
    /// case, or "close", which is skipped unless a field has that name.
    private static func listedNames(_ fields: HeaderFields) -> FieldNameSet {
        var listed: [String] = []
        for line in fields where line.isNamed(.connection) {
            if ASCII.equalFolded(line.value, "keep-alive") { continue }
            if ASCII.equalFolded(line.value, "close"), !fields.contains(.close) { continue }
            listed += FieldList.names([line.value])
        }
        return FieldNameSet(listed)
    }
}
