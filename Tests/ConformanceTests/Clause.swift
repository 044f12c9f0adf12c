// One requirement of a standard and the scenario that proves it. The tables are made of these, and the page about
// conformance is made of the tables.
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
    /// Where it is written, and which scenario of it this is: "RFC 9111 §5.2.2.5 no-store". No two are the same.
    let id: String
    let level: Level
    /// What is required, in one sentence of ours.
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

    /// The standard alone: "RFC 9111".
    var standard: String { id.split(separator: " ").prefix(2).joined(separator: " ") }
    /// Its section: "§5.2.2.5".
    var section: String { id.split(separator: " ").dropFirst(2).first.map(String.init) ?? "" }
    /// Which scenario: "no-store".
    var scenario: String { id.split(separator: " ").dropFirst(3).joined(separator: " ") }
}

/// A table is written as one element after the other, and each is type-checked by itself: as one array literal the
/// compiler would take minutes.
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
