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
        let listed = Set(FieldList.names(fields.all("Connection")))
        return HeaderFields(
            fields.lines.filter { line in
                let name = FieldList.lowercased(line.name)
                return !always.contains(name) && !listed.contains(name)
            })
    }
}
