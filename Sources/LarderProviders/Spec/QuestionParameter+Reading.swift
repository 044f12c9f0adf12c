// The value of one parameter: read strictly from a question, fitted from a search of several sources, added to the
// question's identity, and spelt for the API.
import LarderCore

extension QuestionParameter {
    /// The value in canonical form, by any of the parameter's names; nil if it is not given.
    func value(_ reader: QuestionReader) throws(ClientFacingError) -> String? {
        var found: (name: String, value: String?)?
        for name in sending.isAliasFirst ? names.reversed() : names where reader.gives(name) {
            if let found {
                throw .conflicting(name, "\"\(name)\" is another name of \"\(found.name)\": give one of them.")
            }
            found = (name, isList ? try list(reader, name) : try single(reader, name))
        }
        return found?.value
    }

    /// The same for a word that is allowed by the value of another parameter.
    func value(
        _ reader: QuestionReader, _ rule: WordsBy, _ values: [String: String]
    ) throws(ClientFacingError) -> String? {
        guard case .choice(let all) = form else { return nil }
        let value = values[rule.parameter]
        let words = value.map { rule.words[$0] ?? all } ?? rule.usual ?? all
        if sending.namesResource {
            guard let text = try reader.text(name) else { return nil }
            if let word = canonical(text), words.contains(word) { return word }
            throw ClientFacingError(
                status: 404, code: "noSuchRoute", detail: mismatch(name, text).detail, parameter: name, allowed: words)
        }
        guard let refusal = rule.refusal, let value, let word = try reader.word(name, among: all) else {
            return try reader.word(name, of: all, among: words)
        }
        guard words.contains(word) else {
            throw .conflicting(
                name, refusal.replacing("{word}", with: word).replacing("{value}", with: value), allowed: words)
        }
        return word
    }

    private func single(_ reader: QuestionReader, _ name: String) throws(ClientFacingError) -> String? {
        switch form {
        case .number(let range): return try reader.number(name, in: range).map(String.init)
        case .choice(let words):
            guard sending.mismatch != nil || !sending.synonyms.isEmpty else {
                return try reader.word(name, among: words)
            }
            guard let text = try reader.text(name) else { return nil }
            guard let word = canonical(text) else { throw mismatch(sending.shared ?? name, text) }
            return word
        case .flag: return try reader.flag(name).map { $0 ? "yes" : "no" }
        case .text(let longest):
            let isOwnLength = sending.longestEncoded != nil || sending.termLength != nil
            guard let text = try reader.text(name, maxLength: isOwnLength ? 1000 : longest) else { return nil }
            if let most = sending.longestEncoded, PercentCoding.encode(text).utf8.count > most {
                throw .conflicting(name, "\"\(name)\" is longer than \(most) characters when percent-encoded.")
            }
            return spelt(text)
        case .pattern, .any:
            guard let text = try reader.text(name) else { return nil }
            return try required(text, name)
        }
    }

    /// The value in its one spelling.
    private func required(_ text: String, _ name: String) throws(ClientFacingError) -> String {
        if let function = sending.using { return try function.body(text) }
        guard let value = canonical(text) else { throw mismatch(name, text) }
        return value
    }

    private func list(_ reader: QuestionReader, _ name: String) throws(ClientFacingError) -> String? {
        var words: [String]?
        if case .choice(let all) = form { words = all }
        var values: [String] = []
        for text in try reader.list(name, max: mostItems) ?? [] {
            if case .text(let longest) = form, text.unicodeScalars.count > longest { throw mismatch(name, text) }
            values.append(try required(text, name))
        }
        if sending.decimals != nil { values = Set(values.compactMap { Double($0) }).sorted().map(Self.decimal) }
        switch sending.order {
        case .asGiven: break
        case .sorted: values = Set(values).sorted()
        case .words:
            values = words?.filter(values.contains) ?? values
            if values.count == words?.count { return nil }
        }
        return values.joined(separator: ",")
    }

    /// A single value in its one spelling; nil if it has not the form.
    private func canonical(_ text: String) -> String? {
        var text = sending.ignored.isEmpty ? text : text.filter { !sending.ignored.contains($0) }
        if let meant = sending.synonyms[text.lowercased()] { text = meant }
        if let range = sending.decimals {
            // At most three decimals, without an exponent and without zeros in front.
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count <= 2, parts[0] == "0" || !parts[0].hasPrefix("0"),
                parts.allSatisfy({ (1...3).contains($0.count) && $0.utf8.allSatisfy(ASCII.isDigit) }),
                let number = Double(text), Double(range.lowerBound)...Double(range.upperBound) ~= number
            else { return nil }
            return Self.decimal(number)
        }
        if let function = sending.using { return try? function.body(text) }
        if let check = sending.check { return check.canonical(text).map(spelt) }
        switch form {
        case .text: return spelt(text)
        case .pattern(let pattern):
            let text = spelt(text)
            return TextPattern(pattern).matches(text) ? text : nil
        case .number(let range): return Int(text).flatMap { range.contains($0) ? String($0) : nil }
        case .choice(let words): return words.first { ASCII.equalFolded($0, text) }
        case .flag:
            let word = text.lowercased()
            return ParameterForm.flagWords.contains(word) ? ParameterForm.isYes(word) ? "yes" : "no" : nil
        case .any: return text
        }
    }

