// How much of a stored body is shown, and how labels look to clients that must not see values.
import LarderCore
import LarderProviders
import Testing

@testable import LarderDaemon

@Suite struct EntryPreviewTests {
    @Test func aShortTextIsShownWhole() {
        #expect(
            EntryPreview.of(plain: Bytes(text: "Grüße\n"), isWhole: true)
                == EntryPreview(kind: .text, text: "Grüße\n"))
        #expect(EntryPreview.of(plain: [], isWhole: true) == EntryPreview(kind: .text, text: ""))
    }

    @Test(arguments: 0...3)
    func aCharacterThatTheEndCutsIsLeftOut(_ shift: Int) throws {
        let text = String(repeating: "a", count: EntryPreview.shown - shift) + "😀 and more"
        let preview = EntryPreview.of(plain: Bytes(text: text), isWhole: true)
        #expect(preview.isTruncated && preview.kind == .text)
        #expect(preview.text == String(repeating: "a", count: EntryPreview.shown - shift))
    }

    @Test func aCharacterThatEndsAtTheCutStays() {
        let text = String(repeating: "a", count: EntryPreview.shown - 4) + "😀"
        let preview = EntryPreview.of(plain: Bytes(text: text + "b"), isWhole: true)
        #expect(preview.text?.hasSuffix("a😀") == true)
    }

    @Test(arguments: [[0xFF, 0xFE], [0x00], [0x41, 0x1B, 0x42], [0xC3]] as [Bytes])
    func whatIsNoTextIsBinary(_ bytes: Bytes) {
        #expect(EntryPreview.of(plain: bytes, isWhole: true) == EntryPreview(kind: .binary))
    }

    @Test(arguments: [
        ("GET https://h.example/p?q=a&limit=5", "https://h.example/p?q=…&limit=…"),
        ("GET https://h.example/p", "https://h.example/p"), ("GET https://h.example/p?", "https://h.example/p?"),
        ("GET https://h.example/p?token", "https://h.example/p?…"), ("odd", "odd"),
    ])
    func aRedactedLabelHasNoValues(_ label: String, _ expected: String) {
        #expect(EntryLabel.redacted(label, nil) == expected)
    }
}
