import LarderCore
import LarderHTTP
import Testing

@Suite struct ResponseEncoderTests {
    static func encode(_ head: ResponseHead, length: Int?) -> String {
        var out = Bytes()
        ResponseEncoder.append(head, length: length, to: &out)
        ResponseEncoder.endHead(&out)
        return out.lossyText
    }

    @Test func writesStatusFieldsAndLength() {
        let text = Self.encode(ResponseHead(status: 200, fields: ["Content-Type": "text/plain"]), length: 3)
        #expect(text == "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\n")
        #expect(Self.encode(ResponseHead(status: 299), length: 0) == "HTTP/1.1 299 \r\nContent-Length: 0\r\n\r\n")
        #expect(Self.encode(ResponseHead(status: 200, reason: "Fine"), length: nil) == "HTTP/1.1 200 Fine\r\n\r\n")
    }

    @Test func framesAlone() {
        let fields: HeaderFields = [
            "content-length": "99", "Transfer-Encoding": "chunked", "Connection": "keep-alive", "keep-alive": "5",
        ]
        #expect(
            Self.encode(ResponseHead(status: 200, fields: fields), length: 1)
                == "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n")
    }

    @Test(arguments: [204, 304])
    func writesNoLengthWhereThereIsNoBody(status: Int) {
        #expect(!Self.encode(ResponseHead(status: status), length: 5).contains("Content-Length"))
    }

    @Test func noValueAddsALineOfItsOwn() {
        let head = ResponseHead(
            status: 200, reason: "O\r\nX: 1", fields: ["A": "1\r\nSet-Cookie: x", "B\r\nC": "2", "": "3"])
        #expect(Self.encode(head, length: nil) == "HTTP/1.1 200 O  X: 1\r\nA: 1  Set-Cookie: x\r\n\r\n")
    }

    @Test func keepsBytesAboveASCII() {
        var out = Bytes()
        ResponseEncoder.appendField("X", "\u{E9}", to: &out)
        #expect(out == Bytes(text: "X: ") + [0xE9, 0x0D, 0x0A])
    }

    /// For any bytes in a name, a value or a reason, a recipient finds exactly the intended lines.
    @Test func noByteAnywhereInAFieldSplitsTheHead() {
        for byte in UInt8.min...UInt8.max {
            let odd = HeaderField.text([0x61, byte, 0x62])
            let head = ResponseHead(status: 200, reason: odd, fields: [odd: "1", "X-Value": odd, "X-Last": "end"])
            var out = Bytes()
            ResponseEncoder.append(head, length: 0, to: &out)
            ResponseEncoder.endHead(&out)
            #expect(!out.contains(0))
            let lines = out.split(separator: 0x0A, omittingEmptySubsequences: false)
            #expect(
                lines.dropLast().allSatisfy { $0.last == 0x0D && $0.filter { $0 == 0x0D }.count == 1 }, "byte \(byte)")
            let hasOddName = ASCII.isToken(byte)
            #expect(lines.count == (hasOddName ? 7 : 6), "byte \(byte)")
            let value =
                Bytes(text: "X-Value: a") + [byte >= 0x20 && byte != 0x7F || byte == 9 ? byte : 0x20, 0x62, 0x0D]
            #expect(lines.contains { $0.elementsEqual(value) }, "byte \(byte)")
        }
    }

    @Test func unknownFieldsKeepOrderSpellingAndNumber() {
        let fields = HeaderFields([
            HeaderField("x-B", "1"), HeaderField("Set-Cookie", "a"), HeaderField("X-a", ""),
            HeaderField("SET-COOKIE", "b"),
        ])
        #expect(
            Self.encode(ResponseHead(status: 200, reason: "", fields: fields), length: nil)
                == "HTTP/1.1 200 \r\nx-B: 1\r\nSet-Cookie: a\r\nX-a: \r\nSET-COOKIE: b\r\n\r\n")
    }
}
