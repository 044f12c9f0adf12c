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

    /// What a parameter is in the bytes of every key that has it.
    public static func part(_ parameter: KeyParameter) -> Bytes {
        let key = CacheKey(layer: .raw, provider: "", endpoint: "", parameters: [parameter])
        // Version, layer and the lengths of two empty names before it; the mark and the identity's length after it.
        return Bytes(key.bytes.dropFirst(10).dropLast(5))
    }

    /// Whether the answer is everybody's: the key names nobody's identity. One is a hash, which ends like this mark and a
    /// length of zero for nobody.
    public var isEverybodys: Bool { bytes.suffix(5) == [0xFF, 0, 0, 0, 0] }

    /// The length, then the bytes.
    private static func put(_ part: String, to out: inout ByteCursor) {
        put(length: part.utf8.count, to: &out)
        out.put(part)
    }

    /// A four-byte big-endian number. Its first byte is never 0xFF, so the mark before the identity cannot be taken for
    /// one more parameter.
    private static func put(length: Int, to out: inout ByteCursor) {
        precondition(length < 1 << 24, "a key part of 16 MiB")
        out.put(UInt8(truncatingIfNeeded: length >> 24))
        out.put(UInt8(truncatingIfNeeded: length >> 16))
        out.put(UInt8(truncatingIfNeeded: length >> 8))
        out.put(UInt8(truncatingIfNeeded: length))
    }
}
