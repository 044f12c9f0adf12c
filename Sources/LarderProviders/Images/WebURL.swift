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
        var text = text
        guard let url = text.withUTF8({ WebURL($0) }) else { return nil }
        self = url
    }

    private init?(_ text: UnsafeBufferPointer<UInt8>) {
        let isSecure = Self.starts(text, with: "https://")
        guard isSecure || Self.starts(text, with: "http://"),
            text.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != 0x5C })
        else { return nil }
        let rest = text[(isSecure ? 8 : 7)...]
        let end = rest.firstIndex(of: 0x23) ?? rest.endIndex
        let targetStart = rest[..<end].firstIndex { $0 == 0x2F || $0 == 0x3F } ?? end
        let authority = rest[..<targetStart]
        guard !authority.contains(0x40), let (host, port) = Self.hostAndPort(authority, default: isSecure ? 443 : 80)
        else { return nil }
        let target = text[targetStart..<end]
        scheme = isSecure ? "https" : "http"
        (self.host, self.port) = (host, port)
        self.target = (target.first == 0x3F ? "/" : "") + Self.encoded(String(decoding: target, as: UTF8.self))
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

    private static func hostAndPort(
        _ authority: Slice<UnsafeBufferPointer<UInt8>>, default standard: Int
    ) -> (String, Int)? {
        let searched = authority[(authority.lastIndex(of: 0x5D) ?? authority.startIndex)...]
        guard let colon = searched.lastIndex(of: 0x3A) else { return normalisedHost(authority).map { ($0, standard) } }
        let digits = authority[(colon + 1)...]
        guard let host = normalisedHost(authority[..<colon]) else { return nil }
        if digits.isEmpty { return (host, standard) }
        guard digits.count <= 5, digits.allSatisfy(ASCII.isDigit) else { return nil }
        let port = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return (1...65_535).contains(port) ? (host, port) : nil
    }

    /// The host in lower case without a trailing dot; nil if the text is neither a host name nor a bracketed address.
    static func normalisedHost(_ text: String) -> String? {
        var text = text
        return text.withUTF8 { normalisedHost($0[...]) }
    }

    private static func normalisedHost(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
        var host = text
        if text.first == 0x5B, text.last == 0x5D {
            let inside = text.dropFirst().dropLast()
            guard inside.count >= 2,
                inside.allSatisfy({ ASCII.hexValue($0) != nil || $0 == 0x3A || $0 == 0x2E })
            else { return nil }
        } else {
            if host.last == 0x2E { host.removeLast() }
            guard !host.isEmpty, host.count <= 253 else { return nil }
            var start = host.startIndex
            for place in host.indices {
                guard PercentCoding.isUnreserved(host[place]), host[place] != 0x7E else { return nil }
                guard host[place] == 0x2E else { continue }
                guard (1...63).contains(place - start) else { return nil }
                start = place + 1
            }
            guard (1...63).contains(host.endIndex - start) else { return nil }
        }
        return String(decoding: host.lazy.map(ASCII.lowercased), as: UTF8.self)
    }

    /// Percent-encodes the bytes that a request target must not contain. Existing percent-encoding is kept.
    private static func encoded(_ text: String) -> String {
        PercentCoding.encode(text, keeping: "-._~:/?[]@!$&'()*+,;=%")
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
