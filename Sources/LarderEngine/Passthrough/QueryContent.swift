// Request content that is part of the question. QUERY (RFC 10008) asks with its content what GET asks with its URL. So
// the key of the answer contains everything that gives the content its meaning. The same applies to a POST that the
// configuration declares to only read.
import LarderCore
import LarderHTTP
import LarderSettings

/// Content of at most `cache.maxQueryBody`, whole.
public struct QueryContent: Sendable {
    let body: Bytes
    /// Its length, its digest, and the fields that say how it is to be read. Content that differs in any of them is another
    /// question; what the upstream takes for the same question in other words only costs a call.
    let identity: String
    /// By which a person tells contents apart: "(17 bytes, 3q2-7w)".
    var mark: String { "(\(body.count) bytes, \(Base64URL.encode(Digest(of: Bytes(text: identity)).bytes).prefix(8)))" }
    /// What the configuration says of a POST; nil for QUERY.
    let declared: ReadOnlyPost?
    /// The room in memory of a longer one.
    private let hold: BodyHold?

    /// Fields of the request that change what its content means.
    private static let meaning = ["Content-Type", "Content-Encoding", "Content-Language"]
    /// Fields of a request by which no API chooses what it answers. A declared answer often says nothing of what selected it (`Vary`),
    /// and APIs tell their callers apart by fields of many names: all others are a part of a declared question.
    private static let indifferent = FieldNameSet([
        "Host", "Connection", "Content-Length", "Transfer-Encoding", "TE", "Trailer", "Upgrade", "Keep-Alive", "Expect",
        "Via",
        "User-Agent", "Accept-Encoding", "Cache-Control", "Pragma", "Date", "Priority", "traceparent", "tracestate",
        "X-Larder-Session", "X-Request-Id", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since",
        "If-Range",
        "Range",
    ])

    /// - Parameters:
    ///   - fields: of the request.
    ///   - declared: what the configuration says of a POST.
    ///   - hold: of the body, which is kept as long as this is.
    public init(_ body: Bytes, fields: HeaderFields, declared: ReadOnlyPost? = nil, hold: BodyHold? = nil) {
        self.body = body
        self.declared = declared
        self.hold = hold
        let read = Self.meaning.map { name in
            // A line end is in no value, so that no two lists of fields make one text.
            "\n" + (fields.combined(name) ?? "")
        }
        let whole = "\(body.count) \(Base64URL.encode(Digest(of: body).bytes))" + read.joined()
        guard declared != nil else {
            identity = whole
            return
        }
        var other = fields
        other.remove(Self.indifferent)
        let lines = other.lines.map { "\(FieldList.lowercased($0.name)):\($0.value)" }.sorted()
        // Some of them are secrets.
        let digest = Digest(of: Bytes(text: lines.joined(separator: "\n")))
        identity = whole + "\n" + Base64URL.encode(digest.bytes)
    }
}
