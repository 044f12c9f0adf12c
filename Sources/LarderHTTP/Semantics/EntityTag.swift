// Entity tags (RFC 9110 §8.8.3): an opaque text that only equality is defined for, weak or strong.
import LarderCore

/// One entity tag.
public struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    /// Whether it only promises an equivalent, not an identical, representation.
    public var isWeak: Bool
    /// What stands between the quotes, one scalar a byte.
    public var opaque: String

    /// The opaque text must hold neither quotes nor control characters.
    public init(isWeak: Bool = false, opaque: String) {
        self.isWeak = isWeak
        self.opaque = opaque
    }

    /// A strong tag of our own for those bytes: 128 bits of their SHA-256.
    public init(of bytes: Bytes) {
        self.init(opaque: Base64URL.encode(Digest(of: bytes).bytes.prefix(16)))
    }

    /// The tag that is the whole text, or nil where it is none.
    public static func parse(_ text: some StringProtocol) -> EntityTag? {
        var scalars = Substring(text).unicodeScalars
        var isWeak = false
        if scalars.starts(with: "W/".unicodeScalars) {
            isWeak = true
            scalars.removeFirst(2)
        }
        guard scalars.count >= 2, scalars.removeFirst() == "\"", scalars.removeLast() == "\"",
            scalars.allSatisfy(isTagCharacter)
        else { return nil }
        return EntityTag(isWeak: isWeak, opaque: String(Substring(scalars)))
    }

    private static func isTagCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x21, 0x23...0x7E, 0x80...0xFF: true
        default: false
        }
    }

    /// As it stands in a field.
    public var description: String { isWeak ? "W/\"\(opaque)\"" : "\"\(opaque)\"" }

    /// Strong comparison: both strong, and equal (RFC 9110 §8.8.3.2).
    public func stronglyEquals(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque.unicodeScalars.elementsEqual(other.opaque.unicodeScalars)
    }

    /// Weak comparison: equal, weak or not.
    public func weaklyEquals(_ other: EntityTag) -> Bool {
        opaque.unicodeScalars.elementsEqual(other.opaque.unicodeScalars)
    }

    // Swift compares texts by canonical equivalence, entity tags are compared by their bytes.
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

    /// The list of all lines; nil where there is no line. Members that are no entity tag are left out, since they can
    /// match nothing; "*" counts only on its own. A backslash escapes nothing in an entity tag, unlike in other
    /// quoted texts, so these lists have a reader of their own.
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
                if let tag = EntityTag.parse(ASCII.trimmed(value[start..<place])) { out.append(tag) }
                start = bytes.index(after: place)
            }
        }
        if let tag = EntityTag.parse(ASCII.trimmed(value[start...])) { out.append(tag) }
        return out
    }
}
