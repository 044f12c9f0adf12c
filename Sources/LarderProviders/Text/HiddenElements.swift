// Comments, and elements of HTML whose content is no text: <script> and <style> hold programs and rules (HTML §13.2.5.4 reads them as raw
// text, in which no tag but their own end counts), <template> holds what is not shown (§4.12.3).
//
// None of their tags may be omitted (§4.2.6, §4.12.1, §4.12.3). One without an end is therefore no element here: texts that
// were cut, or that only mention "<script>", keep what stands behind it.
import LarderCore

/// Finds where such an element ends. Remembers which ends are not there, so that many beginnings cost one search.
struct HiddenElements {
    private var unended: Set<String> = []

    /// The place behind the element's end tag; nil where the tag begins no such element, or the end tag is missing.
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

    /// The place behind the comment that begins there, of any length (§13.2.5.42). Nil where none begins, or it has no
    /// end.
    mutating func endOfComment(_ bytes: Bytes, at start: Int) -> Int? {
        guard bytes[start...].starts(with: [0x3C, 0x21, 0x2D, 0x2D]), !unended.contains("!--") else { return nil }
        // "<!-->" is a comment without content.
        var place = start + 2
        while let next = bytes[place...].firstIndex(of: 0x3E) {
            if next >= start + 4, bytes[next - 1] == 0x2D, bytes[next - 2] == 0x2D { return next + 1 }
            place = next + 1
        }
        unended.insert("!--")
        return nil
    }

    /// The first "</name" that white space, "/" or ">" follows (§13.2.5.14), up to its ">".
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

    /// Templates stand inside each other, and hold scripts that may say "</template>".
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
