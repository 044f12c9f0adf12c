// Control characters, including those of C1, in every text that a person reads.
import LarderCore
import Testing

struct ControlCharacterTests {
    @Test func everyControlIsFoundAndNothingElse() {
        for value in (0 as UInt32)...0x2FF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let isControl = scalar.properties.generalCategory == .control
            #expect(scalar.isControl == isControl, "U+\(String(value, radix: 16))")
            #expect("a\(scalar)b".holdsControls == isControl, "U+\(String(value, radix: 16))")
        }
        #expect(!"Köln 東京 🍌 \u{A0}".holdsControls)
    }

    @Test func whatIsReplacedIsReplacedOneByOne() {
        #expect("a\u{9b}31mb\u{7f}c\nd".replacingControls(with: " ", keeping: "\n".unicodeScalars) == "a 31mb c\nd")
        #expect("é\u{c2a0}".replacingControls(with: " ") == "é\u{c2a0}")
    }

    @Test func jsonHoldsNoneUnescaped() throws {
        let text = "a\u{80}b\u{9b}31m\u{9f}c\u{7f}d\u{1b}é\u{a0}"
        var writer = JSONWriter()
        writer.object { $0.member("t\u{85}", text) }
        #expect(writer.bytes.lossyText == #"{"t\u0085":"a\u0080b\u009b31m\u009fc\u007fd\u001bé"# + "\u{a0}\"}")
        #expect(try JSON.parse(writer.bytes)["t\u{85}"]?.string == text)
    }
}
