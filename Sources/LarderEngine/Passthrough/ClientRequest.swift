// A client's request as the engine sees it: what it asks for, without how it arrived.
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
    /// See `PassRequest.isReadOnly`.
    let isReadOnly: Bool

    /// - Parameters:
    ///   - query: without "?", percent-encoded as received.
    ///   - isDeclared: the configuration says that the request changes nothing.
    public init(
        method: Method, query: String?, fields: HeaderFields, isVersion10: Bool, content: QueryContent? = nil,
        isDeclared: Bool = false
    ) {
        self.content = content
        isReadOnly = method.isSafe || isDeclared
        self.method = method
        self.query = query
        self.fields = fields
        self.isVersion10 = isVersion10
    }
}
