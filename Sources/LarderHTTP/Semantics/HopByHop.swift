// Fields that belong to one connection and are neither stored nor handed on (RFC 9110 §7.6.1, RFC 9111 §3.1).
import LarderCore

/// Telling connection fields from message fields.
public enum HopByHop {
    private static let always: FieldNameSet = [
        "connection", "proxy-connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
        "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    ]

    /// The fields without those of the connection, the ones that `Connection` lists included. Decide about caching
    /// before this: a `Connection` field may list what the decision needs.
    public static func endToEnd(_ fields: HeaderFields) -> HeaderFields {
        // Mostly there is nothing to take out, and then nothing is copied.
        guard fields.contains(anyOf: always) else { return fields }
        let listed = FieldNameSet(FieldList.names(fields.all("Connection")))
        return HeaderFields(fields.lines.filter { !always.contains($0.name) && !listed.contains($0.name) })
    }
}
