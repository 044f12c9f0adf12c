// Selects values in JSON by a path of RFC 9535, compiled once: names, indexes, wildcards, and filters by comparison. There
// are no scripts, functions, slices or descendants. So a path visits each value of an answer at most once, and no answer
// makes it slow. What a path selects comes in the order of the text.
import LarderCore

/// A compiled path, such as `$.docs[*].title` or `$.items[?@.type == 'book'].id`.
struct JSONPath: Sendable {
    enum Selector: Sendable {
        case name(String)
        /// A negative index counts from the end.
        case index(Int)
        /// All elements of an array, or all values of an object.
        case wildcard
        case filter(JSONFilter)
    }

    /// The path as it was written.
    let text: String
    let selectors: [Selector]
    /// The place of its first member in a record's table; nil if it has none.
    var place: Int?

    /// The most selectors of a path, and the most bytes of its text.
    static let most = 32
    static let longest = 1000

    /// - Throws: what is wrong, and where in the text.
    init(_ text: String) throws(JSONPathError) {
        var reader = JSONPathReader(text)
        try reader.expect("$", "A path begins with $.")
        selectors = try reader.selectors()
        guard reader.isAtEnd else { throw reader.fault("Only .name, [index], [*] and [?filter] may follow here.") }
        self.text = text
    }

    init(text: String, selectors: [Selector]) {
        self.text = text
        self.selectors = selectors
    }

    /// Calls `body` for each selected value until it returns false.
    func forEach(in root: JSONValue, _ body: (JSONValue) -> Bool) {
        _ = visit(root, selectors[...], body)
    }

    /// The same for what the path selects below the value of its first member.
    func forEach(below member: JSONValue, _ body: (JSONValue) -> Bool) {
        _ = visit(member, selectors.dropFirst(), body)
    }

    /// The first selected value.
    func first(in root: JSONValue) -> JSONValue? {
        var found: JSONValue?
        forEach(in: root) { value in
            found = value
            return false
        }
        return found
    }

    private func visit(_ value: JSONValue, _ rest: ArraySlice<Selector>, _ body: (JSONValue) -> Bool) -> Bool {
        guard let selector = rest.first else { return body(value) }
        let rest = rest.dropFirst()
        switch selector {
        case .name(let name):
            guard let next = value[name] else { return true }
            return visit(next, rest, body)
        case .index(let index):
            guard let next = value.element(index) else { return true }
            return visit(next, rest, body)
        case .wildcard: return value.eachChild { visit($0, rest, body) }
        case .filter(let filter): return value.eachChild { !filter.holds(for: $0) || visit($0, rest, body) }
        }
    }
}

/// A path in a Swift source. One that cannot be compiled ends the program at its first use, which a test provokes.
extension JSONPath: ExpressibleByStringLiteral {
    init(stringLiteral text: String) {
        do throws(JSONPathError) {
            try self.init(text)
        } catch {
            preconditionFailure("\(text): \(error)")
        }
    }
}

extension JSONValue {
    /// The element at an index, from the end if it is negative; nil if there is none or this is no array.
    fileprivate func element(_ index: Int) -> JSONValue? {
        guard kind == .array else { return nil }
        let place = index < 0 ? count + index : index
        guard place >= 0 else { return nil }
        return elements.dropFirst(place).first { _ in true }
    }

    /// Calls `body` for each element of an array or value of an object until it returns false.
    fileprivate func eachChild(_ body: (JSONValue) -> Bool) -> Bool {
        for element in elements where !body(element) { return false }
        for member in members where !body(member.value) { return false }
        return true
    }
}

/// A condition on a value: alternatives (`||`) of tests that all hold (`&&`), without parentheses.
struct JSONFilter: Sendable {
    enum Comparison: String, Sendable, CaseIterable {
        // The longer signs first, so that none is taken for the beginning of another.
        case equal = "==", different = "!=", atMost = "<=", atLeast = ">=", less = "<", greater = ">"
    }

    enum Literal: Sendable {
        case text(String)
        case number(Double)
        case flag(Bool)
        case null
    }

    final class Test: Sendable {
        /// Relative to the value, written with @.
        let path: JSONPath
        /// Nil asks only whether the path selects something.
        let comparison: (sign: Comparison, literal: Literal)?
        let isNegated: Bool

        init(path: JSONPath, comparison: (sign: Comparison, literal: Literal)?, isNegated: Bool) {
            (self.path, self.comparison, self.isNegated) = (path, comparison, isNegated)
        }
    }

    var alternatives: [[Test]]

    func holds(for value: JSONValue) -> Bool { holds(for: SpecRecord(value)) }

    func holds(for record: SpecRecord) -> Bool {
        alternatives.contains { tests in
            tests.allSatisfy { test in
                let found = test.path.first(in: record)
                guard let (sign, literal) = test.comparison else { return (found != nil) != test.isNegated }
                return sign.holds(found, literal)
            }
        }
    }
}

extension JSONFilter.Comparison {
    /// Values of different kinds are different, and neither is less (RFC 9535 §2.3.5.2.2).
    func holds(_ value: JSONValue?, _ literal: JSONFilter.Literal) -> Bool {
        switch (literal, value?.kind) {
        case (.text(let text), .string): holds(value?.string ?? "", text)
        case (.number(let number), .number): value?.double.map { holds($0, number) } ?? false
        case (.flag(let flag), .bool): value?.bool == flag ? isEquality : self == .different
        case (.null, .null): isEquality
        default: self == .different
        }
    }

    private var isEquality: Bool { self == .equal || self == .atMost || self == .atLeast }

    private func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
        switch self {
        case .equal: left == right
        case .different: left != right
        case .atMost: left <= right
        case .atLeast: left >= right
        case .less: left < right
        case .greater: left > right
        }
    }
}
