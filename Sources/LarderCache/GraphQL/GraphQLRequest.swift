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
        guard name == nil || name?.isNull == true || name?.kind == .string else { return false }
        return GraphQLDocument(Bytes(text: text))?.executed(name?.string) == .query
    }

    private static let members: Set<String> = ["query", "operationName", "variables", "extensions"]

    /// Parameters of the URL by which some servers are told the document, the operation or an id, before they look at the content.
    private static func hasParameters(_ query: String?) -> Bool {
        guard let query else { return false }
        return query.split(whereSeparator: { $0 == "&" || $0 == ";" }).contains { pair in
            let name = pair.prefix { $0 != "=" }
            guard let plain = try? PercentCoding.decode(name.utf8, plusIsSpace: true) else { return true }
            let folded = FieldList.lowercased(plain[...]).filter { $0 != "_" }
            return parameters.contains { folded == $0 || folded.hasPrefix($0 + "[") }
        }
    }

    private static let parameters = [
        "query", "mutation", "operationname", "variables", "extensions", "id", "queryid", "docid", "documentid",
        "hash", "sha256hash", "method",
    ]

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
