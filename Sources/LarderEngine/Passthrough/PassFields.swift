// The fields of the upstream as a client gets them: all of them, in their order and spelling (RFC 9111 §3.1), except
// those of the connection and a few that would be wrong or unsafe here. `WayOut` then adapts them to the place where
// they go out.
import LarderCore
import LarderHTTP

/// Which of an upstream's fields are kept and given out.
public enum PassFields {
    /// Those of a final answer.
    /// - Parameters:
    ///   - isShared: others get the same bytes, so nobody's cookies go along.
    ///   - received: the answer is dated by its arrival where the upstream did not date it (RFC 9110 §6.6.1).
    static func toClient(_ fields: HeaderFields, isShared: Bool, received: WallTime) -> HeaderFields {
        var fields = filtered(fields)
        if !fields.contains("Date") { fields.add("Date", HTTPDate.format(received)) }
        if isShared { fields.remove(cookies) }
        return fields
    }

    /// Those that any head may have, interim or final: not of the connection (RFC 9110 §7.6.1), and not ours to say.
    static func filtered(_ fields: HeaderFields) -> HeaderFields {
        var fields = HopByHop.endToEnd(fields)
        fields.remove(ours)
        return fields
    }

    static let cookies: FieldNameSet = ["Set-Cookie", "Set-Cookie2"]

    /// The fields of an answer that are not of its connection, and that it came through here.
    public static func endToEnd(_ head: UpstreamHead) -> HeaderFields {
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

    /// Fields by which one answer changes how a browser treats everything of the answer's origin, or of its host. Below
    /// `/raw` that is every provider's and Larder's own, so they go in no head there.
    static let ofWholeOrigin: FieldNameSet = [
        // What is stored, and what may control it: Clear Site Data, Service Workers, FedCM's login status.
        "Clear-Site-Data", "Service-Worker-Allowed", "Set-Login", "Origin-Agent-Cluster",
        // How it is reached: RFC 6797, RFC 7838, RFC 7469, RFC 9163.
        "Strict-Transport-Security", "Alt-Svc", "Public-Key-Pins", "Public-Key-Pins-Report-Only", "Expect-CT",
        // Where errors of it are told: Network Error Logging, Reporting.
        "NEL", "Report-To", "Reporting-Endpoints",
        // What requests to it carry: RFC 8942, RFC 9842, and cookies by a form that knows no `Path` of ours (RFC 2965).
        "Accept-CH", "Accept-CH-Lifetime", "Critical-CH", "Use-As-Dictionary", "Set-Cookie2",
    ]

    private static let ours: FieldNameSet = [
        // The server says these itself.
        "Content-Length", "Age", "X-Request-Id",
        // By it a page that may not read an answer learns its size, without saying who it is.
        "Timing-Allow-Origin",
    ]

    /// The API may let any site's pages read its answers; below `/raw` those would be the user's own. On a listener of its own a final
    /// answer keeps them: it goes to no other site's page, which says who it is (`Origin`) wherever these count.
    static let sharing: FieldNameSet = [
        "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials", "Access-Control-Allow-Methods",
        "Access-Control-Allow-Headers", "Access-Control-Expose-Headers", "Access-Control-Max-Age",
        "Access-Control-Allow-Private-Network",
    ]
}
