// One mapping of a provider's description, read key by key. What is wrong is noted with its place, and the reading goes
// on, so that a person sees every mistake at once.
import LarderCore

/// A mistake in a description.
public struct SpecFinding: Error, Sendable, Hashable {
    public var mark: YAMLMark
    /// The dotted path below the provider: "questions.works.parameters.q".
    public var path: String
    public var message: String
}

/// Collects the mistakes of one description.
final class SpecFindings {
    private(set) var all: [SpecFinding] = []
    /// Further mistakes are not told: a file of another kind would fill the screen.
    private static let most = 50

    func add(_ mark: YAMLMark, _ path: String, _ message: String) {
        let finding = SpecFinding(mark: mark, path: path, message: message)
        // A mapping may be read for several purposes.
        if all.count < Self.most, !all.contains(finding) { all.append(finding) }
    }
}

/// The values of one mapping.
struct SpecMap {
    let path: String
    let mark: YAMLMark
    let findings: SpecFindings
    private let members: [YAMLMember]

    /// - Parameter names: the keys that it may have; nil if the keys are names of the user's own.
    init(_ members: [YAMLMember], _ mark: YAMLMark, at path: String, names: [String]?, _ findings: SpecFindings) {
        self.path = path
        self.mark = mark
        self.findings = findings
        var kept: [YAMLMember] = []
        for member in members {
            let place = Self.below(path, member.key)
            if let first = kept.first(where: { $0.key == member.key }) {
                findings.add(member.mark, place, "is given twice; first on line \(first.mark.line)")
            } else if let names, !names.contains(member.key) {
                let near = NearestName.find(member.key, among: names)
                findings.add(
                    member.mark, place,
                    near.map { "there is no such key; did you mean \"\($0)\"?" }
                        ?? "there is no such key; known here: \(names.joined(separator: ", "))")
            } else if member.value.isAbsent {
                findings.add(member.mark, place, "has no value; leave the line out instead")
            } else {
                kept.append(member)
            }
        }
        self.members = kept
    }

    /// Nil if the node is no mapping.
    init?(_ node: YAMLNode, at path: String, names: [String]?, _ findings: SpecFindings) {
        guard case .mapping(let members) = node.content else {
            findings.add(node.mark, path, "must be a mapping, not \(node.kindText)")
            return nil
        }
        self.init(members, node.mark, at: path, names: names, findings)
    }

    private static func below(_ path: String, _ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    func path(_ key: String) -> String { Self.below(path, key) }

    /// Everything in the order of the text.
    var entries: [(name: String, node: YAMLNode, path: String)] {
        members.map { ($0.key, $0.value, path($0.key)) }
    }

    func node(_ key: String) -> YAMLNode? { members.first { $0.key == key }?.value }

    func has(_ key: String) -> Bool { node(key) != nil }

    func fault(_ key: String, _ message: String) {
        findings.add(node(key)?.mark ?? mark, path(key), message)
    }
}

// MARK: Values

extension SpecMap {
    /// A single value, or nil with a finding if it is a list or a mapping.
    /// - Parameter hasLines: whether line ends and tabs are allowed.
    func text(_ key: String, longest: Int = 500, hasLines: Bool = false) -> String? {
        guard let node = node(key) else { return nil }
        guard case .scalar(let text, _) = node.content else {
            fault(key, "must be a single value, not \(node.kindText)")
            return nil
        }
        let isAllowed = { (scalar: Unicode.Scalar) in
            scalar.properties.generalCategory != .control || hasLines && (scalar == "\n" || scalar == "\t")
        }
        guard text.utf8.count <= longest, text.unicodeScalars.allSatisfy(isAllowed)
        else {
            fault(key, "must have at most \(longest) bytes and no control character")
            return nil
        }
        return text
    }

    /// A value that must be there.
    func needed(_ key: String) -> String? {
        if has(key) { return text(key) }
        findings.add(mark, path(key), "is needed")
        return nil
    }

    /// One value, or a list of them.
    func texts(_ key: String) -> [String] {
        node(key).map { Self.texts(of: $0, at: path(key), findings).map(\.text) } ?? []
    }

    static func texts(
        of node: YAMLNode, at path: String, _ findings: SpecFindings
    ) -> [(text: String, mark: YAMLMark)] {
        var items = [node]
        if case .sequence(let list) = node.content { items = list }
        return items.compactMap { item in
            guard case .scalar(let text, _) = item.content, text.utf8.count <= JSONPath.longest else {
                findings.add(item.mark, path, "must be a single value or a list of them")
                return nil
            }
            return (text, item.mark)
        }
    }

    func flag(_ key: String) -> Bool? {
        guard let text = text(key) else { return nil }
        switch text.lowercased() {
        case "true", "yes": return true
        case "false", "no": return false
        default:
            fault(key, "must be true or false")
            return nil
        }
    }

    func number(_ key: String, in range: ClosedRange<Int>) -> Int? {
        guard let text = text(key) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            fault(key, "must be a number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    /// A range of numbers: "1..100".
    func range(_ key: String) -> ClosedRange<Int>? {
        guard let text = text(key) else { return nil }
        guard let range = SpecRange.read(text) else {
            fault(key, "must be two numbers such as 1..100")
            return nil
        }
        return range
    }

    func duration(_ key: String) -> Duration? {
        guard let text = text(key) else { return nil }
        do {
            return try Units.duration(text)
        } catch {
            fault(key, error.message)
            return nil
        }
    }

    /// One of these words, in any letter case.
    func word(_ key: String, among words: [String]) -> String? {
        guard let text = text(key) else { return nil }
        if let word = words.first(where: { ASCII.equalFolded($0, text) }) { return word }
        let near = NearestName.find(text, among: words).map { "; did you mean \"\($0)\"?" } ?? ""
        fault(key, "\"\(text)\" is not one of \(words.joined(separator: ", "))\(near)")
        return nil
    }

    /// A path of RFC 9535.
    func jsonPath(_ key: String) -> JSONPath? {
        text(key, longest: JSONPath.longest).flatMap { text in
            checked(key) { () throws(JSONPathError) in try JSONPath(text) }
        }
    }

    /// The condition of a path's filter: `@.status == 'error'`.
    func condition(_ key: String) -> JSONFilter? {
        text(key, longest: JSONPath.longest).flatMap { text in
            checked(key) { () throws(JSONPathError) in try JSONFilter(text) }
        }
    }

    private func checked<Value>(_ key: String, _ read: () throws(JSONPathError) -> Value) -> Value? {
        do {
            return try read()
        } catch {
            fault(key, error.description)
            return nil
        }
    }

    func map(_ key: String, names: [String]?) -> SpecMap? {
        node(key).flatMap { SpecMap($0, at: path(key), names: names, findings) }
    }

    /// A list, or one item.
    func items(_ key: String) -> [(node: YAMLNode, path: String)] {
        guard let node = node(key) else { return [] }
        guard case .sequence(let items) = node.content else { return [(node, path(key))] }
        return items.enumerated().map { ($0.element, "\(path(key))[\($0.offset)]") }
    }
}

/// "1..100"
enum SpecRange {
    static func read(_ text: String) -> ClosedRange<Int>? {
        guard let dots = text.firstRange(of: ".."), let low = Int(text[..<dots.lowerBound]),
            let high = Int(text[dots.upperBound...]), low <= high
        else { return nil }
        return low...high
    }
}
