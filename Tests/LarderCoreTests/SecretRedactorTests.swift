// Secrets are found in every spelling that an upstream may use, and nothing else is changed.
import Testing

@testable import LarderCore

@Suite struct SecretRedactorTests {
    /// A secret with every character that some encoding writes differently.
    static let secret = #"aK3/+="&<'\%~-_.z9"#

    private func expectGone(_ spelled: String, of secret: String = SecretRedactorTests.secret) {
        let redactor = SecretRedactor([secret])
        #expect(redactor.redacted("a \(spelled) b") == "a (hidden) b", "\(spelled)")
        #expect(redactor.redacted(Bytes(text: spelled)) == Bytes(text: "(hidden)"), "\(spelled)")
    }

    @Test func asItIs() {
        expectGone(Self.secret)
        #expect(SecretRedactor(["0123456789"]).redacted("0123456789,x0123456789y") == "(hidden),x(hidden)y")
    }

    @Test func percentEncodedInEitherCaseAndTwice() {
        let upper = PercentCoding.encode(Self.secret)
        expectGone(upper)
        expectGone(PercentCoding.encode(Self.secret, keeping: "/'&"))
        let lower = upper.replacing("%2F", with: "%2f").replacing("%2B", with: "%2b").replacing("%3D", with: "%3d")
        #expect(lower != upper)
        expectGone(lower)
        expectGone(PercentCoding.encode(upper))
    }

    @Test(
        arguments: [
            #"aK3/+=\"&<'\\%~-_.z9"#, #"aK3\/+=\"\u0026\u003c\u0027\\%~-_.z9"#, #"aK3\/\u002B=\"&\u003C'\u005c%~-_.z9"#,
            #"aK3/+=\x22\x26<\x27\\%~-_.z9"#,
        ])
    func escapedAsInJSON(_ spelled: String) {
        expectGone(spelled)
    }

    @Test(arguments: [#"aK3\\/+=\\\"&<'%~-_.z9"#, #"aK3/+=&amp;quot;&amp;amp;&amp;lt;'%~-_.z9"#])
    func escapedInATextWithinAText(_ spelled: String) {
        expectGone(spelled, of: #"aK3/+="&<'%~-_.z9"#)
    }

    @Test(arguments: ["\\", "&amp;", "&", "%25"])
    func aTextOfEscapesAloneIsReadInOneGo(_ escape: String) {
        let text = String(repeating: escape, count: 20_000)
        #expect(SecretRedactor([Self.secret]).redacted(text) == text)
    }

    @Test func inHexadecimal() {
        expectGone(Hex.encode(Bytes(text: Self.secret)).lowercased())
        expectGone(Hex.encode(Bytes(text: Self.secret)).uppercased())
    }

    @Test(
        arguments: [
            #"aK3/+=&quot;&amp;&lt;'\%~-_.z9"#, #"aK3&#x2F;+=&#34;&amp;&lt;&#039;\%~-_.z9"#,
            #"aK3&#47;&plus;&equals;&#x22;&AMP;&LT;&#x27;&#92;%~-_.z9"#,
        ])
    func escapedAsInHTML(_ spelled: String) {
        expectGone(spelled)
    }

    @Test(
        arguments: [
            { "%" + Hex.encode([$0]) }, { "%25" + Hex.encode([$0]) }, { "\\u00" + Hex.encode([$0]) },
            { "\\x" + Hex.encode([$0]).uppercased() }, { "&#\($0);" }, { "&#x" + Hex.encode([$0]) + ";" },
        ] as [@Sendable (UInt8) -> String])
    func withEveryCharacterEscaped(_ escape: @Sendable (UInt8) -> String) {
        for secret in [Self.secret, "0123456789abcdef"] {
            expectGone(secret.utf8.map(escape).joined(), of: secret)
            expectGone(escape(secret.utf8.first ?? 0) + secret.dropFirst(), of: secret)
        }
    }

    @Test(arguments: ["", "a", "ab", "user:", "Bearer "], ["", "x", "xy", ":pass"])
    func insideBase64OfEitherAlphabet(_ before: String, _ after: String) {
        let secret = "aK3/+=\"&<'\u{7E}\u{7F}~~~>>>???z9"
        let redactor = SecretRedactor([secret])
        let url = Base64URL.encode(Bytes(text: before + secret + after))
        let standard = String(url.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        #expect(url != standard)
        for text in [url, standard, standard + "==", PercentCoding.encode(standard)] {
            let redacted = redactor.redacted(text)
            #expect(redacted.contains("(hidden)"), "\(text)")
            // Only encoded characters that the secret shares with its neighbours may remain.
            let pieces = redacted.split(separator: "(hidden)", omittingEmptySubsequences: false)
            #expect(pieces.count == 2, "\(redacted)")
        }
    }

    @Test func aBackslashOrPercentSignOfASecretIsNotTakenForAnEscape() {
        for secret in [#"abc\u0041def"#, "abc%41%2541def", #"\\\\\\\\\"#, "%25%25%25"] {
            expectGone(secret, of: secret)
        }
    }

    @Test func aTextWithoutASecretIsUntouched() {
        let redactor = SecretRedactor([Self.secret, "0123456789abcdef"])
        #expect(redactor.redacted(Bytes(text: "")) == nil)
        let near = ["0123456789abcde", "0123456789ABCDEF", "aK3%", #"aK3\"#, "aK3&", "aK3%2"]
        for text in near + ["a", "%%%%\\\\\\&&&&&#;"] {
            #expect(redactor.redacted(Bytes(text: text)) == nil, "\(text)")
            #expect(redactor.redacted(text) == text)
        }
    }

    @Test func aShortSecretIsNotLookedFor() {
        let redactor = SecretRedactor(["a", "news", "1234567", ""])
        #expect(redactor.isEmpty)
        #expect(redactor.redacted("a news 1234567") == "a news 1234567")
        #expect(!SecretRedactor(["12345678"]).isEmpty)
    }

    @Test func ofTwoSecretsTheLongerIsCutWhole() {
        let redactor = SecretRedactor(["0123456789", "0123456789abcdef"])
        #expect(redactor.redacted("<0123456789abcdef>") == "<(hidden)>")
        #expect(redactor.redacted("<0123456789abc>") == "<(hidden)abc>")
    }

    @Test func valuesOfFieldsAreRedactedAndNamesAreNot() {
        let fields = SecretRedactor(["0123456789"]).redacted(
            ["Location": "/?key=0123456789&a=b", "X-0123456789": "é", "Other": "1"] as HeaderFields)
        #expect(fields == ["Location": "/?key=(hidden)&a=b", "X-0123456789": "é", "Other": "1"])
    }

    @Test func moreSecretsAreAddedOnlyWhereTheyAreNew() {
        let redactor = SecretRedactor(["0123456789"]).adding(["0123456789", "short", "abcdefghij"])
        #expect(redactor.redacted("0123456789 short abcdefghij") == "(hidden) short (hidden)")
        #expect(redactor.covers("abcdefghij") && redactor.covers("short") && !redactor.covers("klmnopqrst"))
    }
}
