// How one field of a result is made from an API's record: the first of several sources that yields something, changed by
// a few named transforms. There are no expressions and no arithmetic; what does not fit is a Swift function.
import LarderCore

/// The rule of one field. An object, because an answer asks each rule once a record: a copy would count its parts up and
/// down each time.
final class FieldRule: Sendable {
    /// Where a field's texts come from.
    enum Source: Sendable {
        case path(JSONPath)
        /// Literal texts and paths in turn. Yields one line, or nothing if one of its paths selects no text. In a URL what
        /// the paths select is percent-encoded.
        case template([Piece], isURL: Bool = false)
        /// What another rule yields.
        case rule(FieldRule)
        /// What a function makes of the record.
        case made(RecordFunction)
    }

    enum Piece: Sendable {
        case literal(String)
        case path(JSONPath)
    }

    let sources: [Source]
    let transforms: [Transform]
    /// Whether the texts of all sources are taken in turn, and not those of the first that yields something.
    let takesAll: Bool
    /// The places of the sources in a record's table, if each is a member that has one.
    let places: [Int]
    /// Whether the rule only keeps links.
    let isLink: Bool

    init(sources: [Source], transforms: [Transform] = [], takesAll: Bool = false) {
        (self.sources, self.transforms, self.takesAll) = (sources, transforms, takesAll)
        let places = sources.compactMap(\.place)
        self.places = places.count == sources.count && !takesAll ? places : []
        if case .link = transforms.first { isLink = transforms.count == 1 } else { isLink = false }
    }

    /// The rule with a further change.
    func then(_ transform: Transform) -> FieldRule {
        FieldRule(sources: sources, transforms: transforms + [transform], takesAll: takesAll)
    }

    /// The first of these paths that yields something.
    static func first(_ paths: JSONPath..., as transforms: Transform...) -> FieldRule {
        FieldRule(sources: paths.map { .path($0) }, transforms: transforms)
    }

    /// A template, such as `{$.title}: {$.subtitle}`, or what the rule `other` yields.
    static func template(_ text: String, or other: FieldRule? = nil, as transforms: Transform...) -> FieldRule {
        FieldRule(sources: [.template(pieces(of: text))] + (other?.sources ?? []), transforms: transforms)
    }

    /// A template of a URL, in which what the paths select is percent-encoded, or what the rule `other` yields.
    static func url(_ text: String, or other: FieldRule? = nil) -> FieldRule {
        FieldRule(sources: [.template(pieces(of: text), isURL: true)] + (other?.sources ?? []))
    }

    /// The first of these rules that yields something.
    static func any(_ rules: FieldRule...) -> FieldRule { FieldRule(sources: rules.map { .rule($0) }) }

    /// What a function makes of the record.
    static func made(_ function: RecordFunction) -> FieldRule { FieldRule(sources: [.made(function)]) }

    /// What all these rules yield.
    static func all(_ rules: FieldRule..., as transforms: Transform...) -> FieldRule {
        FieldRule(sources: rules.flatMap(\.sources), transforms: transforms, takesAll: true)
    }

    private static func pieces(of text: String) -> [Piece] {
        do throws(JSONPathError) {
            return try Source.pieces(of: text)
        } catch {
            preconditionFailure("\(text): \(error)")
        }
    }

    /// The texts that the rule yields for a record, at most `mostTexts`, none of them empty. Numbers and flags count as
    /// they are written.
    /// - Parameter base: what the API's own paths are relative to.
    func texts(of record: SpecRecord, _ base: AnswerBase? = nil) -> [String] {
        if takesAll {
            return Transform.apply(transforms, to: sources.flatMap { Self.texts(of: $0, in: record, base) }, base)
        }
        for source in sources {
            let texts = Transform.apply(transforms, to: Self.texts(of: source, in: record, base), base)
            if !texts.isEmpty { return texts }
        }
        return []
    }

    func texts(of record: JSONValue) -> [String] { texts(of: SpecRecord(record)) }

    /// The first text.
    func text(of record: SpecRecord, _ base: AnswerBase? = nil) -> String? {
        if record.isBound, !places.isEmpty {
            // Members of the record, as almost always: no list is made.
            for place in places {
                guard let text = record[place].flatMap(Self.text), !text.isEmpty else { continue }
                if let changed = Transform.apply(transforms, to: text, base) { return changed }
            }
            return nil
        }
        if takesAll { return texts(of: record, base).first }
        for source in sources {
            let texts = Transform.apply(transforms, to: Self.texts(of: source, in: record, base), base)
            if let text = texts.first { return text }
        }
        return nil
    }

    func text(of record: JSONValue) -> String? { text(of: SpecRecord(record)) }

    /// The most texts of one field; an API's list may be longer.
    static let mostTexts = 1000

    private static func texts(of source: Source, in record: SpecRecord, _ base: AnswerBase?) -> [String] {
        switch source {
        case .rule(let rule): return rule.texts(of: record, base)
        case .made(let function):
            return Array(function.body(record.value).lazy.filter { !$0.isEmpty }.prefix(mostTexts))
        case .path(let path):
            var texts: [String] = []
            path.forEach(in: record) { value in
                if let text = text(of: value), !text.isEmpty { texts.append(text) }
                return texts.count < mostTexts
            }
            return texts
        case .template(let pieces, let isURL):
            var out = ""
            for piece in pieces {
                switch piece {
                case .literal(let text): out += text
                case .path(let path):
                    let value = path.first(in: record).flatMap { $0.kind == .bool ? nil : text(of: $0) }
                    guard let text = TextCleaning.line(value) else { return [] }
                    // A path at the beginning selects a whole URL, to which something is added.
                    out += isURL && !out.isEmpty ? PercentCoding.encode(text) : text
                }
            }
            return [out]
        }
    }

    private static func text(of value: JSONValue) -> String? {
        switch value.kind {
        case .string: value.string
        case .number: value.numberText
        case .bool: value.bool.map { $0 ? "true" : "false" }
        case .array, .object, .null: nil
        }
    }
}

extension FieldRule.Source {
    /// A path if the text begins with `$`, else a template with paths in braces.
    init(_ text: String, isURL: Bool = false) throws(JSONPathError) {
        self =
            text.hasPrefix("$")
            ? .path(try JSONPath(text)) : .template(try Self.pieces(of: text), isURL: isURL)
    }

    fileprivate static func pieces(of text: String) throws(JSONPathError) -> [FieldRule.Piece] {
        var pieces: [FieldRule.Piece] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}") else {
                throw JSONPathError(message: "A { has no }.", place: text.distance(from: text.startIndex, to: open))
            }
            if open > rest.startIndex { pieces.append(.literal(String(rest[..<open]))) }
            pieces.append(.path(try JSONPath(String(rest[rest.index(after: open)..<close]))))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append(.literal(String(rest))) }
        return pieces
    }
}
