// Request content that is part of the cache key. QUERY (RFC 10008) asks with its content what GET asks with its URL. So
// the key of the response contains everything that gives the content its meaning. The same applies to a POST that the
// configuration declares to only read.
import LarderCore
import LarderHTTP
import LarderSettings

/// Complete request content of at most `cache.maxQueryBody` bytes.
public struct QueryContent: Sendable {
    let body: Bytes
    /// The length, the digest, and the fields that say how the content is to be read. Content that differs in any of
    /// them is another question. If the upstream sees the same question in both, this only costs a call.
    let identity: String
    /// A mark by which a person can tell contents apart: "(17 bytes, 3q2-7wAb)".
    var mark: String { "(\(body.count) bytes, \(Base64URL.encode(Digest(of: Bytes(text: identity)).bytes).prefix(8)))" }
    /// What the configuration declares for a POST; nil for QUERY.
    let declared: ReadOnlyPost?
    /// The memory reservation of a longer body.
    private let hold: BodyHold?

    /// Request fields that change what the content means.
    private static let meaning = ["Content-Type", "Content-Encoding", "Content-Language"]
    /// Request fields by which no API chooses its response. All other fields are part of the cache key of a declared
    /// POST: its response often does not say what selected it (`Vary`), and APIs tell their callers apart by fields of
    /// many names.
    private static let indifferent = FieldNameSet([
        "Host", "Connection", "Content-Length", "Transfer-Encoding", "TE", "Trailer", "Upgrade", "Keep-Alive", "Expect",
        "Via",
        "User-Agent", "Accept-Encoding", "Cache-Control", "Pragma", "Date", "Priority", "traceparent", "tracestate",
        "X-Larder-Session", "X-Request-Id", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since",
        "If-Range",
        "Range",
    ])

    /// - Parameters:
    ///   - fields: the request's fields.
    ///   - declared: what the configuration declares for a POST.
    ///   - hold: the memory reservation of the body. It is kept as long as this value.
    public init(_ body: Bytes, fields: HeaderFields, declared: ReadOnlyPost? = nil, hold: BodyHold? = nil) {
        self.body = body
        self.declared = declared
        self.hold = hold
        let read = Self.meaning.map { name in
            // No field value contains a line end, so different lists of fields give different texts.
            "\n" + (fields.combined(name) ?? "")
        }
        let whole = "\(body.count) \(Base64URL.encode(Digest(of: body).bytes))" + read.joined()
        guard declared != nil else {
            identity = whole
            return
        }
        var other = fields
        other.remove(Self.indifferent)
        let lines = other.map { "\(FieldList.lowercased($0.name)):\($0.value)" }.sorted()
        // Some of these fields are secrets, so only a digest is kept.
        let digest = Digest(of: Bytes(text: lines.joined(separator: "\n")))
        identity = whole + "\n" + Base64URL.encode(digest.bytes)
    }
}
