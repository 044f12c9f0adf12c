// Records, for each path, the queries whose responses had No-Vary-Search, so that an equivalent query can find the
// response. The table only names where to look. The stored response itself decides whether it may be used. No entry of
// the table applies to another path or another provider.
import LarderCore
import LarderHTTP

/// The queries of one provider. These numbers bound the table, whatever an origin sends.
public struct SearchVarianceTable: Sendable {
    /// The most paths. Beyond that the least recently used path is dropped.
    public static let mostPaths = 64
    /// The most different rules of one path. Beyond that the oldest rule is dropped with its queries.
    public static let mostRules = 4
    /// The most queries of one path. Beyond that the oldest query is dropped.
    public static let mostQueries = 64
    /// The length in bytes of the longest query that is remembered.
    public static let longestQuery = 1024

    /// The significant parameters of a query under one rule, as a digest. It can be computed before the lock is taken.
    public struct Form: Sendable, Hashable {
        let variance: SearchVariance
        let digest: Digest

        /// Nil if every difference between queries counts, or if the query exceeds the limits of `SearchVariance`.
        public init?(_ query: String?, by variance: SearchVariance) {
            guard !variance.isStandard, let pairs = variance.significant(query) else { return nil }
            self.variance = variance
            // Each text is preceded by its length, so that two different lists never give the same bytes.
            var bytes = Bytes()
            for pair in pairs {
                for text in [pair.name, pair.value] {
                    VariableLength.append(UInt64(text.count), to: &bytes)
                    bytes += text
                }
            }
            digest = Digest(of: bytes)
        }
    }

    private struct Rule: Sendable {
        var variance: SearchVariance
        /// The latest of each group of equivalent queries, by the digest of its form.
        var queries: [Digest: Known] = [:]
    }

    private struct Known: Sendable {
        var query: String?
        var number: UInt64
    }

    private struct Path: Sendable {
        /// The latest first.
        var rules: [Rule] = []
        var lastUse: UInt64

        var count: Int { rules.reduce(0) { $0 + $1.queries.count } }
    }

    private var paths: [Digest: Path] = [:]
    private var latest: UInt64 = 0

    public init() {}

    /// The number of queries that are remembered.
    public var count: Int { paths.values.reduce(0) { $0 + $1.count } }

    /// Records a response that is stored.
    /// - Parameters:
    ///   - path: the digest of the URL without its query.
    ///   - form: the form of the query under the rule of the response.
    /// - Returns: the number of queries that were dropped.
    public mutating func note(_ query: String?, at path: Digest, _ form: Form) -> Int {
        guard (query?.utf8.count ?? 0) <= Self.longestQuery else { return 0 }
        latest += 1
        var dropped = 0
        if paths[path] == nil, paths.count >= Self.mostPaths {
            let idlest = paths.min { $0.value.lastUse < $1.value.lastUse }
            if let idlest {
                dropped += idlest.value.count
                paths[idlest.key] = nil
            }
        }
        var known = paths[path] ?? Path(lastUse: latest)
        known.lastUse = latest
        let place = known.rules.firstIndex { $0.variance == form.variance }
        var rule = place.map { known.rules.remove(at: $0) } ?? Rule(variance: form.variance)
        rule.queries[form.digest] = Known(query: query, number: latest)
        known.rules.insert(rule, at: 0)
        if known.rules.count > Self.mostRules { dropped += known.rules.removeLast().queries.count }
        if known.count > Self.mostQueries {
            Self.dropOldest(&known)
            dropped += 1
        }
        paths[path] = known
        return dropped
    }

    /// The rules of a path, the latest first. Counts as a use of the path.
    public mutating func rules(at path: Digest) -> [SearchVariance] {
        guard let known = paths[path] else { return [] }
        latest += 1
        paths[path]?.lastUse = latest
        return known.rules.map(\.variance)
    }

    /// The equivalent queries whose responses may answer this query, in the order of `forms`. The query itself is not
    /// included.
    public func equivalents(of query: String?, at path: Digest, _ forms: [Form]) -> [String?] {
        guard let known = paths[path] else { return [] }
        var out: [String?] = []
        for form in forms {
            let rule = known.rules.first { $0.variance == form.variance }
            guard let found = rule?.queries[form.digest], found.query != query, !out.contains(found.query) else {
                continue
            }
            out.append(found.query)
        }
        return out
    }

    /// Removes a query whose response is gone.
    public mutating func forget(_ query: String?, at path: Digest) {
        guard var known = paths[path] else { return }
        for place in known.rules.indices {
            for (digest, one) in known.rules[place].queries where one.query == query {
                known.rules[place].queries[digest] = nil
            }
        }
        known.rules.removeAll { $0.queries.isEmpty }
        paths[path] = known.rules.isEmpty ? nil : known
    }

    private static func dropOldest(_ path: inout Path) {
        var oldest: (rule: Int, digest: Digest, number: UInt64)?
        for (place, rule) in path.rules.enumerated() {
            for (digest, known) in rule.queries where known.number < oldest?.number ?? .max {
                oldest = (place, digest, known.number)
            }
        }
        guard let oldest else { return }
        path.rules[oldest.rule].queries[oldest.digest] = nil
        path.rules.removeAll { $0.queries.isEmpty }
    }
}
