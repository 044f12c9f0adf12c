// Digests that a response carries of its own bytes (RFC 9530). `Content-Digest` covers the content, `Repr-Digest` the
// representation. In a response that is not a part, both cover the same bytes. The active algorithms of the IANA
// registry are checked, SHA-256 and SHA-512; other algorithms are skipped (§5 leaves the choice to the recipient).
import LarderCore

/// The digests that a response gives of its own bytes.
public struct DigestFields: Sendable, Hashable {
    /// The SHA-256 digests given. If they differ, no content can match all of them.
    private var sha256: Set<Bytes> = []
    /// The SHA-512 digests given.
    private var sha512: Set<Bytes> = []

    /// Reads the fields of a whole response; nil if they give no digest that can be checked. A field that breaks the
    /// grammar counts as absent.
    public init?(_ fields: HeaderFields) { self.init(fields, of: ["Content-Digest", "Repr-Digest"]) }

    /// Reads the fields of a part. Only `Content-Digest` covers a part's bytes.
    public init?(ofPart fields: HeaderFields) { self.init(fields, of: ["Content-Digest"]) }

    /// Reads the fields of a representation that is combined from parts. Only `Repr-Digest` covers all of its bytes.
    public init?(ofRepresentation fields: HeaderFields) { self.init(fields, of: ["Repr-Digest"]) }

    private init?(_ fields: HeaderFields, of names: [String]) {
        for name in names where fields.contains(name) {
            guard let members = StructuredField.dictionary(fields.all(name)) else { continue }
            if let bytes = Self.bytes(members["sha-256"]), bytes.count == 32 { sha256.insert(bytes) }
            if let bytes = Self.bytes(members["sha-512"]), bytes.count == 64 { sha512.insert(bytes) }
        }
        guard !sha256.isEmpty || !sha512.isEmpty else { return nil }
    }

    private static func bytes(_ member: StructuredField.Member?) -> Bytes? {
        guard case .item(let item) = member, case .bytes(let bytes) = item.value else { return nil }
        return bytes
    }

    /// Digests of the content of a message, whatever it is (RFC 9530 §2, RFC 1864). They do not apply to a part of the
    /// content, nor to a message without content. Digests of the representation are the same for each of its parts.
    public static let ofContent: FieldNameSet = ["Content-Digest", "Content-MD5"]
    /// Digests of the representation (RFC 9530 §3, RFC 3230).
    public static let ofRepresentation: FieldNameSet = ["Repr-Digest", "Digest"]

    /// Compares bytes with the digests, piece by piece.
    public struct Check: Sendable {
        private let promised: DigestFields
        private var sha256: RunningDigest?
        private var sha512: RunningSHA512?

        public init(_ promised: DigestFields) {
            self.promised = promised
            if !promised.sha256.isEmpty { sha256 = RunningDigest() }
            if !promised.sha512.isEmpty { sha512 = RunningSHA512() }
        }

        /// Adds the next bytes.
        public mutating func add(_ bytes: Bytes) {
            sha256?.add(bytes)
            sha512?.add(bytes)
        }

        /// Whether the bytes added so far match all digests given.
        public var agrees: Bool {
            if let sha256, promised.sha256 != [sha256.digest.bytes] { return false }
            if let sha512, promised.sha512 != [sha512.bytes] { return false }
            return true
        }
    }
}
