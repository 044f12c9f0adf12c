// What pages of the origins in `browserOrigins` may read (WHATWG Fetch §3.2). Their browser is told so by fields of each answer; reads
// alone are shared, and never with credentials. `CrossSitePolicy` decides whether such a request may come in at all.
import LarderCore
import LarderHTTP

/// Sharing answers with pages of other origins that are named in the configuration.
public enum CrossOriginSharing {
    /// Fields of answers that a script may read.
    static let exposed = [
        "Age", "Cache-Status", "Content-Range", "ETag", "Location", "Preference-Applied", "Proxy-Status", "Retry-After",
        "X-Request-Id",
    ]
    /// Fields that its requests may have. Credentials are not among them.
    static let permitted = [
        "Cache-Control", "If-None-Match", "If-Modified-Since", "Last-Event-ID", "Prefer", "Range", "traceparent",
        "tracestate", "X-Larder-Session", "X-Larder-Debounce",
    ]

    /// What an answer says to a page.
    /// - Parameter origin: an allowed one; nil for everybody else, whose caches are told that it is of account.
    public static func fields(for origin: String?) -> HeaderFields {
        guard let origin else { return ["Vary": "Origin"] }
        return [
            "Access-Control-Allow-Origin": origin,
            "Access-Control-Expose-Headers": exposed.joined(separator: ", "), "Vary": "Origin",
        ]
    }

    /// The same as lines of a head.
    static func lines(for origin: String?) -> Bytes {
        var bytes = Bytes()
        for line in fields(for: origin).lines { ResponseEncoder.appendField(line.name, line.value, to: &bytes) }
        return bytes
    }

    /// Whether a browser asks what it may send (§3.2.2).
    public static func isPreflight(_ request: ServerRequest) -> Bool {
        request.method == .options && request.fields.contains("Access-Control-Request-Method")
    }

    /// The answer to that.
    public static func preflight(_ request: ServerRequest, route: RouteName) -> ServerResponse {
        var response = ServerResponse(status: 204, route: route)
        response.fields = [
            "Access-Control-Allow-Methods": "GET, HEAD",
            "Access-Control-Allow-Headers": permitted.joined(separator: ", "), "Access-Control-Max-Age": "600",
            "Cache-Control": "no-store",
        ]
        // A page of a public origin asks before it reaches a local one (Private Network Access).
        if request.fields.contains("Access-Control-Request-Private-Network") {
            response.fields.add("Access-Control-Allow-Private-Network", "true")
        }
        return response
    }
}
