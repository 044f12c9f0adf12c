// Checks a JSON value against a schema. It supports the part of JSON Schema (2020-12) that `/openapi.json` uses. An
// unknown keyword counts as a fault, so no rule is ignored silently.
import LarderCore

public struct SchemaChecker: Sendable {
    private let document: JSONValue
    private static let known: Set<String> = [
        "$ref", "type", "enum", "properties", "required", "items", "additionalProperties", "anyOf", "description",
        "format",
        "minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength", "pattern", "default",
        "const", "not",
    ]

    /// - Parameter document: the document in which references are resolved.
    public init(document: JSONValue) {
        self.document = document
    }

    /// The faults of a value, each with its place; empty if the value conforms to the schema.
    public func faults(of value: JSONValue, by schema: JSONValue, at place: String = "$") -> [String] {
        if let reference = schema["$ref"]?.string {
            var target: JSONValue? = document
            for name in reference.split(separator: "/").dropFirst() { target = target?[String(name)] }
            guard let target else { return ["\(place): \(reference) leads nowhere"] }
            return faults(of: value, by: target, at: place)
        }
        if let choices = schema["anyOf"]?.elements {
            let all = choices.map { faults(of: value, by: $0, at: place) }
            guard let least = all.min(by: { $0.count < $1.count }), !least.isEmpty else { return [] }
            return ["\(place): none of the allowed shapes; nearest: \(least)"]
        }
        var found = schema.members.filter { !Self.known.contains($0.name) }.map {
            "\(place): the schema has an unknown keyword \($0.name)"
        }
        if let type = schema["type"]?.string, !Self.isOf(type, value) { return found + ["\(place): no \(type)"] }
        if let words = schema["enum"]?.elements, let text = value.string, !words.contains(where: { $0.string == text })
        {
            found.append("\(place): \"\(text)\" is none of the words")
        }
        if let word = schema["const"]?.string, value.string != word {
            found.append("\(place): not \"\(word)\"")
        }
        if let excluded = schema["not"], faults(of: value, by: excluded, at: place).isEmpty {
            found.append("\(place): one of those that it must not be")
        }
        if let text = value.string { found += Self.faults(of: text, by: schema, at: place) }
        if let number = value.integer,
            number < schema["minimum"]?.integer ?? .min
                || number > schema["maximum"]?.integer ?? .max
        {
            found.append("\(place): \(number) is out of range")
        }
        if value.kind == .object { found += faults(ofMembers: value, by: schema, at: place) }
        if value.kind == .array {
            let bounds = (schema["minItems"]?.integer ?? 0)...(schema["maxItems"]?.integer ?? .max)
            if !bounds.contains(value.count) { found.append("\(place): \(value.count) items") }
        }
        if value.kind == .array, let items = schema["items"] {
            for (index, element) in value.elements.enumerated() {
                found += faults(of: element, by: items, at: "\(place)[\(index)]")
            }
        }
        return found
    }

    private static func faults(of text: String, by schema: JSONValue, at place: String) -> [String] {
        var found: [String] = []
        // JSON Schema counts the characters of RFC 8259, which are code points.
        let length = text.unicodeScalars.count
        if length < schema["minLength"]?.integer ?? 0 || length > schema["maxLength"]?.integer ?? .max {
            found.append("\(place): \(length) characters")
        }
        if let pattern = schema["pattern"]?.string {
            let regex = try? Regex(pattern).matchingSemantics(.unicodeScalar)
            if regex.flatMap({ try? $0.firstMatch(in: text) }) == nil {
                found.append("\(place): \"\(text)\" does not match \(pattern)")
            }
        }
        return found
    }

    private func faults(ofMembers value: JSONValue, by schema: JSONValue, at place: String) -> [String] {
        var found = (schema["required"]?.elements.compactMap(\.string) ?? []).filter { value[$0] == nil }.map {
            "\(place): \($0) is missing"
        }
        for member in value.members {
            let inside = "\(place).\(member.name)"
            if let own = schema["properties"]?[member.name] {
                found += faults(of: member.value, by: own, at: inside)
            } else if let others = schema["additionalProperties"] {
                if others.bool == true { continue }
                found += faults(of: member.value, by: others, at: inside)
            } else if schema["properties"] != nil {
                found.append("\(inside): not described")
            }
        }
        return found
    }

    private static func isOf(_ type: String, _ value: JSONValue) -> Bool {
        switch type {
        case "object": value.kind == .object
        case "array": value.kind == .array
        case "string": value.kind == .string
        case "integer": value.integer != nil
        case "number": value.kind == .number
        case "boolean": value.kind == .bool
        case "null": value.kind == .null
        default: false
        }
    }
}
