import LarderCore
import Testing

@Suite struct CodingTests {
    @Test func percentDecodingRefusesWhatIsNoText() {
        #expect(throws: PercentCoding.Failure.malformed) { try PercentCoding.decode("%4".utf8, plusIsSpace: true) }
        #expect(throws: PercentCoding.Failure.malformed) { try PercentCoding.decode("%zz".utf8, plusIsSpace: true) }
        #expect(throws: PercentCoding.Failure.notText) { try PercentCoding.decode("%ff".utf8, plusIsSpace: true) }
        #expect(throws: PercentCoding.Failure.notText) { try PercentCoding.decode("a%00b".utf8, plusIsSpace: true) }
    }

    @Test func plusIsASpaceOnlyWhereAFormWouldSaySo() throws {
        #expect(try PercentCoding.decode("a+b%2B".utf8, plusIsSpace: true) == "a b+")
        #expect(try PercentCoding.decode("a+b%2B".utf8, plusIsSpace: false) == "a+b+")
        #expect(try PercentCoding.decodeBytes("a%00%ff+".utf8, plusIsSpace: false) == [0x61, 0, 0xFF, 0x2B])
    }

    @Test func aQuerySurvivesEncodingAndParsing() throws {
        let query = QueryParameters([.init("q", "jack & johnson=+ä"), .init("flag", nil), .init("empty", "")])
        #expect(try QueryParameters(parsing: query.encoded) == query)
    }

    @Test func base64URLHasOneSpellingOfEverything() {
        for count in 0..<70 {
            let bytes = Secrets.random(count)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
        #expect(Base64URL.decode("AB") == nil, "unused bits must be zero")
        #expect(Base64URL.decode("A") == nil)
        #expect(Base64URL.decode("AA==") == nil)
        #expect(Base64URL.decode("A+") == nil)
    }

    /// The vectors of RFC 4648 §10, and one with both characters that the URL-safe alphabet replaces.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"), ("~~~???", "fn5+Pz8/"),
    ])
    func base64HasPadding(_ text: String, _ expected: String) {
        #expect(Base64.encode(text.utf8) == expected)
    }

    @Test func digestsAreSHA256() {
        #expect(
            Digest(of: Bytes(text: "abc")).hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(Digest(bytes: Digest(of: [1]).bytes) == Digest(of: [1]))
        #expect(Digest(bytes: [1]) == nil)
    }

    @Test func hmacIsThatOfRFC4231() {
        // Cases 2, 6 and 7: a short key, and a key longer than a block with a text shorter and a text longer than a
        // block.
        let short = HMACKey(Bytes(text: "Jefe"))
        let long = HMACKey(Bytes(repeating: 0xAA, count: 131))
        let texts = [
            (short, "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
            (
                long, "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
            (
                long,
                "This is a test using a larger than block-size key and a larger than block-size data. The key needs to "
                    + "be hashed before being used by the HMAC algorithm.",
                "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
            ),
        ]
        for (key, text, code) in texts {
            #expect(key.code(of: Bytes(text: text)).hex == code)
            #expect(key.code(of: Bytes(text: text)).hex == code, "a key is used again")
        }
    }

    @Test func whereAPlainRunEndsIsFoundAtEveryPlaceAndForEveryByte() {
        for byte in UInt8.min...UInt8.max {
            for before in 0..<20 {
                for after in [0, 3, 8] {
                    let text = Bytes(repeating: 0x61, count: before) + [byte] + Bytes(repeating: 0x7E, count: after)
                    let end = text.withUnsafeBufferPointer { PlainText.end(in: $0, from: 0) }
                    #expect(end == (PlainText.isPlain(byte) ? text.count : before), "\(byte) behind \(before)")
                }
            }
        }
    }

    @Test func fieldValuesKeepBytesThatAreNoUTF8() {
        let bytes: Bytes = [0x61, 0xE9, 0xFF, 0x62]
        var back = Bytes()
        HeaderField.append(HeaderField.text(bytes), to: &back)
        #expect(back == bytes)
    }

    @Test func settingAFieldLeavesOneLineInThePlaceOfTheFirst() {
        var fields = HeaderFields([HeaderField("A", "1"), HeaderField("b", "2"), HeaderField("a", "3")])
        fields.set("a", "4")
        #expect(Array(fields) == [HeaderField("A", "4"), HeaderField("b", "2")])
    }

    @Test func theWriterEscapesWhatJSONMustEscape() throws {
        var writer = JSONWriter()
        let text = "\u{0}\u{1F}\"\\\n\r\tä\u{1F600}"
        writer.object { $0.member("a", text) }
        #expect(try JSON.parse(writer.bytes)["a"]?.string == text)
    }

    @Test func theWriterPutsCommasWhereTheyBelong() {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("a", 1)
            writer.name("b")
            writer.array { writer in
                writer.bool(true)
                writer.null()
                writer.number(1.5)
                writer.object { _ in }
            }
            writer.member("c", strings: [])
        }
        #expect(writer.bytes.lossyText == #"{"a":1,"b":[true,null,1.5,{}],"c":[]}"#)
    }
}
