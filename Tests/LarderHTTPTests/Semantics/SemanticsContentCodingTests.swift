// Content codings. Coded data decodes to the original. Truncated or damaged data and decompression bombs are refused.
import CZlib
import LarderCore
import LarderHTTP
import Testing

@Suite struct SemanticsContentCodingTests {
    static let bodies: [Bytes] = [
        [], [0], Bytes(text: "{\"a\":1}"), Bytes(repeating: 0x41, count: 300_000),
        (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) },
    ]

    @Test(arguments: bodies)
    func gzipComesBack(_ body: Bytes) throws {
        for level in [1, 6, 9] {
            let coded = try ContentCoding.gzip(body, level: level)
            #expect(try ContentCoding.inflate(coded, coding: "gzip", limit: body.count) == body)
            #expect(try ContentCoding.inflate(coded, coding: "X-GZip", limit: body.count) == body)
        }
    }

    @Test func equalBodiesGiveEqualGzip() throws {
        #expect(try ContentCoding.gzip(Self.bodies[4]) == ContentCoding.gzip(Self.bodies[4]))
    }

    @Test func severalMembersAreOneBody() throws {
        let coded = try ContentCoding.gzip(Bytes(text: "ab")) + ContentCoding.gzip(Bytes(text: "cd"))
        #expect(try ContentCoding.inflate(coded, coding: "gzip", limit: 4) == Bytes(text: "abcd"))
    }

    @Test func codingsAreUndoneFromTheLast() throws {
        let body = Bytes(text: "twice")
        let coded = try ContentCoding.gzip(ContentCoding.gzip(body))
        #expect(try ContentCoding.inflate(coded, coding: "gzip, gzip", limit: 1000) == body)
        #expect(try ContentCoding.inflate(body, coding: "identity", limit: 1000) == body)
        #expect(try ContentCoding.inflate(body, coding: "", limit: 1000) == body)
    }

    @Test func deflateIsReadInBothForms() throws {
        let body = Bytes(text: "deflate, deflate, deflate")
        #expect(try ContentCoding.inflate(try deflated(body, window: 15), coding: "deflate", limit: 100) == body)
        #expect(try ContentCoding.inflate(try deflated(body, window: -15), coding: "deflate", limit: 100) == body)
    }

    func deflated(_ body: Bytes, window: Int32) throws -> Bytes {
        var stream = z_stream()
        try #require(larder_deflate_init(&stream, 6, window) == Z_OK)
        defer { deflateEnd(&stream) }
        var input = body
        return input.withUnsafeMutableBufferPointer { input in
            Bytes(room: 1000) { output, count in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = 1000
                _ = deflate(&stream, Z_FINISH)
                count = 1000 - Int(stream.avail_out)
            }
        }
    }

    @Test func everyCutIsAnError() throws {
        let coded = try ContentCoding.gzip(Bytes(text: "some text that is long enough to be cut"))
        for length in 0..<coded.count {
            #expect(throws: ContentCodingError.truncated) {
                try ContentCoding.inflate(Bytes(coded[..<length]), coding: "gzip", limit: 1000)
            }
        }
    }

    @Test func damageIsAnError() throws {
        let coded = try ContentCoding.gzip(Bytes(text: "some text that is long enough to be damaged"))
        for place in 10..<coded.count {
            var damaged = coded
            damaged[place] ^= 0x55
            #expect(throws: ContentCodingError.self) {
                try ContentCoding.inflate(damaged, coding: "gzip", limit: 1000)
            }
        }
        #expect(throws: ContentCodingError.damaged) {
            try ContentCoding.inflate(coded + [1, 2, 3, 4], coding: "gzip", limit: 1000)
        }
        #expect(throws: ContentCodingError.damaged) {
            try ContentCoding.inflate(Bytes(text: "<html>"), coding: "gzip", limit: 1000)
        }
    }

    @Test func bombStopsAtTheLimit() throws {
        let bomb = try ContentCoding.gzip(Bytes(repeating: 0, count: 8 << 20), level: 9)
        #expect(throws: ContentCodingError.tooLarge) {
            try ContentCoding.inflate(bomb, coding: "gzip", limit: (8 << 20) - 1)
        }
        #expect(throws: ContentCodingError.tooLarge) {
            try ContentCoding.inflate([1, 2], coding: "identity", limit: 1)
        }
        #expect(try ContentCoding.inflate(bomb, coding: "gzip", limit: 8 << 20).count == 8 << 20)
    }

    @Test func unknownOrTooManyCodingsAreErrors() {
        #expect(throws: ContentCodingError.unknownCoding("br")) {
            try ContentCoding.inflate([1], coding: "br", limit: 10)
        }
        #expect(throws: ContentCodingError.unknownCoding("gzip,gzip,gzip,gzip")) {
            try ContentCoding.inflate([1], coding: "gzip,gzip,gzip,gzip", limit: 10)
        }
    }

    @Test(
        arguments: [
            (nil, "gzip", false), (nil, "identity", true), ("", "gzip", false), ("", "identity", true),
            ("gzip", "gzip", true),
            ("GZIP", "gzip", true), ("x-gzip", "gzip", true), ("br, gzip;q=0.5", "gzip", true),
            ("gzip;q=0", "gzip", false),
            ("gzip; q=0.000", "gzip", false), ("gzip;q=0.001", "gzip", true), ("*", "gzip", true),
            ("*;q=0", "gzip", false),
            ("*;q=0, gzip", "gzip", true), ("gzip;q=0, *", "gzip", false), ("*;q=0", "identity", false),
            ("br", "gzip", false),
            ("br", "identity", true), ("identity;q=0", "identity", false), ("gzipped", "gzip", false),
        ] as [(String?, String, Bool)])
    func acceptEncodingIsAsked(_ field: String?, _ coding: String, _ expected: Bool) {
        #expect(ContentCoding.accepts(field, coding) == expected)
    }

    /// Compares the parser of bytes with the parser of texts.
    @Test func gzipIsReadFromBytesAsFromText() {
        let pieces = [
            "gzip", "GZip", "x-gzip", "*", "br", "identity", "gzi", "gzipp", "", " ", "\t", ",", ";", "q=0", "q=0.0",
            "q=0.1",
            "Q=0", "q=1", "q", "=", "0", "\"", "\\", "a", "q = 0", "q=00", "q=0x", "\u{E4}", "x-", "-",
        ]
        var random = SystemRandomNumberGenerator()
        var wanted = 0
        for _ in 0..<10_000 {
            let text = (0..<Int.random(in: 0...9, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            var bytes = Bytes()
            HeaderField.append(text, to: &bytes)
            let got = bytes.withUnsafeBufferPointer { ContentCoding.acceptsGzip($0) }
            let expected = ContentCoding.accepts(text, "gzip")
            if expected { wanted += 1 }
            #expect(got == expected, "\(text)")
            #expect(ContentCoding.acceptsGzip(text) == expected, "\(text)")
        }
        #expect(wanted > 200)
    }
}
