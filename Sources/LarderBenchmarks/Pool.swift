// The bodies of Benchmarks/origin.c, generated here as well. Every byte that a cache passes on is compared with the
// expected byte.
import Glibc
import LarderCore

/// The kind of an object's body. The raw value is the first part of its path.
enum BodyKind: String {
    case image, json, slow
    /// Marked `no-store`.
    case uncacheable = "private"
}

/// One object of the origin.
struct OriginObject: Hashable {
    var kind: BodyKind
    var size: Int
    var id: Int

    var path: String { "/\(kind.rawValue)/\(size)/\(id)" }
}

/// The bytes from which all bodies are cut.
struct Pool {
    static let size = 1 << 20
    private let images: Bytes
    private let texts: Bytes

    init() {
        let alphabet = Bytes("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _".utf8)
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        var images = Bytes()
        images.reserveCapacity(2 * Self.size)
        for _ in 0..<Self.size {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            images.append(UInt8(truncatingIfNeeded: state >> 32))
        }
        let texts = images.map { alphabet[Int($0 & 63)] }
        // Stored twice in a row, so a piece may cross the end.
        self.images = images + images
        self.texts = texts + texts
    }

    /// Whether these bytes are the object's body from this offset on.
    func matches(_ bytes: UnsafeBufferPointer<UInt8>, of object: OriginObject, at place: Int) -> Bool {
        let source = object.kind == .json ? texts : images
        var start = (object.id &* 7919 &+ object.size &+ place) % Self.size
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(2 * Self.size - start)
            let isSame = source.withUnsafeBufferPointer { source in
                guard let one = piece.base.baseAddress, let other = source.baseAddress else { return piece.isEmpty }
                return memcmp(one + piece.startIndex, other + start, piece.count) == 0
            }
            guard isSame else { return false }
            rest = rest.dropFirst(piece.count)
            start = 0
        }
        return true
    }

    /// The same for a whole body.
    func isBody(_ body: Bytes, of object: OriginObject) -> Bool {
        body.count == object.size && body.withUnsafeBufferPointer { matches($0, of: object, at: 0) }
    }
}
