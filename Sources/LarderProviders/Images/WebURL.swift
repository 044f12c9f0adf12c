// Parses the http and https URLs in responses as far as rules and fetches need (RFC 3986 §3). A URL that two parsers
// could read differently (user information, backslashes, control characters) is rejected.
import LarderCore

/// An absolute http or https URL.
struct WebURL: Sendable, Hashable {
    /// "http" or "https".
    var scheme: String
    /// In lower case, without a trailing dot. An IPv6 address keeps its brackets.
    var host: String
    var port: Int
    /// The path and query, percent-encoded if needed, without the fragment. Begins with "/" unless it is empty.
    var target: String

    init?(_ text: String) {
        let parts: (String, Substring, Int)
        if let rest = Self.rest(of: text, after: "https://") {
            parts = ("https", rest, 443)
        } else if let rest = Self.rest(of: text, after: "http://") {
            parts = ("http", rest, 80)
        } else {
            return nil
        }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != 0x5C || $0 == 0x20 }) else { return nil }
        let beforeFragment = parts.1.prefix { $0 != "#" }
        let authority = beforeFragment.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@"), let (host, port) = Self.hostAndPort(authority, default: parts.2) else {
            return nil
        }
        let target = beforeFragment[authority.endIndex...]
        self.scheme = parts.0
        self.host = host
        self.port = port
        self.target = Self.encoded(target.hasPrefix("?") ? "/" + target : String(target))
    }

    /// The whole URL. The port is included only if it is not the scheme's default.
    var text: String { origin + target }

    var origin: String {
        port == (scheme == "https" ? 443 : 80) ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }

    /// The same URL by https on port 443; nil if the URL names a port that is not its scheme's default.
    var upgraded: WebURL? {
        guard port == (scheme == "https" ? 443 : 80) else { return nil }
        var url = self
        url.scheme = "https"
        url.port = 443
        return url
    }

    private static func rest(of text: String, after prefix: String) -> Substring? {
        guard ASCII.equalFolded(String(text.prefix(prefix.count)), prefix) else { return nil }
        return text.dropFirst(prefix.count)
    }

    private static func hostAndPort(_ authority: Substring, default standard: Int) -> (String, Int)? {
        var hostText = authority
        var port = standard
        let searched = authority.lastIndex(of: "]").map { authority[$0...] } ?? authority
        if let colon = searched.lastIndex(of: ":") {
            let digits = authority[authority.index(after: colon)...]
            hostText = authority[..<colon]
            if !digits.isEmpty {
                guard digits.utf8.count <= 5, digits.utf8.allSatisfy(ASCII.isDigit), let number = Int(digits),
                    (1...65_535).contains(number)
                else { return nil }
                port = number
            }
        }
        return normalisedHost(String(hostText)).map { ($0, port) }
    }

    /// The host in lower case without a trailing dot; nil if the text is neither a host name nor a bracketed address.
    static func normalisedHost(_ text: String) -> String? {
        if text.hasPrefix("["), text.hasSuffix("]") {
            let inside = text.dropFirst().dropLast()
            guard inside.utf8.count >= 2,
                inside.utf8.allSatisfy({ ASCII.hexValue($0) != nil || $0 == 0x3A || $0 == 0x2E })
            else { return nil }
            return text.lowercased()
        }
        let host = text.hasSuffix(".") ? String(text.dropLast()) : text
        guard !host.isEmpty, host.utf8.count <= 253,
            host.utf8.allSatisfy({ PercentCoding.isUnreserved($0) && $0 != 0x7E }),
            host.split(separator: ".", omittingEmptySubsequences: false).allSatisfy({
                !$0.isEmpty && $0.utf8.count <= 63
            })
        else { return nil }
        return host.lowercased()
    }

    /// Percent-encodes the bytes that a request target must not contain. Existing percent-encoding is kept.
    private static func encoded(_ text: String) -> String {
        let allowed = "-._~:/?[]@!$&'()*+,;=%"
        return PercentCoding.encode(text, keeping: allowed)
    }
}

extension WebURL {
    /// Whether a URL from a response may be passed on as a link or fetched: http or https, and at most 4096 bytes. A
    /// page that shows results must not receive "javascript:…".
    static func isWeb(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { isWeb($0) }
            ?? Bytes(text.utf8).withUnsafeBufferPointer { isWeb($0) }
    }

    static func isWeb(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count <= 4096 else { return false }
        return starts(text, with: "https://") || starts(text, with: "http://")
    }

    private static func starts(_ text: UnsafeBufferPointer<UInt8>, with scheme: StaticString) -> Bool {
        guard text.count >= scheme.utf8CodeUnitCount else { return false }
        for place in 0..<scheme.utf8CodeUnitCount where ASCII.lowercased(text[place]) != scheme.utf8Start[place] {
            return false
        }
        return true
    }

    /// Resolves a reference from a response against the URL of that response (RFC 3986 §5.2), for the three forms that
    /// occur: absolute, "//host/path", "/path". Nil for anything else.
    static func resolve(_ reference: String, against base: String) -> String? {
        if reference.hasPrefix("//") {
            return WebURL("https:" + reference) == nil ? nil : "https:" + reference
        }
        if reference.hasPrefix("/") {
            guard let base = WebURL(base) else { return nil }
            return base.origin + reference
        }
        return WebURL(reference) == nil ? nil : reference
    }
}
