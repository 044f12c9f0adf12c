// Nearly every URL that is fetched begins as one before it did. What libcurl's parser made of scheme and authority is remembered,
// so that it reads each origin once. A URL whose path or query libcurl would change is given to libcurl.

/// Origins that libcurl has read. Confined to one loop.
struct KnownOrigins {
    /// A client could name any number of them.
    static let limit = 64

    private var known: [String: Origin] = [:]

    var count: Int { known.count }

    /// Reads an absolute URL, as `FetchURL` would.
    mutating func read(_ text: String) throws(FetchURL.Refusal) -> FetchURL {
        guard let parts = Self.split(text) else { return try FetchURL(text) }
        if let origin = known[parts.prefix] { return FetchURL(origin: origin, target: parts.target) }
        let url = try FetchURL(text)
        // libcurl may find the authority elsewhere: of three slashes it passes over the third. Only where it found it before the
        // same path does the next path with these letters before it belong to the same origin.
        guard url.text == url.origin.description + parts.target else { return url }
        if known.count >= Self.limit { known = [:] }
        known[parts.prefix] = url.origin
        return url
    }

    /// Scheme and authority, and the rest where libcurl keeps that as it is written: nothing in it is encoded, and nothing is to be.
    private static func split(_ text: String) -> (prefix: String, target: String)? {
        var text = text
        return text.withUTF8 { bytes in
            guard let place = FetchURL.placeOfTarget(in: bytes), place.upperBound == bytes.count else { return nil }
            // libcurl drops a query that is empty, and may write what is encoded in another way.
            if bytes.last == 0x3F { return nil }
            for byte in bytes[place] where byte == 0x25 { return nil }
            return (
                String(decoding: UnsafeBufferPointer(rebasing: bytes[..<place.lowerBound]), as: UTF8.self),
                String(decoding: UnsafeBufferPointer(rebasing: bytes[place]), as: UTF8.self)
            )
        }
    }
}
