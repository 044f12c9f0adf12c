// Strict JSON: which texts are accepted, which are refused and where, and which values are read.
import LarderCore
import Testing

@Suite struct JSONTests {
    private func parse(_ text: String) throws -> JSONValue { try JSON.parse(Bytes(text: text)) }

    private func failure(_ bytes: Bytes, maxDepth: Int = 64) -> JSONError? {
        do {
            _ = try JSON.parse(bytes, maxDepth: maxDepth)
            return nil
        } catch {
            return error
        }
    }

    @Test func valuesOfEveryKindAreRead() throws {
        let root = try parse(
            "\n\n\n" + #"{ "n": null, "t": true, "f": false, "i": -12, "d": 1.250, "e": 1E+2, "s": "x","#
                + #" "a": [1, [2], {}], "o": {"k": "v"} }"# + "\r\n\t "
        )
        #expect(root["n"]?.isNull == true)
        #expect(root["t"]?.bool == true)
        #expect(root["f"]?.bool == false)
        #expect(root["i"]?.integer == -12)
        #expect(root["d"]?.numberText == "1.250")
        #expect(root["e"]?.double == 100)
        #expect(root["s"]?.string == "x")
        #expect(root["a"]?.count == 3)
        #expect(root["a"]?.elements.map(\.kind) == [.number, .array, .object])
        #expect(root["o"]?["k"]?.string == "v")
        #expect(root["missing"] == nil)
        #expect(root.members.map(\.name) == ["n", "t", "f", "i", "d", "e", "s", "a", "o"])
        #expect(root["a"]?.raw == Bytes(text: "[1, [2], {}]"))
        #expect(root["s"]?.raw == Bytes(text: "\"x\""))
    }

