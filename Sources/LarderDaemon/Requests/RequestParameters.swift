// What routes read from a request. A malformed query becomes an error here only.
import LarderCore
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
    /// Whether the client shows pages, as a browser's navigation says. Programs rarely name the type.
    var acceptsPages: Bool { self.fields.combined(.accept)?.contains("text/html") == true }
}
