// Whether a GraphQL request over HTTP only reads (GraphQL over HTTP, "Request Parameters"). Servers differ in what they read beyond the
// specification: parameters of the URL, members in other spelling, documents by an id. Whatever one of them could read as
// something else than the query that stands here cannot be told, and counts as a change.
import LarderCore
import LarderHTTP

/// Reading a request's content. Pure.
public enum GraphQLRequest {
    /// Requests of one batch that are looked at; a longer batch cannot be told.
    static let mostInBatch = 64

    /// Whether every operation that a server would execute is a query.
    /// - Parameters:
    ///   - fields: of the request.
    ///   - query: of its URL.
    public static func isQuery(_ body: Bytes, fields: HeaderFields, query: String?) -> Bool {
        guard !hasParameters(query), isPlain(fields) else { return false }
        switch MediaType.essence(fields.first("Content-Type")) {
        case "application/json":
            guard let value = try? JSON.parse(body) else { return false }
            guard value.kind == .array else { return isQuery(value) }
            let elements = Array(value.elements.prefix(mostInBatch + 1))
            return !elements.isEmpty && elements.count <= mostInBatch && elements.allSatisfy(isQuery)
        case "application/graphql": return GraphQLDocument(body)?.executed(nil) == .query
        default: return false
        }
    }

    /// The members of a request. Another one, one that comes twice, and one that a reader without regard to case takes for one of
    /// these, may mean another document.
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

    /// Whether the URL has a parameter by which some server may be told the document, the operation, an id or another method, before it
    /// looks at the content.
    private static func hasParameters(_ query: String?) -> Bool {
        guard let query else { return false }
        return RequestNames.letters(ofQuery: query[...].utf8).map { $0.contains(where: mayTell) } ?? true
    }

    /// Whether a name, by its letters, may be one by which a server is told what to do. A rule and no list: servers agree on no spelling.
    private static func mayTell(_ letters: String) -> Bool {
        MethodOverride.isMethod(letters) || names.contains(letters) || letters.hasPrefix("op")
            || parts.contains { letters.contains($0) }
    }

    private static let names: Set<String> = ["id", "ids", "q", "qid", "gql"]
    private static let parts = [
        "query", "mutation", "subscription", "operation", "doc", "variable", "extension", "hash", "persist", "graphql",
    ]

    /// A server registers, or looks up, a document by what stands in `extensions.persistedQuery`, also beside a query: which of the two it
    /// executes is its own affair. Other extensions, such as a client's name and version, change nothing.
    private static func arePlain(_ extensions: JSONValue?) -> Bool {
        guard let extensions, !extensions.isNull else { return true }
        guard extensions.kind == .object else { return false }
        return !extensions.members.contains { RequestNames.letters($0.name).map(mayTell) ?? true }
    }

    /// The content is text in UTF-8 as it stands here.
    private static func isPlain(_ fields: HeaderFields) -> Bool {
        let types = fields.all("Content-Type")
        let codings = FieldList.names(fields.all("Content-Encoding"))
        guard types.count == 1, codings.isEmpty || codings == ["identity"] else { return false }
        return types[0].split(separator: ";").dropFirst().allSatisfy { parameter in
            let text = FieldList.lowercased(ASCII.trimmed(parameter))
            return text.isEmpty || text == "charset=utf-8" || text == "charset=\"utf-8\""
        }
    }
}
