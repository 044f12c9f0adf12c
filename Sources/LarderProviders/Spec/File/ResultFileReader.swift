// Reads how a user's description makes results from records. Texts are cleaned as their field needs unless `as` says
// otherwise, so that a file says only where things lie.
import LarderCore

struct ResultFileReader {
    private static let keys = [
        "kind", "id", "title", "creator", "summary", "date", "url", "genres", "image", "attributes",
    ]

    private let kind: String
    private let map: SpecMap

    /// - Parameter entry: the name is the results' kind unless `kind` says another.
    init?(_ entry: (name: String, node: YAMLNode, path: String), _ findings: SpecFindings) {
        guard let map = SpecMap(entry.node, at: entry.path, names: Self.keys, findings) else { return nil }
        let kind = map.text("kind") ?? entry.name
        guard (1...40).contains(kind.utf8.count), kind.utf8.allSatisfy(ASCII.isLetter) else {
            findings.add(entry.node.mark, map.path("kind"), "the kind of results is 1 to 40 letters: \"\(kind)\"")
            return nil
        }
        (self.kind, self.map) = (kind, map)
    }

    /// Nil with a finding if results have no id or no title.
    func result() -> ResultSpec? {
        for key in ["id", "title"] where !map.has(key) {
            map.findings.add(map.mark, map.path(key), "is needed: a record without one gives no result")
        }
        guard let id = rule("id"), let title = rule("title", .line) else { return nil }
        var result = ResultSpec(kind: kind, id: id, title: title)
        result.creator = rule("creator", .line, .join(", "))
        result.summary = rule("summary", .paragraphs)
        result.date = rule("date")
        result.url = webRule("url", in: map)
        result.genres = rule("genres", .line, .most(12))
        result.artwork = artwork()
        result.attributes = attributes()
        return result
    }

    private func rule(_ key: String, _ usual: Transform...) -> FieldRule? {
        map.node(key).flatMap { FieldRuleReader($0, at: map.path(key), map.findings).rule(usual) }
    }

    /// A rule that yields http and https URLs only, whatever `as` says.
    private func webRule(_ key: String, in map: SpecMap) -> FieldRule? {
        let rule = map.node(key).flatMap {
            FieldRuleReader($0, at: map.path(key), map.findings, isURL: true).rule([])
        }
        return rule?.then(.web)
    }

    /// A URL template with sizes, a rule for each size, or a rule that yields the URL of a picture of one size.
    private func artwork() -> ArtworkSpec? {
        guard let node = map.node("image") else { return nil }
        var keys: [String] = []
        if case .mapping(let members) = node.content { keys = members.map(\.key) }
        if keys.contains("url") { return template(node) }
        return keys.contains("original") ? urls(node) : webRule("image", in: map).map { .urls(original: $0) }
    }

    private func urls(_ node: YAMLNode) -> ArtworkSpec? {
        let names = ["small", "large", "original"]
        guard let map = SpecMap(node, at: map.path("image"), names: names, map.findings),
            let original = webRule("original", in: map)
        else { return nil }
        return .urls(small: webRule("small", in: map), large: webRule("large", in: map), original: original)
    }

    private func template(_ node: YAMLNode) -> ArtworkSpec? {
        let names = ["name", "url", "small", "large", "original"]
        guard let map = SpecMap(node, at: map.path("image"), names: names, map.findings),
            let template = map.needed("url"), map.needed("name") != nil,
            let name = map.node("name").flatMap({ FieldRuleReader($0, at: map.path("name"), map.findings).rule([]) })
        else { return nil }
        if !template.contains("{image}") { map.fault("url", "must contain {image}") }
        let example = template.replacing("{image}", with: "a").replacing("{size}", with: "b")
        if WebURL(example) == nil || example.contains("{") {
            map.fault("url", "must be an http or https URL with {image} and perhaps {size}, and no other braces")
        }
        return .template(
            template, name: name, small: map.text("small") ?? "", large: map.text("large") ?? "",
            original: map.text("original") ?? "")
    }

