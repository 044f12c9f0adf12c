import LarderCore
import LarderHTTP
import Testing

/// The result of a parse, with the texts that its offsets refer to.
struct Parsed {
    var result: ParseResult
    var head: RequestHead
    var fields: HeaderFields
    var bytes: Bytes

    init(_ bytes: Bytes, limits: HeadLimits = HeadLimits()) {
        let parser = RequestParser(limits: limits)
        var head = RequestHead()
        self.bytes = bytes
        (result, fields) = bytes.withUnsafeBufferPointer { buffer in
            let result = parser.parse(buffer, into: &head)
            return (result, result == .complete ? parser.fields(of: head, in: buffer) : [:])
        }
        self.head = head
    }

    init(_ text: String, limits: HeadLimits = HeadLimits()) {
        self.init(Bytes(text: text), limits: limits)
    }

    func text(_ span: Span) -> String {
        bytes.withUnsafeBufferPointer { String(decoding: span.bytes(in: $0), as: UTF8.self) }
    }
}

@Suite struct RequestParserTests {
    @Test(arguments: [
        "X-Api-Key: a", "private-token: a", "X-Auth-Token: a", "Cookie2: a\r\nAPIKEY: b", "X-HTTP-Method-Override: PUT",
        "X-HTTP-Method: PUT", "_METHOD: PUT", "X-Session-Id: 1",
    ])
    func aFieldThatTellsCallersOrMethodsApartKeepsARequestFromMemory(_ line: String) {
        let parsed = Parsed("GET / HTTP/1.1\r\nHost: a\r\n\(line)\r\n\r\n")
        #expect(parsed.head.flags.contains(.deciding) && !parsed.head.flags.isDisjoint(with: .slow))
    }

    @Test func otherFieldsDoNot() {
        let parsed = Parsed(
            "GET / HTTP/1.1\r\nHost: a\r\nUser-Agent: x\r\nAccept: */*\r\nX-Request-Id: 1\r\nX-Country-Code: de\r\n"
                + "Sec-WebSocket-Key: a\r\nAccept-Language: de\r\nReferer: x\r\nDNT: 1\r\na: b\r\n\r\n")
        #expect(parsed.result == .complete && parsed.head.flags.isDisjoint(with: .slow))
    }

    @Test func givesTheLineAndTheFieldsAsTheyCame() {
        let text =
            "GET /v1/search?q=a%20b HTTP/1.1\r\nHost:  localhost:8787 \r\nX-Odd:\r\n"
            + "accept-encoding:\tgzip\t\r\n\r\nrest"
        let parsed = Parsed(text)
        #expect(parsed.result == .complete)
        #expect(parsed.head.methodCode == .get)
        #expect(parsed.head.minorVersion == 1)
        #expect(parsed.text(parsed.head.method) == "GET")
        #expect(parsed.text(parsed.head.target) == "/v1/search?q=a%20b")
        #expect(parsed.text(parsed.head.host) == "localhost:8787")
        #expect(parsed.text(parsed.head.acceptEncoding) == "gzip")
        #expect(parsed.fields == ["Host": "localhost:8787", "X-Odd": "", "accept-encoding": "gzip"])
        #expect(parsed.head.byteCount == text.utf8.count - 4)
        #expect(parsed.head.persists)
        #expect(parsed.head.framing == .none)
    }

