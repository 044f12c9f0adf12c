// Reads HTTP/1.1 responses as far as Larder's own responses need (RFC 9112 §4, §6, §7): a status line, fields, and a
// body that ends by length, by chunks, or at the end of the connection. Received bytes go in; a response comes out.
import LarderCore

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
    static let maxHead = 256 << 10
    static let maxBody = 1 << 30

    private enum Stage {
        case head
        case length(Int)
        case chunkSize
        case chunkData(Int)
        case trailer
        case toEnd
    }

    private let isHead: Bool
    private var stage = Stage.head
    private(set) var buffer = Bytes()
    /// The number of bytes of the buffer that have been consumed.
    private var place = 0
    /// Whether an interim response (1xx) has arrived: the daemon asks for the request's body.
    private(set) var sawInterim = false
    private var response = DaemonResponse(status: 0, reason: "", fields: [:], body: [], keepsAlive: false)
    /// The number of body bytes that were taken out before the body ended.
    private var taken = 0
    private var received: Int { taken + response.body.count }

    /// - Parameter isHead: whether the response is to a HEAD request and so has no body, whatever its fields say.
    init(isHead: Bool) {
        self.isHead = isHead
    }

    /// The head without a body; nil until it is complete.
    var head: DaemonResponse? {
        if case .head = stage { return nil }
        var head = response
        head.body = []
        return head
    }

    /// Removes and returns the body bytes received so far. The final response does not contain them.
    mutating func takeBody() -> Bytes {
        defer { response.body = [] }
        taken += response.body.count
        return response.body
    }

    /// Adds received bytes. Returns the response once it is complete.
    mutating func feed(_ bytes: some Collection<UInt8>) throws(MalformedAnswer) -> DaemonResponse? {
        // Discards consumed bytes, because a stream of events may last for weeks.
        buffer.removeFirst(place)
        place = 0
        buffer.append(contentsOf: bytes)
        while true {
            switch stage {
            case .head:
                guard try readHead() else { return nil }
                if case .length(0) = stage { return response }
            case .length(let length):
                let missing = length - received
                take(missing)
                return received == length ? response : nil
            case .chunkSize:
                guard let line = try line() else { return nil }
                let digits = line.prefix { $0 != 0x3B && $0 != 0x20 && $0 != 0x09 }
                guard let size = Int(HeaderField.text(digits), radix: 16), size >= 0, digits.count <= 8 else {
                    throw MalformedAnswer(message: "the size of a chunk is not a number")
                }
                try hold(received + size)
                stage = size == 0 ? .trailer : .chunkData(received + size)
            case .chunkData(let end):
                take(end - received)
                guard received == end else { return nil }
                guard buffer.count - place >= 2 else { return nil }
                guard try line()?.isEmpty == true else {
                    throw MalformedAnswer(message: "a chunk is longer than its size")
                }
                stage = .chunkSize
            case .trailer:
                guard let line = try line() else { return nil }
                if line.isEmpty { return response }
            case .toEnd:
                take(buffer.count - place)
                try hold(received)
                return nil
            }
        }
    }

    /// Ends the response, because the daemon has closed the connection.
    mutating func end() throws(MalformedAnswer) -> DaemonResponse {
        guard case .toEnd = stage else {
            throw MalformedAnswer(message: "the connection ended before the end of the answer")
        }
        return response
    }

    /// Reads the head and sets the next stage. Returns false if the head is incomplete.
    private mutating func readHead() throws(MalformedAnswer) -> Bool {
        let marker = Bytes(text: "\r\n\r\n")
        guard let end = buffer[place...].firstRange(of: marker) else {
            guard buffer.count - place <= Self.maxHead else { throw MalformedAnswer(message: "the head is too long") }
            return false
        }
        let lines = buffer[place..<end.lowerBound].split(separator: Bytes(text: "\r\n"))
        place = end.upperBound
        let status = HeaderField.text(lines.first ?? [])
        let parts = status.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0].hasPrefix("HTTP/1."), let code = Int(parts[1]), (100...599).contains(code)
        else {
            throw MalformedAnswer(message: "the answer does not begin with an HTTP status line")
        }
        var fields = HeaderFields()
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: 0x3A) else { throw MalformedAnswer(message: "a field has no colon") }
            let value = ASCII.trimmed(HeaderField.text(line[line.index(after: colon)...])[...])
            fields.add(HeaderField.text(line[..<colon]), String(value))
        }
        // 1xx responses precede the final head (RFC 9110 §15.2).
        if code < 200 {
            sawInterim = true
            return try readHead()
        }
        let closes = fields.all(.connection).contains { $0.lowercased().contains("close") }
        response = DaemonResponse(
            status: code, reason: parts.count == 3 ? String(parts[2]) : "", fields: fields, body: [],
            keepsAlive: parts[0] == "HTTP/1.1" && !closes)
        try frame(fields)
        return true
    }

    /// Determines how the body ends (RFC 9112 §6.3).
    private mutating func frame(_ fields: HeaderFields) throws(MalformedAnswer) {
        if isHead || response.status == 204 || response.status == 304 {
            stage = .length(0)
        } else if let coding = fields.combined(.transferEncoding) {
            guard ASCII.equalFolded(coding, "chunked") else {
                throw MalformedAnswer(message: "the answer's transfer coding is unknown")
            }
            stage = .chunkSize
        } else if let text = fields.first(.contentLength) {
            guard let length = Int(text), length >= 0, fields.all(.contentLength).count == 1 else {
                throw MalformedAnswer(message: "the answer's length is not a number")
            }
            try hold(length)
            stage = .length(length)
        } else {
            response.keepsAlive = false
            stage = .toEnd
        }
    }

    private func hold(_ size: Int) throws(MalformedAnswer) {
        guard size <= Self.maxBody else { throw MalformedAnswer(message: "the answer is too large") }
    }

    /// Moves up to `count` bytes to the body.
    private mutating func take(_ count: Int) {
        let end = min(buffer.count, place + count)
        response.body.append(contentsOf: buffer[place..<end])
        place = end
        if place == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            place = 0
        }
    }

    /// The next line without its line end; nil if it is incomplete.
    private mutating func line() throws(MalformedAnswer) -> Bytes? {
        guard let end = buffer[place...].firstRange(of: Bytes(text: "\r\n")) else {
            guard buffer.count - place <= 8192 else { throw MalformedAnswer(message: "a line is too long") }
            return nil
        }
        defer { place = end.upperBound }
        return Bytes(buffer[place..<end.lowerBound])
    }
}
