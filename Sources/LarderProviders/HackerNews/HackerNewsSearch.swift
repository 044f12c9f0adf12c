// The tags and numeric filters of searches at Algolia, which has recently begun to refuse filters on points and comments:
// Larder applies them to all hits that can be reached.
import LarderCore

/// `tags`: words separated by commas, all of which must match. Of a group in brackets, one must match.
enum HackerNewsTags {
    private static let words = ["story", "comment", "poll", "pollopt", "job", "show_hn", "ask_hn", "front_page"]
    private static let author = TextPattern("^author_[A-Za-z0-9_-]{1,40}$")
    private static let story = TextPattern("^story_[1-9][0-9]{0,11}$")
    static let pattern = {
        let tag = "(\(words.joined(separator: "|"))|author_[A-Za-z0-9_-]{1,40}|story_[1-9][0-9]{0,11})"
        return "^(\(tag)|[(]\(tag)(,\(tag)){0,7}[)])(,\(tag)){0,7}$"
    }()
    static let canonical = ValueFunction("hackernews.tags") { text throws(ClientFacingError) in try canonical(text) }

    /// The tags without white space, in one order. A word that contains a name keeps its case.
    private static func canonical(_ text: String) throws(ClientFacingError) -> String {
        let text = text.filter { !$0.isWhitespace }
        var terms: [String] = []
        var rest = text[...]
        while true {
            if rest.first == "(" {
                guard let close = rest.firstIndex(of: ")") else { throw unclosed }
                let inside = rest[rest.index(after: rest.startIndex)..<close]
                let words = try inside.split(separator: ",", omittingEmptySubsequences: false).map {
                    word throws(ClientFacingError) in try self.word(word)
                }
                terms.append(words.count == 1 ? words[0] : "(\(Set(words).sorted().joined(separator: ",")))")
                rest = rest[rest.index(after: close)...]
            } else {
                let end = rest.firstIndex(of: ",") ?? rest.endIndex
                terms.append(try word(rest[..<end]))
                rest = rest[end...]
            }
            if rest.isEmpty { break }
            guard rest.first == "," else { throw unclosed }
            rest.removeFirst()
        }
        return Set(terms).sorted().joined(separator: ",")
    }

    private static var unclosed: ClientFacingError {
        .invalid("tags", "\"tags\" must be a list such as story,author_pg or (story,poll),show_hn.")
    }

    private static func word(_ word: Substring) throws(ClientFacingError) -> String {
        let word = String(word)
        if let known = words.first(where: { ASCII.equalFolded($0, word) }) { return known }
        if author.matches(word) || story.matches(word) { return word }
        throw .invalid(
            "tags", "\"\(word)\" is not a tag of Hacker News.", allowed: words + ["author_NAME", "story_ID"])
    }
}

/// One of `numericFilters`: "points>=100".
struct HackerNewsFilter: Sendable, Hashable {
    enum Field: String, CaseIterable, Sendable { case created = "created_at_i", points, comments = "num_comments" }
    enum Comparison: String, CaseIterable, Sendable {
        // Longer operators come first, because "<=" begins with "<".
        case atMost = "<=", atLeast = ">=", below = "<", above = ">", equal = "="
    }

    var field: Field
    var comparison: Comparison
    var number: Int

    init(_ text: String) throws(ClientFacingError) {
        let text = text.filter { !$0.isWhitespace }
        guard let field = Field.allCases.first(where: { text.hasPrefix($0.rawValue) }),
            case let rest = text.dropFirst(field.rawValue.count),
            let comparison = Comparison.allCases.first(where: { rest.hasPrefix($0.rawValue) }),
            case let digits = rest.dropFirst(comparison.rawValue.count),
            (1...12).contains(digits.utf8.count), digits.utf8.allSatisfy(ASCII.isDigit),
            let number = Int(digits)
        else {
            throw .invalid(
                "numericFilters", "\"\(text)\" is not a filter such as points>=100 or created_at_i<1700000000.",
                allowed: Field.allCases.map(\.rawValue))
        }
        self.field = field
        self.comparison = comparison
        self.number = number
    }

    var text: String { "\(field.rawValue)\(comparison.rawValue)\(number)" }

    static let canonical = ValueFunction("hackernews.filter") { text throws(ClientFacingError) in
        try HackerNewsFilter(text).text
    }

    /// Algolia applies only filters on the time.
    static let choice = ChoiceFunction(
        "hackernews.filters",
        split: { text in
            let filters = text.split(separator: ",")
            let own = filters.filter { !$0.hasPrefix(Field.created.rawValue) }
            return (
                own.count == filters.count
                    ? nil : filters.filter { $0.hasPrefix(Field.created.rawValue) }.joined(separator: ","),
                own.isEmpty ? nil : own.joined(separator: ",")
            )
        },
        holds: { hit, text in
            text.split(separator: ",").allSatisfy { filter in
                guard let filter = try? HackerNewsFilter(String(filter)) else { return true }
                return filter.passes(hit[filter.field.rawValue]?.integer)
            }
        })

    /// Whether a value passes the filter. A missing value never does.
    func passes(_ figure: Int?) -> Bool {
        guard let figure else { return false }
        return switch comparison {
        case .atMost: figure <= number
        case .atLeast: figure >= number
        case .below: figure < number
        case .above: figure > number
        case .equal: figure == number
        }
    }
}
