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

    /// The path below the base URL, percent-encoded. A segment `*` stands for any one segment that is not empty.
    public var path: String
    /// The freshness of a response that does not give its own.
    public var ttl: Duration
    public var kind: Kind

    /// - Parameter path: see the property `path`.
    public init(path: String, ttl: Duration, kind: Kind) {
        self.path = path
        self.ttl = ttl
        self.kind = kind
    }

    /// Whether the path of a request matches this one exactly, except for `*`.
    public func matches(_ asked: String) -> Bool {
        guard path.utf8.contains(0x2A) else { return path == asked }
        let wanted = path.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
        let given = asked.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
        return wanted.count == given.count
            && zip(wanted, given).allSatisfy { wanted, given in
                wanted.elementsEqual([0x2A]) ? !given.isEmpty : wanted.elementsEqual(given)
            }
    }
}

extension ProviderSettings {
    /// The first read-only POST endpoint that matches a path.
    public func readOnlyPost(_ path: String) -> ReadOnlyPost? { readOnlyPosts.first { $0.matches(path) } }
}
