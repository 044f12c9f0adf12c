// Reads the head of an upstream response and checks it line by line before any of the body is believed. libcurl accepts
// differing lengths, Content-Length together with Transfer-Encoding, folded lines and bare line feeds. Each of these can
// make two readers see two responses (RFC 9112 §11.1), so each makes the response malformed here. White space before a
// colon is removed (RFC 9112 §5.1), except from fields that say where the body ends: libcurl does not know them then. Pure: the reader is given the raw lines in order and never sees the body.
import LarderCore

/// A defect of a head, in words that contain nothing of the response.
public struct ResponseHeadFault: Error, Sendable, Hashable {
    public var message: String

    public init(_ message: String) {
        self.message = message
    }
}

/// How the end of a response body is found (RFC 9112 §6.3).
public enum ResponseFraming: Sendable, Hashable {
    /// There is no body, whatever the fields say: a response to HEAD, 204, 304.
    case none
    case length(Int64)
    case chunked
    /// The body ends when the connection ends. HTTP/1 has no better sign for this case.
    case untilClose
}

/// Reads the lines of a response's heads: first the interim heads, then the final one. A head that it accepts can be
/// read in only one way and can be forwarded unchanged.
public struct ResponseHeadReader: Sendable {
    /// The result of reading one line.
    public enum Step: Sendable, Hashable {
        /// The first line of a head that may be the final one.
        case began
        case more
        /// An interim head with this status is complete.
        case interim(Int)
        /// The final head is complete and its framing is known.
        case complete(ResponseFraming)
        /// A line after the final head: a trailer, which is ignored.
        case trailer
    }

    /// The most bytes of all heads and trailers of one response together: one field of 64 KiB, and as much again.
    public static let maxBytes = 128 * 1024
    /// The most field lines in one head.
    public static let maxFields = 512
    /// The most interim heads that are kept. Further ones are skipped, within `maxBytes`.
    public static let maxInterim = 8

    public private(set) var status = 0
    public private(set) var reason = ""
    /// As received, except that a repeated Content-Length is reduced to one line with one value.
    public private(set) var fields = HeaderFields()
    public private(set) var framing: ResponseFraming?
    /// Whether the current head is of HTTP/1.0.
    public private(set) var isVersion10 = false
    /// Interim heads other than 100, which concerns only the two ends of one connection (RFC 9110 §15.2.1).
    public private(set) var interim: [InterimHead] = []

    private enum Place { case statusLine, fieldLines, trailers }
    private let isHead: Bool
    private var place = Place.statusLine
    private var bytes = 0

    /// Makes a reader for the response to a request with this method.
    public init(method: Method) {
        isHead = method == .head
    }

    /// Whether no byte of a response has been seen.
    public var isUntouched: Bool { bytes == 0 }

    /// Reads the next line, including its line end. Must not be called again after a fault.
    public mutating func take(_ line: UnsafeRawBufferPointer) throws(ResponseHeadFault) -> Step {
        bytes += line.count
        guard bytes <= Self.maxBytes else {
            throw ResponseHeadFault("the head is larger than \(Self.maxBytes / 1024) KiB")
        }
        if case .trailers = place { return .trailer }
        guard line.count >= 2, line[line.count - 1] == 0x0A, line[line.count - 2] == 0x0D else {
            throw ResponseHeadFault("a line of the head does not end with CR LF")
        }
        let text = UnsafeRawBufferPointer(rebasing: line.dropLast(2)).assumingMemoryBound(to: UInt8.self)
        switch place {
        case .statusLine:
            try readStatus(text)
            place = .fieldLines
            return .began
        case .fieldLines where text.isEmpty:
            return try endHead()
        case .fieldLines, .trailers:
            try readField(text)
            return .more
        }
    }

    /// Reads `HTTP/1.1 200 OK`. RFC 9112 §4 demands the space before an empty reason, but servers often omit it. The
    /// space has no meaning, so its absence is accepted.
    private mutating func readStatus(_ line: UnsafeBufferPointer<UInt8>) throws(ResponseHeadFault) {
        fields = [:]
        fields.reserve(lines: 16, bytes: 448)
        let version: StaticString = "HTTP/1."
        guard line.count >= 12, line[8] == 0x20, (0..<7).allSatisfy({ line[$0] == version.utf8Start[$0] }) else {
            throw ResponseHeadFault("the answer does not begin with an HTTP/1 status line")
        }
        guard line[7] == 0x30 || line[7] == 0x31 else {
            throw ResponseHeadFault("the answer has another HTTP version")
        }
        isVersion10 = line[7] == 0x30
        var code = 0
        for byte in line[9..<12] {
            guard ASCII.isDigit(byte) else { throw ResponseHeadFault("the status is not a number of three digits") }
            code = code * 10 + Int(byte - 0x30)
        }
        guard code >= 100, code < 600 else { throw ResponseHeadFault("the status \(code) does not exist") }
        guard line.count == 12 || line[12] == 0x20 else {
            throw ResponseHeadFault("the status is not a number of three digits")
        }
        let phrase = UnsafeBufferPointer(rebasing: line.dropFirst(13))
        guard phrase.allSatisfy({ Octet.isValue($0) }) else {
            throw ResponseHeadFault("the reason phrase contains a control character")
        }
        status = code
        reason = HeaderField.text(phrase)
    }