    @Test(arguments: [
        ("GET", RequestHead.MethodCode.get), ("HEAD", .head), ("POST", .other), ("get", .other), ("GETS", .other),
        ("M-SEARCH", .other),
    ])
    func knowsMethodsByCase(name: String, code: RequestHead.MethodCode) {
        let parsed = Parsed("\(name) / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(parsed.result == .complete)
        #expect(parsed.head.methodCode == code)
    }

    /// Every prefix of a valid head, cut at any place, requests more bytes.
    @Test func everyCutOfAGoodHeadIsIncomplete() {
        let whole = Bytes(
            text: "\r\nPOST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n")
        for count in 0..<whole.count {
            #expect(Parsed(Bytes(whole.prefix(count))).result == .incomplete, "after \(count) bytes")
        }
        #expect(Parsed(whole).result == .complete)
    }

    static let faults: [(String, RequestFault)] = [
        ("\nGET / HTTP/1.1\r\n", .bareLineFeed),
        (" GET / HTTP/1.1\r\n", .badRequestLine),
        ("GET/ HTTP/1.1\r\n", .badMethod),
        ("G@T / HTTP/1.1\r\n", .badMethod),
        ("GET,POST / HTTP/1.1\r\n", .badMethod),
        ("G\u{0}T / HTTP/1.1\r\n", .badMethod),
        ("GET  / HTTP/1.1\r\n", .badRequestLine),
        ("GET /\r\n", .badRequestLine),
        ("GET /\n", .bareLineFeed),
        ("GET /a\u{1}b HTTP/1.1\r\n", .badTarget),
        ("GET /a\u{0}b HTTP/1.1\r\n", .badTarget),
        ("GET /a\tb HTTP/1.1\r\n", .badTarget),
        ("GET /a\u{7F} HTTP/1.1\r\n", .badTarget),
        ("GET /a b HTTP/1.1\r\n", .badVersion),
        ("GET / http/1.1\r\n", .badVersion),
        ("GET / HTTP/1\r\n", .badVersion),
        ("GET / HTTP/1.1 \r\n", .badRequestLine),
        ("GET / HTTP/1.1\n", .bareLineFeed),
        ("GET / HTTP/1.1\rX", .bareCarriageReturn),
        ("GET / HTTP/11.1\r\n", .badVersion),
        ("GET / HTTP/2.0\r\n", .unsupportedVersion),
        ("GET / HTTP/0.9\r\n", .unsupportedVersion),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .http2Preface), ("PRI /a HTTP/2.0\r\n\r\n", .unsupportedVersion),
        ("GET * HTTP/2.0\r\n\r\n", .unsupportedVersion),
        ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", .spaceBeforeColon),
        ("GET / HTTP/1.1\r\nHost\t: a\r\n\r\n", .spaceBeforeColon),
        ("GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", .foldedLine),
        ("GET / HTTP/1.1\r\n Host: a\r\n\r\n", .foldedLine),
        ("GET / HTTP/1.1\r\nHost: a\r\n\tfolded\r\n\r\n", .foldedLine),
        ("GET / HTTP/1.1\r\nHost: a\n\r\n", .bareLineFeed),
        ("GET / HTTP/1.1\r\nHost: a\r\n\n", .bareLineFeed),
        ("GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n", .bareCarriageReturn),
        ("GET / HTTP/1.1\r\nHost: a\r\n\rX", .bareCarriageReturn),
        ("GET / HTTP/1.1\r\nX: a\u{0}b\r\n", .badFieldValue),
        ("GET / HTTP/1.1\r\nX: a\u{1B}b\r\n", .badFieldValue),
        ("GET / HTTP/1.1\r\nX: a\u{7F}b\r\n", .badFieldValue),
        ("GET / HTTP/1.1\r\n: a\r\n", .badFieldName),
        ("GET / HTTP/1.1\r\nX@Y: a\r\n", .badFieldName),
        ("GET / HTTP/1.1\r\nnocolon\r\n", .badFieldName),
        ("GET / HTTP/1.1\r\n\r\n", .missingHost),
        ("GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", .duplicateHost),
        ("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", .duplicateHost),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", .duplicateContentLength),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", .duplicateContentLength),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\n", .badContentLength),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\u{B}\r\n\r\n", .badFieldValue),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1 1\r\n\r\n", .badContentLength),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length : 1\r\n\r\n", .spaceBeforeColon),
        ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n", .spaceBeforeColon),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n Transfer-Encoding: chunked\r\n\r\n", .foldedLine),
        ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\u{B}chunked\r\n\r\n", .badFieldValue),
        ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked;q=1\r\n\r\n", .unknownTransferCoding),
        ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \"chunked\"\r\n\r\n", .unknownTransferCoding),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n", .badContentLength),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", .badContentLength),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x1\r\n\r\n", .badContentLength),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", .badContentLength),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", .lengthAndEncoding),
        ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n", .lengthAndEncoding),
        ("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", .encodingInOldVersion),
        ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n", .badTransferEncoding),
        ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n", .badTransferEncoding),
        ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", .badTransferEncoding),
        ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n\r\n", .badTransferEncoding),
        (
            "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
            .badTransferEncoding
        ),
        ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", .unknownTransferCoding),
        ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n", .unknownTransferCoding),
        ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n", .unknownTransferCoding),
        ("GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n", .unknownExpectation),
    ]

    @Test(arguments: faults)
    func refusesWhatOthersMightReadOtherwise(text: String, fault: RequestFault) {
        #expect(Parsed(text).result == .fault(fault))
    }

    @Test(arguments: [
        (RequestFault.targetTooLong, 414), (.headTooLarge, 431), (.tooManyFields, 431), (.bodyTooLarge, 413),
        (.unsupportedVersion, 505), (.unknownTransferCoding, 501), (.unknownExpectation, 417), (.headTimedOut, 408),
        (.missingHost, 400), (.foldedLine, 400), (.encodingInOldVersion, 400),
    ])
    func namesTheStatusOfItsRule(fault: RequestFault, status: Int) {
        #expect(fault.status == status)
    }

    @Test func takesAnyByteAboveTheSpaceInATarget() {
        let parsed = Parsed(Bytes(text: "GET /") + [0xFF, 0xC3, 0x28] + Bytes(text: " HTTP/1.1\r\nHost: a\r\n\r\n"))
        #expect(parsed.result == .complete)
        #expect(parsed.head.target.count == 4)
    }

    @Test func readsLaterMinorVersionsAsTheLatestKnown() {
        let parsed = Parsed("GET / HTTP/1.7\r\nHost: a\r\n\r\n")
        #expect(parsed.result == .complete)
        #expect(parsed.head.minorVersion == 1)
    }

    @Test(arguments: [
        ("HTTP/1.1", "", true), ("HTTP/1.1", "close", false), ("HTTP/1.1", "Keep-Alive, Close", false),
        ("HTTP/1.1", "closed", true), ("HTTP/1.0", "", false), ("HTTP/1.0", "keep-alive", true),
        ("HTTP/1.0", " ,keep-alive,", true), ("HTTP/1.0", "close, keep-alive", false),
    ])
    func knowsWhetherTheConnectionStays(version: String, connection: String, stays: Bool) {
        let parsed = Parsed("GET / \(version)\r\nHost: a\r\nConnection: \(connection)\r\n\r\n")
        #expect(parsed.result == .complete)
        #expect(parsed.head.persists == stays)
    }

    @Test(arguments: [
        ("Authorization: x", HeadFlags.authorization), ("COOKIE: x", .cookie),
        ("cache-control: no-cache", .cacheControl),
        ("Pragma: no-cache", .pragma), ("Prefer: wait=1", .prefer), ("X-Larder-Session: 1", .session),
        ("IF: (<a>)", .deciding), ("Last-Event-ID: 5", .deciding), ("Accept-Datetime: x", .deciding),
        ("Forwarded: host=x", .deciding), ("X-Forwarded-Host: x", .deciding), ("X-Host: x", .deciding),
        ("X-Original-URL: /x", .deciding), ("X-Rewrite-URL: /x", .deciding),
        ("If-Match: *", .conditional), ("If-Unmodified-Since: x", .conditional),
        ("If-None-Match:\r\nif-none-match: *", .repeated), ("If-Modified-Since: x\r\nIf-Modified-Since: x", .repeated),
        ("If-Range: x\r\nIf-Range: y", .repeated), ("Range: bytes=0-\r\nRANGE: bytes=0-", .repeated),
        ("Expect: 100-Continue", .expectContinue), ("Content-Length: 3", .body), ("Transfer-Encoding: Chunked", .body),
        ("Accept-Encoding: br\r\nAccept-Encoding: gzip", .repeated),
    ])
    func flagsWhatLeavesTheFastPath(line: String, flag: HeadFlags) {
        let parsed = Parsed("GET / HTTP/1.1\r\nHost: a\r\n\(line)\r\n\r\n")
        #expect(parsed.result == .complete)
        #expect(parsed.head.flags.contains(flag))
        #expect(!parsed.head.flags.isDisjoint(with: .slow))
    }

    /// Values are read eight bytes at a time. A forbidden byte must be found at every position of a word.
    @Test func aBadByteIsFoundAtEveryPlaceOfAValueAndATarget() {
        for length in 1...40 {
            for place in 0..<length {
                for byte in [0, 1, 0x08, 0x0A, 0x0B, 0x1F, 0x7F] as [UInt8] {
                    var text = Bytes(repeating: 0xE4, count: length)
                    text[place] = byte
                    let value = Parsed(Bytes(text: "GET / HTTP/1.1\r\nHost: a\r\nX: ") + text + Bytes(text: "\r\n\r\n"))
                    #expect(value.result == .fault(byte == 0x0A ? .bareLineFeed : .badFieldValue))
                    let target = Parsed(
                        Bytes(text: "GET /") + text + Bytes(text: " HTTP/1.1\r\nHost: a\r\n\r\n"))
                    #expect(target.result == .fault(byte == 0x0A ? .bareLineFeed : .badTarget))
                }
                var good = Bytes(repeating: 0x20, count: length)
                good[0] = 0x21
                good[length - 1] = 0xFF
                good[place] = place == 0 || place == length - 1 ? 0x80 : 0x09
                let kept = Parsed(
                    Bytes(text: "GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: ") + good + Bytes(text: "\r\n\r\n"))
                #expect(kept.result == .complete)
                #expect(Int(kept.head.acceptEncoding.count) == length)
            }
        }
    }

    @Test func tellsWhereMemoryFindsConditionsAndRanges() {
        let parsed = Parsed(
            "GET / HTTP/1.1\r\nHost: a\r\nif-none-match: \"a\"\r\nIf-Modified-Since:  b \r\nRange: bytes=0-\r\n"
                + "If-Range: \"c\"\r\n\r\n")
        #expect(parsed.head.flags.isDisjoint(with: .slow))
        #expect(parsed.head.flags.isSuperset(of: [.ifNoneMatch, .ifModifiedSince, .range, .ifRange]))
        #expect(parsed.text(parsed.head.ifNoneMatch) == "\"a\"")
        #expect(parsed.text(parsed.head.ifModifiedSince) == "b")
        #expect(parsed.text(parsed.head.range) == "bytes=0-")
        #expect(parsed.text(parsed.head.ifRange) == "\"c\"")
    }

    @Test func keepsOrdinaryRequestsOnTheFastPath() {
        let parsed = Parsed(
            "GET / HTTP/1.1\r\nHost: a\r\nUser-Agent: curl/8\r\nAccept: */*\r\nAccept-Encoding: gzip\r\n"
                + "Content-Length: 0\r\nRanges: x\r\nCookies: y\r\n\r\n")
        #expect(parsed.result == .complete)
        #expect(parsed.head.flags.isDisjoint(with: .slow))
    }

    @Test func holdsItsLimitsExactly() {
        let limits = HeadLimits(target: 10, head: 64, fields: 2)
        func target(_ count: Int) -> ParseResult {
            Parsed("GET /\(String(repeating: "a", count: count - 1)) HTTP/1.1\r\nHost: a\r\n\r\n", limits: limits)
                .result
        }
        #expect(target(10) == .complete)
        #expect(target(11) == .fault(.targetTooLong))
        #expect(Parsed("GET /" + String(repeating: "a", count: 10), limits: limits).result == .fault(.targetTooLong))
        func fields(_ count: Int) -> ParseResult {
            let more = String(repeating: "X:\r\n", count: count - 1)
            return Parsed("GET / HTTP/1.1\r\nHost: a\r\n\(more)\r\n", limits: limits).result
        }
        #expect(fields(2) == .complete)
        #expect(fields(3) == .fault(.tooManyFields))
        func head(_ total: Int, ended: Bool = true) -> ParseResult {
            let start = "GET / HTTP/1.1\r\nHost: a\r\nX:"
            let filler = String(repeating: "b", count: total - start.utf8.count - 4)
            return Parsed(start + filler + (ended ? "\r\n\r\n" : "bbbb"), limits: limits).result
        }
        #expect(head(64) == .complete)
        #expect(head(65) == .fault(.headTooLarge))
        #expect(head(63, ended: false) == .incomplete)
        #expect(head(64, ended: false) == .fault(.headTooLarge))
    }

    @Test func aLengthBeyondAllMeasureIsALengthStill() {
        let parsed = Parsed("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999999\r\n\r\n")
        guard case .length(let length) = parsed.head.framing else {
            Issue.record("no length")
            return
        }
        #expect(length > 1 << 50)
    }

    @Test func acceptsEveryTokenByteInAFieldNameAndNoOther() {
        for byte in UInt8.min...UInt8.max where byte != 0x3A {
            let parsed = Parsed(
                Bytes(text: "GET / HTTP/1.1\r\nHost: a\r\nX") + [byte] + Bytes(text: "Y: z\r\n\r\n"))
            #expect((parsed.result == .complete) == ASCII.isToken(byte), "byte \(byte)")
        }
    }

    /// No input may trap the parser: neither random bytes nor valid heads with changed bytes.
    @Test func survivesWhatIsNoRequest() {
        var generator = SplitMix(state: 42)
        let good = Bytes(
            text: "GET /a?b=c HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive, x\r\nContent-Length: 3\r\n\r\nabc")
        for _ in 0..<20_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
                }
            }
            let parsed = Parsed(bytes)
            if parsed.result == .complete {
                #expect(parsed.head.byteCount <= bytes.count)
                #expect(parsed.fields.count == parsed.head.fieldCount)
            }
        }
    }
}

/// A generator with a fixed sequence, so that a failure can be repeated.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
