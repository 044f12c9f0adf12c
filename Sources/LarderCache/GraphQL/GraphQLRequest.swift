// Decides whether a GraphQL request over HTTP only reads (GraphQL over HTTP, "Request Parameters"). Servers differ in
// what they read beyond the specification: URL parameters, members in other spelling, documents by an id. If some
// server could read a request as something other than the query in its content, the request counts as a change.
import LarderCore
import LarderHTTP

/// Examines the content of a request. Pure.
public enum GraphQLRequest {
    /// The most requests of one batch that are examined. A longer batch counts as a change.
    static let mostInBatch = 64

    /// Whether every operation that a server would execute is a query.
    /// - Parameters:
    ///   - fields: the fields of the request.
    ///   - query: the query of its URL.
    public static func isQuery(_ body: Bytes, fields: HeaderFields, query: String?) -> Bool {
        guard !hasParameters(query), isPlain(fields) else { return false }
        switch MediaType.essence(fields.first(.contentType)) {
        case "application/json":
            guard let value = try? JSON.parse(body) else { return false }
            guard value.kind == .array else { return isQuery(value) }
            let elements = Array(value.elements.prefix(mostInBatch + 1))
            return !elements.isEmpty && elements.count <= mostInBatch && elements.allSatisfy(isQuery)
        case "application/graphql": return GraphQLDocument(body)?.executed(nil) == .query
        default: return false
        }
    }

    /// Whether one request object is a query. It is refused if it has an unknown member or a repeated member, because a
    /// server may then read another document. An unknown member may equal a known one for a server that ignores case.
    private static func isQuery(_ request: JSONValue) -> Bool {
        guard request.kind == .object else { return false }
        var seen: Set<String> = []
        for member in request.members {
            guard members.contains(member.name), seen.insert(member.name).inserted else { return false }
        }
        guard let text = request["query"]?.string else { return false }
        let name = request["operationName"]
        guard name == nil || name?.isNull == true || name?.kind == .string, arePlain(request["extensions"]) else {
            return false
        }
        return GraphQLDocument(Bytes(text: text))?.executed(name?.string) == .query
    }

    private static let members: Set<String> = ["query", "operationName", "variables", "extensions"]

    /// Whether the URL has a parameter from which a server may take the document, the operation, an id or another
    /// method before it reads the content.
    private static func hasParameters(_ query: String?) -> Bool {
        guard let query else { return false }
        return RequestNames.letters(ofQuery: query[...].utf8).map { $0.contains(where: mayTell) } ?? true
    }

    /// Whether a parameter with these letters may tell a server what to do. This is a rule and not a list, because
    /// servers agree on no spelling.
    private static func mayTell(_ letters: String) -> Bool {
        MethodOverride.isMethod(letters) || names.contains(letters) || letters.hasPrefix("op")
            || parts.contains { letters.contains($0) }
    }

    private static let names: Set<String> = ["id", "ids", "q", "qid", "gql"]
    private static let parts = [
        "query", "mutation", "subscription", "operation", "doc", "variable", "extension", "hash", "persist", "graphql",
    ]

    /// Whether the extensions do not affect which document is executed. With `extensions.persistedQuery` a server
    /// registers or looks up a document, even beside a query, and chooses itself which of the two to execute. Other
    /// extensions, such as a client's name and version, change nothing.
    private static func arePlain(_ extensions: JSONValue?) -> Bool {
        guard let extensions, !extensions.isNull else { return true }
        guard extensions.kind == .object else { return false }
        return !extensions.members.contains { RequestNames.letters($0.name).map(mayTell) ?? true }
    }

    /// Whether the content is plain UTF-8 text without a content coding.
    private static func isPlain(_ fields: HeaderFields) -> Bool {
        let types = fields.all(.contentType)
        let codings = FieldList.names(fields.all(.contentEncoding))
        guard types.count == 1, codings.isEmpty || codings == ["identity"] else { return false }
        return types[0].split(separator: ";").dropFirst().allSatisfy { parameter in
            let text = FieldList.lowercased(ASCII.trimmed(parameter))
            return text.isEmpty || text == "charset=utf-8" || text == "charset=\"utf-8\""
        }
    }
}
