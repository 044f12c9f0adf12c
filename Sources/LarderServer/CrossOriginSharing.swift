// What pages of the origins in `browserOrigins` may read (WHATWG Fetch §3.2). Header fields in each response tell the
// browser so. Reads are shared, without credentials. `CrossSitePolicy` decides whether a request is accepted.
import LarderCore
import LarderHTTP

/// Shares responses with pages of other origins that the configuration names.
public enum CrossOriginSharing {
    /// Response fields that a script may read.
    static let exposed = [
        "Age", "Cache-Status", "Content-Range", "ETag", "Location", "Preference-Applied", "Proxy-Status", "Retry-After",
        "X-Request-Id",
    ]
    /// Request fields that a script may send. Credentials are not among them.
    static let permitted = [
        "Cache-Control", "If-None-Match", "If-Modified-Since", "Last-Event-ID", "Prefer", "Priority", "Range",
        "traceparent", "tracestate", "X-Larder-Session", "X-Larder-Debounce", "X-Larder-Tool",
    ]

    /// The fields that a response needs for a page to read it.
    /// - Parameter origin: an allowed origin.
    public static func fields(for origin: String) -> HeaderFields {
        [
            "Access-Control-Allow-Origin": origin,
            "Access-Control-Expose-Headers": exposed.joined(separator: ", "),
        ]
    }

    /// Says in every response that it depends on `Origin`, also in those to requests without one, for caches (Fetch
    /// §3.2.5). An API may say so already.
    public static func addVary(to fields: inout HeaderFields) {
        if !Vary(fields).names("origin") { fields.add(.vary, "Origin") }
    }

    /// The fields that let a page read, as lines of a response head.
    static func lines(for origin: String) -> Bytes {
        var bytes = Bytes()
        for line in fields(for: origin) { ResponseEncoder.appendField(line.name, line.value, to: &bytes) }
        return bytes
    }

    /// Whether the request is a CORS preflight: a browser asks what it may send (§3.2.2).
    public static func isPreflight(_ request: ServerRequest) -> Bool {
        request.method == .options && request.fields.contains(.accessControlRequestMethod)
    }

    /// The response to a preflight.
    public static func preflight(_ request: ServerRequest, route: RouteName) -> ServerResponse {
        var response = ServerResponse(status: 204, route: route)
        response.fields = [
            "Access-Control-Allow-Methods": "GET, HEAD",
            "Access-Control-Allow-Headers": permitted.joined(separator: ", "), "Access-Control-Max-Age": "600",
            "Cache-Control": "no-store",
        ]
        // A page of a public origin sends this field before it may reach a local one (Private Network Access).
        if request.fields.contains(.accessControlRequestPrivateNetwork) {
            response.fields.add("Access-Control-Allow-Private-Network", "true")
        }
        return response
    }
}
