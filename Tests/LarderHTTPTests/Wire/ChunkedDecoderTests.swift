import LarderCore
import LarderHTTP
import Testing

@Suite struct ChunkedDecoderTests {
    /// Feeds the input in pieces of this size.
    static func decode(
        _ input: Bytes, piece: Int = .max, limit: Int = 1 << 20
    ) -> (body: Bytes, used: Int, progress: ChunkedDecoder.Progress) {
        var decoder = ChunkedDecoder()
        var body = Bytes()
        var used = 0
        var progress = ChunkedDecoder.Progress.more
        while used < input.count, progress == .more {
            let count = min(piece, input.count - used)
            let step = input[used..<used + count].withUnsafeBufferPointer {
                decoder.decode($0, into: &body, limit: limit)
            }
            used += step.used
            progress = step.progress
        }
        return (body, used, progress)
    }

    @Test(arguments: [1, 2, 3, 7, Int.max])
    func joinsChunksHoweverTheyArrive(piece: Int) {
        let input = Bytes(text: "5\r\nhello\r\n1 ; a=b\r\n \r\n00005\r\nworld\r\n0;last\r\nX-Sum: 1\r\nY:2\r\n\r\n")
        let next = Bytes(text: "GET / HTTP/1.1\r\n")
        let result = Self.decode(input + next, piece: piece)
        #expect(result.body.lossyText == "hello world")
        #expect(result.progress == .done)
        #expect(result.used == input.count)
    }

    @Test(arguments: [
        "\r\n", "g\r\n", "-1\r\n", "+5\r\nhello", "5\nhello", "5\r\nhelloX", "5\r\nhello\n", "5\rXhello", "0\r\n\n",
        "0\r\nX\u{0}: 1\r\n",
        "0\r\n folded\r\n", "0\r\nX: 1\n", "5;a\u{1}\r\n", "00000000000000001\r\n", "0x5\r\nhello", " 5\r\nhello",
        "5 xyz\r\nhello", "5 \r\nhello", "5;\r\nhello", "5; \r\nhello", "5;;a\r\nhello", "5;a;\r\nhello",
        "5;a b\r\nhello",
        "5;a=\r\nhello", "5;a= \r\nhello", "5;=b\r\nhello", "5;a=\"x\r\nhello", "5;a=\"x\\\"\r\nhello",
        "5;a=\"x\"y\r\nhello",
        "5;a=b=c\r\nhello", "5,a\r\nhello", "0\r\nX\r\n\r\n", "0\r\nX : 1\r\n\r\n", "0\r\nX y: 1\r\n\r\n",
        "0\r\n: 1\r\n\r\n",
    ])
    func refusesMalformedFraming(text: String) {
        for piece in [1, Int.max] {
            guard case .fault(.badChunk) = Self.decode(Bytes(text: text), piece: piece).progress else {
                Issue.record("taken: \(text.debugDescription)")
                continue
            }
        }
    }

    @Test(arguments: [
        "5;a", "5;a=b", "5 ; a = b", "5\t;a;b=c", "5;a=\"x;y = \\\" z\"", "5;a=\"\" ;b", "5;a ;b", "5;a =\tb",
    ])
    func takesWholeExtensions(line: String) {
        for piece in [1, Int.max] {
            let result = Self.decode(Bytes(text: "\(line)\r\nhello\r\n0\r\nX:\r\nY: 1 2\r\n\r\n"), piece: piece)
            #expect(result.body.lossyText == "hello" && result.progress == .done)
        }
    }

    @Test func holdsTheLimitOfTheWholeBody() {
        #expect(Self.decode(Bytes(text: "5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n"), limit: 10).progress == .done)
        #expect(Self.decode(Bytes(text: "5\r\nhello\r\n6\r\n"), limit: 10).progress == .fault(.bodyTooLarge))
        #expect(Self.decode(Bytes(text: "FFFFFFFFFFFFFFFF\r\n"), limit: .max).progress == .fault(.bodyTooLarge))
        #expect(Self.decode(Bytes(text: "7FFFFFFFFFFFFFF\r\n"), limit: 10).progress == .fault(.bodyTooLarge))
    }

    @Test func boundsExtensionsAndTrailers() {
        let long = String(repeating: "a", count: 9000)
        #expect(Self.decode(Bytes(text: "1;\(long)\r\nx\r\n0\r\n\r\n")).progress == .fault(.trailersTooLarge))
        #expect(Self.decode(Bytes(text: "0\r\nX: \(long)\r\n\r\n")).progress == .fault(.trailersTooLarge))
    }
}
