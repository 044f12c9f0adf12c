// Cleans texts for people. APIs mix in parts of web pages: character references, stray tags, runs of white space. A
// text without them, which is the usual case, is returned without a copy.
import LarderCore

enum TextCleaning {
    /// One line: white space is collapsed, and control characters and white space of any kind at the ends are removed.
    /// Nil if the result is empty.
    static func line(_ text: String?) -> String? {
        guard let text else { return nil }
        if isCleanLine(text) { return text.isEmpty ? nil : text }
        let inside = trimmed(text)
        if isCleanLine(inside) { return inside.isEmpty ? nil : inside }
        let line = inside.split { $0.isWhitespace || $0.isNewline || isControl($0) }.joined(separator: " ")
        return line.isEmpty ? nil : line
    }

    /// One line from HTML: character references are decoded and tags removed.
    static func htmlLine(_ text: String?) -> String? {
        guard let text else { return nil }
        return hasMarkup(text) ? HTMLText(text).line : line(text)
    }

    /// One line with its character references decoded once. Anything that looks like a tag is kept as text.
    static func decodedLine(_ text: String?) -> String? {
        guard let text else { return nil }
        guard contains(text, 0x26) else { return line(text) }
        // A tag needs a literal "<". A character reference to "<" does not begin one.
        return HTMLText(contains(text, 0x3C) ? text.replacing("<", with: "&lt;") : text).line
    }

    /// Paragraphs from HTML: tags are removed and references decoded. White space is collapsed except for line ends, of
    /// which at most two follow each other. Nil if the result is empty.
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

    /// Paragraphs of a text that is certainly HTML and whose links matter. A URL that the visible text does not show is
    /// written after that text, in brackets.
    static func linkedParagraphs(_ text: String?) -> (text: String?, links: [String]) {
        guard let text else { return (nil, []) }
        guard hasMarkup(text) else { return (paragraphs(text), []) }
        let html = HTMLText(text, addresses: .all)
        return (html.paragraphs, html.links)
    }

    /// A line whose layout matters: only control characters and white space at its end are removed.
    static func layout(_ line: Substring) -> String {
        var kept = line.filter { $0 == "\t" || !isControl($0) }
        while kept.last?.isWhitespace == true { kept.removeLast() }
        return kept
    }

    private static func isControl(_ character: Character) -> Bool {
        character.unicodeScalars.allSatisfy(\.isControl)
    }

    /// Removes white space of any kind from both ends. U+FEFF, the byte order mark, is no white space in Unicode but
    /// goes too.
    private static func trimmed(_ text: String) -> String {
        var scalars = text.unicodeScalars[...]
        while let first = scalars.first, isBlank(first) { scalars.removeFirst() }
        while let last = scalars.last, isBlank(last) { scalars.removeLast() }
        return String(scalars)
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\u{FEFF}" || scalar.properties.isWhitespace
    }

    /// Whether a text has no control character, no white space at an end and no two adjacent spaces. Other non-ASCII
    /// white space is allowed inside a line.
    private static func isCleanLine(_ text: String) -> Bool {
        var bytes = text
        return bytes.withUTF8 { bytes in
            guard let first = bytes.first, let last = bytes.last else { return true }
            if first >= 0x80, let scalar = text.unicodeScalars.first, isBlank(scalar) { return false }
            if last >= 0x80, let scalar = text.unicodeScalars.last, isBlank(scalar) { return false }
            return last != 0x20 && isClean(bytes)
        }
    }

    /// Whether a text has no control character, no space at the beginning and no two adjacent spaces.
    private static func isClean(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var before: UInt8 = 0x20
        for place in text.indices {
            let byte = text[place]
            // A fast path: most bytes are printable ASCII other than a space.
            if byte &- 0x21 >= 0x7F - 0x21 {
                let isSecondSpace = byte == 0x20 && before == 0x20
                if isSecondSpace || ControlCharacters.length(in: text, at: place) > 0 { return false }
            }
            before = byte
        }
        return true
    }

    private static func hasMarkup(_ text: String) -> Bool { contains(text, 0x26, or: 0x3C) }

    private static func contains(_ text: String, _ byte: UInt8, or other: UInt8? = nil) -> Bool {
        let other = other ?? byte
        return text.utf8.withContiguousStorageIfAvailable { $0.contains { $0 == byte || $0 == other } }
            ?? text.utf8.contains { $0 == byte || $0 == other }
    }
}
