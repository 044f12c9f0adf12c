// Character references by the rules of HTML: the whole table, and references without a semicolon.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct CharacterReferenceTests {
    private func decoded(_ text: String) -> String? { TextCleaning.htmlLine(text) }

    private var records: [Substring] {
        String(decoding: CharacterReferenceTable.text, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    }

    @Test func theTableHasEveryNameOfTheStandardOnceAndInOrder() {
        let names = records.map { $0.prefix { $0 != ":" } }
        #expect(records.count + records.count { $0.hasSuffix("*") } == 2231)
        for (one, next) in zip(names, names.dropFirst()) {
            #expect(one.utf8.lexicographicallyPrecedes(next.utf8), "\(one) \(next)")
        }
    }

    @Test func everyNameIsFoundAndMeansItsCodePoints() throws {
        for record in records {
            let parts = record.split(separator: ":")
            let codes = parts[1].filter { $0 != "*" }.split(separator: ",").compactMap { UInt32($0, radix: 16) }
            let bytes = Bytes(text: "&\(parts[0]);")
            let reference = try #require(CharacterReference(bytes, at: 0, in: .text), "\(record)")
            #expect([reference.first.value] + (reference.second.map { [$0.value] } ?? []) == codes, "\(record)")
            #expect(reference.length == bytes.count)
        }
    }

    @Test(arguments: [
        ("for&ecirc;t &oslash; &frac12; &le; 3", "forêt ø ½ ≤ 3"), ("&notin; &nvlt; &NotEqualTilde;", "∉ <\u{20D2} ≂̸"),
        // Without a semicolon, the longest name that HTML permits in this form counts (§13.2.5.73).
        ("AT&ampT &copy2024 I'm &notit; I tell you", "AT&T ©2024 I'm ¬it; I tell you"), ("&le 3", "&le 3"),
        ("&frac12x &amp", "½x &"), ("a &unknown; R&D Q&A; & &", "a &unknown; R&D Q&A; & &"),
        // The parameters of a URL are not references.
        ("http://a.example/?b=1&copy=2&reg=3", "http://a.example/?b=1&copy=2&reg=3"),
        ("&amp;lt; &amp;amp;", "&lt; &amp;"), ("&AMP;&LT;&Amp;", "&<&Amp;"),
    ])
    func aNamedReferenceIsReadByTheRules(_ text: String, _ expected: String) {
        #expect(decoded(text) == expected)
    }

    @Test(arguments: [
        ("&#233;&#xE9;&#XE9;&#xe9", "éééé"), ("caf&#233 au lait", "café au lait"), ("&#128;&#x99;&#x9f;", "€™Ÿ"),
        ("a&#0;b", "a\u{FFFD}b"), ("&#xD800;&#x110000;&#99999999999999999999;", "\u{FFFD}\u{FFFD}\u{FFFD}"),
        ("&#; &#x; &#xg;", "&#; &#x; &#xg;"), ("a&#10;b &#9; c&#1;", "a b c"), ("&#x1F600;", "😀"),
    ])
    func aNumericReferenceIsReadByTheRules(_ text: String, _ expected: String) {
        #expect(decoded(text) == expected)
    }

    @Test func aByteOrderMarkBeforeJSONIsIgnored() throws {
        let root = try JSON.parse([0xEF, 0xBB, 0xBF] + Bytes(text: #"{"a":"b"}"#))
        #expect(root["a"]?.string == "b" && root.raw == Bytes(text: #"{"a":"b"}"#))
        #expect(throws: JSONError.self) { try JSON.parse(Bytes(text: "{}\u{FEFF}")) }
        let response = UpstreamResponse(
            status: 200, body: Bytes(text: "\u{FEFF}" + #"{"resultCount":0,"results":[]}"#),
            requestTime: WallTime(seconds: 0), responseTime: WallTime(seconds: 0))
        #expect(SpecProvider(.iTunes).classify(response, endpoint: "search") == .empty)
    }
}
