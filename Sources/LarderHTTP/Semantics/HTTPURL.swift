// http and https URLs as a cache needs them: origin, path and query in one spelling, and references resolved against
// them (RFC 3986 §5.2, RFC 9110 §4.2). Only spellings that certainly mean the same are made equal: case of scheme and
// host, default port, empty path, fragment. Percent-encoding is unchanged.
import LarderCore

/// An absolute http or https URL without fragment.
public struct HTTPURL: Sendable, Hashable {
    /// "http" or "https".
    public let scheme: String
    /// The host in lower case, with the port if it is not the default of the scheme.
    public let authority: String
    /// Path and query; the path begins with "/".
    public let target: String

    /// The URL in one spelling.
    public var text: String { "\(scheme)://\(authority)\(target)" }

    /// Parses an absolute URL (RFC 9110 §4.2.1, §4.2.2). Nil for another scheme, an empty host, user information
    /// (§4.2.4), and texts with characters that no URL may contain.
    public init?(_ text: String) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        let parts = Parts(text[...])
        guard let scheme = parts.scheme.map({ FieldList.lowercased($0) }), scheme == "http" || scheme == "https",
            let authority = parts.authority, let normal = Self.normal(authority, scheme: scheme)
        else { return nil }
        self.init(scheme: scheme, authority: normal, path: String(parts.path), query: parts.query)
    }

    private init(scheme: String, authority: String, path: String, query: Substring?) {
        self.scheme = scheme
        self.authority = authority
        target = (path.isEmpty ? "/" : path) + (query.map { "?\($0)" } ?? "")
    }

    /// Whether both URLs have the same scheme, host and port (RFC 9110 §4.3.1).
    public func hasOrigin(of other: HTTPURL) -> Bool {
        scheme == other.scheme && authority == other.authority
    }

    /// Resolves a reference against this URL (RFC 3986 §5.2.2). Nil if the result is not an http or https URL.
    public func resolving(_ reference: String) -> HTTPURL? {
        let text = ASCII.trimmed(reference[...])
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        let parts = Parts(text)
        if parts.scheme != nil {
            guard let url = HTTPURL(String(text)) else { return nil }
            return HTTPURL(
                scheme: url.scheme, authority: url.authority, path: Self.withoutDots(String(parts.path)),
                query: parts.query)
        }
        if let authority = parts.authority {
            guard let normal = Self.normal(authority, scheme: scheme) else { return nil }
            return HTTPURL(
                scheme: scheme, authority: normal, path: Self.withoutDots(String(parts.path)), query: parts.query)
        }
        let own = Parts(target[...])
        if parts.path.isEmpty {
            return HTTPURL(
                scheme: scheme, authority: authority, path: String(own.path), query: parts.query ?? own.query)
        }
        let path: String
        if parts.path.utf8.first == 0x2F {
            path = String(parts.path)
        } else {
            let folder = own.path.utf8.lastIndex(of: 0x2F).map { own.path[...$0] } ?? "/"
            path = String(folder) + String(parts.path)
        }
        return HTTPURL(scheme: scheme, authority: authority, path: Self.withoutDots(path), query: parts.query)
    }

    /// Removes dot segments (RFC 3986 §5.2.4): "." is removed, and ".." is removed together with the segment before it.
    private static func withoutDots(_ path: String) -> String {
        guard path.utf8.first == 0x2F else { return path }
        var out: [Substring] = []
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (place, segment) in segments.enumerated() {
            let isLast = place == segments.count - 1
            switch segment {
            case ".": if isLast { out.append("") }
            case "..":
                if !out.isEmpty { out.removeLast() }
                if isLast { out.append("") }
            default: out.append(segment)
            }
        }
        return "/" + out.joined(separator: "/")
    }

    /// The authority with the host in lower case, without a default or empty port. Nil if it is not a host and port.
    private static func normal(_ authority: Substring, scheme: String) -> String? {
        guard !authority.utf8.contains(0x40) else { return nil }
        let bytes = authority.utf8
        // A colon inside brackets belongs to an IPv6 address.
        let afterBracket = bytes.lastIndex(of: 0x5D) ?? bytes.startIndex
        let colon = bytes[afterBracket...].lastIndex(of: 0x3A)
        let host = colon.map { authority[..<$0] } ?? authority
        let port = colon.map { authority[bytes.index(after: $0)...] } ?? ""
        guard !host.isEmpty, port.utf8.count <= 5, port.utf8.allSatisfy(ASCII.isDigit) else { return nil }
        let number = UInt32(port)
        guard (number ?? 0) <= 65_535 else { return nil }
        let own: UInt32 = scheme == "http" ? 80 : 443
        let folded = FieldList.lowercased(host)
        guard let number, number != own else { return folded }
        return "\(folded):\(number)"
    }

    /// The parts of a reference (RFC 3986 appendix B), without the fragment.
    private struct Parts {
        var scheme: Substring?
        var authority: Substring?
        var path: Substring
        var query: Substring?

        init(_ text: Substring) {
            var rest = text
            if let hash = rest.utf8.firstIndex(of: 0x23) { rest = rest[..<hash] }
            if let mark = rest.utf8.firstIndex(of: 0x3F) {
                query = rest[rest.utf8.index(after: mark)...]
                rest = rest[..<mark]
            }
            let schemeEnd = rest.utf8.firstIndex { $0 == 0x3A || $0 == 0x2F }
            if let schemeEnd, rest.utf8[schemeEnd] == 0x3A, Self.isScheme(rest[..<schemeEnd]) {
                scheme = rest[..<schemeEnd]
                rest = rest[rest.utf8.index(after: schemeEnd)...]
            }
            if rest.hasPrefix("//") {
                rest = rest.dropFirst(2)
                let end = rest.utf8.firstIndex(of: 0x2F) ?? rest.endIndex
                authority = rest[..<end]
                rest = rest[end...]
            }
            path = rest
        }

        private static func isScheme(_ text: Substring) -> Bool {
            guard let first = text.utf8.first, ASCII.isLetter(first) else { return false }
            return text.utf8.allSatisfy {
                ASCII.isAlphanumeric($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E
            }
        }
    }
}
