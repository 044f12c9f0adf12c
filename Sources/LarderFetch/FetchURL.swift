// URLs are parsed by libcurl's own parser and by nothing else. The host that was checked is then the host that is
// connected to, whatever trick the text tries (https://curl.se/libcurl/c/libcurl-url.html).
import CCurl
import LarderCore

/// Scheme, host and port. The origin decides whether credentials may be sent along.
struct Origin: Sendable, Hashable, CustomStringConvertible {
    var scheme: String
    /// Lower case. An IPv6 literal keeps its brackets.
    var host: String
    var port: String

    var isSecure: Bool { scheme == "https" }

    /// The origin as errors show it: scheme, host and port, never more.
    var description: String {
        port == (isSecure ? "443" : "80") ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }
}

/// An absolute http or https URL without user information or fragment.
final class FetchURL: Sendable, Hashable {
    /// The URL in libcurl's normal form, all ASCII.
    let text: String
    let origin: Origin
    /// Path and query as they were written, if libcurl's form differs from them in spelling only. Otherwise nil.
    let target: String?
    /// The origin as libcurl parsed it, if it is known.
    let parsed: ParsedOrigin?

    static func == (one: FetchURL, other: FetchURL) -> Bool { one.text == other.text }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// Why a text is not such a URL. The message contains nothing of the text.
    struct Refusal: Error, Sendable, Hashable {
        var message: String
    }

    /// Makes a URL of a text that is already in libcurl's form, and its parts.
    init(text: String, origin: Origin, target: String, parsed: ParsedOrigin? = nil) {
        self.text = text
        self.parsed = parsed
        self.origin = origin
        self.target = target
    }

    /// Parses an absolute URL.
    convenience init(_ text: String) throws(Refusal) {
        try self.init(Bytes(text.utf8), relativeTo: nil, target: Self.target(of: text))
    }

    /// The target of a redirect: a reference, in the form of a field value, resolved against this URL (RFC 3986 §5).
    func resolving(_ reference: String) throws(Refusal) -> FetchURL {
        var bytes = Bytes()
        HeaderField.append(reference, to: &bytes)
        return try FetchURL(bytes, relativeTo: text)
    }

    /// Text and target with a secret query appended. For the wire only, never for an error or a response.
    func joined(_ query: String?) -> (text: String, target: String?) {
        guard let query else { return (text, target) }
        func join(_ part: String) -> String { part + (part.contains("?") ? "&" : "?") + query }
        return (join(text), target.map(join))
    }

    /// Whether a text has the scheme http. Nothing else is checked, and case does not matter (RFC 3986 §3.1).
    static func isPlain(_ text: String) -> Bool {
        ASCII.hasPrefixFolded(text, "http:")
    }

    /// The range of path and query in a text, up to the fragment. Nil if libcurl would have to encode something or to
    /// remove dot segments.
    static func placeOfTarget(in bytes: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        for byte in bytes where byte <= 0x20 || byte >= 0x7F { return nil }
        guard let colon = bytes.firstIndex(of: 0x3A) else { return nil }
        let end = bytes[colon...].firstIndex(of: 0x23) ?? bytes.count
        var start = min(colon + 3, end)
        while start < end, bytes[start] != 0x2F, bytes[start] != 0x3F { start += 1 }
        guard start < end, bytes[start] == 0x2F else { return nil }
        // A segment that begins with a dot, or an encoded dot ("%2e").
        var last: (UInt8, UInt8) = (0, 0)
        for byte in bytes[start..<end] {
            if byte == 0x3F { break }
            if byte == 0x2E && last.1 == 0x2F || byte | 0x20 == 0x65 && last == (0x25, 0x32) { return nil }
            last = (last.1, byte)
        }
        return start..<end
    }

    private static func target(of text: String) -> String? {
        var text = text
        return text.withUTF8 { bytes in
            placeOfTarget(in: bytes).map { String(decoding: UnsafeBufferPointer(rebasing: bytes[$0]), as: UTF8.self) }
        }
    }

    private init(_ reference: Bytes, relativeTo base: String?, target: String? = nil) throws(Refusal) {
        let refused = Refusal(message: "The URL could not be read.")
        guard let handle = curl_url() else { throw refused }
        defer { curl_url_cleanup(handle) }
        let strict = UInt32(CURLU_DISALLOW_USER | CURLU_NON_SUPPORT_SCHEME)
        if let base {
            guard curl_url_set(handle, CURLUPART_URL, base, strict) == CURLUE_OK else { throw refused }
        }
        // URLs in responses contain spaces and raw bytes, which a client is expected to encode. libcurl refuses control
        // characters. NUL is refused here, because it would end the text.
        let flags = strict | UInt32(CURLU_URLENCODE | CURLU_ALLOW_SPACE)
        guard !reference.contains(0) else { throw refused }
        var bytes = reference
        bytes.append(0)
        let code = bytes.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { curl_url_set(handle, CURLUPART_URL, $0.baseAddress, flags) }
        }
        guard code != CURLUE_USER_NOT_ALLOWED else { throw Refusal(message: "The URL holds credentials.") }
        guard code == CURLUE_OK, let scheme = Self.part(handle, CURLUPART_SCHEME) else { throw refused }
        guard scheme == "http" || scheme == "https" else {
            throw Refusal(message: "Only http and https are supported.")
        }
        guard Self.part(handle, CURLUPART_USER) == nil, Self.part(handle, CURLUPART_PASSWORD) == nil else {
            throw Refusal(message: "The URL holds credentials.")
        }
        guard let written = Self.part(handle, CURLUPART_HOST), !written.isEmpty else { throw refused }
        let host = written.lowercased()
        // libcurl maps a non-ASCII name by the process's locale, which a daemon does not have.
        guard host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Refusal(message: "The host name must be in its ASCII form (xn--...).")
        }
        guard
            host == written || curl_url_set(handle, CURLUPART_HOST, host, 0) == CURLUE_OK,
            curl_url_set(handle, CURLUPART_FRAGMENT, nil, 0) == CURLUE_OK,
            let port = Self.part(handle, CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)),
            let url = Self.part(handle, CURLUPART_URL, UInt32(CURLU_NO_DEFAULT_PORT)),
            url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw refused }
        self.text = url
        self.target = target
        parsed = nil
        origin = Origin(scheme: scheme, host: host, port: port)
    }

    private static func part(_ handle: OpaquePointer, _ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
