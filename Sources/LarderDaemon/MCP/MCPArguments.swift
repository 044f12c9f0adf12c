// The arguments of a tool: a JSON object, of which the routes take text. A model may write a list as an array or with
// commas, and a number as text. The routes check the values; here only the names are checked.
import LarderCore
import LarderHTTP
import LarderProviders

struct MCPArguments {
    /// The bytes of data that a result has, unless its call says otherwise, and the most.
    static let (usualBytes, mostBytes) = (20_000, 1_000_000)

    private let object: JSONValue?

    /// - Parameter names: the arguments that the tool knows.
    init(_ object: JSONValue?, knowing names: [String]) throws(ClientFacingError) {
        self.object = object?.isNull == true ? nil : object
        guard let object = self.object else { return }
        guard object.kind == .object else {
            throw .invalid("arguments", "The arguments must be an object.", allowed: names)
        }
        for member in object.members where !names.contains(member.name) {
            throw .invalid(member.name, "The tool has no argument named \"\(member.name)\".", allowed: names)
        }
    }

    subscript(_ name: String) -> JSONValue? { object?[name].flatMap { $0.isNull ? nil : $0 } }

    /// An argument as the text that a route takes; nil if it is absent.
    func text(_ name: String) throws(ClientFacingError) -> String? {
        try self[name].map { value throws(ClientFacingError) in try Self.text(name, value) }
    }

    private static func text(_ name: String, _ value: JSONValue) throws(ClientFacingError) -> String {
        switch value.kind {
        case .string: return value.string ?? ""
        case .number: return value.numberText ?? ""
        case .bool: return value.bool == true ? "yes" : "no"
        case .array:
            var items: [String] = []
            for item in value.elements {
                guard item.kind != .array else { throw .invalid(name, "\"\(name)\" must be a list of texts.") }
                items.append(try text(name, item))
            }
            return items.joined(separator: ",")
        case .object, .null: throw .invalid(name, "\"\(name)\" must be a text, a number or a list of texts.")
        }
    }

    func required(_ name: String) throws(ClientFacingError) -> String {
        guard let text = try text(name), !text.isEmpty else {
            throw ClientFacingError(
                status: 400, code: "missingParameter", detail: "\"\(name)\" is missing.", parameter: name)
        }
        return text
    }

    /// An argument that is yes or no; false if it is absent.
    func flag(_ name: String) throws(ClientFacingError) -> Bool {
        guard let text = try text(name) else { return false }
        guard ParameterForm.flagWords.contains(text) else {
            throw .invalid(name, "\"\(name)\" is not yes or no.", allowed: ParameterForm.flagWords)
        }
        return ParameterForm.isYes(text)
    }

    /// The most bytes of data that the result may have.
    func maxBytes() throws(ClientFacingError) -> Int {
        guard let text = try text(MCPTool.maxBytes.name) else { return Self.usualBytes }
        guard let number = Int(text), 100...Self.mostBytes ~= number else {
            throw .invalid(MCPTool.maxBytes.name, "\"maxBytes\" is a number from 100 to \(Self.mostBytes).")
        }
        return number
    }

    /// A route's path with those of the parameters that are given.
    func target(_ path: String, _ names: [String]) throws(ClientFacingError) -> String {
        var query = QueryParameters()
        for name in names {
            if let text = try text(name) { query.items.append(.init(name, text)) }
        }
        return query.items.isEmpty ? path : "\(path)?\(query.encoded)"
    }

    /// The members of an argument that is an object, as parameters of a route.
    func parameters(_ name: String) throws(ClientFacingError) -> QueryParameters {
        guard let value = self[name] else { return QueryParameters() }
        guard value.kind == .object else { throw .invalid(name, "\"\(name)\" must be an object.") }
        var query = QueryParameters()
        for member in value.members where !member.value.isNull {
            query.items.append(.init(member.name, try Self.text(member.name, member.value)))
        }
        return query
    }
}
