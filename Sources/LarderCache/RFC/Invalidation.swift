// What a request that may have changed things makes invalid (RFC 9111 §4.4): its own target, and where the answer
// points in `Location` and `Content-Location`, of the same origin only: else one origin could empty another's cache.
import LarderCore
import LarderHTTP

/// Which URLs to invalidate. Pure.
public enum Invalidation {
    /// Absolute URLs whose stored answers are to be invalidated (RFC 9111 §4.4), the request's own first, each once,
    /// with scheme and host in lower case and without default port and fragment. Empty for safe methods and for errors;
    /// methods that are not known count as unsafe.
    ///
    /// - Parameter requestURL: absolute.
    public static func targets(
        method: Method, status: Int, requestURL: String, fields: HeaderFields
    ) -> [String] {
        guard !method.isSafe, (200..<400).contains(status), let base = HTTPURL(requestURL) else { return [] }
        var out = [base.text]
        for value in fields.all("Location") + fields.all("Content-Location") {
            guard let url = base.resolving(value), url.hasOrigin(of: base), !out.contains(url.text) else { continue }
            out.append(url.text)
        }
        return out
    }
}
