// The bodies of sample answers: a JSON value in which `{name}` stands for something. A text that is only such a name
// stands for a JSON value: "{records}", "{total}". In other texts it stands for the text that a request gives. A body
// that is itself a text has the layout of an API: it is not written as JSON, and its names stand for both.
import LarderCore

struct SampleBody {
    /// JSON texts by the names that stand for them.
    var parts: [String: String]
    var texts: [String: String]

    /// - Parameter template: nil for the record alone.
    func bytes(_ template: JSONValue?) -> Bytes {
        guard let template else { return Bytes(text: parts["record"] ?? "") }
        if let text = template.string { return Bytes(text: Self.filled(text) { parts[$0] ?? texts[$0] }) }
        var writer = JSONWriter()
        write(template, &writer)
        return writer.bytes
    }

    private func write(_ value: JSONValue, _ writer: inout JSONWriter) {
        switch value.kind {
        case .object:
            writer.object { writer in
                for member in value.members {
                    writer.name(member.name)
                    write(member.value, &writer)
                }
            }
        case .array:
            writer.array { writer in
                for element in value.elements { write(element, &writer) }
            }
        case .string:
            let text = value.string ?? ""
            if let part = parts.first(where: { text == "{\($0.key)}" })?.value {
                writer.raw(Bytes(text: part))
            } else {
                writer.string(Self.filled(text) { texts[$0] })
            }
        case .null, .bool, .number: writer.raw(value.raw)
        }
    }

    /// A text in which each `{name}` that has a value is replaced by it.
    static func filled(_ text: String, _ value: (String) -> String?) -> String {
        text.split(separator: "{", omittingEmptySubsequences: false).enumerated().map { place, part in
            guard place > 0 else { return String(part) }
            guard let end = part.firstIndex(of: "}"), let value = value(String(part[..<end])) else { return "{" + part }
            return value + part[part.index(after: end)...]
        }.joined()
    }
}

extension JSONValue {
    /// The elements of a list, or the value if it is none.
    var all: [JSONValue] { kind == .array ? Array(elements) : [self] }

    /// The same of a member.
    func list(_ name: String) -> [JSONValue] { self[name]?.all ?? [] }

    /// The members that are texts.
    var texts: [(String, String)] { members.compactMap { member in member.value.string.map { (member.name, $0) } } }

    /// The same as header fields.
    var fields: HeaderFields { HeaderFields(texts.map { HeaderField($0.0, $0.1) }) }
}
