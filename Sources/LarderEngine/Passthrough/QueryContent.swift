// The content of a request that is a part of its question: QUERY (RFC 10008) asks by its content what GET asks by its URL, so the
// answer's key holds all that gives the content its meaning.
import LarderCore

/// Content of at most `cache.maxQueryBody`, whole.
public struct QueryContent: Sendable {
    let body: Bytes
    /// Its length, its digest, and the fields that say how it is to be read. Content that differs in any of them is another
    /// question; what the upstream takes for the same question in other words only costs a call.
    let identity: String

    /// Fields of the request that change what its content means.
    private static let meaning = ["Content-Type", "Content-Encoding", "Content-Language"]

    public init(_ body: Bytes, fields: HeaderFields) {
        self.body = body
        let read = Self.meaning.map { name in
            // A line end is in no value, so that no two lists of fields make one text.
            "\n" + (fields.combined(name) ?? "")
        }
        identity = "\(body.count) \(Base64URL.encode(Digest(of: body).bytes))" + read.joined()
    }
}
