// A JSON Schema (2020-12) as a value: the subset that this interface needs, and how it is written.
import LarderCore
import LarderProviders

/// The schema of a JSON value.
indirect enum InterfaceSchema: Sendable {
    case any
    case text
    /// A date and time in the format of RFC 3339.
    case time
    case integer
    case number
    case flag
    case words([String])
    case list(InterfaceSchema)
    /// A list with so many items.
    case bounded(InterfaceSchema, ClosedRange<Int>)
    /// An object with any member names and values of one schema.
    case map(InterfaceSchema)
    case object([Member])
    /// An object that may have further members.
    case open([Member])
    case component(InterfaceComponent)
    /// A named schema that is not an `InterfaceComponent`.
    case reference(String)
    case word(String)
    /// Any text except these words.
    case noneOf([String])
    case anyOf([InterfaceSchema])
    case orNull(InterfaceSchema)
    /// A parameter's value, or one item of a list, which contains no comma.
    case parameter(ParameterForm, default: String?, isItem: Bool = false)

    /// A member of an object.
    struct Member: Sendable {
        var name: String
        var schema: InterfaceSchema
        /// One sentence; empty if the name says enough.
        var line: String
        var isRequired: Bool

        /// A member that is always present.
        init(_ name: String, _ schema: InterfaceSchema = .text, _ line: String = "") {
            self.init(name: name, schema: schema, line: line, isRequired: true)
        }

        /// A member that may be absent.
        static func optional(_ name: String, _ schema: InterfaceSchema = .text, _ line: String = "") -> Member {
            Member(name: name, schema: schema, line: line, isRequired: false)
        }

        private init(name: String, schema: InterfaceSchema, line: String, isRequired: Bool) {
            self.name = name
            self.schema = schema
            self.line = line
            self.isRequired = isRequired
        }
    }

    /// Writes the schema as an object.
    func write(_ line: String = "", to writer: inout JSONWriter) {
        writer.object { writer in
            if !line.isEmpty { writer.member("description", line) }
            writeMembers(to: &writer)
        }
    }

    private func writeMembers(to writer: inout JSONWriter) {
        switch self {
        case .any: break
        case .text: writer.member("type", "string")
        case .time:
            writer.member("type", "string")
            writer.member("format", "date-time")
        case .integer: writer.member("type", "integer")
        case .number: writer.member("type", "number")
        case .flag: writer.member("type", "boolean")
        case .words(let words):
            writer.member("type", "string")
            writer.member("enum", strings: words)
        case .list(let items):
            writer.member("type", "array")
            writer.name("items")
            items.write(to: &writer)
        case .bounded(let items, let count):
            writer.member("type", "array")
            writer.member("minItems", count.lowerBound)
            writer.member("maxItems", count.upperBound)
            writer.name("items")
            items.write(to: &writer)
        case .map(let values):
            writer.member("type", "object")
            writer.name("additionalProperties")
            values.write(to: &writer)
        case .object(let members): Self.write(members, to: &writer)
        case .open(let members):
            Self.write(members, to: &writer)
            writer.member("additionalProperties", true)
        case .component(let component): writer.member("$ref", "#/components/schemas/\(component.rawValue)")
        case .reference(let name): writer.member("$ref", "#/components/schemas/\(name)")
        case .word(let word):
            writer.member("type", "string")
            writer.member("const", word)
        case .noneOf(let words):
            writer.member("type", "string")
            writer.name("not")
            writer.object { $0.member("enum", strings: words) }
        case .anyOf(let schemas):
            writer.name("anyOf")
            writer.array { writer in
                for schema in schemas { schema.write(to: &writer) }
            }
        case .orNull(let schema):
            writer.name("anyOf")
            writer.array { writer in
                schema.write(to: &writer)
                writer.object { $0.member("type", "null") }
            }
        case .parameter(let form, let standard, let isItem): Self.write(form, standard, isItem: isItem, to: &writer)
        }
    }

    private static func write(_ members: [Member], to writer: inout JSONWriter) {
        writer.member("type", "object")
        writer.name("properties")
        writer.object { writer in
            for member in members {
                writer.name(member.name)
                member.schema.write(member.line, to: &writer)
            }
        }
        let needed = members.filter(\.isRequired).map(\.name)
        if !needed.isEmpty { writer.member("required", strings: needed) }
    }

    private static func write(
        _ form: ParameterForm, _ standard: String?, isItem: Bool, to writer: inout JSONWriter
    ) {
        switch form {
        case .text(let longest):
            writer.member("type", "string")
            writer.member("minLength", 1)
            writer.member("maxLength", longest)
            writer.member("pattern", isItem ? printableItem : printable)
        case .pattern(let pattern):
            writer.member("type", "string")
            writer.member("pattern", pattern)
        case .number(let range):
            writer.member("type", "integer")
            writer.member("minimum", range.lowerBound)
            writer.member("maximum", range.upperBound)
            if let standard = standard.flatMap(Int.init) { writer.member("default", standard) }
            return
        case .choice(let words):
            writer.member("type", "string")
            writer.member("enum", strings: words)
        case .flag:
            writer.member("type", "string")
            writer.member("enum", strings: ParameterForm.flagWords)
        case .any: writer.member("type", "string")
        }
        writer.member(ifPresent: "default", standard)
    }

    /// Text with at least one character that is not white space, and without control characters except white space.
    private static let printable = text(without: "")
    /// The same without a comma, which would end the item.
    private static let printableItem = text(without: ",")

    private static func text(without sign: String) -> String {
        // Control characters that are no white space.
        let controls = "\\u0000-\\u0008\\u000E-\\u001F\\u007F-\\u0084\\u0086-\\u009F"
        let spaces =
            "\\u0009-\\u000D\\u0020\\u0085\\u00A0\\u1680\\u2000\\u2001\\u2002-\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000"
        return "^[^\(sign)\(controls)]*[^\(sign)\(controls)\(spaces)][^\(sign)\(controls)]*$"
    }
}
