// Digests that a response carries of its own bytes (RFC 9530). `Content-Digest` covers the content, `Repr-Digest` the
// representation. In a whole response with status 200, both cover the same bytes. Only SHA-256 is checked; other
// algorithms are skipped (§5 leaves the choice to the recipient).
import LarderCore

/// The digests that a response gives of its own bytes.
public struct DigestFields: Sendable, Hashable {
    /// The SHA-256 digests given. If they differ, no content can match all of them.
    public let expected: Set<Digest>

    /// Reads the fields of a whole response; nil if they give no SHA-256. A field that breaks the grammar counts as
    /// absent.
    public init?(_ fields: HeaderFields) { self.init(fields, of: ["Content-Digest", "Repr-Digest"]) }

    /// Reads the fields of a part. Only `Content-Digest` covers a part's bytes.
    public init?(ofPart fields: HeaderFields) { self.init(fields, of: ["Content-Digest"]) }

    private init?(_ fields: HeaderFields, of names: [String]) {
        var expected: Set<Digest> = []
        for name in names where fields.contains(name) {
            guard let member = StructuredField.dictionary(fields.all(name))?["sha-256"],
                case .item(let item) = member, case .bytes(let bytes) = item.value, let digest = Digest(bytes: bytes)
            else { continue }
            expected.insert(digest)
        }
        guard !expected.isEmpty else { return nil }
        self.expected = expected
    }

    /// Digests of the content of a message, whatever it is (RFC 9530 §2, RFC 1864). They do not apply to a part of the
    /// content, nor to a message without content. Digests of the representation are the same for each of its parts.
    public static let ofContent: FieldNameSet = ["Content-Digest", "Content-MD5"]
    /// Digests of the representation (RFC 9530 §3, RFC 3230).
    public static let ofRepresentation: FieldNameSet = ["Repr-Digest", "Digest"]

    /// Whether content with this digest matches all digests given.
    public func agree(with digest: Digest) -> Bool { expected == [digest] }
}
