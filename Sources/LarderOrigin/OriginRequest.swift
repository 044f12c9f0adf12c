// The requests and answers of the stand-in, as plain values.
import LarderCore
import LarderProviders

/// One request, as received.
public struct OriginRequest: Sendable, Hashable {
    public var method: Method
    /// The whole percent-encoded path, including the provider's prefix.
    public var path: String
    public var query: String?
    public var fields: HeaderFields
    public var body: Bytes

    public init(method: Method = .get, path: String, query: String? = nil, fields: HeaderFields = [:], body: Bytes = [])
    {
        self.method = method
        self.path = path
        self.query = query
        self.fields = fields
        self.body = body
    }

    /// The decoded query parameters; empty if the query cannot be decoded.
    var parameters: QueryParameters {
        (try? QueryParameters(parsing: query ?? "")) ?? QueryParameters()
    }
}

/// One answer.
public struct OriginAnswer: Sendable, Hashable {
    public var status: Int
    public var fields: HeaderFields
    public var body: Bytes

    public init(status: Int = 200, fields: HeaderFields = [:], body: Bytes = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    init(_ sample: SampleAnswer) {
        self.init(status: sample.status, fields: sample.fields, body: sample.body)
    }

    /// Makes a plain text answer.
    public static func text(_ status: Int, _ text: String) -> OriginAnswer {
        OriginAnswer(status: status, fields: ["Content-Type": "text/plain; charset=utf-8"], body: Bytes(text: text))
    }
}
