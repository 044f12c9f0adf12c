// Texts for people. APIs mix in what belongs to a web page: character references, stray tags, runs of white space. A
// text that has none of it, which is most of them, passes through without a copy.
import LarderCore

enum TextCleaning {
    /// One line: white space collapsed, white space of any kind at its ends and control characters gone. nil for what is
    /// empty then.
    static func line(_ text: String?) -> String? {
        guard let text else { return nil }
        if isCleanLine(text) { return text.isEmpty ? nil : text }
        let inside = trimmed(text)
        if isCleanLine(inside) { return inside.isEmpty ? nil : inside }
        let line = inside.split { $0.isWhitespace || $0.isNewline || isControl($0) }.joined(separator: " ")
        return line.isEmpty ? nil : line
    }

    /// One line out of HTML: character references decoded, tags dropped.
    static func htmlLine(_ text: String?) -> String? {
        guard let text else { return nil }
        return hasMarkup(text) ? HTMLText(text).line : line(text)
    }

    /// One line with its character references decoded, once; what looks like a tag is text here.
    static func decodedLine(_ text: String?) -> String? {
        guard let text else { return nil }
        guard text.utf8.contains(0x26) else { return line(text) }
        // A tag needs its "<": a reference to it is none.
        return HTMLText(text.replacing("<", with: "&lt;")).line
    }

    /// Paragraphs out of HTML: tags dropped, references decoded, white space collapsed but for line ends, of which at
    /// most two follow each other. nil for what is empty then.
    static func paragraphs(_ text: String?) -> String? {
        guard let text else { return nil }
        if hasMarkup(text) { return HTMLText(text).paragraphs }
        if isCleanLine(text) { return text.isEmpty ? nil : text }
        var out: [String] = []
        for piece in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let line = line(String(piece)) ?? ""
            if !line.isEmpty || out.last?.isEmpty == false { out.append(line) }
        }
        while out.last?.isEmpty == true { out.removeLast() }
        return out.isEmpty ? nil : out.joined(separator: "\n")
    }

    /// The same of a text that is certainly HTML and whose links matter: every address that the visible text does not
    /// show follows it in brackets.
    static func linkedParagraphs(_ text: String?) -> (text: String?, links: [String]) {
        guard let text else { return (nil, []) }
        guard hasMarkup(text) else { return (paragraphs(text), []) }
        let html = HTMLText(text, addresses: .all)
        return (html.paragraphs, html.links)
    }

    /// A line whose layout counts: only control characters and white space at its end are gone.
    static func layout(_ line: Substring) -> String {
        var kept = line.filter { $0 == "\t" || !isControl($0) }
        while kept.last?.isWhitespace == true { kept.removeLast() }
        return kept
    }

    private static func isControl(_ character: Character) -> Bool {
        character.unicodeScalars.allSatisfy(\.isControl)
    }

    /// Without white space of any kind at its ends. U+FEFF, the byte order mark, is none in Unicode and looks like it.
    private static func trimmed(_ text: String) -> String {
        var scalars = text.unicodeScalars[...]
        while let first = scalars.first, isBlank(first) { scalars.removeFirst() }
        while let last = scalars.last, isBlank(last) { scalars.removeLast() }
        return String(scalars)
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\u{FEFF}" || scalar.properties.isWhitespace
    }

    /// No control character, no white space at an end, no two spaces together; other white space beyond ASCII is left
    /// alone inside a line.
    private static func isCleanLine(_ text: String) -> Bool {
        var bytes = text
        return bytes.withUTF8 { bytes in
            guard let first = bytes.first, let last = bytes.last else { return true }
            if first >= 0x80, let scalar = text.unicodeScalars.first, isBlank(scalar) { return false }
            if last >= 0x80, let scalar = text.unicodeScalars.last, isBlank(scalar) { return false }
            return last != 0x20 && isClean(bytes)
        }
    }

    /// No control character, and no space at the beginning or behind another.
    private static func isClean(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var before: UInt8 = 0x20
        for place in text.indices {
            let byte = text[place]
            // Most bytes are printable ASCII and no space.
            if byte &- 0x21 >= 0x7F - 0x21 {
                let isSecondSpace = byte == 0x20 && before == 0x20
                if isSecondSpace || ControlCharacters.length(in: text, at: place) > 0 { return false }
            }
            before = byte
        }
        return true
    }

    private static func hasMarkup(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { $0.contains { $0 == 0x26 || $0 == 0x3C } }
            ?? text.utf8.contains { $0 == 0x26 || $0 == 0x3C }
    }
}
