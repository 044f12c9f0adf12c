// The content of a question that is asked by POST: a JSON text in which values of parameters stand. GraphQL requests are
// such texts too (graphql.github.io/graphql-over-http, §5.3). The same values always make the same bytes, which are part of
// the raw answer's key.
import LarderCore

struct BodyTemplate: Sendable {
    indirect enum Part: Sendable {
        case object([(name: String, part: Part)])
        case array([Part])
        /// JSON text.
        case literal(String)
        /// The value of a parameter, by its name: a number, a boolean, a list or a text, as the parameter's form is.
        case value(String)
        /// A text with values in it: "{q} in:title".
        case text([Piece])
    }

    enum Piece: Sendable, Hashable {
        case literal(String)
        case value(String)
    }

    /// Divides a text at its placeholders: "{q} in:title".
    static func pieces(of text: String) -> [Piece] {
        var pieces: [Piece] = []
        var rest = text[...]
        while let hole = rest.firstMatch(of: #/\{([A-Za-z][A-Za-z0-9_-]*)\}/#) {
            if hole.range.lowerBound > rest.startIndex {
                pieces.append(.literal(String(rest[..<hole.range.lowerBound])))
            }
            pieces.append(.value(String(hole.1)))
            rest = rest[hole.range.upperBound...]
        }
        if !rest.isEmpty { pieces.append(.literal(String(rest))) }
        return pieces
    }

    let root: Part

    init(_ root: Part) { self.root = root }

    /// A GraphQL request. All parameters that are sent are its variables.
    init(graphQL document: String, _ parameters: [QuestionParameter]) {
        let variables = parameters.filter(\.sending.isSent).map { ($0.sending.name ?? $0.name, Part.value($0.name)) }
        root = .object([("query", .literal(Self.quoted(document))), ("variables", .object(variables))])
    }

    static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The parameters that stand in it.
    var names: Set<String> { Self.names(root) }

    private static func names(_ part: Part) -> Set<String> {
        switch part {
        case .object(let members): members.reduce(into: []) { $0.formUnion(names($1.part)) }
        case .array(let parts): parts.reduce(into: []) { $0.formUnion(names($1)) }
        case .literal: []
        case .value(let name): [name]
        case .text(let pieces): Set(pieces.compactMap { if case .value(let name) = $0 { name } else { nil } })
        }
    }

    /// The content for these values, by the parameters' names. A member or an element that needs a value that is not given
    /// is left out.
    func body(_ values: [String: String], _ parameters: [QuestionParameter]) -> Bytes {
        var writer = JSONWriter()
        Self.write(root, values, parameters, &writer)
        return writer.bytes
    }

    private static func isGiven(_ part: Part, _ values: [String: String]) -> Bool {
        switch part {
        case .object, .array, .literal: true
        case .value, .text: names(part).allSatisfy { values[$0] != nil }
        }
    }

    private static func write(
        _ part: Part, _ values: [String: String], _ parameters: [QuestionParameter], _ writer: inout JSONWriter
    ) {
        switch part {
        case .object(let members):
            writer.object { writer in
                for member in members where isGiven(member.part, values) {
                    writer.name(member.name)
                    write(member.part, values, parameters, &writer)
                }
            }
        case .array(let parts):
            writer.array { writer in
                for part in parts where isGiven(part, values) { write(part, values, parameters, &writer) }
            }
        case .literal(let text): writer.raw(Bytes(text: text))
        case .value(let name):
            guard let value = values[name], let parameter = parameters.first(where: { $0.name == name }) else {
                return writer.null()
            }
            parameter.write(value, &writer)
        case .text(let pieces):
            writer.string(
                pieces.map { piece in
                    switch piece {
                    case .literal(let text): text
                    case .value(let name):
                        values[name].flatMap { value in
                            parameters.first { $0.name == name }?.sentText(value)
                        } ?? ""
                    }
                }.joined())
        }
    }

    /// The values that stand in a content of this form, as texts.
    func values(in body: Bytes?) -> [String: String] {
        var values: [String: String] = [:]
        if let root = body.flatMap({ try? JSON.parse($0) }) { Self.read(self.root, root, &values) }
        return values
    }

    private static func read(_ part: Part, _ value: JSONValue, _ values: inout [String: String]) {
        switch part {
        case .object(let members):
            for member in members { if let value = value[member.name] { read(member.part, value, &values) } }
        case .value(let name): values[name] = value.string ?? value.numberText
        case .array, .literal, .text: break
        }
    }
}

extension QuestionParameter {
    /// Writes a value as the API gets it: numbers and booleans of JSON, a list of such, or a text.
    fileprivate func write(_ value: String, _ writer: inout JSONWriter) {
        let words = sentWords(value)
        guard isList else { return writeOne(words.first, &writer) }
        writer.array { writer in for word in words { writeOne(word, &writer) } }
    }

    private func writeOne(_ word: String?, _ writer: inout JSONWriter) {
        guard let word else { return writer.null() }
        switch form {
        case .number where Int(word) != nil: writer.integer(Int(word) ?? 0)
        case .flag where ParameterForm.flagWords.contains(word): writer.bool(ParameterForm.isYes(word))
        case .number, .flag, .text, .pattern, .choice, .any: writer.string(word)
        }
    }
}
