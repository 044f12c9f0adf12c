// Fields that belong to one connection and are neither stored nor handed on (RFC 9110 §7.6.1, RFC 9111 §3.1).
import LarderCore

/// Telling connection fields from message fields.
public enum HopByHop {
    private static let always: Set<String> = [
        "connection", "proxy-connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
        "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    ]

    /// The fields without those of the connection, the ones that `Connection` lists included. Decide about caching
    /// before this: a `Connection` field may list what the decision needs.
    public static func endToEnd(_ fields: HeaderFields) -> HeaderFields {
        // Mostly there is nothing to take out, and then nothing is copied.
        guard fields.lines.contains(where: { isAlways($0.name) }) else { return fields }
        let listed = fields.contains("Connection") ? Set(FieldList.names(fields.all("Connection"))) : []
        return HeaderFields(
            fields.lines.filter { line in
                !isAlways(line.name) && (listed.isEmpty || !listed.contains(FieldList.lowercased(line.name)))
            })
    }

    /// Whether the name is one of `always`; told by its length and first letter but for a few.
    private static func isAlways(_ name: String) -> Bool {
        switch name.utf8.count {
        case 2, 7, 10, 16, 17, 18, 19, 25: always.contains(FieldList.lowercased(name))
        default: false
        }
    }
}
