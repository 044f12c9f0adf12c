// Digests that an answer carries of its own content (RFC 9530). `Content-Digest` is of the content, `Repr-Digest` of the
// representation: in a whole answer with status 200 both are of the same bytes. SHA-256 is looked at; other algorithms are
// passed over (§5 leaves the choice to the recipient).
import LarderCore

/// What an answer says of its own bytes.
public struct DigestFields: Sendable, Hashable {
    /// The SHA-256 digests that were given. Where they differ no content has them all.
    public let expected: Set<Digest>

    /// Reads the fields of a whole answer; nil where they give no SHA-256. A field that breaks the grammar is as if it were
    /// absent.
    public init?(_ fields: HeaderFields) { self.init(fields, of: ["Content-Digest", "Repr-Digest"]) }

    /// Reads the fields of a part: only `Content-Digest` is about what it holds.
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

    /// Digests of the content of a message, whatever it holds (RFC 9530 §2, RFC 1864): not true of a part of it, nor of none. The
    /// digests of the representation are the same for each of its parts.
    public static let ofContent: FieldNameSet = ["Content-Digest", "Content-MD5"]
    /// Those of the representation (RFC 9530 §3, RFC 3230).
    public static let ofRepresentation: FieldNameSet = ["Repr-Digest", "Digest"]

    /// Whether content with that digest is what was promised.
    public func agree(with digest: Digest) -> Bool { expected == [digest] }
}
