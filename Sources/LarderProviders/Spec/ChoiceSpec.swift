// Which records of an answer Larder itself chooses, where the API does not, and which records stand for several.
import LarderCore

/// How Larder chooses among the records of an answer by the value of a parameter.
struct ChoiceSpec: Sendable {
    enum Rule: Sendable {
        /// A text of the record contains the value, in any letter case.
        case contains(FieldRule)
        /// A text of the record is one of the values.
        case among(FieldRule)
        /// The texts of the record contain every word of the value, in any letter case.
        case words([FieldRule])
        /// With the value, records for which the condition holds are left out.
        case unless(String, JSONFilter)
        /// With "no", records with such a text are left out.
        case without(FieldRule)
        /// A function decides, by a part of the value that the API does not heed.
        case using(ChoiceFunction)
    }

    var parameter: String
    var rule: Rule

    func holds(for record: JSONValue, _ value: String?) -> Bool {
        guard let value else { return true }
        switch rule {
        case .contains(let rule): return rule.texts(of: record).contains { $0.lowercased().contains(value) }
        case .without(let rule): return value != "no" || rule.texts(of: record).isEmpty
        case .among(let rule):
            let texts = rule.texts(of: record)
            return value.split(separator: ",").contains { texts.contains(String($0)) }
        case .words(let rules):
            let text = rules.flatMap { $0.texts(of: record) }.joined(separator: " ").lowercased()
            return value.split(separator: " ").allSatisfy { text.contains($0) }
        case .unless(let word, let condition): return value != word || !condition.holds(for: record)
        case .using(let function): return function.holds(record, value)
        }
    }

    /// Whether the API's own number of matches says nothing of what is chosen.
    var hidesTotal: Bool {
        switch rule {
        case .words, .using: true
        case .contains, .among, .unless, .without: false
        }
    }

    /// Whether the record says what it is chosen by.
    func isSaid(by record: JSONValue) -> Bool {
        switch rule {
        case .contains(let rule), .among(let rule): !rule.texts(of: record).isEmpty
        case .words, .unless, .without, .using: true
        }
    }
}

/// A function that makes several records of one. It hands over each with the API's own record that it tells of, one at a
/// time: a record may be as large as the whole answer.
struct ExpansionFunction: Sendable {
    typealias Body = @Sendable (JSONValue, UpstreamResponse, _ add: (JSONValue, JSONValue) -> Void) -> Void

    let name: String
    let body: Body

    init(_ name: String, _ body: @escaping Body) { (self.name, self.body) = (name, body) }
}

/// A function by which Larder chooses records, because the API heeds only a part of a parameter's values.
struct ChoiceFunction: Sendable {
    let name: String
    /// The part of a value that is sent, and the part by which Larder chooses; nil for nothing.
    let split: @Sendable (String) -> (sent: String?, own: String?)
    let holds: @Sendable (JSONValue, String) -> Bool

    init(
        _ name: String, split: @escaping @Sendable (String) -> (sent: String?, own: String?),
        holds: @escaping @Sendable (JSONValue, String) -> Bool
    ) {
        (self.name, self.split, self.holds) = (name, split, holds)
    }
}
