// No text of an API brings control characters into a result, by any path.
import LarderCore
import Testing

@testable import LarderProviders

struct ControlTextTests {
    private let bad = "a\u{9b}31mb\u{85}c\u{7f}d"

    @Test func aLineAndAParagraphHaveNone() {
        #expect(TextCleaning.line(bad) == "a 31mb c d")
        #expect(TextCleaning.paragraphs(bad) == "a 31mb\nc d")
        #expect(TextCleaning.line("Köln 東京\u{A0}é") == "Köln 東京\u{A0}é", "what is none of them stays")
    }

    @Test(arguments: ["&#155;31m", "&#x9b;31m", "&#x85;", "&#127;", "&#27;"])
    func aCharacterReferenceMakesNone(_ text: String) {
        #expect(TextCleaning.htmlLine("a \(text)")?.holdsControls == false)
    }

    @Test func aTextThatIsKeptAsItCameHasNoneEither() throws {
        var bytes = Bytes()
        JSONText.append("\u{1b}[2J" + bad + "\n\t\"", to: &bytes)
        let text = try #require(try JSON.parse(bytes).string)
        #expect(text == " [2Ja 31mb c d\n\t\"")
    }
}
