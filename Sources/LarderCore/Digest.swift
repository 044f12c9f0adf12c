// Digests (SHA-256 by libcrypto), secrets, base64url without padding (RFC 4648 §5) and hexadecimal text.
import CCrypto

/// A SHA-256 digest.
public struct Digest: Sendable, Hashable, Comparable {
    public let words: (UInt64, UInt64, UInt64, UInt64)

    /// Computes the digest of the bytes.
    public init(of bytes: Bytes) {
        var out: Raw = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &out) { larder_sha256(bytes, bytes.count, $0.baseAddress) }
        self.init(bigEndian: out)
    }

    /// Creates a digest from its 32 bytes. Returns nil for any other number of bytes.
    public init?(bytes: Bytes) {
        guard bytes.count == 32 else { return nil }
        self.init(bigEndian: bytes.withUnsafeBytes { $0.loadUnaligned(as: Raw.self) })
    }

    /// Creates a digest from 32 bytes in memory without copying them to an array first. Returns nil for any other
    /// number of bytes.
    public init?(raw: UnsafeRawBufferPointer) {
        guard raw.count == 32 else { return nil }
        self.init(bigEndian: raw.loadUnaligned(as: Raw.self))
    }

    /// The 32 bytes in their order in memory.
    typealias Raw = (UInt64, UInt64, UInt64, UInt64)

    init(bigEndian raw: Raw) {
        words = (
            UInt64(bigEndian: raw.0), UInt64(bigEndian: raw.1), UInt64(bigEndian: raw.2), UInt64(bigEndian: raw.3)
        )
    }

    /// Another digest for the `number`-th thing that belongs to this one, such as a flight for one of its codings. It
    /// costs no hashing, and each of its words differs, because tables use one word or another as a hash. The chance that
    /// it equals the digest of any bytes is negligible.
    public func derived(_ number: UInt8) -> Digest {
        let number = UInt64(number)
        return Digest(
            words: (
                words.0 ^ number &* 0x9E37_79B9_7F4A_7C15, words.1 ^ number &* 0xC2B2_AE3D_27D4_EB4F,
                words.2 ^ number &* 0x1656_67B1_9E37_79F9, words.3 ^ number &* 0x27D4_EB2F_1656_67C5
            ))
    }

    private init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

    /// The 32 bytes.
    public var bytes: Bytes {
        let raw = (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)
        return withUnsafeBytes(of: raw) { Bytes($0) }
    }

    /// 64 lower-case hexadecimal digits.
    public var hex: String { Hex.encode(bytes) }

    @inlinable
    public static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }
    @inlinable
    public static func < (left: Digest, right: Digest) -> Bool { left.words < right.words }
    @inlinable
    public func hash(into hasher: inout Hasher) {
        // The digest is already evenly distributed, so one word of it is enough for a hash table.
        hasher.combine(words.0)
    }

    /// The hash for a table of digests alone. Clients choose what is digested, and could look for digests of which some bits
    /// are equal. So two words are multiplied after secrets of this process have been mixed into them.
    @inlinable
    public func _rawHashValue(seed: Int) -> Int {
        let secret = Self.secret
        let product = (words.0 ^ secret.0 ^ UInt64(truncatingIfNeeded: seed)).multipliedFullWidth(
            by: words.1 ^ secret.1)
        return Int(truncatingIfNeeded: product.high ^ product.low)
    }

    @usableFromInline static let secret = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
}

/// Random bytes, and the comparison of secrets.
public enum Secrets {
    /// Returns cryptographically secure random bytes.
    public static func random(_ count: Int) -> Bytes {
        Bytes(room: count) { out, written in
            let done = RAND_bytes(out.baseAddress, Int32(count))
            precondition(done == 1, "the system gave no random bytes")
            written = count
        }
    }

    /// Whether two secrets are equal. The time taken does not depend on where they differ.
    public static func equal(_ left: Bytes, _ right: Bytes) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }

    /// The same for parts of a text, which are not copied.
    public static func equal(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        left.count == right.count && zip(left, right).reduce(0 as UInt8) { $0 | $1.0 ^ $1.1 } == 0
    }
}

/// Base64 with the URL-safe alphabet and no padding.
public enum Base64URL {
    private static let alphabet = Bytes(text: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        var out = Bytes()
        out.reserveCapacity(bytes.count * 4 / 3 + 3)
        var buffer: UInt32 = 0
        var bits = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                out.append(alphabet[Int(buffer >> UInt32(bits) & 63)])
            }
        }
        if bits > 0 { out.append(alphabet[Int(buffer << UInt32(6 - bits) & 63)]) }
        return out.lossyText
    }

    /// Decodes a text. Returns nil if the text is not the one canonical encoding of some bytes.
    public static func decode(_ text: some StringProtocol) -> Bytes? {
        var out = Bytes()
        var buffer: UInt32 = 0
        var bits = 0
        for byte in text.utf8 {
            let value: UInt32
            switch byte {
            case 0x41...0x5A: value = UInt32(byte) - 0x41
            case 0x61...0x7A: value = UInt32(byte) - 0x61 + 26
            case 0x30...0x39: value = UInt32(byte) - 0x30 + 52
            case 0x2D: value = 62
            case 0x5F: value = 63
            default: return nil
            }
            buffer = buffer << 6 | value
            bits += 6
            if bits >= 8 {
                bits -= 8
                out.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        guard bits < 6, buffer & (1 << UInt32(bits) - 1) == 0 else { return nil }
        return out
    }
}

/// Base64 with padding, as in a login (RFC 4648 §4, RFC 7617 §2).
public enum Base64 {
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        let text = Base64URL.encode(bytes).replacing("-", with: "+").replacing("_", with: "/")
        return text + String(repeating: "=", count: (3 - bytes.count % 3) % 3)
    }
}

/// Lower-case hexadecimal text.
public enum Hex {
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        let digits = Bytes(text: "0123456789abcdef")
        var out = Bytes()
        out.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            out.append(digits[Int(byte >> 4)])
            out.append(digits[Int(byte & 15)])
        }
        return out.lossyText
    }
}
