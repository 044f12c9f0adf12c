// A client's request as the engine sees it: what the client asks for, without how the request arrived.
import LarderCore
import LarderHTTP

/// The head of a request.
public struct ClientRequest: Sendable {
    let method: Method
    /// The query without "?", percent-encoded as received. Nil if there is none.
    let query: String?
    let fields: HeaderFields
    let isVersion10: Bool
    /// The content that is part of the cache key. Nil if there is none, or if the content is passed on without caching.
    let content: QueryContent?
    /// See `PassRequest.isReadOnly`.
    let isReadOnly: Bool
    /// See `PassRequest.override`.
    let override: Method?
    /// Whether the request would change the protocol of its connection. No answer to it is stored.
    let isUpgrade: Bool

    /// - Parameters:
    ///   - query: the query without "?", percent-encoded as received.
    ///   - isDeclared: whether the configuration says that the request changes nothing.
    // More than six parameters: the parts of a request, and two things that others know of it.
    public init(
        method: Method, query: String?, fields: HeaderFields, isVersion10: Bool, content: QueryContent? = nil,
        isDeclared: Bool = false, isUpgrade: Bool = false
    ) {
        self.isUpgrade = isUpgrade
        self.content = content
        let override = MethodOverride.method(fields: fields, query: query).flatMap { $0 == method ? nil : $0 }
        self.override = override
        isReadOnly = (method.isSafe || isDeclared) && override?.isSafe ?? true
        self.method = method
        self.query = query
        self.fields = fields
        self.isVersion10 = isVersion10
    }
}
