// Most URLs that are fetched begin like an earlier one. This cache keeps what libcurl's parser made of scheme and
// authority, so libcurl parses each origin once. A URL whose path or query libcurl would change is always parsed by
// libcurl.

/// The origins that libcurl has parsed. Confined to one loop.
struct KnownOrigins {
    /// The number of origins remembered. It is bounded because clients can name any number of them.
    static let limit = 64

    private var known: [String: Origin] = [:]

    var count: Int { known.count }

    /// Reads an absolute URL with the same result as `FetchURL(text)`.
    mutating func read(_ text: String) throws(FetchURL.Refusal) -> FetchURL {
        guard let parts = Self.split(text) else { return try FetchURL(text) }
        if let origin = known[parts.prefix] { return FetchURL(origin: origin, target: parts.target) }
        let url = try FetchURL(text)
        // libcurl may end the authority elsewhere: of three slashes it skips the third. The prefix is remembered only
        // if libcurl put the path where `split` did. Then a later URL with the same prefix has the same origin.
        guard url.text == url.origin.description + parts.target else { return url }
        if known.count >= Self.limit { known = [:] }
        known[parts.prefix] = url.origin
        return url
    }

    /// Splits a URL into scheme and authority, and the rest. Nil if libcurl would not keep the rest exactly as written:
    /// only a rest that has nothing encoded, and nothing to encode, qualifies.
    private static func split(_ text: String) -> (prefix: String, target: String)? {
        var text = text
        return text.withUTF8 { bytes in
            guard let place = FetchURL.placeOfTarget(in: bytes), place.upperBound == bytes.count else { return nil }
            // libcurl drops an empty query, and may rewrite what is percent-encoded.
            if bytes.last == 0x3F { return nil }
            for byte in bytes[place] where byte == 0x25 { return nil }
            return (
                String(decoding: UnsafeBufferPointer(rebasing: bytes[..<place.lowerBound]), as: UTF8.self),
                String(decoding: UnsafeBufferPointer(rebasing: bytes[place]), as: UTF8.self)
            )
        }
    }
}
