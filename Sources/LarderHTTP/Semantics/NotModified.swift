// Which fields of a stored answer go with a 304 (RFC 9110 §15.4.5): all but those that describe a body the client has.
// `Last-Modified` stays only where no entity tag says which version was confirmed.
import LarderCore

/// The head of a 304.
public enum NotModified {
    private static let describing: FieldNameSet = [
        "content-type", "content-length", "content-encoding", "content-language", "content-range", "content-digest",
        "content-md5",
    ]

    /// The stored fields without what 304 should not carry (RFC 9110 §15.4.5), in their order. `Cache-Control`,
    /// `Content-Location`, `Date`, `ETag`, `Expires` and `Vary`, which it must carry, stay where they are stored.
    public static func fields(of stored: HeaderFields) -> HeaderFields {
        let hasTag = stored.contains("ETag")
        var kept = stored
        kept.lines.removeAll { line in
            describing.contains(line.name) || hasTag && ASCII.equalFolded(line.name, "Last-Modified")
        }
        return kept
    }
}
