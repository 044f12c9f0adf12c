// Parses a request head in one pass over its bytes (RFC 9112 §2 to §6). Syntax that another recipient might read
// differently is refused and never repaired: bare line feeds, folded lines, white space before a colon, doubtful
// lengths. Of the target, only its end is found here. `RequestTarget` checks its bytes for every request that memory
// does not answer. A target that it refuses is never in memory.
import LarderCore

/// The result of parsing.
public enum ParseResult: Sendable, Hashable {
    case complete
    /// The head continues beyond these bytes.
    case incomplete
    case fault(RequestFault)
}

/// Parses one head after another into a field table that it reuses. Must not be shared between threads.
public final class RequestParser {
    public let limits: HeadLimits
    private let table: UnsafeMutablePointer<FieldSpan>

    public init(limits: HeadLimits = HeadLimits()) {
        self.limits = limits
        table = .allocate(capacity: max(1, limits.fields))
    }

    deinit {
        table.deallocate()
    }

    /// A field line, by its index, of the head parsed last.
    public func field(_ index: Int) -> FieldSpan {
        precondition(index >= 0 && index < limits.fields)
        return table[index]
    }

    /// The fields of the head parsed last, as texts.
    public func fields(of head: RequestHead, in buffer: UnsafeBufferPointer<UInt8>) -> HeaderFields {
        var fields = HeaderFields()
        // The names and values are parts of the head.
        fields.reserve(lines: head.fieldCount, bytes: head.byteCount)
        for index in 0..<head.fieldCount {
            let span = table[index]
            fields.add(checkedName: span.name.bytes(in: buffer), value: span.value.bytes(in: buffer))
        }
        return fields
    }

    /// Parses the head at the beginning of the buffer. Offsets count from there. After `.incomplete`, call again with
    /// the same bytes and more of them.
    public func parse(_ buffer: UnsafeBufferPointer<UInt8>, into head: inout RequestHead) -> ParseResult {
        guard let base = buffer.baseAddress else { return .incomplete }
        var reader = HeadReader(base: base, count: buffer.count, limits: limits, table: table)
        head = RequestHead()
        let result = reader.read(&head)
        // A head that is incomplete at its limit cannot end within it.
        if result == .incomplete, buffer.count >= limits.head {
            return .fault(reader.inTarget ? .targetTooLong : .headTooLarge)
        }
        return result
    }
}

/// The parsing pass: a cursor over the bytes.
private struct HeadReader {
    let base: UnsafePointer<UInt8>
    let count: Int
    let limits: HeadLimits
    let table: UnsafeMutablePointer<FieldSpan>
    var cursor = 0
    /// The end of the target has not been seen. A head that is too long is then reported as a target that is too long.
    var inTarget = true
    private var hasTransferEncoding = false

    init(base: UnsafePointer<UInt8>, count: Int, limits: HeadLimits, table: UnsafeMutablePointer<FieldSpan>) {
        self.base = base
        self.count = count
        self.limits = limits
        self.table = table
    }

    mutating func read(_ head: inout RequestHead) -> ParseResult {
        // An empty line before the request line is left over from the previous request (RFC 9112 §2.2).
        while cursor < count, base[cursor] == 0x0D {
            guard cursor + 1 < count else { return .incomplete }
            guard base[cursor + 1] == 0x0A else { return .fault(.bareCarriageReturn) }
            cursor += 2
        }
        let line = requestLine(&head)
        guard line == .complete else { return line }
        while true {
            guard cursor < count else { return .incomplete }
            if base[cursor] == 0x0D {
                guard cursor + 1 < count else { return .incomplete }
                guard base[cursor + 1] == 0x0A else { return .fault(.bareCarriageReturn) }
                cursor += 2
                break
            }
            let field = fieldLine(&head)
            guard field == .complete else { return field }
        }
        guard cursor <= limits.head else { return .fault(.headTooLarge) }
        head.byteCount = cursor
        return finish(&head)
    }

    /// Moves to the first byte below the bound or DEL, eight bytes per step while eight remain. Values and targets make
    /// up most of a head.
    @inline(__always)
    private mutating func skipWords(below bound: UInt64) {
        while cursor + 8 <= count {
            let marks = Octet.marks(word(at: cursor), below: bound)
            if marks != 0 {
                cursor += marks.trailingZeroBitCount / 8
                return
            }
            cursor += 8
        }
    }

