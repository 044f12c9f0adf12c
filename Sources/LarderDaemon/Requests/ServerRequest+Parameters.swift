// What routes read from a request. A malformed query becomes an error here only.
import LarderCore
import LarderProviders
import LarderServer

extension ServerRequest {
    /// The decoded parameters of the query; empty if there is no query.
    /// - Throws: 400 if the query is not percent-encoded UTF-8.
    func parameters() throws(ClientFacingError) -> QueryParameters {
        do {
            return try QueryParameters(parsing: self.query ?? "")
        } catch {
            throw ClientFacingError(
                status: 400, code: "malformedQuery",
                detail: "The query string is not percent-encoded UTF-8 (a space is %20 or +).")
        }
    }
}

extension ServerRequest {
    /// The values of the query, read by the records of the route.
    /// - Throws: 400 for a query that the records forbid.
    func values(_ parameters: [RouteParameter]) throws(ClientFacingError) -> ParameterValues {
        try ParameterValues(self.parameters(), by: parameters.lazy.filter { $0.place == .query }.map(\.record))
    }
}

extension ServerRequest {
    /// Whether the client shows pages, as a browser's navigation says. Programs rarely name the type.
    var acceptsPages: Bool { self.fields.combined(.accept)?.contains("text/html") == true }
}
