// A cache key is a typed tuple, never concatenated text. Every part carries its presence and its length, so two
// different tuples never give the same bytes. Credentials are never part of a key. If responses differ by client, the
// key holds a hash of who asked.

/// The identity of one cached response. Equality compares all bytes; look-ups use the digest.
public struct CacheKey: Sendable, Hashable {
    /// The whole encoded tuple. The store keeps it beside the digest and compares it on read.
    public let bytes: Bytes
    /// SHA-256 of the bytes: the name of the row in the store and the index in memory.
    public let digest: Digest

    /// Creates a key from bytes that were read back from the store.
    public init(bytes: Bytes) {
        if bytes.count > 1, bytes[1] & Self.partsMark != 0 {
            var whole = bytes
            whole[1] &= ~Self.partsMark
            self.init(bytes: bytes, digest: Digest(of: whole).derived(Self.partsMark))
        } else {
            self.init(bytes: bytes, digest: Digest(of: bytes))
        }
    }

    /// Creates a key from bytes that were read back together with their digest.
    public init(bytes: Bytes, digest: Digest) {
        self.bytes = bytes
        self.digest = digest
    }

    /// A bit of the layer's byte. It is set in the key of what is stored of a response in parts.
    private static let partsMark: UInt8 = 0x80

    /// The key of the list of what is stored in parts of the response that this key names. Each look-up that finds no whole
    /// response asks for it, so its digest is derived and costs no hashing.
    public var ofParts: CacheKey {
        precondition(bytes[1] & Self.partsMark == 0, "a list of parts has no list of parts")
        var marked = bytes
        marked[1] |= Self.partsMark
        return CacheKey(bytes: marked, digest: digestOfParts)
    }

    /// The digest of `ofParts`.
    public var digestOfParts: Digest { digest.derived(Self.partsMark) }

    public static func == (left: CacheKey, right: CacheKey) -> Bool {
        left.digest == right.digest && left.bytes == right.bytes
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
    }
}

/// One named parameter of a key. Absent, empty and non-empty values are three different things.
public struct KeyParameter: Sendable, Hashable {
    public var name: String
    public var value: String?

    public init(_ name: String, _ value: String?) {
        self.name = name
        self.value = value
    }
}

extension CacheKey {
    /// The kind of entry that a key names. The raw and the normalised form of one fetch are different entries.
    public enum Layer: UInt8, Sendable, Hashable, CaseIterable {
        case raw = 1
        case normalised = 2
        case artwork = 3
    }

    /// The version of the encoding. It is raised when the encoding or the meaning of a part changes: old rows then
    /// never match and are evicted first.
    public static let version: UInt8 = 1

    /// - Parameters:
    ///   - parameters: in canonical order. The caller leaves out values that equal a default and do not matter.
    ///   - identity: a hash of the client's own credentials; empty if all clients share the response.
    public init(layer: Layer, provider: String, endpoint: String, parameters: [KeyParameter], identity: Bytes = []) {
        var size = 2 + 4 + provider.utf8.count + 4 + endpoint.utf8.count + 1 + 4 + identity.count
        for parameter in parameters { size += 9 + parameter.name.utf8.count + (parameter.value?.utf8.count ?? 0) }
        let bytes = Bytes(room: size) { buffer, count in
            var out = ByteCursor(buffer)
            out.put(Self.version)
            out.put(layer.rawValue)
            Self.put(provider, to: &out)
            Self.put(endpoint, to: &out)
            for parameter in parameters {
                Self.put(parameter.name, to: &out)
                if let value = parameter.value {
                    out.put(1)
                    Self.put(value, to: &out)
                } else {
                    out.put(0)
                }
            }
            out.put(0xFF)
            Self.put(length: identity.count, to: &out)
            identity.withUnsafeBufferPointer { out.put($0) }
            count = out.count
        }
        self.init(bytes: bytes)
    }

    /// The bytes that a parameter contributes to every key that has it.
    public static func part(_ parameter: KeyParameter) -> Bytes {
        let key = CacheKey(layer: .raw, provider: "", endpoint: "", parameters: [parameter])
        // Drop the version, the layer and the lengths of two empty names before it, the mark and the identity's length
        // after it.
        return Bytes(key.bytes.dropFirst(10).dropLast(5))
    }

    /// Whether all clients share the response: the key has no identity. An identity is a hash; the chance that one ends
    /// with the mark and a length of zero is negligible.
    public var isEverybodys: Bool { bytes.suffix(5) == [0xFF, 0, 0, 0, 0] }

    /// Writes the length, then the bytes.
    private static func put(_ part: String, to out: inout ByteCursor) {
        put(length: part.utf8.count, to: &out)
        out.put(part)
    }

    /// Writes a four-byte big-endian number. Its first byte is never 0xFF, so the mark before the identity cannot be
    /// read as one more parameter.
    private static func put(length: Int, to out: inout ByteCursor) {
        precondition(length < 1 << 24, "a key part of 16 MiB")
        out.put(UInt8(truncatingIfNeeded: length >> 24))
        out.put(UInt8(truncatingIfNeeded: length >> 16))
        out.put(UInt8(truncatingIfNeeded: length >> 8))
        out.put(UInt8(truncatingIfNeeded: length))
    }
}
