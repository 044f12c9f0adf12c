// Most URLs that are fetched begin like an earlier one. This cache keeps what libcurl's parser made of scheme and
// authority, so libcurl parses each origin once. A URL whose path or query libcurl would change is always parsed by
// libcurl.
import CCurl

/// An origin as libcurl's parser holds it, so that a transfer need not parse a URL again
/// (https://curl.se/libcurl/c/CURLOPT_CURLU.html).
///
/// Unchecked `Sendable`: the handle is never changed, and libcurl copies it on the loop that made it.
final class ParsedOrigin: @unchecked Sendable {
    let handle: OpaquePointer

    /// Nil if libcurl has no memory for it. The URL is then parsed for each transfer.
    init?(_ origin: Origin) {
        guard let handle = curl_url() else { return nil }
        self.handle = handle
        guard curl_url_set(handle, CURLUPART_URL, origin.description, 0) == CURLUE_OK else { return nil }
    }

    deinit { curl_url_cleanup(handle) }
}

/// The origins that libcurl has parsed. Confined to one loop.
struct KnownOrigins {
    /// The number of origins remembered. It is bounded because clients can name any number of them.
    static let limit = 64

    private struct Known {
        var origin: Origin
        /// The text that the URLs begin with in libcurl's form.
        var text: String
        /// Made when the origin is asked for again.
        var parsed: ParsedOrigin?
    }

    private var known: [String: Known] = [:]
    /// The origin of the URL that was read last, and what that URL began with. Most URLs begin like the one before.
    private var latest: (prefix: String, known: Known)?

    var count: Int { known.count }

    /// Reads an absolute URL with the same result as `FetchURL(text)`.
    mutating func read(_ text: String) throws(FetchURL.Refusal) -> FetchURL {
        guard let parts = Self.split(text) else { return try FetchURL(text) }
        if let latest, latest.prefix == parts.prefix { return Self.url(latest.known, text, parts) }
        let prefix = String(parts.prefix)
        if var origin = known[prefix] {
            if origin.parsed == nil {
                origin.parsed = ParsedOrigin(origin.origin)
                known[prefix] = origin
            }
            latest = (prefix, origin)
            return Self.url(origin, text, parts)
        }
        let url = try FetchURL(text)
        // libcurl may end the authority elsewhere: of three slashes it skips the third. The prefix is remembered only
        // if libcurl put the path where `split` did. Then a later URL with the same prefix has the same origin.
        guard url.text == url.origin.description + parts.target else { return url }
        if known.count >= Self.limit { known = [:] }
        known[prefix] = Known(origin: url.origin, text: url.origin.description)
        return url
    }

    private static func url(
        _ known: Known, _ text: String, _ parts: (prefix: Substring, target: Substring)
    ) -> FetchURL {
        FetchURL(
            text: known.text == parts.prefix ? text : known.text + parts.target, origin: known.origin,
            target: String(parts.target), parsed: known.parsed)
    }

    /// Splits a URL into scheme and authority, and the rest. Nil if libcurl would not keep the rest exactly as written:
    /// only a rest that has nothing encoded, and nothing to encode, qualifies.
    private static func split(_ text: String) -> (prefix: Substring, target: Substring)? {
        var copy = text
        return copy.withUTF8 { bytes in
            guard let place = FetchURL.placeOfTarget(in: bytes), place.upperBound == bytes.count else { return nil }
            // libcurl drops an empty query, and may rewrite what is percent-encoded.
            if bytes.last == 0x3F { return nil }
            for byte in bytes[place] where byte == 0x25 { return nil }
            let middle = text.utf8.index(text.startIndex, offsetBy: place.lowerBound)
            return (text[..<middle], text[middle...])
        }
    }
}
