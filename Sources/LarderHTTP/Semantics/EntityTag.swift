// Entity tags (RFC 9110 §8.8.3): an opaque text, weak or strong, for which only equality is defined.
import LarderCore

/// One entity tag.
public struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    /// Whether the tag promises only an equivalent, not an identical, representation.
    public var isWeak: Bool
    /// The text between the quotes, with one scalar per byte.
    public var opaque: String
    /// False for a text without quotes. It is no entity tag, but some origins send it, and it matches itself.
    public private(set) var isQuoted = true

    /// Makes a tag. The opaque text must contain neither quotes nor control characters.
    public init(isWeak: Bool = false, opaque: String) {
        self.isWeak = isWeak
        self.opaque = opaque
    }

    /// A strong tag of our own for these bytes: 128 bits of their SHA-256.
    public init(of bytes: Bytes) {
        self.init(opaque: Base64URL.encode(Digest(of: bytes).bytes.prefix(16)))
    }

    /// Parses a text that is an entity tag and nothing else; nil if it is not.
    public static func parse(_ text: some StringProtocol) -> EntityTag? {
        var text = String(text)
        return text.withUTF8 { bytes in
            let isWeak = bytes.count >= 2 && bytes[0] == 0x57 && bytes[1] == 0x2F
            let start = isWeak ? 2 : 0
            let end = bytes.count - 1
            guard end > start, bytes[start] == 0x22, bytes[end] == 0x22 else { return nil }
            let opaque = UnsafeBufferPointer(rebasing: bytes[(start + 1)..<end])
            guard opaque.allSatisfy(isTagByte) else { return nil }
            return EntityTag(isWeak: isWeak, opaque: String(decoding: opaque, as: UTF8.self))
        }
    }

    /// The tag as a field gives it, also without quotes. Nil for anything else, such as a date.
    public static func asGiven(_ text: some StringProtocol) -> EntityTag? {
        if let tag = parse(text) { return tag }
        guard !text.isEmpty, text != "*", text.utf8.allSatisfy({ isTagByte($0) && $0 != 0x2C }) else { return nil }
        var tag = EntityTag(opaque: String(text))
        tag.isQuoted = false
        return tag
    }

    /// Whether a byte may occur in the text's UTF-8. Scalars above U+00FF stand for no field byte; they begin with a
    /// byte above 0xC3.
    private static func isTagByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x7E, 0x80...0xC3: true
        default: false
        }
    }

    /// The tag as written in a field.
    public var description: String { isQuoted ? isWeak ? "W/\"\(opaque)\"" : "\"\(opaque)\"" : opaque }

    /// Strong comparison: both strong, and equal (RFC 9110 §8.8.3.2).
    public func stronglyEquals(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && weaklyEquals(other)
    }

    /// Weak comparison: equal texts, weak or not.
    public func weaklyEquals(_ other: EntityTag) -> Bool {
        isQuoted == other.isQuoted && opaque.unicodeScalars.elementsEqual(other.opaque.unicodeScalars)
    }

    // Swift compares texts by canonical equivalence; entity tags are compared by their bytes.
    public static func == (left: EntityTag, right: EntityTag) -> Bool {
        left.isWeak == right.isWeak && left.weaklyEquals(right)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(isWeak)
        for scalar in opaque.unicodeScalars { hasher.combine(scalar) }
    }
}

/// The value of `If-Match` or `If-None-Match`: "*" or a list.
public enum EntityTagList: Sendable, Hashable {
    case any
    case tags([EntityTag])

    /// The list of all lines; nil if there is no line. Members that can match nothing are left out. "*" counts only on its own. Unlike in other quoted texts, a backslash escapes nothing in an
    /// entity tag, so these lists have their own parser.
    public static func parse(_ values: [String]) -> EntityTagList? {
        guard !values.isEmpty else { return nil }
        if values.count == 1, ASCII.trimmed(values[0][...]) == "*" { return .any }
        return .tags(values.flatMap(members))
    }

    private static func members(_ value: String) -> [EntityTag] {
        var out: [EntityTag] = []
        var isQuoted = false
        let bytes = value.utf8
        var start = bytes.startIndex
        for place in bytes.indices {
            let byte = bytes[place]
            if byte == 0x22 { isQuoted.toggle() }
            if byte == 0x2C, !isQuoted {
                if let tag = EntityTag.asGiven(ASCII.trimmed(value[start..<place])) { out.append(tag) }
                start = bytes.index(after: place)
            }
        }
        if let tag = EntityTag.asGiven(ASCII.trimmed(value[start...])) { out.append(tag) }
        return out
    }
}
