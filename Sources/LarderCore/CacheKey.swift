// A key is a typed tuple, never joined text: every part carries its presence and its length, so no two different
// tuples give the same bytes. Credentials are never part of it; who asked is, as a hash, where answers differ by person.

/// The identity of one cached answer. Compared by its whole bytes; the digest finds it.
public struct CacheKey: Sendable, Hashable {
    /// The whole encoded tuple, stored beside the digest and compared on read.
    public let bytes: Bytes
    /// SHA-256 of the bytes: the row's name in the store and the index in memory.
    public let digest: Digest

    /// A key from bytes that were read back from the store.
    public init(bytes: Bytes) {
        self.bytes = bytes
        self.digest = Digest(of: bytes)
    }

    public static func == (left: CacheKey, right: CacheKey) -> Bool {
        left.digest == right.digest && left.bytes == right.bytes
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
    }
}

/// One named parameter of a key. Absent, empty and present are three different things.
public struct KeyParameter: Sendable, Hashable {
    public var name: String
    public var value: String?

    public init(_ name: String, _ value: String?) {
        self.name = name
        self.value = value
    }
}

extension CacheKey {
    /// What kind of answer a key names; raw and normalised forms of one fetch are different entries.
    public enum Layer: UInt8, Sendable, Hashable, CaseIterable {
        case raw = 1
        case normalised = 2
        case artwork = 3
    }

    /// Raised when the encoding or the meaning of a part changes: old rows then never match and are evicted first.
    public static let version: UInt8 = 1

    /// - Parameters:
    ///   - parameters: in canonical order; the caller leaves out what equals a default and does not matter.
    ///   - identity: a hash of the client's own credentials, empty where the answer is shared by all.
    public init(layer: Layer, provider: String, endpoint: String, parameters: [KeyParameter], identity: Bytes = []) {
        var out: Bytes = [Self.version, layer.rawValue]
        Self.append(Bytes(text: provider), to: &out)
        Self.append(Bytes(text: endpoint), to: &out)
        for parameter in parameters {
            Self.append(Bytes(text: parameter.name), to: &out)
            if let value = parameter.value {
                out.append(1)
                Self.append(Bytes(text: value), to: &out)
            } else {
                out.append(0)
            }
        }
        out.append(0xFF)
        Self.append(identity, to: &out)
        self.init(bytes: out)
    }

    /// Length as a four-byte big-endian number, then the bytes. A length's first byte is never 0xFF, so the mark
    /// before the identity cannot be taken for one more parameter.
    private static func append(_ part: Bytes, to out: inout Bytes) {
        precondition(part.count < 1 << 24, "a key part of 16 MiB")
        for shift in [24, 16, 8, 0] { out.append(UInt8(truncatingIfNeeded: part.count >> shift)) }
        out.append(contentsOf: part)
    }
}
