// Reads responses of the daemon as the bytes come: interim heads, a head, and a body that ends by length, by chunks, or
// at the end of the connection. The lines and the framing are read by `ResponseHeadReader` and `ChunkedDecoder`.
import LarderCore
import LarderHTTP

/// One response from the daemon.
public struct DaemonResponse: Sendable {
    public var status: Int
    public var reason: String
    public var fields: HeaderFields
    public var body: Bytes
    /// Whether the connection can be used for another exchange.
    public var keepsAlive: Bool
}

/// The error of a response that is not valid HTTP.
struct MalformedAnswer: Error, Sendable, Hashable {
    var message: String
}

/// Reads one response.
struct DaemonResponseReader {
    static let maxBody = 1 << 30

    /// What of the body is still to come.
    private enum Rest {
        case length(Int)
        case chunks(ChunkedDecoder)
        /// The number is what may still come.
        case toEnd(Int)
    }

    private var lines: ResponseHeadReader
    private var rest: Rest?
    /// Received bytes that are not consumed: the beginning of a line.
    private(set) var buffer = Bytes()
    /// Whether an interim response (1xx) has arrived: the daemon asks for the request's body.
    private(set) var sawInterim = false
    private var response = DaemonResponse(status: 0, reason: "", fields: [:], body: [], keepsAlive: false)

    /// - Parameter isHead: whether the response is to a HEAD request and so has no body, whatever its fields say.
    init(isHead: Bool) {
        lines = ResponseHeadReader(method: isHead ? .head : .get)
    }

    /// The head without a body; nil until it is complete.
    var head: DaemonResponse? {
        guard rest != nil else { return nil }
        var head = response
        head.body = []
        return head
    }

    /// Removes and returns the body bytes received so far. The final response does not contain them.
    mutating func takeBody() -> Bytes {
        defer { response.body = [] }
        return response.body
    }

    /// Adds received bytes. Returns the response once it is complete.
    mutating func feed(_ bytes: some Collection<UInt8>) throws(MalformedAnswer) -> DaemonResponse? {
        buffer.append(contentsOf: bytes)
        while rest == nil {
            guard let end = buffer.firstIndex(of: 0x0A) else {
                guard buffer.count <= ResponseHeadReader.maxBytes else {
                    throw MalformedAnswer(message: "the head is too long")
                }
                return nil
            }
            let line = Bytes(buffer[...end])
            buffer.removeFirst(line.count)
            try read(line)
        }
        let piece = buffer
        buffer = []
        return try read(body: piece) ? response : nil
    }

    /// Ends the response, because the daemon has closed the connection.
    mutating func end() throws(MalformedAnswer) -> DaemonResponse {
        guard case .toEnd = rest else {
            throw MalformedAnswer(message: "the connection ended before the end of the answer")
        }
        return response
    }

    private mutating func read(_ line: Bytes) throws(MalformedAnswer) {
        let result = line.withUnsafeBytes { line in
            Result { () throws(ResponseHeadFault) in try lines.take(line) }
        }
        switch result {
        case .failure(let fault): throw MalformedAnswer(message: fault.message)
        case .success(.interim): sawInterim = true
        case .success(.complete(let framing)): try begin(framing)
        // The daemon gives one length. Two that are the same are not from it.
        case .success(.more) where lines.fields.all(.contentLength).count > 1:
            throw MalformedAnswer(message: "the answer's length is given twice")
        case .success: break
        }
    }

    private mutating func begin(_ framing: ResponseFraming) throws(MalformedAnswer) {
        let closes = lines.fields.all(.connection).contains { $0.lowercased().contains("close") }
        response = DaemonResponse(
            status: lines.status, reason: lines.reason, fields: lines.fields, body: [],
            keepsAlive: !lines.isVersion10 && !closes && framing != .untilClose)
        switch framing {
        case .none: rest = .length(0)
        case .length(let length):
            guard length <= Self.maxBody else { throw MalformedAnswer(message: "the answer is too large") }
            rest = .length(Int(length))
        case .chunked: rest = .chunks(ChunkedDecoder())
        case .untilClose: rest = .toEnd(Self.maxBody)
        }
    }

    /// Returns whether the body is complete.
    private mutating func read(body piece: Bytes) throws(MalformedAnswer) -> Bool {
        switch rest {
        case .length(let length):
            let part = piece.prefix(length)
            response.body += part
            rest = .length(length - part.count)
            return part.count == length
        case .chunks(var decoder):
            let (_, progress) = piece.withUnsafeBufferPointer {
                decoder.decode($0, into: &response.body, limit: Self.maxBody)
            }
            rest = .chunks(decoder)
            if case .fault = progress {
                throw MalformedAnswer(message: "the answer's chunks are malformed or too large")
            }
            return progress == .done
        case .toEnd(let room):
            guard piece.count <= room else { throw MalformedAnswer(message: "the answer is too large") }
            response.body += piece
            rest = .toEnd(room - piece.count)
            return false
        case nil: return false
        }
    }
}
