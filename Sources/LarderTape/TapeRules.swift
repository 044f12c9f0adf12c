// `tape.yaml`: what a tape leaves out of the comparison, which names are secret, and what happens at the end of a
// series. It is written once, on the first recording; afterwards it belongs to its user. A key that is not known is an
// error: a mistyped rule would else be no rule.
import LarderCore
import LarderYAML

/// The rules of one tape.
public struct TapeRules: Sendable, Hashable {
    /// Parameters of URLs and forms, and names of parts, that are not compared.
    public var ignoredParameters: Set<String> = []
    /// Fields that are not compared, in lower case.
    public var ignoredFields: Set<String> = []
    /// JSON members and elements that are not compared.
    public var ignoredJSON: [TapeJSONPath] = []
    /// Further names of parameters, fields, members and parts whose values are secret.
    public var secrets: [String] = []
    /// Whether the last answer of a series repeats when the series is over.
    public var repeats = true
    /// Whether answers with 5xx and 429 are recorded.
    public var keepsErrors = false

    public init() {}

    /// The file's name in the folder.
    public static let file = "tape.yaml"
    /// The format that this program writes and reads.
    static let version = "1"

    /// The text of a new tape's file.
    /// - Parameter host: of the first recording. Hosts stand there for readers and decide nothing.
    static func text(host: String) -> Bytes {
        Bytes(
            text: """
                # Rules of this tape of HTTP exchanges. Larder writes this file once; change it as you like.
                version: \(version)
                hosts: ['\(host.replacing("'", with: "''"))']
                # What differs each time and is not compared: parameters (nonce), fields (X-Request-Id), JSON ($.nonce,
                # $.items[*].at).
                ignore:
                  parameters: []
                  fields: []
                  json: []
                # Further names of parameters, fields and JSON members whose values are cut before they are written.
                secrets: []
                # Whether the last answer to a repeated request goes on being the answer: yes or no.
                repeat: yes
                # Whether answers with 5xx and 429 are recorded: keep or drop.
                errors: drop

                """)
    }

    /// Reads the file.
    public init(reading text: Bytes) throws(TapeFault) {
        let root: YAMLNode
        do {
            root = try YAMLReader.read(text)
        } catch {
            throw TapeFault(.invalid, Self.file, line: error.mark.line, error.message)
        }
        let members = try Self.members(
            root, known: ["version", "hosts", "ignore", "secrets", "repeat", "errors"])
        guard let version = members["version"] else {
            throw TapeFault(.invalid, Self.file, line: 1, "lacks \"version: \(Self.version)\"")
        }
        _ = try Self.choice(version, [Self.version: true])
        if let node = members["hosts"] { _ = try Self.texts(node) }
        if let node = members["secrets"] { secrets = try Self.texts(node) }
        if let node = members["repeat"] {
            repeats = try Self.choice(node, ["yes": true, "true": true, "no": false, "false": false])
        }
        if let node = members["errors"] { keepsErrors = try Self.choice(node, ["keep": true, "drop": false]) }
        guard let ignore = members["ignore"] else { return }
        let ignored = try Self.members(ignore, known: ["parameters", "fields", "json"])
        if let node = ignored["parameters"] { ignoredParameters = Set(try Self.texts(node)) }
        if let node = ignored["fields"] { ignoredFields = Set(try Self.texts(node).map { $0.lowercased() }) }
        guard let node = ignored["json"] else { return }
        for text in try Self.texts(node) {
            guard let path = TapeJSONPath(text) else {
                throw TapeFault(
                    .invalid, Self.file, line: node.mark.line, "\"\(text)\" is not a path like $.items[*].at")
            }
            ignoredJSON.append(path)
        }
    }

    private static func members(_ node: YAMLNode, known: [String]) throws(TapeFault) -> [String: YAMLNode] {
        if node.isAbsent { return [:] }
        guard case .mapping(let members) = node.content else {
            throw TapeFault(.invalid, file, line: node.mark.line, "this is \(node.kindText), not a mapping")
        }
        var found: [String: YAMLNode] = [:]
        for member in members {
            guard known.contains(member.key) else {
                let near = NearestName.find(member.key, among: known).map { "; did you mean \"\($0)\"?" } ?? ""
                throw TapeFault(.invalid, file, line: member.mark.line, "\"\(member.key)\" is not known here\(near)")
            }
            guard found.updateValue(member.value, forKey: member.key) == nil else {
                throw TapeFault(.invalid, file, line: member.mark.line, "\"\(member.key)\" stands here twice")
            }
        }
        return found
    }

    private static func texts(_ node: YAMLNode) throws(TapeFault) -> [String] {
        if node.isAbsent { return [] }
        guard case .sequence(let items) = node.content else {
            throw TapeFault(.invalid, file, line: node.mark.line, "this is \(node.kindText), not a list")
        }
        var texts: [String] = []
        for item in items {
            guard case .scalar(let text, _) = item.content, !text.isEmpty else {
                throw TapeFault(.invalid, file, line: item.mark.line, "is not a name")
            }
            texts.append(text)
        }
        return texts
    }

    private static func choice(_ node: YAMLNode, _ words: [String: Bool]) throws(TapeFault) -> Bool {
        if case .scalar(let text, _) = node.content, let value = words[text] { return value }
        let known = words.keys.sorted().joined(separator: ", ")
        throw TapeFault(.invalid, file, line: node.mark.line, "is none of: \(known)")
    }
}

/// A path to values in a JSON text, as rules and differences write it: `$.items[0].id`. In a rule, `*` is any member
/// or element.
public struct TapeJSONPath: Sendable, Hashable, CustomStringConvertible {
    /// `.name` for a member, `[0]` for an element.
    var steps: [String]

    init(steps: [String] = []) {
        self.steps = steps
    }

    /// Reads `$.a[*].b` or `$[0].b`; nil for anything else.
    public init?(_ text: String) {
        let words = text.replacing("[", with: ".[").split(separator: ".", omittingEmptySubsequences: false)
        guard words.count > 1, words[0] == "$" else { return nil }
        steps = []
        for word in words.dropFirst() {
            guard !word.isEmpty else { return nil }
            guard word.hasPrefix("[") else {
                steps.append(".\(word)")
                continue
            }
            let index = word.dropFirst().dropLast()
            guard word.hasSuffix("]"), index == "*" || !index.isEmpty && index.utf8.allSatisfy(ASCII.isDigit) else {
                return nil
            }
            steps.append(String(word))
        }
    }

    /// Whether a rule with this path means the value at `steps`.
    func matches(_ steps: [String]) -> Bool {
        self.steps.count == steps.count
            && zip(self.steps, steps).allSatisfy { rule, step in
                rule == step || rule == ".*" || rule == "[*]" && step.hasPrefix("[")
            }
    }

    public var description: String { "$" + steps.joined() }
}
