// One record of an answer. The members with which the paths of a mapping begin are found in one walk over it; a walk for
// each of sixty paths took most of the time of an answer.
import LarderCore

struct SpecRecord {
    let value: JSONValue
    private let members: JSONRecord
    /// Whether paths find their members by the places that they know.
    let isBound: Bool

    private static let unknown = JSONMemberTable([])

    init(_ value: JSONValue, _ members: JSONRecord? = nil) {
        self.value = value
        self.members = members ?? JSONRecord(Self.unknown)
        isBound = members != nil
    }

    /// The member at a place of the table; nil if it is absent or null.
    subscript(_ place: Int) -> JSONValue? { members[place] }
}

/// The names with which the paths of a mapping begin, each once.
struct MemberNames {
    private(set) var names: [String] = []

    /// The most names. Further ones are looked for in each record.
    private static let most = 1000

    mutating func place(of name: String) -> Int? {
        if let place = names.firstIndex(of: name) { return place }
        guard names.count < Self.most else { return nil }
        names.append(name)
        return names.count - 1
    }
}

extension JSONPath {
    mutating func bind(to names: inout MemberNames) {
        guard case .name(let name) = selectors.first else { return }
        place = names.place(of: name)
    }

    /// Calls `body` for each selected value until it returns false.
    func forEach(in record: SpecRecord, _ body: (JSONValue) -> Bool) {
        guard record.isBound, let place else { return forEach(in: record.value, body) }
        if let member = record[place] { forEach(below: member, body) }
    }

    /// The first selected value.
    func first(in record: SpecRecord) -> JSONValue? {
        guard record.isBound, let place else { return first(in: record.value) }
        guard selectors.count > 1 else { return record[place] }
        var found: JSONValue?
        forEach(in: record) { value in
            found = value
            return false
        }
        return found
    }
}

extension JSONFilter {
    func bound(to names: inout MemberNames) -> JSONFilter {
        var copy = self
        for place in alternatives.indices {
            copy.alternatives[place] = alternatives[place].map { $0.bound(to: &names) }
        }
        return copy
    }
}

extension JSONFilter.Test {
    fileprivate func bound(to names: inout MemberNames) -> JSONFilter.Test {
        // A record does not tell an absent member from one that is null.
        switch comparison?.literal {
        case nil, .null: return self
        case .text, .number, .flag:
            var path = path
            path.bind(to: &names)
            return JSONFilter.Test(path: path, comparison: comparison, isNegated: isNegated)
        }
    }
}

extension FieldRule {
    func bound(to names: inout MemberNames) -> FieldRule {
        let sources = sources.map { source in
            switch source {
            case .path(var path):
                path.bind(to: &names)
                return Source.path(path)
            case .rule(let rule): return .rule(rule.bound(to: &names))
            case .template, .made: return source
            }
        }
        return FieldRule(sources: sources, transforms: transforms, takesAll: takesAll)
    }
}

extension FieldRule.Source {
    /// The place of the one member that the source is.
    var place: Int? {
        guard case .path(let path) = self, path.selectors.count == 1 else { return nil }
        return path.place
    }
}

extension ResultSpec {
    mutating func bind(to names: inout MemberNames) {
        let rules: [WritableKeyPath<ResultSpec, FieldRule?>] = [
            \.creator, \.collection, \.summary, \.date, \.url, \.genres, \.once,
        ]
        for rule in rules { self[keyPath: rule] = self[keyPath: rule]?.bound(to: &names) }
        id = id.bound(to: &names)
        title = title.bound(to: &names)
        artwork = artwork?.bound(to: &names)
        price?.currency.bind(to: &names)
        for place in price?.amounts.indices ?? 0..<0 { price?.amounts[place].bind(to: &names) }
        for place in drops.indices { drops[place].condition = drops[place].condition.bound(to: &names) }
        attributes = attributes.map { $0.bound(to: &names) }
    }
}

extension AnswerSpec {
    /// Prepares the paths for records of one table.
    mutating func bind() {
        var names = MemberNames()
        result.bind(to: &names)
        for place in results?.byValue.indices ?? 0..<0 { results?.byValue[place].result.bind(to: &names) }
        shapes = shapes.map { $0.bound(to: &names) }
        table = JSONMemberTable(names.names)
    }
}
