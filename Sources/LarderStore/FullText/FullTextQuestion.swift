// A full-text question as values: words and phrases that must all be met, never SQLite's own query language, and what was
// found. Whatever stands in a term is quoted, so that no operator of FTS5 can pass (sqlite.org/fts5.html#fts5_strings).
import LarderCore

/// One word, or several that must follow each other.
public struct FullTextTerm: Sendable, Hashable {
    public var text: String
    /// The last word may go on.
    public var isPrefix: Bool

    public init(_ text: String, isPrefix: Bool = false) {
        self.text = text
        self.isPrefix = isPrefix
    }
}

/// What is looked for in the texts of stored results.
public struct FullTextQuestion: Sendable, Hashable {
    /// All of them must be met; none at all finds nothing.
    public var terms: [FullTextTerm]
    /// Names of providers and kinds of results; all where empty.
    public var providers: [String] = []
    public var kinds: [String] = []
    /// Only entries whose key holds all of these, at most `mostKeyParts`; more than that find nothing.
    public var keyParts: [Bytes] = []
    public static let mostKeyParts = 4
    public var offset = 0
    public var limit: Int

    public init(terms: [FullTextTerm], limit: Int) {
        self.terms = terms
        self.limit = limit
    }

    /// In FTS5's language: strings, side by side, which means AND.
    var expression: String {
        terms.map { "\"" + $0.text.replacing("\"", with: "\"\"") + "\"" + ($0.isPrefix ? " *" : "") }
            .joined(separator: " ")
    }
}

/// What was found.
public struct FullTextAnswer: Sendable {
    /// Different results that match.
    public var total = 0
    /// There were more matches than are looked at: only the newest were ranked.
    public var isCapped = false
    /// The part of them that was asked for, the best first.
    public var matches: [FullTextMatch] = []

    public init() {}
}

/// One result that matched, from the newest stored answer that holds it.
public struct FullTextMatch: Sendable {
    /// The result as it stands in its answer.
    public var json: Bytes
    public var provider: String
    /// When the answer came that it is from, and until when that is fresh.
    public var storedAt: WallTime
    public var freshUntil: WallTime
    /// By field ("title", "creator", "collection", "summary") the text cut where it matched: the first piece does not
    /// match, the second does, and so on by turns. Of a summary the surroundings of the matches only. Fields without a
    /// match are absent.
    public var highlights: [(field: String, pieces: [String])]
}
