// The envelope of every search answer. Pure: it turns rows and failures into bytes. The body changes only with the
// state, so it contains no age, no outcome and nothing of the request.
import LarderCore

/// What one source contributed to an answer.
public struct SourceAnswer: Sendable {
    /// The source's name.
    public var provider: String
    /// The normalised entry; nil if the source gave none.
    public var normalised: NormalisedEntry?
    /// When the API gave the answer; nil if there is none.
    public var fetchedAt: WallTime?
    /// When the row stops being fresh.
    public var freshUntil: WallTime?
    var staleUntil: WallTime?
    /// The age of the answer when it arrived, in milliseconds.
    public var initialAge: Int64 = 0
    /// Whether the row was past its freshness lifetime.
    public var isStale = false
    /// Whether the results come from stored answers to other questions, because the source is down.
    public var isLocal = false
    /// Whether the answer is fresh and complete. Only such an answer may be kept ready.
    public var isWhole: Bool { normalised.map { $0.lack == nil } ?? false && !isStale && !isLocal }
    /// Why the source gave nothing, why a part is missing, or why the answer is stale.
    public var failure: UpstreamFailure?

    var state: String {
        guard let normalised else { return failure?.failure == .notFound ? "noResults" : "failed" }
        if normalised.missing > 0 { return "partial" }
        if normalised.count > 0 { return "results" }
        return normalised.isAllDropped ? "allDropped" : "noResults"
    }

    /// - Parameter normalised: the results of the answer; nil if it is an absence or cannot be read.
    public init(_ served: Served, _ normalised: NormalisedEntry?) {
        provider = served.entry.provider
        self.normalised = normalised
        fetchedAt = served.entry.responseTime
        freshUntil = served.entry.freshUntil
        staleUntil = served.entry.staleUntil
        initialAge = served.entry.initialAge
        isStale = served.outcome == .stale
        failure = served.failure ?? normalised?.lack
        // A stored absence is reported like a new one.
        if failure == nil, served.entry.isNegative {
            failure = UpstreamFailure(
                provider: provider, failure: .notFound, detail: "\(provider) has no such thing.")
        }
    }

    init(provider: String, failure: UpstreamFailure) {
        self.provider = provider
        self.failure = failure
    }
}

/// Renders the JSON of an answer.
public enum Envelope {
    /// Returns the state of the whole answer. It is "failed" only if no source gave anything.
    static func state(_ sources: [SourceAnswer]) -> String {
        let usable = sources.filter { $0.normalised != nil }
        if usable.isEmpty { return "failed" }
        if usable.count < sources.count || usable.contains(where: { $0.state == "partial" || $0.isLocal }) {
            return "partial"
        }
        return ["results", "allDropped"].first { word in usable.contains { $0.state == word } } ?? "noResults"
    }

    /// - Parameters:
    ///   - query: the canonical query, a JSON object.
    ///   - results: a JSON array of `count` results.
    public static func render(query: Bytes, sources: [SourceAnswer], count: Int, results: Bytes) -> Bytes {
        var writer = JSONWriter(reserving: results.count + 1024)
        writer.object { writer in
            writer.member("state", state(sources))
            writer.member("query", raw: query)
            writer.name("sources")
            writer.array { writer in
                for source in sources { append(source, to: &writer) }
            }
            writer.member("count", count)
            writer.member("results", raw: results)
        }
        return writer.bytes
    }

    /// Returns the entity tag of an envelope. It is made from the digests of the parts, so large results are not hashed
    /// again.
    public static func entityTag(query: Bytes, sources: [SourceAnswer], order: String) -> String {
        var material = query
        for source in sources {
            material += Bytes(text: "\(source.provider) \(source.state) \(source.isStale) ")
            material += source.normalised?.resultsDigest.bytes ?? []
            material += Bytes(text: "\(source.fetchedAt?.rfc3339 ?? "-") \(source.freshUntil?.rfc3339 ?? "-") ")
            material += Bytes(text: "\(source.normalised?.dropped ?? 0) \(source.failure?.failure.rawValue ?? "-") ")
            material += Bytes(text: source.failure?.detail ?? "")
            for (reason, count) in source.normalised?.droppedReasons.sorted(by: { $0.key < $1.key }) ?? [] {
                material += Bytes(text: "\(reason) \(count) ")
            }
            if source.isLocal { material += Bytes(text: " local") }
            if let missing = source.normalised?.missing, missing > 0 { material += Bytes(text: " \(missing) missing") }
        }
        material += Bytes(text: order)
        return "\"\(Base64URL.encode(Digest(of: material).bytes.prefix(12)))\""
    }

    static func append(_ source: SourceAnswer, results: Bytes? = nil, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("provider", source.provider)
            writer.member("state", source.state)
            writer.member("count", source.normalised?.count ?? 0)
            if let normalised = source.normalised, normalised.dropped > 0 { append(dropped: normalised, to: &writer) }
            if let missing = source.normalised?.missing, missing > 0 { writer.member("missing", missing) }
            if let total = source.normalised?.totalUpstream { writer.member("total", total) }
            writer.member(ifPresent: "fetchedAt", source.fetchedAt?.rfc3339)
            writer.member(ifPresent: "freshUntil", source.freshUntil?.rfc3339)
            writer.member("stale", source.isStale)
            if source.isLocal { writer.member("local", true) }
            writer.name("error")
            if let failure = source.failure { append(failure, to: &writer) } else { writer.null() }
            if let results { writer.member("results", raw: results) }
        }
    }

    private static func append(dropped normalised: NormalisedEntry, to writer: inout JSONWriter) {
        writer.member("dropped", normalised.dropped)
        guard !normalised.droppedReasons.isEmpty else { return }
        writer.name("droppedReasons")
        writer.object { writer in
            for (reason, count) in normalised.droppedReasons.sorted(by: { $0.key < $1.key }) {
                writer.member(reason, count)
            }
        }
    }

    private static func append(_ failure: UpstreamFailure, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("class", failure.failure.rawValue)
            writer.member("detail", failure.detail)
            writer.member("retryable", failure.isRetryable)
            // An instant instead of a duration, so that a stored body stays true.
            writer.member(ifPresent: "retryAt", failure.isRetryable ? failure.retryAt?.rfc3339 : nil)
        }
    }
}
