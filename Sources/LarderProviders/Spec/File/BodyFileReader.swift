// Reads the content of a question that is asked by POST: `graphql`, a document, or `post`, a mapping that becomes JSON.
import LarderCore

struct BodyFileReader {
    let map: SpecMap
    let parameters: [QuestionParameter]

    /// The longest GraphQL document, in bytes.
    private static let longest = 8192

    /// Nil if the question is asked by GET.
    func body() -> BodyTemplate? {
        if map.has("graphql") {
            if map.has("post") { map.fault("post", "has no meaning beside graphql: leave one of them out") }
            return map.text("graphql", longest: Self.longest, hasLines: true).map {
                BodyTemplate(graphQL: $0, parameters)
            }
        }
        guard let node = map.node("post") else { return nil }
        guard case .mapping = node.content else {
            map.fault("post", "must be a mapping, which becomes the JSON that is sent")
            return nil
        }
        return BodyTemplate(part(node))
    }

    private func part(_ node: YAMLNode) -> BodyTemplate.Part {
        switch node.content {
        case .mapping(let members): return .object(members.map { ($0.key, part($0.value)) })
        case .sequence(let items): return .array(items.map(part))
        case .scalar(let text, let isPlain):
            let pieces = BodyTemplate.pieces(of: text)
            for case .value(let name) in pieces where !parameters.contains(where: { $0.name == name }) {
                let near = NearestName.find(name, among: parameters.map(\.name)).map { "; did you mean {\($0)}?" } ?? ""
                map.findings.add(
                    node.mark, map.path("post"), "{\(name)} is not a parameter of this question\(near)")
            }
            if case .value(let name)? = pieces.first, pieces.count == 1 { return .value(name) }
            if pieces.contains(where: { if case .value = $0 { true } else { false } }) { return .text(pieces) }
            // A plain scalar that JSON reads as a number, a boolean or null is one (YAML 1.2.2, §10.2).
            let isValue = isPlain && (try? JSON.parse(Bytes(text: text))) != nil
            return .literal(isValue ? text : BodyTemplate.quoted(text))
        }
    }
}
