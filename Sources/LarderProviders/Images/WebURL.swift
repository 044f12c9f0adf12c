// The http and https URLs that answers contain, taken apart as far as rules and fetches need (RFC 3986 §3). Whatever
// two parsers could read differently (user information, backslashes, control characters) makes it no URL at all.
import LarderCore

/// An absolute http or https URL.
struct WebURL: Sendable, Hashable {
    /// "http" or "https".
    var scheme: String
    /// Lower case, without a dot at its end; an IPv6 address keeps its brackets.
    var host: String
    var port: Int
    /// Path and query, percent-encoded where needed, beginning with "/" unless it is empty; no fragment.
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

    /// The whole URL, the port only where it is not the scheme's own.
    var text: String { origin + target }

    var origin: String {
        port == (scheme == "https" ? 443 : 80) ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }

    /// The same by https on port 443; nil where the URL names another port.
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

    /// Lower case without a dot at the end; nil where it is no host name or bracketed address.
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

    /// Percent-encodes what may not stand in a request target; what is encoded already stays.
    private static func encoded(_ text: String) -> String {
        let allowed = "-._~:/?[]@!$&'()*+,;=%"
        return PercentCoding.encode(text, keeping: allowed)
    }
}

extension WebURL {
    /// Whether a text from an answer may be handed on as a link or fetched at all: http or https and not endless. A
    /// page that shows results must not be given "javascript:…".
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

    /// A reference as it stands in an answer, made absolute against the URL that answered (RFC 3986 §5.2, for the three
    /// forms that occur: absolute, "//host/path", "/path"). nil for anything else.
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
