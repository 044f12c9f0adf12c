// No-Vary-Search (draft-ietf-httpbis-no-vary-search): the query parameters on which a response does not depend. A field
// that does not follow the draft, or exceeds our limits, means the default: every difference counts.
import LarderCore

/// What a response says about its query.
public struct SearchVariance: Sendable, Hashable {
    /// The most bytes that are read of the field, all lines together.
    public static let longestField = 4096
    /// The most names in one list.
    public static let mostNames = 64
    /// The longest query that is compared, in bytes, and the most parameters in it.
    public static let longestQuery = 8192
    public static let mostParameters = 256

    private enum Names: Sendable, Hashable {
        /// All parameters count except these.
        case ignored(Set<Bytes>)
        /// No parameter counts except these.
        case considered(Set<Bytes>)
    }

    /// A name and a value of a query, decoded, as UTF-8.
    public struct Pair: Sendable, Hashable {
        public var name: Bytes
        public var value: Bytes
    }

    private var names = Names.ignored([])
    private var ignoresOrder = false

    /// Every difference counts.
    public static let standard = SearchVariance()

    private init() {}

    /// Whether every difference counts, so that only the same query is equivalent.
    public var isStandard: Bool { self == Self.standard }

    /// Reads a response's fields (§5.1, §5.2). Entries with other names are ignored.
    public init(_ fields: HeaderFields) {
        self.init()
        let values = fields.all(.noVarySearch)
        guard !values.isEmpty, values.reduce(0, { $0 + $1.utf8.count }) <= Self.longestField,
            let members = StructuredField.dictionary(values), let read = Self.read(members)
        else { return }
        self = read
    }

    /// Whether a response's field is longer than Larder reads.
    public static func isBeyondBounds(_ fields: HeaderFields) -> Bool {
        fields.all(.noVarySearch).reduce(0) { $0 + $1.utf8.count } > longestField
    }

    private static func read(_ members: StructuredField.Dictionary) -> SearchVariance? {
        var out = SearchVariance()
        if let order = members["key-order"] {
            guard let isIgnored = flag(order) else { return nil }
            out.ignoresOrder = isIgnored
        }
        // `except` alone lists the names that count. Browsers also accept it beside a `params` that is true.
        var ignoresAll = members["params"] == nil
        if let params = members["params"] {
            if let all = flag(params) {
                ignoresAll = all
                if all { out.names = .considered([]) }
            } else {
                guard let names = names(params) else { return nil }
                out.names = .ignored(names)
            }
        }
        if let except = members["except"] {
            guard ignoresAll, let names = names(except) else { return nil }
            out.names = .considered(names)
        }
        return out
    }

    private static func flag(_ member: StructuredField.Member) -> Bool? {
        guard case .item(let item) = member, case .boolean(let value) = item.value else { return nil }
        return value
    }

    private static func names(_ member: StructuredField.Member) -> Set<Bytes>? {
        guard case .innerList(let items, _) = member, items.count <= mostNames else { return nil }
        var out: Set<Bytes> = []
        for item in items {
            guard case .string(let text) = item.value else { return nil }
            out.insert(decoded(text.utf8[...]))
        }
        return out
    }

    /// The parameters that count, in the order in which they count; nil beyond our limits. Two queries are equivalent
    /// if these parameters are equal (§6).
    public func significant(_ query: String?) -> [Pair]? {
        guard let query else { return [] }
        guard query.utf8.count <= Self.longestQuery else { return nil }
        let pieces = query.utf8.split(separator: 0x26)
        guard pieces.count <= Self.mostParameters else { return nil }
        var out: [Pair] = []
        for piece in pieces {
            let end = piece.firstIndex(of: 0x3D)
            let name = Self.decoded(piece[..<(end ?? piece.endIndex)])
            switch names {
            case .ignored(let names): if names.contains(name) { continue }
            case .considered(let names): if !names.contains(name) { continue }
            }
            out.append(Pair(name: name, value: end.map { Self.decoded(piece[piece.index(after: $0)...]) } ?? []))
        }
        guard ignoresOrder else { return out }
        // The sort is stable: the values of one name keep their order.
        return out.enumerated().sorted {
            $0.element.name == $1.element.name
                ? $0.offset < $1.offset : $0.element.name.lexicographicallyPrecedes($1.element.name)
        }.map(\.element)
    }

    /// Whether two queries of one path are equivalent (§6).
    public func areEquivalent(_ one: String?, _ other: String?) -> Bool {
        if isSame(one, other) { return true }
        guard !isStandard, let first = significant(one), let second = significant(other) else { return false }
        return first == second
    }

    /// Compares bytes. Swift calls texts equal if their characters are equivalent.
    private func isSame(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return one.utf8.elementsEqual(other.utf8)
    }

    /// Decodes as application/x-www-form-urlencoded is parsed (WHATWG URL §5.1): "+" is a space, a "%" without two
    /// hexadecimal digits stands for itself, and invalid UTF-8 becomes U+FFFD.
    private static func decoded(_ text: Substring.UTF8View) -> Bytes {
        var out = Bytes()
        out.reserveCapacity(text.count)
        var place = text.startIndex
        var isPlain = true
        while place < text.endIndex {
            var byte = text[place]
            place = text.index(after: place)
            if byte == 0x2B { byte = 0x20 }
            if byte == 0x25, let second = text.index(place, offsetBy: 2, limitedBy: text.endIndex),
                let high = ASCII.hexValue(text[place]), let low = ASCII.hexValue(text[text.index(after: place)])
            {
                byte = high << 4 | low
                place = second
            }
            isPlain = isPlain && byte < 0x80
            out.append(byte)
        }
        return isPlain ? out : Bytes(String(decoding: out, as: UTF8.self).utf8)
    }
}
