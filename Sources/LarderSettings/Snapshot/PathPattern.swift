// A path of an API as settings write it: a segment `*` stands for any one segment that is not empty, and `**` at the end
// for everything below. Of several patterns that match, the one that is more exact from the left counts, so the order in
// which they are written does not matter.

/// Such a path.
public struct PathPattern: Sendable, Hashable {
    /// As it was written: below the base URL, percent-encoded.
    public let text: String

    public init(_ text: String) { self.text = text }

    /// Whether the path of a request matches, to the letter.
    public func matches(_ path: String) -> Bool {
        guard text.utf8.contains(0x2A) else { return text == path }
        let wanted = segments
        let given = PathPattern(path).segments
        let isOpen = wanted.last?.elementsEqual("**".utf8) == true
        guard isOpen ? given.count >= wanted.count : given.count == wanted.count else { return false }
        return zip(wanted, given).allSatisfy { wanted, given in
            switch Self.width(wanted) {
            case 2: true
            case 1: !given.isEmpty
            default: wanted.elementsEqual(given)
            }
        }
    }

    /// Whether this pattern counts before another one that matches the same path.
    public func isMoreExact(than other: PathPattern) -> Bool {
        segments.map(Self.width).lexicographicallyPrecedes(other.segments.map(Self.width))
    }

    private var segments: [Substring.UTF8View] { text.utf8.split(separator: 0x2F, omittingEmptySubsequences: false) }

    /// 0 for a name, 1 for `*`, 2 for `**`.
    private static func width(_ segment: Substring.UTF8View) -> Int {
        segment.count <= 2 && segment.allSatisfy { $0 == 0x2A } ? segment.count : 0
    }
}

/// The lifetime of the responses to requests whose paths match a pattern.
public struct PathLifetime: Sendable, Hashable {
    public let pattern: PathPattern
    public let ttl: Duration

    /// The lifetimes of a `ttl` setting by path, the more exact ones first. "*" stands for all other paths.
    static func list(_ ttl: [String: Duration]) -> [PathLifetime] {
        ttl.map { PathLifetime(pattern: PathPattern($0.key == "*" ? "/**" : $0.key), ttl: $0.value) }
            .sorted { $0.pattern.isMoreExact(than: $1.pattern) }
    }
}
