// The one envelope of every search answer. Pure: rows and failures in, bytes out. The body
// is constant while the state is: nothing of age, outcome or request goes into it.
import LarderCore

/// What one source gave to an answer.
public struct SourceAnswer: Sendable {
    /// Its name.
    public var provider: String
    /// The row, where there is one.
    public var normalised: NormalisedEntry?
    /// When the API gave it; nil where nothing came.
    public var fetchedAt: WallTime?
    /// Of the row.
    public var freshUntil: WallTime?
    var staleUntil: WallTime?
    /// Milliseconds that it was old when it came.
    public var initialAge: Int64 = 0
    /// The row was past its lifetime.
    public var isStale = false
    /// It is what stored results of other questions give in place of a source that is down.
    public var isLocal = false
    /// It is fresh and nothing of it is missing or old: only then may it be kept.
    public var isWhole: Bool { normalised.map { $0.lack == nil } ?? false && !isStale && !isLocal }
    /// Why the source gave nothing, why a part of it is missing, or why what it gave is stale.
    public var failure: UpstreamFailure?

    var state: String {
        guard let normalised else { return failure?.failure == .notFound ? "noResults" : "failed" }
        if normalised.missing > 0 { return "partial" }
        if normalised.count > 0 { return "results" }
        return normalised.isAllDropped ? "allDropped" : "noResults"
    }

    /// - Parameter normalised: the results in it; nil where it is an absence or cannot be read.
    public init(_ served: Served, _ normalised: NormalisedEntry?) {
        provider = served.entry.provider
        self.normalised = normalised
        fetchedAt = served.entry.responseTime
        freshUntil = served.entry.freshUntil
        staleUntil = served.entry.staleUntil
        initialAge = served.entry.initialAge
        isStale = served.outcome == .stale
        failure = served.failure ?? normalised?.lack
        // A kept absence says the same as one that was just found.
        if failure == nil, served.entry.isNegative {
            failure = UpstreamFailure(
                provider: provider, failure: .notFound, detail: "\(provider) has nothing of that name.")
        }
    }

    init(provider: String, failure: UpstreamFailure) {
        self.provider = provider
        self.failure = failure
    }
}

/// The JSON of an answer.
public enum Envelope {
    /// The state of the whole: failed only where no source gave anything.
    static func state(_ sources: [SourceAnswer]) -> String {
        let usable = sources.filter { $0.normalised != nil }
        if usable.isEmpty { return "failed" }
        if usable.count < sources.count || usable.contains(where: { $0.state == "partial" || $0.isLocal }) {
            return "partial"
        }
        return ["results", "allDropped"].first { word in usable.contains { $0.state == word } } ?? "noResults"
    }

    /// - Parameters:
    ///   - query: the canonical query as a JSON object.
    ///   - results: a JSON array of results, `count` of them.
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

    /// The entity tag of an envelope: from the digests of its parts, so that large results are not hashed again.
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
            // An instant, not a span: the body stays true while it is kept.
            writer.member(ifPresent: "retryAt", failure.isRetryable ? failure.retryAt?.rfc3339 : nil)
        }
    }
}
