// Texts for people. APIs mix in what belongs to a web page: character references, stray tags, runs of white space. A
// text that has none of it, which is most of them, passes through without a copy.
import LarderCore

enum TextCleaning {
    /// One line: white space collapsed, control characters gone. nil for what is empty then.
    static func line(_ text: String?) -> String? {
        guard let text else { return nil }
        if isCleanLine(text) { return text.isEmpty ? nil : text }
        let line = text.split { $0.isWhitespace || $0.isNewline || isControl($0) }.joined(separator: " ")
        return line.isEmpty ? nil : line
    }

    /// One line out of HTML: character references decoded, tags dropped.
    static func htmlLine(_ text: String?) -> String? {
        guard let text else { return nil }
        return line(hasMarkup(text) ? decoded(withoutTags(text)) : text)
    }

    /// One line with its character references decoded, once; what looks like a tag is text here.
    static func decodedLine(_ text: String?) -> String? {
        guard let text else { return nil }
        return line(decoded(text))
    }

    /// Paragraphs out of HTML: tags dropped, references decoded, white space collapsed but for line ends, of which at
    /// most two follow each other. nil for what is empty then.
    static func paragraphs(_ text: String?) -> String? {
        guard let text else { return nil }
        let plain = hasMarkup(text) ? decoded(withoutTags(text)) : text
        if isCleanLine(plain) { return plain.isEmpty ? nil : plain }
        var out: [String] = []
        for piece in plain.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let line = line(String(piece)) ?? ""
            if !line.isEmpty || out.last?.isEmpty == false { out.append(line) }
        }
        while out.last?.isEmpty == true { out.removeLast() }
        return out.isEmpty ? nil : out.joined(separator: "\n")
    }

    private static func isControl(_ character: Character) -> Bool {
        character.unicodeScalars.allSatisfy { $0.properties.generalCategory == .control }
    }

    /// No control character, no space at an end, no two spaces together; other white space beyond ASCII is left alone.
    private static func isCleanLine(_ text: String) -> Bool {
        var before: UInt8 = 0x20
        for byte in text.utf8 {
            if byte < 0x20 || byte == 0x7F || (byte == 0x20 && before == 0x20) { return false }
            before = byte
        }
        return before != 0x20 || text.isEmpty
    }

    private static func hasMarkup(_ text: String) -> Bool {
        text.utf8.contains { $0 == 0x26 || $0 == 0x3C }
    }

    /// Drops what looks like a tag: "<", an optional slash, a letter or "!", up to ">". "I <3 U" and "a < b" stay. Tags
    /// that end a line or a paragraph leave a line end.
    private static func withoutTags(_ text: String) -> String {
        let bytes = Bytes(text.utf8)
        guard bytes.contains(0x3C) else { return text }
        var out = Bytes()
        out.reserveCapacity(bytes.count)
        var place = 0
        while place < bytes.count {
            if bytes[place] == 0x3C, let end = tagEnd(bytes, place) {
                let name = bytes[place + 1..<end].drop { $0 == 0x2F }
                    .prefix { $0 | 0x20 != 0x20 && ($0 | 0x20) &- 0x61 < 26 }
                    .map(ASCII.lowercased)
                let breaks = [Bytes(text: "br"), Bytes(text: "p"), Bytes(text: "li"), Bytes(text: "div")]
                out.append(breaks.contains(name) ? 0x0A : 0x20)
                place = end + 1
            } else {
                out.append(bytes[place])
                place += 1
            }
        }
        return out.lossyText
    }

    private static func tagEnd(_ bytes: Bytes, _ start: Int) -> Int? {
        var place = start + 1
        if place < bytes.count, bytes[place] == 0x2F { place += 1 }
        guard place < bytes.count, (bytes[place] | 0x20) &- 0x61 < 26 || bytes[place] == 0x21 else { return nil }
        // A tag of more than 2,000 bytes is text that happens to hold a "<".
        while place < min(bytes.count, start + 2000) {
            if bytes[place] == 0x3E { return place }
            if bytes[place] == 0x3C { return nil }
            place += 1
        }
        return nil
    }

    /// Decodes character references once; what is none stays as it is.
    private static func decoded(_ text: String) -> String {
        guard text.utf8.contains(0x26) else { return text }
        var out = ""
        var rest = text[...]
        while let mark = rest.firstIndex(of: "&") {
            out += rest[..<mark]
            rest = rest[mark...]
            if let end = rest.prefix(12).firstIndex(of: ";"), let known = reference(rest[rest.index(after: mark)..<end])
            {
                out += known
                rest = rest[rest.index(after: end)...]
            } else {
                out += "&"
                rest = rest.dropFirst()
            }
        }
        return out + rest
    }

    private static func reference(_ name: Substring) -> String? {
        if name.hasPrefix("#x") || name.hasPrefix("#X") { return scalar(UInt32(name.dropFirst(2), radix: 16)) }
        if name.hasPrefix("#") { return scalar(UInt32(name.dropFirst())) }
        return names[String(name)]
    }

    private static func scalar(_ code: UInt32?) -> String? {
        guard let code, code >= 0x20, code != 0x7F, let scalar = Unicode.Scalar(code) else { return nil }
        return String(Character(scalar))
    }

    /// The references that occur in news and store texts (HTML, §13.5).
    private static let names = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "hellip": "…", "mdash": "—",
        "ndash": "–", "lsquo": "‘", "rsquo": "’", "sbquo": "‚", "ldquo": "“", "rdquo": "”", "bdquo": "„", "laquo": "«",
        "raquo": "»", "bull": "•", "middot": "·", "copy": "©", "reg": "®", "trade": "™", "euro": "€", "pound": "£",
        "yen": "¥", "cent": "¢", "deg": "°", "times": "×", "eacute": "é", "egrave": "è", "agrave": "à", "ccedil": "ç",
        "ouml": "ö", "auml": "ä", "uuml": "ü", "Ouml": "Ö", "Auml": "Ä", "Uuml": "Ü", "szlig": "ß", "ntilde": "ñ",
        "aacute": "á", "iacute": "í", "oacute": "ó", "uacute": "ú", "shy": "",
    ]
}
