// The parsed question of `/v1/local`. All words must match, the last one as a prefix, and quoted words must follow each
// other. No other query syntax is passed on.
import LarderCore
import LarderProviders
import LarderStore

/// The parsed question of `/v1/local`.
public struct LocalQuestion: Sendable {
    /// The most words and phrases of a text.
    static let mostTerms = 16

    /// The records of the parameters. See `SearchPlan.records`.
    public static func records(sources: [String] = [], categories: [String] = []) -> [QuestionParameter] {
        [
            QuestionParameter(
                "q", .text(longest: 500),
                "Words and \"phrases\", at most \(mostTerms). The last one may be the beginning of a word.",
                example: "dragon"
            ).required.saying(missing: "A search needs words: q=…"),
            SearchPlan.source(sources),
            QuestionParameter("category", .oneOf(categories), "Only results of this category."),
            QuestionParameter(
                "kind", .pattern("^[A-Za-z]{1,40}$"), "Only results of these kinds.", example: "monster"
            ).list.saying("\"kind\" is a kind of result, such as song or story. Separate several with commas."),
            QuestionParameter(
                "limit", .number(1...200), "The most results to return.", example: "5", default: "50"),
            QuestionParameter("offset", .number(0...10_000), "How many results to skip.", example: "0", default: "0"),
        ] + ResultShape.records.filter { $0.name == "fields" }
    }

    private static let own = records()

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
        let values = try SearchPlan.values(query, by: Self.own, providers)
        shape = ResultShape(values)
        text = values["q"] ?? ""
        terms = Self.terms(text)
        guard !terms.isEmpty else { throw .termLength("q", "\"q\" has no letter and no digit to look for.") }
        guard terms.count <= Self.mostTerms else {
            throw .termLength("q", "\"q\" has more than \(Self.mostTerms) words and phrases.")
        }
        limit = values.number("limit") ?? limit
        offset = values.number("offset") ?? offset
        kinds = values.list("kind") ?? []
        try readSources(values, providers)
    }

    /// Reads the sources and the category. A category stands for the kinds of results that its sources return for it.
    private mutating func readSources(_ values: ParameterValues, _ set: ProviderSet) throws(ClientFacingError) {
        let (sources, areNamed) = try SearchPlan.sources(values.list("source"), set)
        if areNamed { providers = sources.map(\.name) }
        guard let category = values["category"]?.lowercased() else { return }
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
