// Cookies are bound to hosts and paths, not to ports (RFC 6265 §8.5). Below `/raw` every provider has the same host, so
// the path must confine a provider's cookie to that provider.
import LarderCore
import LarderHTTP

enum ConfinedCookie {
    /// Rewrites a `Set-Cookie` value so that the cookie goes to the mount's paths only. Nil if no such cookie is
    /// possible.
    ///
    /// The method drops `Domain`, which makes the cookie host-only. It moves `Path` below the mount, which stands for
    /// the base URL: "/" becomes "/raw/NAME/", and so does each path that contains the whole base URL. If `Path` is
    /// missing or invalid, the method writes out the default path of the client's own URL (RFC 6265 §5.1.4). A client
    /// would compute `/raw` as the default path for `/raw/NAME` itself. The result is nil for a path outside the base
    /// URL, because no request through this mount would send the cookie. It is also nil for a `__Host-` cookie: such a
    /// cookie must have the path "/" (RFC 6265bis §4.1.3.2), and clients refuse it with any other path.
    ///
    /// - Parameters:
    ///   - mount: "/raw/NAME".
    ///   - base: the path of the provider's base URL, without a slash at its end.
    ///   - path: the request's path below the mount.
    static func line(_ value: String, mount: String, base: String, path: String) -> String? {
        let parts = value.split(separator: ";", omittingEmptySubsequences: false)
        guard let pair = parts.first, !isOfWholeHost(pair) else { return nil }
        var own: Substring = ""
        var out = String(pair)
        for attribute in parts.dropFirst() {
            let mark = attribute.utf8.firstIndex(of: 0x3D)
            switch FieldList.lowercased(ASCII.trimmed(attribute[..<(mark ?? attribute.endIndex)])) {
            case "domain": continue
            // If there are several, the last one counts (RFC 6265 §5.3 step 7).
            case "path": own = mark.map { ASCII.trimmed(attribute[attribute.utf8.index(after: $0)...]) } ?? ""
            default: out += ";\(attribute)"
            }
        }
        guard own.utf8.first == 0x2F else { return "\(out); Path=\(mount)\(defaultPath(path))" }
        guard let confined = below(base, String(own)) else { return nil }
        return "\(out); Path=\(mount)\(confined)"
    }

    /// Drops `Domain` from a `Set-Cookie` value, so that the cookie goes to the host of a bound listener only and not to
    /// the hosts beside it or below it (RFC 6265 §5.3 step 6).
    static func ofHost(_ value: String) -> String {
        let parts = value.split(separator: ";", omittingEmptySubsequences: false)
        let kept = parts.enumerated().filter { place, attribute in
            let name = attribute.prefix { $0 != "=" }
            return place == 0 || FieldList.lowercased(ASCII.trimmed(name)) != "domain"
        }
        return kept.count == parts.count ? value : kept.map { String($0.element) }.joined(separator: ";")
    }

    /// Converts an upstream's cookie path to a path below the base URL. Returns nil if no path below the base URL
    /// matches it (RFC 6265 §5.1.4).
    private static func below(_ base: String, _ path: String) -> String? {
        if base.isEmpty { return path }
        if matches(base, path) { return "/" }
        return matches(path, base) ? String(path.dropFirst(base.count)) : nil
    }

    /// Whether a request path matches a cookie path (RFC 6265 §5.1.4).
    private static func matches(_ path: String, _ cookie: String) -> Bool {
        guard path.hasPrefix(cookie) else { return false }
        return path.utf8.count == cookie.utf8.count || cookie.utf8.last == 0x2F
            || path.utf8.dropFirst(cookie.utf8.count).first == 0x2F
    }

    /// The default path of a cookie (RFC 6265 §5.1.4). A path can contain a semicolon, which would end the attribute
    /// and begin another one, such as `Domain`. Only the segments before the first such byte count.
    private static func defaultPath(_ path: String) -> String {
        let plain = path[..<(path.utf8.firstIndex { $0 == 0x3B || $0 <= 0x20 || $0 >= 0x7F } ?? path.endIndex)]
        guard let slash = plain.utf8.lastIndex(of: 0x2F), slash > plain.startIndex else { return "/" }
        return String(plain[..<slash])
    }

    /// Whether the cookie has the `__Host-` prefix, which a nameless cookie's value must not have (RFC 6265bis §5.7).
    private static func isOfWholeHost(_ pair: Substring) -> Bool {
        let mark = pair.utf8.firstIndex(of: 0x3D)
        let name = mark.map { ASCII.trimmed(pair[..<$0]) } ?? ""
        let value = mark.map { ASCII.trimmed(pair[pair.utf8.index(after: $0)...]) } ?? ASCII.trimmed(pair)
        return FieldList.lowercased(name.isEmpty ? value : name).hasPrefix("__host-")
    }
}
