// One recorded exchange as a value, and what may be wrong with a tape. A tape is a folder with `tape.yaml` and one text
// file for each exchange.
import LarderCore
import LarderHTTP

/// The request of an exchange: what was asked, or what a client asks now.
public struct TapeRequest: Sendable, Hashable {
    public var method: Method
    public var url: HTTPURL
    public var fields: HeaderFields
    /// Empty if the request has none.
    public var content: Bytes

    public init(_ method: Method, _ url: HTTPURL, fields: HeaderFields = [:], content: Bytes = []) {
        self.method = method
        self.url = url
        self.fields = fields
        self.content = content
    }
}

/// The answer of an exchange.
public struct TapeAnswer: Sendable, Hashable {
    public var status: Int
    public var fields: HeaderFields
    public var body: Bytes

    public init(status: Int, fields: HeaderFields = [:], body: Bytes = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

/// A request and its answer.
public struct TapeExchange: Sendable, Hashable {
    public var request: TapeRequest
    public var answer: TapeAnswer

    public init(_ request: TapeRequest, _ answer: TapeAnswer) {
        self.request = request
        self.answer = answer
    }

    /// The request fields by which the answer was selected, in lower case; secrets and rules not yet left out. An
    /// answer to a condition holds for that condition only (RFC 9110 §13). `Vary: *` names no field that a request
    /// could have: such a recording is all there is.
    var selectingFields: [String] {
        let conditions = ["if-match", "if-modified-since", "if-none-match", "if-unmodified-since"]
        let own = [304, 412].contains(answer.status) ? conditions : []
        if case .names(let names) = Vary(answer.fields) { return names + own }
        return own
    }

    /// The exchange with plain bodies: secrets cannot be found in compressed ones. Their JSON keeps its bytes.
    func plain(limit: Int) throws(ContentCodingError) -> TapeExchange {
        var plain = TapeExchange(try request.plain(limit: limit), answer)
        try Self.inflate(&plain.answer.fields, &plain.answer.body, limit)
        return plain
    }

    fileprivate static func inflate(_ fields: inout HeaderFields, _ bytes: inout Bytes, _ limit: Int)
        throws(ContentCodingError)
    {
        guard let coding = fields.combined(.contentEncoding), !bytes.isEmpty else { return }
        bytes = try ContentCoding.inflate(bytes, coding: coding, limit: limit)
        fields.remove(.contentEncoding)
    }

    /// The exchange as a tape keeps it: plain bodies, no secrets, the fields that count.
    /// - Parameter limit: the largest plain body in bytes.
    public func kept(_ secrets: TapeSecrets, limit: Int) throws(ContentCodingError) -> TapeExchange {
        secrets.cut(try plain(limit: limit)).chosen()
    }

    /// The exchange with the fields that a tape keeps.
    private func chosen() -> TapeExchange {
        var chosen = self
        let kept = FieldNameSet(["accept", "accept-language", "content-type", "range"] + selectingFields)
        chosen.request.fields = request.fields.filtered { $0.isIn(kept) }.sendable
        chosen.answer.fields = HopByHop.endToEnd(answer.fields).sendable
        // The length of an answer to HEAD is told nowhere else (RFC 9110 §8.6). Others have the body.
        if request.method != .head { chosen.answer.fields.remove(.contentLength) }
        return chosen
    }
}

extension TapeRequest {
    /// The request with its content decoded, as it is recorded and matched.
    func plain(limit: Int) throws(ContentCodingError) -> TapeRequest {
        var plain = self
        try TapeExchange.inflate(&plain.fields, &plain.content, limit)
        return plain
    }
}

extension HeaderFields {
    /// The lines that can stand in a head: a name that is a token, a value without control characters.
    var sendable: HeaderFields {
        isSendable ? self : HeaderFields(filter { HeaderFields(CollectionOfOne($0)).isSendable })
    }
}

/// An exchange of a tape and its name there.
public struct TapeRecording: Sendable, Hashable {
    public var name: TapeName
    public var exchange: TapeExchange

    public init(name: TapeName, exchange: TapeExchange) {
        self.name = name
        self.exchange = exchange
    }
}

/// What is wrong with a tape or an archive, and where.
public struct TapeFault: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Kind: Sendable, Hashable {
        /// The file of an exchange is not as it was written. It is never replayed.
        case torn
        /// `tape.yaml`, an archive, or an exchange that is to be written is not as it must be.
        case invalid
        /// The tape is larger than the limits.
        case tooLarge
        /// The system refused a call.
        case system
        /// A file that belongs to no exchange.
        case unknown
        /// A secret stands in an exchange.
        case secret
        /// A name looks like that of a credential and is not among the secrets.
        case suspect
        /// The answer is the same as that of the recording before it.
        case duplicate
    }

    public var kind: Kind
    public var file: String
    /// Counted from 1; 0 if it is about the whole file.
    public var line: Int
    public var message: String

    public init(_ kind: Kind, _ file: String, line: Int = 0, _ message: String) {
        self.kind = kind
        self.file = file
        self.line = line
        self.message = message
    }

    public var description: String { line > 0 ? "\(file):\(line): \(message)" : "\(file): \(message)" }
}

/// What a tape may cost.
public struct TapeLimits: Sendable, Hashable {
    /// The longest body or content that is recorded or read.
    public var body = 16 << 20
    /// The most exchanges that are read.
    public var exchanges = 10_000
    /// The most bytes of all exchanges that are read.
    public var total = 512 << 20

    public init() {}
}
