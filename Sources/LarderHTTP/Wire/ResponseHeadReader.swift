// The head of an answer, checked line by line before any of the body is believed. libcurl accepts conflicting and
// listed Content-Length, Content-Length beside Transfer-Encoding, folded lines, bare line feeds and white space before
// the colon: each is a way to make two readers see two answers (RFC 9112 §11.1), so each makes the answer malformed
// here. Pure: it is fed the raw lines in order and never sees the body.
import LarderCore

/// What was wrong with a head, in words that hold nothing of the answer's content.
struct HeadFault: Error, Sendable, Hashable {
    var message: String

    init(_ message: String) {
        self.message = message
    }
}

/// How the end of the body is known (RFC 9112 §6.3).
enum BodyFraming: Sendable, Hashable {
    /// There is no body, whatever the fields say: HEAD, 204, 304.
    case none
    case length(Int64)
    case chunked
    /// The body ends where the connection does; HTTP/1 knows no better sign.
    case untilClose
}

/// Reads head lines; heads of interim answers (1xx) are passed over.
struct AnswerHead: Sendable {
    /// What a line led to.
    enum Step: Sendable, Hashable {
        /// The first line of a head that may be the final one.
        case began
        case more
        /// The final head is whole and its framing is known.
        case complete(BodyFraming)
        /// A line after the final head: a trailer, which nothing here believes.
        case trailer
    }

    /// All heads and trailers of one answer together.
    static let maxBytes = 64 * 1024
    /// Field lines in one head.
    static let maxFields = 256
    /// Interim heads before the final one.
    static let maxInterim = 8

    private(set) var status = 0
    private(set) var reason = ""
    private(set) var fields = HeaderFields()
    private(set) var framing: BodyFraming?

    private enum Place { case statusLine, fieldLines, trailers }
    private let isHead: Bool
    private var place = Place.statusLine
    private var isVersion10 = false
    private var bytes = 0
    private var interims = 0

    /// A reader for the answer to a request of that method.
    init(method: Method) {
        isHead = method == .head
    }

    /// Whether a byte of an answer has been seen.
    var isUntouched: Bool { bytes == 0 }

    /// Takes the next line with its line end.
    mutating func take(_ line: UnsafeRawBufferPointer) throws(HeadFault) -> Step {
        bytes += line.count
        guard bytes <= Self.maxBytes else { throw HeadFault("the head is larger than \(Self.maxBytes / 1024) KiB") }
        if case .trailers = place { return .trailer }
        guard line.count >= 2, line[line.count - 1] == 0x0A, line[line.count - 2] == 0x0D else {
            throw HeadFault("a line of the head does not end with CR LF")
        }
        let text = UnsafeRawBufferPointer(rebasing: line.dropLast(2))
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

    /// `HTTP/1.1 200 OK`. The space before an empty reason is demanded by RFC 9112 §4 and often left out; it carries
    /// no meaning, so its absence is borne.
    private mutating func readStatus(_ line: UnsafeRawBufferPointer) throws(HeadFault) {
        fields = [:]
        let version = Array("HTTP/1.".utf8)
        guard line.count >= 12, line.prefix(7).elementsEqual(version), line[8] == 0x20 else {
            throw HeadFault("the answer does not begin with an HTTP/1 status line")
        }
        guard line[7] == 0x30 || line[7] == 0x31 else { throw HeadFault("the answer has another HTTP version") }
        isVersion10 = line[7] == 0x30
        var code = 0
        for byte in line[9..<12] {
            guard byte &- 0x30 < 10 else { throw HeadFault("the status is no number of three digits") }
            code = code * 10 + Int(byte - 0x30)
        }
        guard code >= 100, code < 600 else { throw HeadFault("the status \(code) does not exist") }
        guard line.count == 12 || line[12] == 0x20 else {
            throw HeadFault("the status is no number of three digits")
        }
        let phrase = line.dropFirst(13)
        guard phrase.allSatisfy(Self.isValueByte) else {
            throw HeadFault("the reason holds a control character")
        }
        status = code
        reason = HeaderField.text(phrase)
    }

    private mutating func readField(_ line: UnsafeRawBufferPointer) throws(HeadFault) {
        guard fields.lines.count < Self.maxFields else {
            throw HeadFault("the head has more than \(Self.maxFields) fields")
        }
        if let first = line.first, first == 0x20 || first == 0x09 { throw HeadFault("a field is folded over lines") }
        guard let colon = line.firstIndex(of: 0x3A) else { throw HeadFault("a field line has no colon") }
        let name = line[..<colon]
        guard !name.isEmpty, name.allSatisfy(ASCII.isToken) else {
            throw HeadFault(
                name.last == 0x20 || name.last == 0x09
                    ? "there is white space before a field's colon" : "a field has an impossible name")
        }
        var value = line[(colon + 1)...]
        while let first = value.first, first == 0x20 || first == 0x09 { value = value.dropFirst() }
        while let last = value.last, last == 0x20 || last == 0x09 { value = value.dropLast() }
        guard value.allSatisfy(Self.isValueByte) else {
            throw HeadFault("the value of a field holds a control character")
        }
        fields.add(String(decoding: name, as: UTF8.self), HeaderField.text(value))
    }

    /// Visible characters, space, tab and bytes beyond ASCII (RFC 9110 §5.5).
    private static func isValueByte(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F || byte == 0x09
    }

    private mutating func endHead() throws(HeadFault) -> Step {
        guard status >= 200 else {
            // 101 switches to a protocol that was never asked for.
            guard status != 101 else { throw HeadFault("the answer switches protocols unasked") }
            interims += 1
            guard interims <= Self.maxInterim else { throw HeadFault("there are too many interim answers") }
            place = .statusLine
            return .more
        }
        let framing = try readFraming()
        self.framing = framing
        place = .trailers
        return .complete(framing)
    }

    /// RFC 9112 §6.1 and §6.3, without the leniency it permits.
    private func readFraming() throws(HeadFault) -> BodyFraming {
        let lengths = fields.all("Content-Length")
        let codings = fields.all("Transfer-Encoding")
        guard lengths.isEmpty || codings.isEmpty else {
            throw HeadFault("the head has both Content-Length and Transfer-Encoding")
        }
        guard lengths.count <= 1, codings.count <= 1 else {
            throw HeadFault("the length of the body is given more than once")
        }
        var framing = BodyFraming.untilClose
        if let coding = codings.first {
            guard !isVersion10 else { throw HeadFault("an HTTP/1.0 answer has a Transfer-Encoding") }
            guard ASCII.equalFolded(coding, "chunked") else { throw HeadFault("the Transfer-Encoding is not chunked") }
            framing = .chunked
        }
        if let length = lengths.first {
            guard !length.isEmpty, length.utf8.allSatisfy({ $0 &- 0x30 < 10 }), let count = Int64(length) else {
                throw HeadFault("the Content-Length is no number")
            }
            framing = .length(count)
        }
        return isHead || status == 204 || status == 304 ? .none : framing
    }
}
