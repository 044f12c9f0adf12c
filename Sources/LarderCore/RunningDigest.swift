// Digests of a body that is never in memory as a whole.
import CCrypto

/// A SHA-256 digest that is computed piece by piece.
public struct RunningDigest: Sendable {
    private var context = SHA256_CTX()

    public init() {
        larder_sha256_begin(&context)
    }

    /// Adds the next bytes.
    public mutating func add(_ bytes: Bytes) {
        larder_sha256_add(&context, bytes, bytes.count)
    }

    /// The digest of all bytes added so far.
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

/// A SHA-512 digest that is computed piece by piece.
public struct RunningSHA512: Sendable {
    private var context = SHA512_CTX()

    public init() {
        larder_sha512_begin(&context)
    }

    /// Adds the next bytes.
    public mutating func add(_ bytes: Bytes) {
        larder_sha512_add(&context, bytes, bytes.count)
    }

    /// The 64 bytes of the digest of all bytes added so far.
    public var bytes: Bytes {
        var context = context
        return Bytes(room: 64) { out, count in
            larder_sha512_end(&context, out.baseAddress)
            count = 64
        }
    }
}