    @Test func theLastOfRepeatedNamesCounts() throws {
        #expect(try parse(#"{"a":1,"b":2,"a":3}"#)["a"]?.integer == 3)
        var record = JSONRecord(JSONMemberTable(["a", "b"]))
        record.load(try parse(#"{"a":1,"\u0061":4}"#))
        #expect(record[0]?.integer == 4)
        #expect(record[1] == nil)
    }

    @Test(arguments: [
        (#""a\"b\\c\/d\b\f\n\r\t""#, "a\"b\\c/d\u{8}\u{c}\n\r\t"), (#""\u00e9\u20AC""#, "é€"),
        (#""\ud83d\ude00!""#, "😀!"), ("\"Grüße 東京 😀\"", "Grüße 東京 😀"), (#""\u0000""#, "\0"), ("\"\"", ""),
    ])
    func escapesAreDecoded(_ text: String, _ expected: String) throws {
        #expect(try parse(text).string == expected)
    }

    @Test(arguments: [
        (#""\ud800""#, "\u{FFFD}"), (#""\udc00""#, "\u{FFFD}"), (#""a\uDBFFb""#, "a\u{FFFD}b"),
        (#""\ud800\u0041""#, "\u{FFFD}A"), (#""\ud800\ud83d\ude00""#, "\u{FFFD}😀"),
        (#""\ud800\n\udc00""#, "\u{FFFD}\n\u{FFFD}"), (#""\ude00\ud83d""#, "\u{FFFD}\u{FFFD}"),
        (#""\ud83d\\de00""#, "\u{FFFD}\\de00"),
    ])
    func halfASurrogatePairIsTheReplacementCharacter(_ text: String, _ expected: String) throws {
        #expect(try parse(text).string == expected)
        #expect(try parse("{\(text): 1}")[expected]?.integer == 1)
        var writer = JSONWriter()
        writer.string(expected)
        #expect(try JSON.parse(writer.bytes).string == expected)
    }

    @Test(arguments: [
        ("", JSONError.Reason.endOfInput, 0), ("  ", .endOfInput, 2), ("{", .endOfInput, 1), ("[1,", .endOfInput, 3),
        ("\"abc", .endOfInput, 4), ("[1,]", .unexpectedByte, 3), ("{\"a\":1,}", .unexpectedByte, 7),
        ("{a:1}", .unexpectedByte, 1), ("{\"a\" 1}", .unexpectedByte, 5), ("[1 2]", .unexpectedByte, 3),
        ("<html>", .unexpectedByte, 0), ("tru", .endOfInput, 3), ("nul!", .invalidLiteral, 0),
        ("NaN", .unexpectedByte, 0),
        ("01", .trailingBytes, 1), ("-", .endOfInput, 1), ("1.", .endOfInput, 2), (".5", .unexpectedByte, 0),
        ("1e", .endOfInput, 2), ("1.x", .invalidNumber, 2), ("+1", .unexpectedByte, 0), ("1 1", .trailingBytes, 2),
        ("\"\\x\"", .invalidEscape, 1), ("\"\\u12G4\"", .invalidEscape, 1), ("\"\\ud800\\u12G4\"", .invalidEscape, 7),
        ("\"\\ud800\\", .endOfInput, 8), ("\"\\ud8", .endOfInput, 5),
        ("\"a\nb\"", .controlCharacter, 2),
        ("\"aaaaaaaaaa\u{1}\"", .controlCharacter, 11), ("1\u{FEFF}", .trailingBytes, 1),
        ("// x\n1", .unexpectedByte, 0),
        ("'a'", .unexpectedByte, 0), ("[1]]", .trailingBytes, 3),
    ])
    func whatIsNotJSONIsRefusedAtItsPlace(_ text: String, _ reason: JSONError.Reason, _ offset: Int) {
        #expect(failure(Bytes(text: text)) == JSONError(reason, at: offset))
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xFF],
            [0xE2, 0x82, 0x41],
        ] as [Bytes])
    func whatIsNotUTF8IsRefused(_ sequence: Bytes) {
        for padding in 0..<9 {
            let bytes = [0x22] + Bytes(repeating: 0x61, count: padding) + sequence + [0x22]
            #expect(failure(bytes)?.reason == .invalidUTF8)
            #expect(failure(bytes)?.offset == 1 + padding)
        }
    }

    @Test func nestingHasALimitOnBothContainers() {
        let deep = Bytes(repeating: 0x5B, count: 5) + Bytes(repeating: 0x5D, count: 5)
        #expect(failure(deep, maxDepth: 5) == nil)
        #expect(failure(deep, maxDepth: 4) == JSONError(.tooDeep, at: 4))
        #expect(failure(Bytes(repeating: 0x5B, count: 1_000_000))?.reason == .tooDeep)
        #expect(failure(Bytes(text: String(repeating: "{\"a\":", count: 1000)))?.reason == .tooDeep)
    }

    @Test func everyPrefixOfATextIsRefusedWithoutATrap() throws {
        let text = Bytes(text: #"{"résumé": [1.5e-3, "a\u00e9\ud83d\ude00é", true, null], "b": {}}"#)
        #expect(failure(text) == nil)
        for length in 0..<text.count { #expect(failure(Bytes(text.prefix(length))) != nil) }
    }

    /// A seeded generator, so that a failure can be repeated.
    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    @Test func damagedTextsNeverTrapAndNeverReadBeyondTheirEnd() throws {
        let text = Bytes(text: #"{"a":[1,2,{"b":"\u00e9\n€"}],"c":-1.5e10,"d":[true,false,null,"",{}]}"#)
        var dice = Dice(state: 42)
        for _ in 0..<20_000 {
            var damaged = text
            for _ in 0..<Int.random(in: 1...4, using: &dice) {
                damaged[Int.random(in: 0..<damaged.count, using: &dice)] = UInt8.random(in: 0...255, using: &dice)
            }
            guard let value = try? JSON.parse(damaged) else { continue }
            // An accepted text can be read completely and written again to the same value.
            #expect(try JSON.parse(value.raw).kind == value.kind)
            for member in value.members { _ = (member.name, member.value.string, member.value.double) }
        }
    }

    @Test func arraysAreSplitWithoutDecoding() throws {
        let bytes = Bytes(text: " [ {\"a\":1} , \"x\\\"y\",[ ],-1.0 ] ")
        let pieces = try JSON.parse(bytes).elements.map { Bytes(bytes[$0.range]).lossyText }
        #expect(pieces == ["{\"a\":1}", "\"x\\\"y\"", "[ ]", "-1.0"])
        #expect(try Array(JSON.parse(Bytes(text: "[]")).elements).isEmpty)
        #expect(try Array(JSON.parse(Bytes(text: "{}")).elements).isEmpty)
    }

    @Test func whatTheWriterWritesTheParserReads() throws {
        var writer = JSONWriter()
        let text = "q\"\\\u{1}\n é😀 \u{7F}"
        writer.object { writer in
            writer.member("text", text)
            writer.member("list", strings: ["", "b"])
            writer.member("figure", number: 0.1)
        }
        let value = try JSON.parse(writer.bytes)
        #expect(value["text"]?.string == text)
        #expect(value["list"]?.elements.compactMap(\.string) == ["", "b"])
        #expect(value["figure"]?.double == 0.1)
    }

    @Test func plainBytesAreEncodedLikeAnyCollection() {
        var dice = Dice(state: 7)
        for length in 0..<70 {
            let bytes = Bytes((0..<length).map { _ in UInt8.random(in: 0...255, using: &dice) })
            #expect(Base64URL.encode(bytes) == Base64URL.encode(bytes[...]))
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }
}
