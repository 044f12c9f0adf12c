// Finds HTML comments and elements whose content is not visible text. <script> and <style> hold code and style rules,
// which HTML reads as raw text that ends only at their own end tag (HTML §13.2.5.4). <template> holds content that is
// not displayed (§4.12.3).
//
// The end tags of these elements must not be omitted (§4.2.6, §4.12.1, §4.12.3). An element without an end tag is
// therefore not treated as one, so a text that was cut, or that only mentions "<script>", keeps what follows.
import LarderCore

/// Finds the ends of hidden elements. It remembers which end tags are missing, so many start tags cost only one search.
struct HiddenElements {
    private var unended: Set<String> = []

    /// The position after the element's end tag; nil if the tag begins no hidden element or has no end tag.
    mutating func end(of tag: HTMLTag, _ bytes: Bytes) -> Int? {
        guard !tag.isEnd, ["script", "style", "template"].contains(tag.name), !unended.contains(tag.name) else {
            return nil
        }
        let end =
            tag.name == "template"
            ? endOfTemplate(bytes, from: tag.end) : endOfRawText(tag.name, bytes, from: tag.end)
        if end == nil { unended.insert(tag.name) }
        return end
    }

    /// The position after the comment that begins at `start`, of any length (§13.2.5.42); nil if no comment begins
    /// there or it has no end.
    mutating func endOfComment(_ bytes: Bytes, at start: Int) -> Int? {
        guard bytes[start...].starts(with: [0x3C, 0x21, 0x2D, 0x2D]), !unended.contains("!--") else { return nil }
        // "<!-->" is an empty comment.
        var place = start + 2
        while let next = bytes[place...].firstIndex(of: 0x3E) {
            if next >= start + 4, bytes[next - 1] == 0x2D, bytes[next - 2] == 0x2D { return next + 1 }
            place = next + 1
        }
        unended.insert("!--")
        return nil
    }

    /// The position after the ">" of the first "</name" that is followed by white space, "/" or ">" (§13.2.5.14).
    private func endOfRawText(_ name: String, _ bytes: Bytes, from start: Int) -> Int? {
        let name = Bytes(name.utf8)
        var place = start
        while let next = bytes[place...].firstIndex(of: 0x3C) {
            place = next + 1
            let after = place + 1 + name.count
            guard after < bytes.count, bytes[place] == 0x2F,
                bytes[(place + 1)..<after].lazy.map(ASCII.lowercased).elementsEqual(name),
                bytes[after] <= 0x20 || bytes[after] == 0x2F || bytes[after] == 0x3E
            else { continue }
            return bytes[after...].firstIndex(of: 0x3E).map { $0 + 1 }
        }
        return nil
    }

    /// Templates may be nested, and may contain scripts in which "</template>" is text.
    private mutating func endOfTemplate(_ bytes: Bytes, from start: Int) -> Int? {
        var depth = 1
        var place = start
        while let next = bytes[place...].firstIndex(of: 0x3C) {
            if let end = endOfComment(bytes, at: next) {
                place = end
                continue
            }
            guard let tag = HTMLTag(bytes, at: next) else {
                place = next + 1
                continue
            }
            place = tag.end
            if tag.name == "template" {
                depth += tag.isEnd ? -1 : 1
                if depth == 0 { return place }
            } else if let end = end(of: tag, bytes) {
                place = end
            }
        }
        return nil
    }
}
