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

    @Test func digestsAreSHA256() {
        #expect(
            Digest(of: Bytes(text: "abc")).hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(Digest(bytes: Digest(of: [1]).bytes) == Digest(of: [1]))
        #expect(Digest(bytes: [1]) == nil)
    }

    @Test func hmacIsThatOfRFC4231() {
        let tag = Secrets.hmac(Bytes(text: "what do ya want for nothing?"), key: Bytes(text: "Jefe"))
        #expect(Hex.encode(tag) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
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
        #expect(fields.lines == [HeaderField("A", "4"), HeaderField("b", "2")])
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
