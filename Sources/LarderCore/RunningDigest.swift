// The digest of a body of which nobody holds the whole.
import CCrypto

/// A SHA-256 digest in the making.
public struct RunningDigest: Sendable {
    private var context = SHA256_CTX()

    public init() {
        larder_sha256_begin(&context)
    }

    /// Takes the next bytes.
    public mutating func add(_ bytes: Bytes) {
        larder_sha256_add(&context, bytes, bytes.count)
    }

    /// The digest of all that was taken.
    public var digest: Digest {
        var context = context
        let bytes = Bytes(room: 32) { out, count in
            larder_sha256_end(&context, out.baseAddress)
            count = 32
        }
        guard let digest = Digest(bytes: bytes) else { preconditionFailure("a digest has 32 bytes") }
        return digest
    }
}
