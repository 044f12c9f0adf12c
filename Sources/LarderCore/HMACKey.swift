// HMAC-SHA-256 with a key that is used repeatedly. The two digest blocks that depend only on the key are computed once,
// as RFC 2104 §4 suggests. libcrypto's own HMAC() also looks up its algorithm by name on each call, which costs more
// than the code of a short text.
import CCrypto

/// A key that is prepared for computing codes.
public struct HMACKey: Sendable {
    /// The digest states after the key XORed with the inner and with the outer pad (RFC 2104 §2).
    private let inner: SHA256_CTX
    private let outer: SHA256_CTX

    /// - Parameter key: of any length. A key longer than a block is replaced by its digest.
    public init(_ key: Bytes) {
        let key = key.count > Self.block ? Digest(of: key).bytes : key
        let padded = key + Bytes(repeating: 0, count: Self.block - key.count)
        inner = Self.begun(with: padded.map { $0 ^ 0x36 })
        outer = Self.begun(with: padded.map { $0 ^ 0x5C })
    }

    /// Computes the code of a text.
    public func code(of bytes: Bytes) -> Digest {
        var inside = inner
        larder_sha256_add(&inside, bytes, bytes.count)
        var digest: Digest.Raw = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &digest) { larder_sha256_end(&inside, $0.baseAddress) }
        var outside = outer
        withUnsafeBytes(of: digest) { larder_sha256_add(&outside, $0.baseAddress, $0.count) }
        withUnsafeMutableBytes(of: &digest) { larder_sha256_end(&outside, $0.baseAddress) }
        return Digest(bigEndian: digest)
    }

    /// The block size of SHA-256 in bytes (FIPS 180-4 §1).
    private static let block = 64

    private static func begun(with block: Bytes) -> SHA256_CTX {
        var context = SHA256_CTX()
        larder_sha256_begin(&context)
        larder_sha256_add(&context, block, block.count)
        return context
    }
}
