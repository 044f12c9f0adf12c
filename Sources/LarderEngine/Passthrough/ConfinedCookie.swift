// Cookies are bound to hosts and paths, not to ports (RFC 6265 §8.5). Below `/raw` every provider has the same host, so
// the path must confine a provider's cookie to that provider.
import LarderCore
import LarderHTTP

enum ConfinedCookie {
    /// A `Set-Cookie` value whose cookie goes to the mount's paths only; nil where there is no such cookie.
    ///
    /// `Domain` goes, so that the cookie is the host's alone. `Path` is put below the mount, which stands for the base URL:
    /// "/" becomes "/raw/NAME/", and so does each path that holds the whole base URL. Where there is none, or none that
    /// counts, it is the one that the client's own URL gives (RFC 6265 §5.1.4), written out: left to the client, that of
    /// `/raw/NAME` itself would be `/raw`. A cookie for paths outside the base URL would be sent by no request that comes this
    /// way, and does not go out. Neither does a `__Host-` cookie: it must have the path "/" (RFC 6265bis §4.1.3.2), and
    /// clients refuse it with another one.
    ///
    /// - Parameters:
    ///   - mount: "/raw/NAME".
    ///   - base: the path of the provider's base URL, without a slash at its end.
    ///   - path: of the request, below the mount.
    static func line(_ value: String, mount: String, base: String, path: String) -> String? {
        let parts = value.split(separator: ";", omittingEmptySubsequences: false)
        guard let pair = parts.first, !isOfWholeHost(pair) else { return nil }
        var own: Substring = ""
        var out = String(pair)
        for attribute in parts.dropFirst() {
            let mark = attribute.utf8.firstIndex(of: 0x3D)
            switch FieldList.lowercased(ASCII.trimmed(attribute[..<(mark ?? attribute.endIndex)])) {
            case "domain": continue
            // Of several the last counts (RFC 6265 §5.3 step 7).
            case "path": own = mark.map { ASCII.trimmed(attribute[attribute.utf8.index(after: $0)...]) } ?? ""
            default: out += ";\(attribute)"
            }
        }
        guard own.utf8.first == 0x2F else { return "\(out); Path=\(mount)\(defaultPath(path))" }
        guard let confined = below(base, String(own)) else { return nil }
        return "\(out); Path=\(mount)\(confined)"
    }

    /// An upstream's path as seen from the base URL; nil where no path below the base URL matches it (RFC 6265 §5.1.4).
    private static func below(_ base: String, _ path: String) -> String? {
        if base.isEmpty { return path }
        if matches(base, path) { return "/" }
        return matches(path, base) ? String(path.dropFirst(base.count)) : nil
    }

    /// Whether a request's path matches a cookie's (RFC 6265 §5.1.4).
    private static func matches(_ path: String, _ cookie: String) -> Bool {
        guard path.hasPrefix(cookie) else { return false }
        return path.utf8.count == cookie.utf8.count || cookie.utf8.last == 0x2F
            || path.utf8.dropFirst(cookie.utf8.count).first == 0x2F
    }

    /// RFC 6265 §5.1.4. A path may hold a semicolon, which would end the attribute and begin another one, such as `Domain`:
    /// only the segments before it count.
    private static func defaultPath(_ path: String) -> String {
        let plain = path[..<(path.utf8.firstIndex { $0 == 0x3B || $0 <= 0x20 || $0 >= 0x7F } ?? path.endIndex)]
        guard let slash = plain.utf8.lastIndex(of: 0x2F), slash > plain.startIndex else { return "/" }
        return String(plain[..<slash])
    }

    /// Of a cookie without a name, the value may not look like such a name either (RFC 6265bis §5.7).
    private static func isOfWholeHost(_ pair: Substring) -> Bool {
        let mark = pair.utf8.firstIndex(of: 0x3D)
        let name = mark.map { ASCII.trimmed(pair[..<$0]) } ?? ""
        let value = mark.map { ASCII.trimmed(pair[pair.utf8.index(after: $0)...]) } ?? ASCII.trimmed(pair)
        return FieldList.lowercased(name.isEmpty ? value : name).hasPrefix("__host-")
    }
}
