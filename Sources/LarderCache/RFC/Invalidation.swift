// Decides which stored responses a request that may have changed something makes invalid (RFC 9111 §4.4): those of its
// own target, and those of the URLs in `Location` and `Content-Location` of the response. Only URLs of the same origin
// count. Otherwise one origin could empty the cache of another.
import LarderCore
import LarderHTTP

/// When stored responses are invalidated, and which other URLs are affected. Pure.
public enum Invalidation {
    /// Whether the stored responses of the request's target are invalidated (RFC 9111 §4.4). True for every response
    /// that is not an error to a method that is not known to be safe.
    public static func isDue(method: Method, status: Int) -> Bool {
        !method.isSafe && (200..<400).contains(status)
    }

    /// Whether the method also changes what lies below its target: the target may be a collection, and a request without
    /// `Depth` means all of it (RFC 4918 §9.6.1, §9.9.2).
    public static func reachesBelow(_ method: Method) -> Bool { method == .delete || method.name == "MOVE" }

    /// Whether the method also changes the resource that `Destination` names, and what lies below it (RFC 4918 §9.8.4,
    /// §9.9.3).
    public static func reachesDestination(_ method: Method) -> Bool { method.name == "COPY" || method.name == "MOVE" }

    /// The other URLs whose stored responses are then invalidated, each once (RFC 9111 §4.4).
    ///
    /// - Parameter requestURL: an absolute URL. If it is not a valid URL, nothing can be resolved against it and the
    ///   result is empty. Such a URL can still be requested and stored.
    public static func others(requestURL: String, fields: HeaderFields) -> [HTTPURL] {
        guard let base = HTTPURL(requestURL) else { return [] }
        var out: [HTTPURL] = []
        for value in fields.all(.location) + fields.all(.contentLocation) {
            guard let url = base.resolving(value), url.hasOrigin(of: base), url != base, !out.contains(url) else {
                continue
            }
            out.append(url)
        }
        return out
    }
}
