// A request's query as parameters: the one place where what is no query becomes an error.
import LarderCore
import LarderServer

extension ServerRequest {
    /// The decoded parameters of the query, none where there is no query.
    /// - Throws: 400 where it is not percent-encoded UTF-8.
    func parameters() throws(ClientFacingError) -> QueryParameters {
        do {
            return try QueryParameters(parsing: query ?? "")
        } catch {
            throw ClientFacingError(
                status: 400, code: "malformedQuery",
                detail: "The query string is not percent-encoded UTF-8 (a space is %20 or +).")
        }
    }
}