    /// Eight bytes, the first one in the lowest position.
    @inline(__always)
    private func word(at place: Int) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(base + place).loadUnaligned(as: UInt64.self))
    }

    private mutating func requestLine(_ head: inout RequestHead) -> ParseResult {
        let methodStart = cursor
        while cursor < count, Octet.isToken(base[cursor]) { cursor += 1 }
        guard cursor < count else { return .incomplete }
        guard base[cursor] == 0x20, cursor > methodStart else {
            return .fault(base[cursor] == 0x0A ? .bareLineFeed : cursor == methodStart ? .badRequestLine : .badMethod)
        }
        head.method = Span(start: methodStart, count: cursor - methodStart)
        head.methodCode = Octet.methodCode(base + methodStart, cursor - methodStart)
        cursor += 1

        let targetStart = cursor
        skipWords(below: 0x2121_2121_2121_2121)
        while cursor < count, Octet.isTarget(base[cursor]) { cursor += 1 }
        if cursor - targetStart > limits.target { return .fault(.targetTooLong) }
        guard cursor < count else { return .incomplete }
        inTarget = false
        guard base[cursor] == 0x20, cursor > targetStart else {
            switch base[cursor] {
            case 0x20, 0x0D: return .fault(.badRequestLine)
            case 0x0A: return .fault(.bareLineFeed)
            default: return .fault(.badTarget)
            }
        }
        head.target = Span(start: targetStart, count: cursor - targetStart)
        cursor += 1
        return version(&head)
    }

    /// "HTTP/1.1" CRLF, case-sensitive (RFC 9112 §2.3).
    private mutating func version(_ head: inout RequestHead) -> ParseResult {
        let start = base + cursor
        let rest = count - cursor
        // "HTTP/1.1" compared as one word. Nearly every request has it.
        if rest >= 10, word(at: cursor) == 0x312E_312F_5054_5448, start[8] == 0x0D, start[9] == 0x0A {
            head.minorVersion = 1
            cursor += 10
            return .complete
        }
        for index in 0..<min(rest, 10) {
            let byte = start[index]
            let fits =
                switch index {
                case 0: byte == 0x48
                case 1, 2: byte == 0x54
                case 3: byte == 0x50
                case 4: byte == 0x2F
                case 5, 7: ASCII.isDigit(byte)
                case 6: byte == 0x2E
                case 8: byte == 0x0D
                default: byte == 0x0A
                }
            if !fits {
                if byte == 0x0A { return .fault(.bareLineFeed) }
                return .fault(byte == 0x20 ? .badRequestLine : index == 9 ? .bareCarriageReturn : .badVersion)
            }
        }
        guard rest >= 10 else { return .incomplete }
        guard start[5] == 0x31 else { return .fault(isHTTP2Preface(head) ? .http2Preface : .unsupportedVersion) }
        // A later minor version is treated as the latest known (RFC 9110 §2.5).
        head.minorVersion = start[7] == 0x30 ? 0 : 1
        cursor += 10
        return .complete
    }

    /// Whether the line began with "PRI *" (RFC 9113 §3.4). The version after it is already known to be unsupported.
    private func isHTTP2Preface(_ head: RequestHead) -> Bool {
        head.method.count == 3 && head.target.count == 1 && base[Int(head.target.start)] == 0x2A
            && Octet.equals(base + Int(head.method.start), "pri")
    }

    private mutating func fieldLine(_ head: inout RequestHead) -> ParseResult {
        let nameStart = cursor
        while cursor < count, Octet.isToken(base[cursor]) { cursor += 1 }
        guard cursor < count else { return .incomplete }
        guard base[cursor] == 0x3A, cursor > nameStart else {
            let byte = base[cursor]
            let isBlank = byte == 0x20 || byte == 0x09
            if byte == 0x0A { return .fault(.bareLineFeed) }
            if isBlank { return .fault(cursor == nameStart ? .foldedLine : .spaceBeforeColon) }
            return .fault(.badFieldName)
        }
        let nameEnd = cursor
        cursor += 1
        while cursor < count, base[cursor] == 0x20 || base[cursor] == 0x09 { cursor += 1 }
        let valueStart = cursor
        skipWords(below: 0x2020_2020_2020_2020)
        while cursor < count, Octet.isValue(base[cursor]) { cursor += 1 }
        guard cursor < count else { return .incomplete }
        guard base[cursor] == 0x0D else { return .fault(base[cursor] == 0x0A ? .bareLineFeed : .badFieldValue) }
        guard cursor + 1 < count else { return .incomplete }
        guard base[cursor + 1] == 0x0A else { return .fault(.bareCarriageReturn) }
        var valueEnd = cursor
        while valueEnd > valueStart, base[valueEnd - 1] == 0x20 || base[valueEnd - 1] == 0x09 { valueEnd -= 1 }
        cursor += 2

        guard head.fieldCount < limits.fields else { return .fault(.tooManyFields) }
        let value = Span(start: valueStart, count: valueEnd - valueStart)
        (table + head.fieldCount).initialize(
            to: FieldSpan(name: Span(start: nameStart, count: nameEnd - nameStart), value: value))
        head.fieldCount += 1
        return note(base + nameStart, nameEnd - nameStart, value, &head)
    }

    /// Records the fields on which framing, the connection and the fast path depend.
    private mutating func note(
        _ name: UnsafePointer<UInt8>, _ length: Int, _ value: Span, _ head: inout RequestHead
    ) -> ParseResult {
        switch (length, name[0] | 0x20) {
        case (2, 0x69) where Octet.equals(name, "if"): head.flags.insert(.deciding)
        case (4, 0x68) where Octet.equals(name, "host"):
            if head.flags.contains(.host) { return .fault(.duplicateHost) }
            head.flags.insert(.host)
            head.host = value
        case (5, 0x72) where Octet.equals(name, "range"):
            once(.range, &head)
            head.range = value
        case (6, 0x78) where Octet.equals(name, "x-host"): head.flags.insert(.deciding)
        case (6, 0x63) where Octet.equals(name, "cookie"): head.flags.insert(.cookie)
        case (6, 0x65) where Octet.equals(name, "expect"): return expect(value, &head)
        case (6, 0x6F) where Octet.equals(name, "origin"):
            onceOfBrowser(.origin, &head)
            head.origin = value
        case (6, 0x70) where Octet.equals(name, "pragma"): head.flags.insert(.pragma)
        case (6, 0x70) where Octet.equals(name, "prefer"): head.flags.insert(.prefer)
        case (7, 0x75) where Octet.equals(name, "upgrade"): upgrade(value, &head)
        case (8, 0x69) where Octet.equals(name, "if-match"): head.flags.insert(.conditional)
        case (8, 0x69) where Octet.equals(name, "if-range"):
            once(.ifRange, &head)
            head.ifRange = value
        case (9, 0x66) where Octet.equals(name, "forwarded"): head.flags.insert(.deciding)
        case (10, 0x63) where Octet.equals(name, "connection"): connection(value, &head)
        case (13, 0x61) where Octet.equals(name, "authorization"): head.flags.insert(.authorization)
        case (13, 0x63) where Octet.equals(name, "cache-control"): head.flags.insert(.cacheControl)
        case (13, 0x69) where Octet.equals(name, "if-none-match"):
            once(.ifNoneMatch, &head)
            head.ifNoneMatch = value
        case (13, 0x6C) where Octet.equals(name, "last-event-id"): head.flags.insert(.deciding)
        case (13, 0x78) where Octet.equals(name, "x-rewrite-url"): head.flags.insert(.deciding)
        case (14, 0x63) where Octet.equals(name, "content-length"): return contentLength(value, &head)
        case (14, 0x73) where Octet.equals(name, "sec-fetch-site"):
            onceOfBrowser(.fetchSite, &head)
            head.fetchSite = value
        case (14, 0x73) where Octet.equals(name, "sec-fetch-mode"): head.fetchMode = value
        case (14, 0x73) where Octet.equals(name, "sec-fetch-dest"): head.fetchDest = value
        case (14, 0x78) where Octet.equals(name, "x-original-url"): head.flags.insert(.deciding)
        case (15, 0x61) where Octet.equals(name, "accept-encoding"):
            if !head.acceptEncoding.isEmpty { head.flags.insert(.repeated) }
            head.acceptEncoding = value
        case (15, 0x61) where Octet.equals(name, "accept-datetime"): head.flags.insert(.deciding)
        case (16, 0x78) where Octet.equals(name, "x-forwarded-host"): head.flags.insert(.deciding)
        case (16, 0x78) where Octet.equals(name, "x-larder-session"): head.flags.insert(.session)
        case (17, 0x69) where Octet.equals(name, "if-modified-since"):
            once(.ifModifiedSince, &head)
            head.ifModifiedSince = value
        case (17, 0x74) where Octet.equals(name, "transfer-encoding"): return transferEncoding(value, &head)
        case (19, 0x69) where Octet.equals(name, "if-unmodified-since"): head.flags.insert(.conditional)
        default:
            let name = UnsafeBufferPointer(start: name, count: length)
            if RequestCredentials.mayEndField(name) || MethodOverride.mayEndField(name) {
                head.flags.formUnion(.deciding(name))
            }
        }
        return .complete
    }

    /// Records a field of which the memory tier reads one line only.
    @inline(__always)
    private func once(_ flag: HeadFlags, _ head: inout RequestHead) {
        if head.flags.contains(flag) { head.flags.insert(.repeated) }
        head.flags.insert(flag)
    }

    /// Records a field that says where a browser's request came from. If it has several lines, each of them counts.
    @inline(__always)
    private func onceOfBrowser(_ flag: HeadFlags, _ head: inout RequestHead) {
        if head.flags.contains(flag) { head.flags.insert([.repeated, .repeatedOrigin]) }
        head.flags.insert(flag)
    }

    private func expect(_ value: Span, _ head: inout RequestHead) -> ParseResult {
        guard value.count == 12, Octet.equals(base + Int(value.start), "100-continue") else {
            return .fault(.unknownExpectation)
        }
        head.flags.insert(.expectContinue)
        return .complete
    }

    private func upgrade(_ value: Span, _ head: inout RequestHead) {
        if value.count != 3 || !Octet.equals(base + Int(value.start), "h2c") { head.flags.insert(.upgrade) }
    }

    private func connection(_ value: Span, _ head: inout RequestHead) {
        eachElement(value) { start, length in
            if length == 5, Octet.equals(start, "close") { head.flags.insert(.close) }
            if length == 10, Octet.equals(start, "keep-alive") { head.flags.insert(.keepAlive) }
        }
    }

    /// Digits only: no sign, no list (RFC 9112 §6.3).
    private func contentLength(_ value: Span, _ head: inout RequestHead) -> ParseResult {
        if case .length = head.framing { return .fault(.duplicateContentLength) }
        if head.framing == .chunked { return .fault(.lengthAndEncoding) }
        guard !value.isEmpty else { return .fault(.badContentLength) }
        var length = 0
        for index in 0..<Int(value.count) {
            let digit = base[Int(value.start) + index] &- 0x30
            guard digit < 10 else { return .fault(.badContentLength) }
            // A length this large is refused as too large a body, so the exact number does not matter.
            length = length > Int.max / 16 ? Int.max / 16 : length * 10 + Int(digit)
        }
        head.framing = .length(length)
        return .complete
    }

    /// Only "chunked" is accepted (RFC 9112 §6.1, §6.3).
    private mutating func transferEncoding(_ value: Span, _ head: inout RequestHead) -> ParseResult {
        if case .length = head.framing { return .fault(.lengthAndEncoding) }
        if hasTransferEncoding { return .fault(.badTransferEncoding) }
        hasTransferEncoding = true
        var codings = 0
        var chunked = 0
        var lastIsChunked = false
        var lastIsKnown = false
        eachElement(value) { start, length in
            codings += 1
            lastIsChunked = length == 7 && Octet.equals(start, "chunked")
            if lastIsChunked { chunked += 1 }
            lastIsKnown =
                lastIsChunked || length == 4 && Octet.equals(start, "gzip")
                || length == 7 && Octet.equals(start, "deflate") || length == 8 && Octet.equals(start, "compress")
        }
        if chunked > 1 || codings == 0 || !lastIsChunked && (chunked > 0 || lastIsKnown) {
            return .fault(.badTransferEncoding)
        }
        guard lastIsChunked, codings == 1 else { return .fault(.unknownTransferCoding) }
        head.framing = .chunked
        return .complete
    }

    /// Calls `body` for each element of a comma-separated list, trimmed. Empty elements are skipped (RFC 9110 §5.6.1).
    private func eachElement(_ value: Span, _ body: (UnsafePointer<UInt8>, Int) -> Void) {
        let end = Int(value.start) + Int(value.count)
        var index = Int(value.start)
        while index < end {
            while index < end, base[index] == 0x20 || base[index] == 0x09 || base[index] == 0x2C { index += 1 }
            let start = index
            while index < end, base[index] != 0x2C { index += 1 }
            var last = index
            while last > start, base[last - 1] == 0x20 || base[last - 1] == 0x09 { last -= 1 }
            if last > start { body(base + start, last - start) }
        }
    }

    /// Checks what can be decided only when all lines are known.
    private func finish(_ head: inout RequestHead) -> ParseResult {
        if head.minorVersion == 0 {
            if hasTransferEncoding { return .fault(.encodingInOldVersion) }
            // An HTTP/1.0 client does not know what 100 means (RFC 9110 §10.1.1).
            head.flags.remove(.expectContinue)
        } else if !head.flags.contains(.host) {
            return .fault(.missingHost)
        }
        switch head.framing {
        case .none, .length(0): break
        case .length, .chunked: head.flags.insert(.body)
        }
        return .complete
    }
}
