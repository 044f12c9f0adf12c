// The row of a normalised entry. Its body is the JSON array of results alone. Its fields hold what the envelope around
// the results needs. So stale and merged answers are made from the same row, and the results' bytes never change.
import LarderCore
import LarderProviders

/// The part of an envelope that one source contributes, as stored.
public struct NormalisedEntry: Sendable {
    /// The number of results.
    public var count: Int
    var dropped: Int
    /// Why records gave no result, with the number of records for each reason.
    var droppedReasons: [String: Int] = [:]
    /// There were records and none of them gave a result. This is not the same as no records.
    var isAllDropped = false
    var totalUpstream: Int?
    /// The number of parts of the answer that could not be fetched.
    var missing = 0
    /// Why those parts, or newer versions of present ones, could not be fetched.
    var lack: UpstreamFailure?
    /// The canonical query, a JSON object.
    public var query: Bytes
    /// A JSON array of results.
    public var results: Bytes
    /// SHA-256 of the results. The entity tag is made from it without reading the results again.
    var resultsDigest: Digest

    init(_ answer: NormalisedAnswer, query: Bytes) {
        count = answer.count
        dropped = answer.dropped
        droppedReasons = answer.droppedReasons
        isAllDropped = answer.isAllDropped
        totalUpstream = answer.totalUpstream
        self.query = query
        results = answer.results
        resultsDigest = Digest(of: answer.results)
    }

    /// The stored form of an endpoint's answer, with the API's own records if the endpoint asks for them.
    init(_ answer: NormalisedAnswer, of endpoint: Endpoint, _ provider: ConfiguredProvider) {
        var answer = answer
        if endpoint.includesSource {
            answer.results = SourceRecord.embedded(in: answer, withholding: provider.about.secretMembers)
        }
        self.init(answer, query: endpoint.query)
    }

    /// The row's fields.
    var fields: HeaderFields {
        var fields: HeaderFields = [
            "count": String(count), "dropped": String(dropped), "query": HeaderField.text(query),
            "digest": Base64URL.encode(resultsDigest.bytes),
        ]
        // Reasons are Larder's own words, without "=" and ";".
        let reasons = droppedReasons.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        if !reasons.isEmpty { fields.add("dropped-reasons", reasons.joined(separator: ";")) }
        if isAllDropped { fields.add("all-dropped", "1") }
        if let totalUpstream { fields.add("total", String(totalUpstream)) }
        if let lack {
            fields.add("missing", String(missing))
            fields.add("lack", lack.failure.rawValue)
            fields.add("lack-detail", lack.detail)
            if let retryAt = lack.retryAt { fields.add("lack-until", String(retryAt.milliseconds)) }
        }
        return fields
    }

    /// Reads a row. Nil if it is not the row of a normalised entry.
    public init?(_ entry: StoredResponse) {
        guard let count = entry.fields.first("count").flatMap({ Int($0) }),
            let dropped = entry.fields.first("dropped").flatMap({ Int($0) }),
            let query = entry.fields.first("query"),
            let digest = entry.fields.first("digest").flatMap({ Base64URL.decode($0) }).flatMap({ Digest(bytes: $0) })
        else { return nil }
        self.count = count
        self.dropped = dropped
        for reason in (entry.fields.first("dropped-reasons") ?? "").split(separator: ";") {
            let parts = reason.split(separator: "=")
            if parts.count == 2, let count = Int(parts[1]) { droppedReasons[String(parts[0])] = count }
        }
        isAllDropped = entry.fields.contains("all-dropped")
        totalUpstream = entry.fields.first("total").flatMap { Int($0) }
        if let missing = entry.fields.first("missing").flatMap({ Int($0) }),
            let failure = entry.fields.first("lack").flatMap({ FailureClass(rawValue: $0) })
        {
            self.missing = missing
            lack = UpstreamFailure(
                provider: entry.provider, failure: failure, detail: entry.fields.first("lack-detail") ?? "",
                retryAt: entry.fields.first("lack-until").flatMap { Int64($0) }.map { WallTime(milliseconds: $0) })
        }
        var bytes = Bytes()
        HeaderField.append(query, to: &bytes)
        self.query = bytes
        results = entry.body
        resultsDigest = digest
    }
}
