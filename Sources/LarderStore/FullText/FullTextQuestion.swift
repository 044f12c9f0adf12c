// A full-text question and its answer, as values. A question consists of words and phrases that must all match, never
// of SQLite's own query language. Each term is quoted, so no operator of FTS5 can pass
// (sqlite.org/fts5.html#fts5_strings).
import LarderCore

/// One word, or several that must follow each other.
public struct FullTextTerm: Sendable, Hashable {
    public var text: String
    /// Whether the last word may continue.
    public var isPrefix: Bool

    public init(_ text: String, isPrefix: Bool = false) {
        self.text = text
        self.isPrefix = isPrefix
    }
}

/// What to look for in the texts of stored results.
public struct FullTextQuestion: Sendable, Hashable {
    /// All of them must match. Without any term nothing is found.
    public var terms: [FullTextTerm]
    /// Names of providers and kinds of results; all if empty.
    public var providers: [String] = []
    public var kinds: [String] = []
    /// Only entries whose key holds all of these, at most `mostKeyParts`. With more than that nothing is found.
    public var keyParts: [Bytes] = []
    public static let mostKeyParts = 4
    public var offset = 0
    public var limit: Int

    public init(terms: [FullTextTerm], limit: Int) {
        self.terms = terms
        self.limit = limit
    }

    /// The question in FTS5's language: quoted strings side by side, which means AND.
    var expression: String {
        terms.map { "\"" + $0.text.replacing("\"", with: "\"\"") + "\"" + ($0.isPrefix ? " *" : "") }
            .joined(separator: " ")
    }
}

/// The answer to a full-text question.
public struct FullTextAnswer: Sendable {
    /// Number of different results that match.
    public var total = 0
    /// Whether there were more matches than are ranked: only the newest were.
    public var isCapped = false
    /// The requested part of the results, the best first.
    public var matches: [FullTextMatch] = []

    public init() {}
}

/// One result that matched, from the newest stored answer that holds it.
public struct FullTextMatch: Sendable {
    /// The result's JSON as it stands in its answer.
    public var json: Bytes
    public var provider: String
    /// When the answer that holds the result was received, and until when that is fresh.
    public var storedAt: WallTime
    public var freshUntil: WallTime
    /// By field ("title", "creator", "collection", "summary") the text cut where it matched: the first piece does not
    /// match, the second does, and so on alternately. Of a summary, only the surroundings of the matches. Fields
    /// without a match are absent.
    public var highlights: [(field: String, pieces: [String])]
}
