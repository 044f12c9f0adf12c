// One requirement of a standard and the scenario that proves it. The tables consist of clauses, and the conformance
// page is generated from the tables.
import Testing

/// How a standard words a requirement (RFC 2119).
enum Level: String, Sendable {
    case must = "MUST"
    case mustNot = "MUST NOT"
    case should = "SHOULD"
    case shouldNot = "SHOULD NOT"
    case may = "MAY"
}

struct Clause: Requirement, CustomTestStringConvertible {
    /// The section of the standard and the name of the scenario: "RFC 9111 §5.2.2.5 no-store". Unique.
    let id: String
    let level: Level
    /// The requirement in one sentence.
    let text: String
    /// Further settings of the provider, as YAML flow: ", cdnCacheControl: true".
    let settings: String
    let steps: [Step]

    init(
        _ id: String, _ level: Level, _ text: String, settings: String = "", @ListOf<Step> steps: () -> [Step]
    ) {
        self.id = id
        self.level = level
        self.text = text
        self.settings = settings
        self.steps = steps()
    }

    var testDescription: String { id }

    /// The standard only: "RFC 9111".
    var standard: String { id.split(separator: " ").prefix(2).joined(separator: " ") }
    /// The section only: "§5.2.2.5".
    var section: String { id.split(separator: " ").dropFirst(2).first.map(String.init) ?? "" }
    /// The scenario only: "no-store".
    var scenario: String { id.split(separator: " ").dropFirst(3).joined(separator: " ") }
}

/// Builds a table from separate elements, which are type-checked one by one. Type-checking one array literal of this
/// size would take minutes.
@resultBuilder
enum ListOf<Element> {
    static func buildExpression(_ element: Element) -> [Element] { [element] }
    static func buildExpression(_ elements: [Element]) -> [Element] { elements }
    static func buildBlock(_ parts: [Element]...) -> [Element] { parts.flatMap { $0 } }
    static func buildArray(_ parts: [[Element]]) -> [Element] { parts.flatMap { $0 } }
    static func buildOptional(_ part: [Element]?) -> [Element] { part ?? [] }
    static func buildEither(first part: [Element]) -> [Element] { part }
    static func buildEither(second part: [Element]) -> [Element] { part }
}

typealias Clauses = ListOf<Clause>
typealias Steps = ListOf<Step>
