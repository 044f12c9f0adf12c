// Which stored answers a request makes invalid that may have changed something (RFC 9111 §4.4): those of its own
// target, and those of the URLs in `Location` and `Content-Location` of the answer. Only URLs of the same origin count.
// Otherwise one origin could empty the cache of another.
import LarderCore
import LarderHTTP

/// When something is invalidated, and what besides the request's own target. Pure.
public enum Invalidation {
    /// Whether what is stored for the request's target is to be invalidated (RFC 9111 §4.4): after every answer that is
    /// no error to a method that is not known to be safe.
    public static func isDue(method: Method, status: Int) -> Bool {
        !method.isSafe && (200..<400).contains(status)
    }

    /// The other URLs whose stored answers are to be invalidated then, each once (RFC 9111 §4.4).
    ///
    /// - Parameter requestURL: absolute. One that is no URL by the book can still be asked and stored; nothing can be
    ///   resolved against it, so that nothing else is named.
    public static func others(requestURL: String, fields: HeaderFields) -> [HTTPURL] {
        guard let base = HTTPURL(requestURL) else { return [] }
        var out: [HTTPURL] = []
        for value in fields.all("Location") + fields.all("Content-Location") {
            guard let url = base.resolving(value), url.hasOrigin(of: base), url != base, !out.contains(url) else {
                continue
            }
            out.append(url)
        }
        return out
    }
}