    private func attributes() -> [AttributeSpec] {
        (map.map("attributes", names: nil)?.entries ?? []).compactMap { entry in
            guard SpecName.isName(entry.name) else {
                map.findings.add(entry.node.mark, entry.path, "the name of an attribute is \(SpecName.rule)")
                return nil
            }
            var (form, node) = (AttributeSpec.Form.text, entry.node)
            if case .mapping(let members) = node.content, members.count == 1, let only = members.first,
                let word = Self.forms.first(where: { $0.0 == only.key })
            {
                (form, node) = (word.1, only.value)
            }
            var usual: [Transform] = [.line]
            if case .number = form { usual = [] }
            return FieldRuleReader(node, at: entry.path, map.findings).rule(usual)
                .map { AttributeSpec(entry.name, form, $0) }
        }
    }

    private static let forms: [(String, AttributeSpec.Form)] = [
        ("text", .text), ("number", .number), ("texts", .texts),
    ]
}

/// Reads a rule: a path, a template with paths in braces, a list of such, or a mapping of `from` and `as`.
struct FieldRuleReader {
    private let node: YAMLNode
    private let path: String
    private let findings: SpecFindings
    private let isURL: Bool

    /// The most sources of a field, and the most changes of its texts.
    private static let most = 20

    /// - Parameter isURL: whether the field is a URL, in which templates encode what they insert.
    init(_ node: YAMLNode, at path: String, _ findings: SpecFindings, isURL: Bool = false) {
        (self.node, self.path, self.findings, self.isURL) = (node, path, findings, isURL)
    }

    /// - Parameter usual: the transforms if the rule names none.
    func rule(_ usual: [Transform]) -> FieldRule? {
        guard case .mapping = node.content else {
            let sources = sources(SpecMap.texts(of: node, at: path, findings))
            return sources.isEmpty ? nil : FieldRule(sources: sources, transforms: usual)
        }
        guard let map = SpecMap(node, at: path, names: ["from", "as"], findings) else { return nil }
        guard let from = map.node("from") else {
            findings.add(node.mark, map.path("from"), "is needed: a path such as $.title")
            return nil
        }
        let sources = sources(SpecMap.texts(of: from, at: map.path("from"), findings))
        guard !sources.isEmpty else { return nil }
        if map.items("as").count > Self.most { map.fault("as", "has at most \(Self.most) changes") }
        return FieldRule(
            sources: sources,
            transforms: map.has("as") ? map.items("as").compactMap { transform($0.node, $0.path) } : usual)
    }

    private func sources(_ texts: [(text: String, mark: YAMLMark)]) -> [FieldRule.Source] {
        if texts.count > Self.most { findings.add(node.mark, path, "has at most \(Self.most) sources") }
        return texts.compactMap { text, mark in
            do throws(JSONPathError) {
                return try FieldRule.Source(text, isURL: isURL)
            } catch {
                findings.add(mark, path, error.description)
                return nil
            }
        }
    }

    /// A transform without an argument is a word; one with an argument is a mapping of the word to it.
    private func transform(_ node: YAMLNode, _ place: String) -> Transform? {
        var (name, argument) = ("", "")
        switch node.content {
        case .scalar(let text, _): name = text
        case .mapping(let members) where members.count == 1:
            name = members[0].key
            if case .scalar(let text, _) = members[0].value.content { argument = text }
        default:
            findings.add(node.mark, place, "must be a transform such as line, or one with a value: join: \", \"")
            return nil
        }
        guard let made = Transform.named(name, argument) else {
            let names = Transform.names
            let near = NearestName.find(name, among: names)
            findings.add(
                node.mark, place,
                names.contains(name)
                    ? "\"\(argument)\" is no value for \(name)"
                    : "there is no transform \"\(name)\"; "
                        + (near.map { "did you mean \"\($0)\"?" } ?? "there are \(names.joined(separator: ", "))"))
            return nil
        }
        return made
    }
}
