// The names of transforms in descriptions, each with what its value may be.

extension Transform {
    /// All names.
    static let names = [
        "line", "html", "paragraphs", "shortened", "lastSegment", "prefix", "integer", "matching", "absolute", "web",
        "instant", "unixTime", "most", "join",
    ]

    /// The transform of this name; nil if there is none, or if the value does not fit it.
    /// - Parameter argument: its value; empty if it has none.
    static func named(_ name: String, _ argument: String) -> Transform? {
        switch name {
        case "line" where argument.isEmpty: .line
        case "html" where argument.isEmpty: .html
        case "paragraphs" where argument.isEmpty: .paragraphs
        case "shortened": Int(argument).flatMap { (2...10_000).contains($0) ? .shortened($0) : nil }
        case "lastSegment" where argument.isEmpty: .lastSegment
        case "prefix": .prefix(argument)
        case "integer": SpecRange.read(argument).map(Transform.integer)
        case "matching": (try? TextPattern(checking: argument)).map(Transform.matching)
        case "absolute" where argument.isEmpty: .absolute
        case "web" where argument.isEmpty: .web
        case "instant" where argument.isEmpty: .instant
        case "unixTime" where argument.isEmpty: .unixTime
        case "most": Int(argument).flatMap { $0 > 0 ? .most($0) : nil }
        case "join": .join(argument)
        default: nil
        }
    }
}
