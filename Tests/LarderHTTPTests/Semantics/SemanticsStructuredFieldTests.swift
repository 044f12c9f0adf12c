// Structured fields (RFC 8941): each type, each error, and that a parsed value is written in one canonical form.
import LarderCore
import LarderHTTP
import Testing

@Suite struct SemanticsStructuredFieldTests {
    @Test(
        arguments: [
            ("1", .integer(1)), ("-0", .integer(0)), ("999999999999999", .integer(999_999_999_999_999)),
            ("1.5", .decimal(thousandths: 1500)), ("-1.005", .decimal(thousandths: -1005)),
            ("\"a \\\"\\\\\"", .string("a \"\\")), ("\"\"", .string("")), ("a/b:c*", .token("a/b:c*")),
            ("*", .token("*")), (":aGk=:", .bytes([0x68, 0x69])), (":aGk:", .bytes([0x68, 0x69])), ("::", .bytes([])),
            ("?1", .boolean(true)), ("?0", .boolean(false)), ("  7  ", .integer(7)),
        ] as [(String, StructuredField.BareItem)])
    func itemIsRead(_ text: String, _ expected: StructuredField.BareItem) {
        #expect(StructuredField.item([text])?.value == expected)
    }

    @Test(arguments: [
        "", " ", "-", "1.", "1.0001", "1234567890123.1", "1000000000000000", "+1", "\"", "\"a", "\"\\a\"", "\"\u{E9}\"",
        "\"\t\"", ":a:", ":aG=k:", ":a-b:", ":aaa", ":aaaa====:", "?2", "?", "@1", "%\"x\"", "1 2", "1,2", "a;B",
        "a;=1",
        "a; ", "a\t", "\u{E9}", "(1)",
    ])
    func brokenItemIsNil(_ text: String) {
        #expect(StructuredField.item([text]) == nil)
    }

    @Test(
        arguments: [
            ("a=1, b;x=2;y, c=(1 \"z\");q=0.5", "a=1, b;x=2;y, c=(1 \"z\");q=0.5"), ("a=1 , a=2", "a=2"),
            ("a=?1", "a"), ("a=()", "a=()"), ("a=( 1  2 )", "a=(1 2)"), ("", ""), ("b;x=1;x=2, a=1.50", "b;x=2, a=1.5"),
            ("a=:aGk:", "a=:aGk=:"), ("*k_-.0=t", "*k_-.0=t"), ("a;  x=?0", "a;x=?0"),
        ] as [(String, String)])
    func dictionaryIsWrittenInOneForm(_ text: String, _ expected: String) throws {
        let dictionary = try #require(StructuredField.dictionary([text]))
        #expect(StructuredField.text(dictionary) == expected)
        #expect(StructuredField.dictionary([expected]) == dictionary)
    }

    @Test(arguments: [
        "A=1", "a=", "a=1,", "a=1,,b", ",a", "a b", "a=(1", "a=(1 2", "a=(1\t2)", "a=(1,2)", "a =1", "a= 1", "1=a",
        "a=1;",
    ])
    func brokenDictionaryIsNilAsAWhole(_ text: String) {
        #expect(StructuredField.dictionary([text]) == nil)
        #expect(StructuredField.dictionary(["z=1", text]) == nil)
    }

    @Test func linesAreOneField() throws {
        let dictionary = try #require(StructuredField.dictionary(["a=1", "b=2, a=3"]))
        #expect(dictionary.members.map(\.key) == ["a", "b"])
        #expect(StructuredField.text(dictionary) == "a=3, b=2")
        let list = try #require(StructuredField.list(["a", "(b c);d, 1"]))
        #expect(StructuredField.text(list) == "a, (b c);d, 1")
        #expect(StructuredField.list(["a,"]) == nil)
        #expect(StructuredField.list([]) == [])
    }
}
