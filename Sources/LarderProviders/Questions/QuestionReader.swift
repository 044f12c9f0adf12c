// Reads questions strictly. An unknown parameter, a repeated one, or a value out of bounds is an error that names what
// is allowed. Differences without meaning (white space, the letter case of words) are removed.
import LarderCore

/// The parameters of one question, checked against those that its route accepts.
struct QuestionReader {
    private let items: [QueryParameters.Item]

    /// - Throws: 400 for an unknown or a repeated parameter.
    init(_ query: QueryParameters, allowed: [String]) throws(ClientFacingError) {
        try query.check(only: allowed)
        items = query.items
    }

    /// - Throws: 400 for an unknown or a repeated parameter. A list may be given as repeated parameters.
    init(_ query: QueryParameters, allowed: [QuestionParameter]) throws(ClientFacingError) {
        let lists = allowed.filter(\.isList).flatMap(\.names)
        let ignored = allowed.filter(\.isAbsentIfEmpty).flatMap(\.names)
        let given = query.items.filter { $0.value?.isEmpty == false || !ignored.contains($0.name) }
        try self.init(QueryParameters(given).joining(lists: lists), allowed: allowed.flatMap(\.names))
    }

    /// Reads a value of the path.
    init(capture name: String, _ value: String) {
        items = [QueryParameters.Item(name, value)]
    }

    /// Reads a question that must have no parameters.
    init(empty query: QueryParameters) throws(ClientFacingError) {
        try self.init(query, allowed: [String]())
    }

    /// Whether the question has a parameter of this name.
    func gives(_ name: String) -> Bool { items.contains { $0.name == name } }

    /// A text without white space at its ends and with single spaces inside; nil if the parameter is absent.
    func text(_ name: String, maxLength: Int = 1000) throws(ClientFacingError) -> String? {
        guard let item = items.first(where: { $0.name == name }) else { return nil }
        let given = item.value ?? ""
        let text = Self.collapsed(given)
        guard !text.isEmpty else { throw .invalid(name, "\"\(name)\" is empty.") }
        guard given.utf8.count <= maxLength || given.unicodeScalars.count <= maxLength else {
            throw .invalid(name, "\"\(name)\" is longer than \(maxLength) characters.")
        }
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw .invalid(name, "\"\(name)\" contains a control character.")
        }
        return text
    }

    /// The value of a parameter with two names, of which at most one may be given.
    func text(_ name: String, or other: String) throws(ClientFacingError) -> String? {
        let first = try text(name)
        let second = try text(other)
        if first != nil, second != nil {
            throw .conflicting(other, "\"\(other)\" is another name of \"\(name)\": give one of them.")
        }
        return first ?? second
    }

    /// A word of a list, in the list's spelling; the letter case of the value does not matter.
    func word(_ name: String, among words: [String]) throws(ClientFacingError) -> String? {
        guard let text = try text(name) else { return nil }
        guard let word = words.first(where: { ASCII.equalFolded($0, text) }) else {
            throw .invalid(name, "\"\(name)\" is not one of the allowed words.", allowed: words)
        }
        return word
    }

    /// A word of `words`. A word of `all` that the other parameters exclude is reported as a conflict.
    func word(
        _ name: String, of all: [String], among words: [String]
    ) throws(ClientFacingError) -> String? {
        guard let text = try text(name) else { return nil }
        if let word = words.first(where: { ASCII.equalFolded($0, text) }) { return word }
        let detail = "\"\(name)\" is not one of the allowed words."
        let isKnown = all.contains { ASCII.equalFolded($0, text) }
        throw isKnown ? .conflicting(name, detail, allowed: words) : .invalid(name, detail, allowed: words)
    }

    func number(_ name: String, in range: ClosedRange<Int>) throws(ClientFacingError) -> Int? {
        guard let text = try text(name) else { return nil }
        let digits = range.lowerBound < 0 && text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard digits.utf8.allSatisfy(ASCII.isDigit), let number = Int(text), range.contains(number) else {
            throw .invalid(
                name, "\"\(name)\" is not a number between \(range.lowerBound) and \(range.upperBound).",
                allowed: ["\(range.lowerBound)…\(range.upperBound)"])
        }
        return number
    }

    func flag(_ name: String) throws(ClientFacingError) -> Bool? {
        switch try word(name, among: ParameterForm.flagWords) {
        case .some(let word): ParameterForm.isYes(word)
        case nil: nil
        }
    }

    /// Two letters in lower case: a country (ISO 3166-1 alpha-2) or a language (ISO 639-1).
    func twoLetters(_ name: String) throws(ClientFacingError) -> String? {
        guard let text = try text(name) else { return nil }
        guard Self.isTwoLetters(text) else { throw .invalid(name, "\"\(name)\" is not a two-letter code.") }
        return text.lowercased()
    }

    func sort(_ orders: [SortOrder]) throws(ClientFacingError) -> SortOrder? {
        try word("sort", among: orders.map(\.rawValue)).flatMap(SortOrder.init)
    }

    /// The values of a comma-separated list. Each is trimmed; an empty value is an error.
    func list(_ name: String, max: Int) throws(ClientFacingError) -> [String]? {
        guard let text = try text(name, maxLength: 8000) else { return nil }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Self.collapsed(String($0)) }
        guard parts.allSatisfy({ !$0.isEmpty }) else { throw .invalid(name, "\"\(name)\" has an empty part.") }
        guard parts.count <= max else { throw .invalid(name, "\"\(name)\" has more than \(max) parts.") }
        return parts
    }

    static func isTwoLetters(_ text: String) -> Bool {
        text.utf8.count == 2 && text.utf8.allSatisfy(ASCII.isLetter)
    }

    static func collapsed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

/// Builds a question's identity and its form in the envelope together, so they cannot differ.
struct QuestionBuilder {
    private(set) var parameters: [KeyParameter] = []
    private var writer = JSONWriter()

    init() {
        writer.beginObject()
    }

    mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        parameters.append(KeyParameter(name, value))
        writer.member(name, value)
    }

    mutating func add(_ name: String, _ value: Int?) {
        guard let value else { return }
        parameters.append(KeyParameter(name, String(value)))
        writer.member(name, value)
    }

    mutating func add(_ name: String, _ value: Bool?) {
        guard let value else { return }
        parameters.append(KeyParameter(name, value ? "true" : "false"))
        writer.member(name, value)
    }

    /// The question as a JSON object.
    var query: Bytes {
        var writer = writer
        writer.endObject()
        return writer.bytes
    }
}
