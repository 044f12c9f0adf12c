// One attribute that only this source gives. A value that no transform changes is written from the answer's bytes, without a
// text in between: a result has about twenty such attributes.
import LarderCore

final class AttributeSpec: Sendable {
    enum Form: Sendable {
        case text, number, texts, numbers, flag
        /// Any JSON, as the record has it.
        case any
        /// An amount in the currency that the record names.
        case price(currency: JSONPath)
        /// True if the rule yields something.
        case mark
        /// JSON, which a function makes.
        case json

        fileprivate var about: ResultAttribute.Form {
            switch self {
            case .text: .text
            case .number: .number
            case .texts: .texts
            case .numbers: .numbers
            case .flag, .mark: .flag
            case .any, .json: .any
            case .price: .price
            }
        }
    }

    let name: String
    private let key: AttributeName
    /// By which results without a date are sorted.
    private let isYear: Bool
    private let form: Form
    private let rule: FieldRule
    /// The attribute is left out if it is what this rule yields.
    private let unless: FieldRule?

    init(_ name: String, _ form: Form, _ rule: FieldRule, unless: FieldRule? = nil) {
        (self.name, key, isYear) = (name, AttributeName(escaping: name), name == "year")
        self.form = form
        self.rule = rule
        self.unless = unless
    }

    var about: ResultAttribute { ResultAttribute(name: name, form: form.about) }

    func bound(to names: inout MemberNames) -> AttributeSpec {
        var form = form
        if case .price(var currency) = form {
            currency.bind(to: &names)
            form = .price(currency: currency)
        }
        return AttributeSpec(name, form, rule.bound(to: &names), unless: unless?.bound(to: &names))
    }

    /// The place of the one member that the rule reads, if the record knows it.
    private func place(in record: SpecRecord) -> Int? {
        record.isBound && rule.places.count == 1 ? rule.places[0] : nil
    }

    func add(_ record: SpecRecord, _ base: AnswerBase?, to result: inout ResultItem) {
        if let unless, let text = rule.text(of: record, base) {
            if text == unless.text(of: record, base) { return }
            if case .text = form { return result.attribute(key, text: text) }
        }
        switch form {
        case .text: addText(record, base, to: &result)
        case .texts: result.attribute(key, texts: rule.texts(of: record, base))
        case .number: addNumber(record, base, to: &result)
        case .numbers: result.attribute(key, numbers: numbers(record))
        case .flag: result.attribute(key, flag: flag(record))
        case .mark: result.attribute(key, flag: rule.text(of: record, base).map { _ in true })
        case .any: if let value = value(record) { result.attribute(key, json: value.raw) }
        case .json: if let json = rule.text(of: record, base) { result.attribute(key, json: Bytes(text: json)) }
        case .price(let currency):
            guard let value = value(record) else { return }
            result.attribute(key, price: Numbers.price(value, currency: currency.first(in: record)?.string))
        }
    }

    /// All whole numbers of the first path that has some.
    private func numbers(_ record: SpecRecord) -> [Int] {
        for case .path(let path) in rule.sources {
            var numbers: [Int] = []
            path.forEach(in: record) { value in
                if let number = value.integer { numbers.append(number) }
                return true
            }
            if !numbers.isEmpty { return numbers }
        }
        return []
    }

    private func flag(_ record: SpecRecord) -> Bool? {
        rule.sources.lazy.compactMap { source in
            if case .path(let path) = source { path.first(in: record)?.bool } else { nil }
        }.first
    }

    /// The value itself, for forms that no text has.
    private func value(_ record: SpecRecord) -> JSONValue? {
        if let place = place(in: record) { return record[place] }
        guard case .path(let path) = rule.sources.first else { return nil }
        return path.first(in: record)
    }

    private func addText(_ record: SpecRecord, _ base: AnswerBase?, to result: inout ResultItem) {
        if let place = place(in: record), rule.isLink || rule.transforms.isEmpty {
            guard let value = record[place] else { return }
            if rule.isLink { return result.attribute(key, link: value) }
            if value.kind == .string { return result.attribute(key, text: value) }
        }
        result.attribute(key, text: rule.text(of: record, base))
    }

    private func addNumber(_ record: SpecRecord, _ base: AnswerBase?, to result: inout ResultItem) {
        if record.isBound, !rule.places.isEmpty, rule.transforms.isEmpty {
            guard let value = rule.places.lazy.compactMap({ record[$0] }).first else { return }
            if value.kind == .number, !isYear { return result.attribute(key, number: value) }
        }
        guard let number = rule.text(of: record, base).flatMap(Self.number) else { return }
        if isYear { result.year = Int(number) }
        result.attribute(key, number: number)
    }

    /// A text that is a number of JSON, or digits, written plainly.
    private static func number(_ text: String) -> String? {
        if let number = (try? JSON.parse(Bytes(text: text)))?.numberText { return Numbers.plain(number) }
        guard text.utf8.count <= 18, text.utf8.allSatisfy(ASCII.isDigit) else { return nil }
        return Int(text).map(String.init)
    }
}
