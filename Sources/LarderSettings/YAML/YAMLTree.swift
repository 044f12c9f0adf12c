// A YAML text as the tree it is: mappings, sequences and texts, each with its place. Every scalar stays the text that was
// written, so none of YAML's guesses apply ("no" is no flag, "1:30" no number); what a text means, its parameter says.

/// A place in the text; line and column count from 1.
struct YAMLMark: Sendable, Hashable {
    var line: Int
    var column: Int
}

/// One value.
struct YAMLNode: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        /// `isPlain`: written without quotes. An empty plain scalar is a value left out.
        case scalar(String, isPlain: Bool)
        case sequence([YAMLNode])
        case mapping([YAMLMember])
    }

    var content: Content
    var mark: YAMLMark

    /// Nothing follows the key.
    var isAbsent: Bool { content == .scalar("", isPlain: true) }

    /// The kind, for messages.
    var kindText: String {
        switch content {
        case .scalar: "a single value"
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }
}

/// One key and its value, in the order of the text; the same key may come twice, which the reader of the tree refuses.
struct YAMLMember: Sendable, Hashable {
    var key: String
    var mark: YAMLMark
    var value: YAMLNode
}

/// Why a text is no YAML that we read.
struct YAMLError: Error, Sendable, Hashable {
    var mark: YAMLMark
    var message: String
}
