// A client's request as the engine sees it: what it asks, and nothing of how it came.
import LarderCore

/// The head of a request.
public struct ClientRequest: Sendable {
    let method: Method
    /// Without "?", percent-encoded as received; nil where there is none.
    let query: String?
    let fields: HeaderFields
    let isVersion10: Bool
    /// Nil where it is no part of the question, or not here.
    let content: QueryContent?

    /// - Parameter query: without "?", percent-encoded as received.
    public init(
        method: Method, query: String?, fields: HeaderFields, isVersion10: Bool, content: QueryContent? = nil
    ) {
        self.content = content
        self.method = method
        self.query = query
        self.fields = fields
        self.isVersion10 = isVersion10
    }
}
