// A POST endpoint of which the configuration says that it only reads, and for how long its answers are fresh.

/// One such endpoint.
public struct ReadOnlyPost: Sendable, Hashable {
    /// What its requests are.
    public enum Kind: String, Sendable, CaseIterable {
        /// A query only reads; a mutation, a subscription and what cannot be told do not.
        case graphql
        /// Each of them only reads.
        case any
    }

    /// Below the base URL, percent-encoded; a segment `*` stands for any one segment that is not empty.
    public var path: String
    /// Freshness of an answer that does not say its own.
    public var ttl: Duration
    public var kind: Kind

    /// - Parameter path: see `path`.
    public init(path: String, ttl: Duration, kind: Kind) {
        self.path = path
        self.ttl = ttl
        self.kind = kind
    }

    /// Whether a request's path is this one, to the letter.
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
    /// The first of its read-only POST endpoints that has that path.
    public func readOnlyPost(_ path: String) -> ReadOnlyPost? { readOnlyPosts.first { $0.matches(path) } }
}
