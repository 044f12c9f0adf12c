// The upstream's response fields as a client gets them: all of them, in their order and spelling (RFC 9111 §3.1),
// except the fields of the connection and a few that would be wrong or unsafe here. `WayOut` then adapts them to the
// mount.
import LarderCore
import LarderHTTP

/// Which of an upstream's fields are kept and given out.
public enum PassFields {
    /// The fields of a final response.
    /// - Parameters:
    ///   - isShared: whether others get the same bytes. If so, cookies are removed.
    ///   - received: when the response arrived. It is the `Date` of a response without one (RFC 9110 §6.6.1).
    static func toClient(_ fields: HeaderFields, isShared: Bool, received: WallTime) -> HeaderFields {
        var fields = filtered(fields)
        if !fields.contains(.date) { fields.add(.date, HTTPDate.format(received)) }
        if isShared { fields.remove(cookies) }
        return fields
    }

    /// The fields that any head may have, interim or final. The fields of the connection (RFC 9110 §7.6.1) and those
    /// that the server sets itself are removed.
    static func filtered(_ fields: HeaderFields) -> HeaderFields {
        var fields = HopByHop.endToEnd(fields)
        fields.remove(ours)
        return fields
    }

    static let cookies: FieldNameSet = ["Set-Cookie", "Set-Cookie2"]

    /// The fields of a response without those of its connection, and with this program in `Via`.
    public static func endToEnd(_ head: UpstreamHead) -> HeaderFields {
        var fields = HopByHop.endToEnd(head.fields)
        Via.append(to: &fields, version: head.isVersion10 ? "1.0" : "1.1")
        return fields
    }

    /// Whether a head has fields that the stored one lacks, not counting `Content-Length`, which is computed anew each
    /// time.
    static func hasMore(_ own: HeaderFields, than stored: HeaderFields) -> Bool {
        var hasMore = false
        own.visit { line in
            hasMore = !line.isNamed(.contentLength) && !stored.contains(line)
            return !hasMore
        }
        return hasMore
    }

    /// Confines the upstream's pages below `/raw`, where a browser would take them for this daemon's own: they get no
    /// script, no forms and no origin. A provider on a bound listener has an origin to itself.
    static func confine(_ fields: inout HeaderFields) {
        fields.add(.contentSecurityPolicy, "sandbox")
        fields.set(.xContentTypeOptions, "nosniff")
    }

    /// Fields by which one response changes how a browser treats everything of the response's host, on every port. All
    /// listeners of this daemon, and the other services of this machine, share the host, so no head has these fields.
    static let ofWholeHost: FieldNameSet = [
        // It clears the cookies of the host and of its domain (Clear Site Data §3.1).
        "Clear-Site-Data",
        // How the host is reached: RFC 6797, RFC 7469, RFC 9163.
        "Strict-Transport-Security", "Public-Key-Pins", "Public-Key-Pins-Report-Only", "Expect-CT",
        // Where errors are reported. Both may include the names below the host (Network Error Logging, Reporting).
        "NEL", "Report-To",
        // Cookies in a form that knows no `Path` of ours (RFC 2965).
        "Set-Cookie2",
    ]

    /// Fields that do the same for the response's origin. Below `/raw` every provider and Larder share the origin, so no
    /// head there has these fields. A bound listener is an origin of its own. `Refresh` is not among them: a sandbox
    /// keeps a browser from following it (HTML §7.1.4), and elsewhere it is a navigation that the page began.
    static let ofWholeOrigin: FieldNameSet = [
        // What may control the origin: Service Workers, FedCM's login status, agent clusters.
        "Service-Worker-Allowed", "Set-Login", "Origin-Agent-Cluster",
        // How the origin is reached (RFC 7838), and where its errors are reported.
        "Alt-Svc", "Reporting-Endpoints",
        // What requests to the origin carry: RFC 8942, RFC 9842.
        "Accept-CH", "Accept-CH-Lifetime", "Critical-CH", "Use-As-Dictionary",
        // What the browser fetches or keeps by itself for the origin: speculative loads, bound sessions, topics and
        // attribution.
        "Speculation-Rules", "Sec-Session-Registration", "Secure-Session-Registration", "Activate-Storage-Access",
        "Observe-Browsing-Topics", "Attribution-Reporting-Register-Source", "Attribution-Reporting-Register-Trigger",
        // Who may embed the response (Fetch §3.7). Larder sets its own.
        "Cross-Origin-Resource-Policy",
    ]

    private static let ours: FieldNameSet = [
        // The server sets these itself.
        "Content-Length", "Age", "X-Request-Id",
        // This field tells a page the size of a response that it must not read, even if its request has no `Origin`.
        "Timing-Allow-Origin",
    ]

    /// Fields that let pages of any site read the API's responses. Below `/raw` those responses would be the user's
    /// own, so the fields are removed. A final response on a bound listener keeps them. They count only for requests
    /// with `Origin`, and a page of another site whose request has `Origin` does not get the response.
    static let sharing: FieldNameSet = [
        "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials", "Access-Control-Allow-Methods",
        "Access-Control-Allow-Headers", "Access-Control-Expose-Headers", "Access-Control-Max-Age",
        "Access-Control-Allow-Private-Network",
    ]
}
