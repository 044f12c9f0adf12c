// A YAML text as a tree of mappings, sequences and texts, each with its place. Every scalar stays the text that was
// written, so none of YAML's guesses apply ("no" is not a flag, "1:30" is not a number). Its parameter decides what a
// text means.

/// A place in the text. Line and column are counted from 1.
struct YAMLMark: Sendable, Hashable {
    var line: Int
    var column: Int
}

/// One value.
struct YAMLNode: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        /// `isPlain` means written without quotes. An empty plain scalar means that the value was left out.
        case scalar(String, isPlain: Bool)
        case sequence([YAMLNode])
        case mapping([YAMLMember])
    }

    var content: Content
    var mark: YAMLMark

    /// Whether no value follows the key.
    var isAbsent: Bool { content == .scalar("", isPlain: true) }

    /// The kind of the value, for messages.
    var kindText: String {
        switch content {
        case .scalar: "a single value"
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }
}

/// One key and its value, in the order of the text. The tree may contain a key twice; the code that reads the tree
/// refuses that.
struct YAMLMember: Sendable, Hashable {
    var key: String
    var mark: YAMLMark
    var value: YAMLNode
}

/// Why a text is not YAML that Larder reads.
struct YAMLError: Error, Sendable, Hashable {
    var mark: YAMLMark
    var message: String
}
