import LarderCore
import LarderHTTP
import Testing

@Suite struct RequestTargetTests {
    private func isWellFormed(_ target: String) -> Bool {
        Bytes(text: target).withUnsafeBufferPointer { RequestTarget.isWellFormed($0) }
    }

    @Test func theSignsOfTheGrammarAndBytesAboveASCIIPass() {
        #expect(isWellFormed("/a-._~%20!$&'()*+,;=:@/b?c=d&e[]=f?/"))
        #expect(isWellFormed("http://[::1]:80/é"))
        #expect(isWellFormed("*"))
    }

    @Test(arguments: ["\"", "#", "<", ">", "\\", "^", "`", "{", "|", "}", " ", "\t", "\u{1}", "\u{7F}"])
    func whatMustBeEncodedIsRefusedWhereverItStands(sign: String) {
        for target in ["/\(sign)", "\(sign)", "/a\(sign)b", "http://localhost/\(sign)c", "/a\(sign)?b"] {
            #expect(!isWellFormed(target), "\(target)")
        }
        // Browsers send some of them unencoded in a query (URL Standard §1.3).
        let isOfQuery = "\\^`{|}".contains(sign)
        #expect(isWellFormed("/a?b\(sign)") == isOfQuery)
        #expect(isWellFormed("/a?b?\(sign)c") == isOfQuery)
    }

    @Test func whatAURLMayNotContainIsEncoded() {
        func encoded(_ text: String) -> String {
            Bytes(text: text).withUnsafeBufferPointer { RequestTarget.encoded($0[...]) }
        }
        #expect(encoded("language=en-US|de&x={a}^`\\") == "language=en-US%7cde&x=%7ba%7d%5e%60%5c")
        #expect(encoded("q=\u{E9}%7c") == "q=%c3%a9%7c")
        #expect(encoded("/a-._~!$&'()*+,;=:@[]%20") == "/a-._~!$&'()*+,;=:@[]%20")
    }
}

@Suite struct HTTP2RefusalTests {
    /// Frames as type, flags, stream and payload (RFC 9113 §4.1).
    private func frames(_ bytes: Bytes) -> [(type: UInt8, flags: UInt8, stream: UInt8, payload: Bytes)] {
        var frames: [(type: UInt8, flags: UInt8, stream: UInt8, payload: Bytes)] = []
        var rest = bytes[...]
        while rest.count >= 9 {
            let front = Bytes(rest.prefix(9))
            let length = Int(front[0]) << 16 | Int(front[1]) << 8 | Int(front[2])
            frames.append((front[3], front[4], front[8], Bytes(rest.dropFirst(9).prefix(length))))
            rest = rest.dropFirst(9 + length)
        }
        #expect(rest.isEmpty)
        return frames
    }

    @Test func itIsAnAnswerAndTheEndInTheClientsOwnFrames() {
        let body = Bytes(text: #"{"status":505}"#)
        let sent = frames(HTTP2Refusal.bytes(problem: body, detail: "Not spoken."))
        #expect(sent.map(\.type) == [4, 1, 0, 7])
        #expect(sent.map(\.stream) == [0, 1, 1, 0])
        #expect(sent.map(\.flags) == [0, 4, 1, 0])
        // ":status", 505.
        #expect(sent[1].payload.starts(with: [0x08, 3] + Bytes(text: "505")))
        #expect(sent[2].payload == body)
        #expect(sent[3].payload == [0, 0, 0, 1, 0, 0, 0, 0x0D] + Bytes(text: "Not spoken."))
    }
}
