// A YAML text as a tree of mappings, sequences and texts, each with its place. Every scalar stays the text that was
// written, so none of YAML's guesses apply ("no" is not a flag, "1:30" is not a number). Its parameter decides what a
// text means.

/// A place in the text. Line and column are counted from 1.
public struct YAMLMark: Sendable, Hashable {
    public var line: Int
    public var column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

/// One value.
public struct YAMLNode: Sendable, Hashable {
    public enum Content: Sendable, Hashable {
        /// `isPlain` means written without quotes. An empty plain scalar means that the value was left out.
        case scalar(String, isPlain: Bool)
        case sequence([YAMLNode])
        case mapping([YAMLMember])
    }

    public var content: Content
    public var mark: YAMLMark

    public init(content: Content, mark: YAMLMark) {
        self.content = content
        self.mark = mark
    }

    /// Whether no value follows the key.
    public var isAbsent: Bool { content == .scalar("", isPlain: true) }

    /// The kind of the value, for messages.
    public var kindText: String {
        switch content {
        case .scalar: "a single value"
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }
}

/// One key and its value, in the order of the text. The tree may contain a key twice; the code that reads the tree
/// refuses that.
public struct YAMLMember: Sendable, Hashable {
    public var key: String
    /// The place of the key.
    public var mark: YAMLMark
    public var value: YAMLNode

    public init(key: String, mark: YAMLMark, value: YAMLNode) {
        self.key = key
        self.mark = mark
        self.value = value
    }
}
