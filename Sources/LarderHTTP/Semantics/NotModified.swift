// Chooses the fields of a stored response that go with a 304 (RFC 9110 §15.4.5): all except those that describe a body
// that the client has. `Last-Modified` stays only if no entity tag identifies the confirmed version.
import LarderCore

/// The head of a 304.
public enum NotModified {
    private static let describing: FieldNameSet = [
        "content-type", "content-length", "content-encoding", "content-language", "content-range", "content-digest",
        "content-md5",
    ]

    /// The stored fields, in order, without those that a 304 should not carry (RFC 9110 §15.4.5). `Cache-Control`,
    /// `Content-Location`, `Date`, `ETag`, `Expires` and `Vary`, which a 304 must carry, are kept if they are stored.
    public static func fields(of stored: HeaderFields) -> HeaderFields {
        let hasTag = stored.contains(.etag)
        return stored.filtered { !$0.isIn(describing) && !(hasTag && $0.isNamed(.lastModified)) }
    }
}