    private mutating func readField(_ line: UnsafeBufferPointer<UInt8>) throws(ResponseHeadFault) {
        guard fields.count < Self.maxFields else {
            throw ResponseHeadFault("the head has more than \(Self.maxFields) fields")
        }
        // A client may join folded lines (RFC 9112 §5.2). A client that does not know folding sees another field.
        if let first = line.first, Self.isBlank(first) {
            throw ResponseHeadFault("a field is folded over lines")
        }
        guard let colon = line.firstIndex(of: 0x3A) else { throw ResponseHeadFault("a field line has no colon") }
        var nameEnd = colon
        while nameEnd > 0, Self.isBlank(line[nameEnd - 1]) { nameEnd -= 1 }
        let name = UnsafeBufferPointer(rebasing: line[..<nameEnd])
        guard !name.isEmpty, name.allSatisfy({ Octet.isToken($0) }) else {
            throw ResponseHeadFault("a field has an invalid name")
        }
        guard nameEnd == colon || !Self.framesBody(HeaderField.text(name)) else {
            throw ResponseHeadFault("there is white space before the colon of a field that frames the body")
        }
        var start = colon + 1
        var end = line.count
        while start < end, Self.isBlank(line[start]) { start += 1 }
        while start < end, Self.isBlank(line[end - 1]) { end -= 1 }
        let value = UnsafeBufferPointer(rebasing: line[start..<end])
        guard value.allSatisfy({ Octet.isValue($0) }) else {
            throw ResponseHeadFault("the value of a field contains a control character")
        }
        fields.add(checkedName: name, value: value)
    }

    private static func framesBody(_ name: String) -> Bool {
        ASCII.equalFolded(name, "Content-Length") || ASCII.equalFolded(name, "Transfer-Encoding")
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private mutating func endHead() throws(ResponseHeadFault) -> Step {
        guard status >= 200 else {
            // The response switches to a protocol that was never requested.
            guard status != 101 else {
                throw ResponseHeadFault("the answer switches protocols, which was not requested")
            }
            // An interim response ends with its head (RFC 9112 §6.3) and must have neither field (RFC 9110 §8.6, RFC
            // 9112 §6.1). A reader that obeys such a field takes the next head for a body.
            guard !fields.contains(.contentLength), !fields.contains(.transferEncoding) else {
                throw ResponseHeadFault("an interim answer says that it has a body")
            }
            if status != 100, interim.count < Self.maxInterim {
                interim.append(InterimHead(status: status, fields: fields))
            }
            place = .statusLine
            return .interim(status)
        }
        let framing = try readFraming()
        self.framing = framing
        place = .trailers
        return .complete(framing)
    }

    /// Applies RFC 9112 §6.1 and §6.3 without their leniency, except for identical repeated lengths (RFC 9110 §8.6).
    private mutating func readFraming() throws(ResponseHeadFault) -> ResponseFraming {
        let lengths = fields.all(.contentLength)
        let codings = fields.all(.transferEncoding)
        guard lengths.isEmpty || codings.isEmpty else {
            throw ResponseHeadFault("the head has both Content-Length and Transfer-Encoding")
        }
        var framing = ResponseFraming.untilClose
        if let coding = codings.first {
            guard codings.count == 1 else { throw ResponseHeadFault("the Transfer-Encoding is given more than once") }
            guard !isVersion10 else { throw ResponseHeadFault("an HTTP/1.0 answer has a Transfer-Encoding") }
            guard ASCII.equalFolded(coding, "chunked") else {
                throw ResponseHeadFault("the Transfer-Encoding is not chunked")
            }
            framing = .chunked
        }
        if !lengths.isEmpty { framing = .length(try readLength(lengths)) }
        return isHead || status == 204 || status == 304 ? .none : framing
    }

    /// The one length, however often it is repeated.
    private mutating func readLength(_ lines: [String]) throws(ResponseHeadFault) -> Int64 {
        if lines.count == 1, lines[0].utf8.allSatisfy(ASCII.isDigit), let length = Int64(lines[0]) { return length }
        var length: Int64?
        var times = 0
        for line in lines {
            for item in line.split(separator: ",", omittingEmptySubsequences: false) {
                let digits = ASCII.trimmed(item)
                guard !digits.isEmpty, digits.utf8.allSatisfy(ASCII.isDigit), let count = Int64(digits) else {
                    throw ResponseHeadFault("the Content-Length is not a number")
                }
                guard length == nil || length == count else {
                    throw ResponseHeadFault("the head has differing Content-Lengths")
                }
                length = count
                times += 1
            }
        }
        guard let length else { throw ResponseHeadFault("the Content-Length is not a number") }
        if times > 1 { fields.set(.contentLength, String(length)) }
        return length
    }
}