    /// A value, or a list of them, in the spelling that a client's value gets; nil if it has not the form.
    func canonicalValue(_ text: String) -> String? {
        guard isList else { return canonical(QuestionReader.collapsed(text)) }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map {
            canonical(QuestionReader.collapsed(String($0)))
        }
        let values = parts.compactMap { $0 }
        return values.count == parts.count ? values.joined(separator: ",") : nil
    }

    /// The shortest spelling of a number: "0.25", "2".
    private static func decimal(_ number: Double) -> String { Numbers.plain(String(number)) }

    func spelt(_ text: String) -> String {
        sending.isUpperCase ? text.uppercased() : sending.isLowerCase ? text.lowercased() : text
    }

    /// Whether a value of a path can be this parameter's.
    func isPossible(_ text: String) -> Bool { canonical(text).map { sending.synonyms.isEmpty || $0 == text } ?? false }

    /// - Parameter name: the name by which the value was given.
    func mismatch(_ name: String, _ value: String) -> ClientFacingError {
        var allowed = sending.allowed
        var sentence = "\"{name}\" must be like \(example)."
        if case .choice(let words) = form {
            allowed = words
            sentence = "\"{value}\" is not one of the allowed words."
        }
        if let range = sending.decimals {
            sentence =
                "\"{name}\" takes numbers from \(range.lowerBound) to \(range.upperBound), separated by commas (0.25, not 1/4)."
        }
        sentence = sending.mismatch ?? sentence
        return .invalid(
            name, sentence.replacing("{name}", with: name).replacing("{value}", with: value), allowed: allowed)
    }

    /// The names in `/v1/search` of what the parameter takes.
    var sharedNames: [String] { sending.isShared ? names + [sending.shared].compactMap { $0 } : [] }

    /// - Throws: 400 for a term that the API finds too short or too long.
    func checkTerm(_ term: String, _ about: ProviderAbout) throws(ClientFacingError) {
        if let length = sending.termLength, !length.contains(term.count) {
            throw .termLength(name, "The text must have \(length.lowerBound) to \(length.upperBound) characters.")
        }
        try about.check(term: term, of: name)
    }

    /// A value of `/v1/search` as this parameter takes it; nil if it takes none like it.
    func fitted(_ value: String) -> String? {
        switch form {
        case .number(let range):
            Int(value).map { String(min(max($0, range.lowerBound), sending.mostShared ?? range.upperBound)) }
        // A language is often a word for it with a country behind.
        case .choice(let words):
            words.first {
                ASCII.equalFolded($0, value) || name == "language" && ASCII.equalFolded($0, String(value.prefix(2)))
            }
        case .pattern: canonical(value)
        case .text, .flag, .any: value
        }
    }

    /// The value of a question that does not give one.
    func absentValue(beside values: [String: String]) -> String? {
        let rule = sending.defaultBy
        return rule.flatMap { rule in values[rule.parameter].flatMap { rule.defaults[$0] } ?? rule.otherwise }
            ?? defaultText
    }

    /// Adds the value to the question's identity.
    func add(_ value: String, to question: inout QuestionBuilder) {
        let name = sending.keyName ?? name
        switch (sending.toldAs, form) {
        case (.number, _): return question.add(name, Int(value))
        case (.text, .flag): return question.add(name, value == "yes" ? "true" : "false")
        case (.text, _): return question.add(name, value)
        case (nil, _): break
        }
        switch form {
        case .number where !isList: question.add(name, Int(value))
        case .flag where !isList: question.add(name, value == "yes")
        case .text, .pattern, .choice, .number, .flag, .any: question.add(name, value)
        }
    }

    /// What the API gets; nil if it gets nothing.
    func item(_ value: String) -> QueryParameters.Item? {
        sending.isSent ? sentText(value).map { QueryParameters.Item(sending.name ?? name, $0) } : nil
    }

    /// The value as the API spells it, in a path too.
    func sentText(_ value: String) -> String? {
        let words = sentWords(value)
        if words.isEmpty { return nil }
        let text = words.joined(separator: ",")
        return sending.template?.replacing("{value}", with: text) ?? text
    }

    /// The values of a list, or the one value, as the API spells them.
    func sentWords(_ value: String) -> [String] {
        var values = isList ? value.split(separator: ",").map(String.init) : [value]
        if sending.isFromZero { values = values.map { Int($0).map { String($0 - 1) } ?? $0 } }
        return sending.words.isEmpty ? values : values.compactMap(word)
    }

    private func word(_ value: String) -> String? { sending.words[value] ?? (sending.sendsOtherWords ? value : nil) }
}

extension QuestionReader {
    /// Whether the question has the parameter, by any of its names.
    func gives(_ parameter: QuestionParameter) -> Bool { parameter.names.contains(where: gives) }
}
