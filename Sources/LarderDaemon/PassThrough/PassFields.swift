// The upstream's fields as a client gets them: all of them in their order and spelling, but for those of the connection
// and a few that would be wrong or unsafe on this machine's own origin.
import LarderCore
import LarderHTTP

enum PassFields {
    /// - Parameters:
    ///   - isShared: others get the same bytes, so nobody's cookies go along.
    ///   - received: the answer is dated by its arrival where the upstream did not date it (RFC 9110 §6.6.1).
    static func toClient(_ fields: HeaderFields, isShared: Bool, received: WallTime) -> HeaderFields {
        var fields = HopByHop.endToEnd(fields)
        fields.remove(ours)
        if !fields.contains("Date") { fields.add("Date", HTTPDate.format(received)) }
        if isShared { fields.remove("Set-Cookie") }
        return fields
    }

    /// The fields of an answer that are not of its connection, and that it came through here.
    static func endToEnd(_ head: UpstreamHead) -> HeaderFields {
        var fields = HopByHop.endToEnd(head.fields)
        Via.append(to: &fields, version: head.isVersion10 ? "1.0" : "1.1")
        return fields
    }

    /// Whether a head has fields that the stored one was kept without. The length is said anew each time.
    static func hasMore(_ own: HeaderFields, than stored: HeaderFields) -> Bool {
        own.lines.contains { !stored.contains($0.name) && !ASCII.equalFolded($0.name, "Content-Length") }
    }

    /// Below `/raw` the upstream's pages would be this daemon's own to a browser: they get no script, no forms and no
    /// origin. On a listener of its own the provider has an origin to itself.
    static func confine(_ fields: inout HeaderFields) {
        fields.add("Content-Security-Policy", "sandbox")
        fields.set("X-Content-Type-Options", "nosniff")
    }

    private static let ours: FieldNameSet = [
        // The server says these itself.
        "Content-Length", "Age", "X-Request-Id",
        // They speak of the upstream's host and would be taken for this machine's.
        "Strict-Transport-Security", "Alt-Svc", "Service-Worker-Allowed", "Clear-Site-Data",
        // The API may let any site's pages read its answers; here those would be the user's own (P45).
        "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials", "Access-Control-Allow-Methods",
        "Access-Control-Allow-Headers", "Access-Control-Expose-Headers",
    ]
}
