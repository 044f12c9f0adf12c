// The shape of one answer of an unknown API: where its records lie, and which of their members are an id, a title, a date and
// so on. It is a guess by names and values, for a person to correct.
import LarderCore

struct AnswerShape {
    /// A place in a record, with the values that are there in the first records.
    struct Place {
        /// The path below the record: `$.show.name`, `$.tags[*]`.
        var path: String
        /// The names on the way, in small letters without "-" and "_".
        var names: [String]
        var values: [JSONValue]

        var name: String { names.last ?? "" }
    }

    /// The path of the list, with what stands in each element: `$.docs[*].show`; nil if the answer is one record.
    private(set) var list: String?
    /// The name of the list or of its elements; nil if the answer itself is the list.
    private(set) var listName: String?
    /// The path of the number of all matches.
    private(set) var total: String?
    private(set) var places: [Place] = []

    /// The records that are looked at, and the depth of what is looked at in them.
    private static let mostRecords = 20
    private static let deepest = 3
    private static let mostMembers = 500

    /// Nil if there is no object in the answer.
    init?(_ root: JSONValue) {
        var records: [JSONValue]
        if let found = Self.lists(root, "$", nil, depth: 0).max(by: { $0.weight < $1.weight }) {
            (list, listName, records) = (found.path, found.name, found.records)
            if let wrapped = Self.wrapped(records) {
                list = found.path + "[*]" + Self.selector(wrapped)
                listName = wrapped
                records = records.compactMap { $0[wrapped] }
            }
            total = Self.total(root, "$", depth: 0)
        } else {
            guard root.kind == .object else { return nil }
            records = [root]
        }
        for record in records.prefix(Self.mostRecords) { add(record, "$", [], depth: 0) }
    }

    // MARK: The list

    private struct FoundList {
        var path: String
        var name: String?
        var records: [JSONValue]
        var depth: Int
        /// The longest list counts; of two as long, the one that is less deep.
        var weight: (Int, Int) { (min(records.count, 5), -depth) }
    }

    private static func lists(_ value: JSONValue, _ path: String, _ name: String?, depth: Int) -> [FoundList] {
        guard depth <= deepest else { return [] }
        switch value.kind {
        case .array:
            let records = value.elements.filter { $0.kind == .object }
            return records.isEmpty ? [] : [FoundList(path: path, name: name, records: records, depth: depth)]
        case .object:
            return written(value).flatMap { lists($0.value, path + selector($0.name), $0.name, depth: depth + 1) }
        case .null, .bool, .number, .string: return []
        }
    }

    /// The one member that holds the record, if the elements have nothing else of note: `{ "score": 1, "show": { … } }`.
    private static func wrapped(_ records: [JSONValue]) -> String? {
        guard let first = records.first, first.count <= 3 else { return nil }
        let objects = first.members.filter { $0.value.kind == .object && $0.value.count >= 3 }
        guard objects.count == 1, let name = objects.first?.name else { return nil }
        return records.allSatisfy { $0[name]?.kind == .object } ? name : nil
    }

    private static let totals = [
        "totalresults", "totalcount", "numfound", "totalhits", "totalitems", "total", "found", "nbhits", "hits",
        "count",
    ]

    private static func total(_ value: JSONValue, _ path: String, depth: Int) -> String? {
        guard value.kind == .object, depth <= deepest else { return nil }
        for name in totals {
            for member in written(value) where plain(member.name) == name && member.value.integer != nil {
                return path + selector(member.name)
            }
        }
        for member in written(value) {
            if let found = total(member.value, path + selector(member.name), depth: depth + 1) { return found }
        }
        return nil
    }

    // MARK: Members

    private mutating func add(_ value: JSONValue, _ path: String, _ names: [String], depth: Int) {
        switch value.kind {
        case .object where depth < Self.deepest:
            for member in Self.written(value) {
                add(
                    member.value, path + Self.selector(member.name), names + [Self.plain(member.name)], depth: depth + 1
                )
            }
        case .array where depth > 0 && depth < Self.deepest:
            for element in value.elements.prefix(Self.mostRecords) {
                add(element, path + "[*]", names, depth: depth + 1)
            }
        case .string, .number, .bool:
            if let place = places.firstIndex(where: { $0.path == path }) {
                places[place].values.append(value)
            } else if !names.isEmpty, places.count < 200 {
                places.append(Place(path: path, names: names, values: [value]))
            }
        case .object, .array, .null: break
        }
    }

    /// The first place with one of these names, in the order of the names, whose values all fit; else the first whose name
    /// ends in one. Places that are less deep come first.
    func place(_ names: [String], where fits: (JSONValue) -> Bool) -> Place? {
        let fitting = places.filter { place in !place.values.isEmpty && place.values.allSatisfy(fits) }
        func first(_ isNamed: (Place, String) -> Bool) -> Place? {
            for name in names {
                let found = fitting.filter { isNamed($0, name) }
                if let best = found.min(by: { $0.names.count < $1.names.count }) { return best }
            }
            return nil
        }
        return first { $0.name == $1 || $0.names.suffix(2).joined(separator: ".") == $1 }
            ?? first { place, name in place.name.filter { !$0.isNumber }.hasSuffix(name) }
    }

    /// The first members whose names a file can have.
    private static func written(_ value: JSONValue) -> [JSONValue.Member] {
        value.members.prefix(mostMembers).filter {
            $0.name.utf8.count <= 100 && !$0.name.unicodeScalars.contains(where: DraftLines.isControl)
        }
    }

    static func plain(_ name: String) -> String { name.lowercased().filter { $0 != "_" && $0 != "-" } }

    /// The selector of a member (RFC 9535 §2.5.1.1 and §2.3.1).
    static func selector(_ name: String) -> String {
        let isPlain =
            name.utf8.first.map { ASCII.isLetter($0) || $0 == 0x5F } == true
            && name.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == 0x5F }
        if isPlain { return "." + name }
        return "['" + name.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "']"
    }
}
