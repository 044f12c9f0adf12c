// Fields that describe the exact bytes of a body. If a body is replaced by another one, such as the same content
// without its coding, these fields are no longer true.
import LarderCore

extension HeaderFields {
    /// Coding, length and digests (RFC 9110 §8.4 and §8.6, RFC 9530, and the older RFC 3230 and RFC 1864).
    private static let ofExactBytes: FieldNameSet = [
        "Content-Encoding", "Content-Length", "Content-Digest", "Repr-Digest", "Digest", "Content-MD5",
    ]

    /// Changes the fields so that they fit other bytes than those they came with. A strong entity tag names exact
    /// bytes, so it becomes weak (RFC 9110 §8.8.1).
    public mutating func describeOtherBytes() {
        remove(Self.ofExactBytes)
        if let tag = first("ETag"), !tag.hasPrefix("W/") { set("ETag", "W/\(tag)") }
    }
}
