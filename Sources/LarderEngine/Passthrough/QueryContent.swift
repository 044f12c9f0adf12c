// The content of a request that is a part of its question: QUERY (RFC 10008) asks by its content what GET asks by its URL, so the
// answer's key holds all that gives the content its meaning. So does a POST of which the configuration says that it only reads.
import LarderCore
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
        identity = "\(body.count) \(Base64URL.encode(Digest(of: body).bytes))" + read.joined()
    }
}
