// A POST endpoint that the configuration declares to only read, and the time for which its responses are fresh.

/// One such endpoint.
public struct ReadOnlyPost: Sendable, Hashable {
    /// The kind of the endpoint's requests.
    public enum Kind: String, Sendable, CaseIterable {
        /// GraphQL. A query only reads. A mutation, a subscription and a request that cannot be classified do not.
        case graphql
        /// Every request only reads.
        case any
    }

    public var path: PathPattern
    /// The freshness of a response that does not give its own.
    public var ttl: Duration
    public var kind: Kind

    /// - Parameter path: see `PathPattern`.
    public init(path: String, ttl: Duration, kind: Kind) {
        self.path = PathPattern(path)
        self.ttl = ttl
        self.kind = kind
    }
}

extension ProviderSettings {
    /// The first read-only POST endpoint that matches a path.
    public func readOnlyPost(_ path: String) -> ReadOnlyPost? { readOnlyPosts.first { $0.path.matches(path) } }
}
