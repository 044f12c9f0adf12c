// The parsed question of `/v1/local`. All words must match, the last one as a prefix, and quoted words must follow each
// other. No other query syntax is passed on.
import LarderCore
import LarderProviders
import LarderStore

/// The parsed question of `/v1/local`.
public struct LocalQuestion: Sendable {
    /// The parameters that the query may have.
    public static let parameters = ["q", "source", "category", "kind", "limit", "offset", "fields"]
    private static let lists = ["source", "kind", "fields"]
    /// Limits of the text in bytes, of its words and phrases, and of kinds.
    static let longestText = 500
    static let mostTerms = 16
    static let mostKinds = 16

    /// The text of the question, with spaces collapsed.
    var text: String
    var terms: [FullTextTerm]
    /// The names of the providers to search; empty for all.
    var providers: [String] = []
    var category: String?
    var kinds: [String] = []
    var limit = 50
    var offset = 0
    /// The selected members of the results.
    var shape: ResultShape

    /// - Throws: 400 if the query is not valid.
    public init(query: QueryParameters, providers: ProviderSet) throws(ClientFacingError) {
        let query = query.joining(lists: Self.lists)
        try query.check(only: Self.parameters)
        shape = try ResultShape(query)
        text = (query["q"] ?? "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard !text.isEmpty else { throw .missing("q", "A search needs words: q=…") }
        guard text.utf8.count <= Self.longestText else {
            throw .invalid("q", "\"q\" is longer than \(Self.longestText) bytes.")
        }
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw .invalid("q", "\"q\" contains a control character.")
        }
        terms = Self.terms(text)
        guard !terms.isEmpty else { throw .invalid("q", "\"q\" has no letter and no digit to look for.") }
        guard terms.count <= Self.mostTerms else {
            throw .invalid("q", "\"q\" has more than \(Self.mostTerms) words and phrases.")
        }
        if let limit = try Self.number(query, "limit", in: 1...200) { self.limit = limit }
        if let offset = try Self.number(query, "offset", in: 0...10_000) { self.offset = offset }
        try readKinds(query["kind"])
        try readSources(query, providers)
    }

    private static func number(
        _ query: QueryParameters, _ name: String, in range: ClosedRange<Int>
    ) throws(ClientFacingError) -> Int? {
        guard let text = query[name] else { return nil }
        let bounds = "\(range.lowerBound)…\(range.upperBound)"
        guard text.utf8.allSatisfy(ASCII.isDigit), let number = Int(text), range.contains(number) else {
            throw .invalid(
                name, "\"\(name)\" is a number from \(range.lowerBound) to \(range.upperBound).", allowed: [bounds])
        }
        return number
    }

    private mutating func readKinds(_ text: String?) throws(ClientFacingError) {
        guard let text else { return }
        kinds = text.split(separator: ",", omittingEmptySubsequences: false).map { String(ASCII.trimmed($0)) }
        let isRight = kinds.allSatisfy { kind in
            (1...40).contains(kind.utf8.count) && kind.utf8.allSatisfy(ASCII.isLetter)
        }
        guard isRight, kinds.count <= Self.mostKinds else {
            throw .invalid(
                "kind", "\"kind\" is a kind of result, such as song or story. Separate several with commas.")
        }
    }

    /// Reads the sources and the category. A category stands for the kinds of results that its sources return for it.
    private mutating func readSources(_ query: QueryParameters, _ set: ProviderSet) throws(ClientFacingError) {
        let (sources, areNamed) = try SearchPlan.sources(query["source"], set)
        if areNamed { providers = sources.map(\.name) }
        guard let category = query["category"]?.lowercased() else { return }
        guard kinds.isEmpty else {
            throw .conflicting("category", "A category stands for kinds: give it or \"kind\", not both.")
        }
        let knowing = sources.filter { $0.about.categories.contains(category) }
        let known = knowing.compactMap { source in source.provider.kinds(of: category).map { (source.name, $0) } }
        guard !known.isEmpty else {
            throw .conflicting(
                "category", "Stored results cannot be searched by the category \"\(category)\".",
                allowed: sources.flatMap { source in
                    source.about.categories.filter { source.provider.kinds(of: $0) != nil }
                })
        }
        self.category = category
        providers = known.map(\.0)
        // If the category covers all kinds of one source, no source's kinds are restricted.
        kinds = known.contains { $0.1.isEmpty } ? [] : known.flatMap(\.1)
    }

    /// Returns the words and phrases of a text. An unclosed quotation mark is still being typed, so its phrase is a
    /// prefix. Terms without a letter or digit are dropped.
    static func terms(_ text: String) -> [FullTextTerm] {
        var terms: [FullTextTerm] = []
        let pieces = text.split(separator: "\"", omittingEmptySubsequences: false)
        for (index, piece) in pieces.enumerated() {
            let isLast = index == pieces.count - 1
            if index % 2 == 1 {
                terms.append(FullTextTerm(String(piece), isPrefix: isLast))
            } else {
                let words = piece.split(whereSeparator: \.isWhitespace)
                for (number, word) in words.enumerated() {
                    terms.append(FullTextTerm(String(word), isPrefix: isLast && number == words.count - 1))
                }
            }
        }
        return terms.filter { $0.text.unicodeScalars.contains(where: isSearched) }
    }

    /// Whether the tokeniser treats the scalar as a letter or digit (sqlite.org/fts5.html#unicode61_tokenizer).
    private static func isSearched(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .privateUse:
            true
        default: false
        }
    }

    /// Returns the question for the store.
    public func fullText(_ engine: Engine) -> FullTextQuestion {
        var question = FullTextQuestion(terms: terms, limit: limit)
        question.offset = offset
        question.providers = providers
        question.kinds = kinds
        question.keyParts = [engine.signerMark]
        return question
    }

    /// The canonical question, a JSON object.
    var canonical: Bytes {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("q", text)
            if !providers.isEmpty { writer.member("source", strings: providers) }
            writer.member(ifPresent: "category", category)
            if !kinds.isEmpty { writer.member("kind", strings: kinds) }
            writer.member("limit", limit)
            writer.member("offset", offset)
        }
        return shape.shown(in: writer.bytes)
    }
}

extension Engine {
    /// Identifies the present signing key. Only results signed with it are shown, because artwork handles of an earlier
    /// key no longer work.
    var signerMark: Bytes { Bytes(text: ConfiguredProvider.mark(of: signer)) }
}
