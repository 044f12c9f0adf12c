// Converts HTML to plain text. Only tags that break a line or begin a block produce white space: "<i>A</i>, b" becomes
// "A, b". Text in <pre> keeps its indentation and its lines. A link text that shortens the URL is replaced by the URL.
import LarderCore

/// The text of an HTML fragment, with the URLs that it links to.
struct HTMLText {
    /// Which URLs of links are written into the text.
    enum Addresses {
        /// URLs that the visible text shortens ("https://example.com/a/lo...").
        case shortened
        /// All URLs that the visible text does not show.
        case all
    }

    /// A part of the text with one kind of layout.
    private struct Stretch {
        var bytes: Bytes = []
        var isPreformatted = false
    }

    /// A link whose end tag has not been read yet.
    private struct Link {
        var address: String
        var stretch: Int
        /// The position in `stretch` at which its visible text begins.
        var start: Int
    }

    /// The http and https URLs of links, in their order, each once.
    private(set) var links: [String] = []
    private var stretches = [Stretch()]
    private var link: Link?
    private let addresses: Addresses

    init(_ html: String, addresses: Addresses = .shortened) {
        self.addresses = addresses
        let bytes = Bytes(html.utf8)
        stretches[0].bytes.reserveCapacity(bytes.count)
        var place = 0
        var hidden = HiddenElements()
        while place < bytes.count {
            switch bytes[place] {
            case 0x3C:
                if let end = hidden.endOfComment(bytes, at: place) {
                    place = end
                    continue
                }
                guard let tag = HTMLTag(bytes, at: place) else { fallthrough }
                take(tag, bytes)
                place = hidden.end(of: tag, bytes) ?? tag.end
            case 0x26:
                guard let reference = CharacterReference(bytes, at: place, in: .text) else { fallthrough }
                append(reference)
                place += reference.length
            default:
                append(bytes[place])
                place += 1
            }
        }
        endLink()
    }

    /// The lines of the text. White space inside a line is collapsed unless it is preformatted, and at most one empty
    /// line separates two lines. Nil if the result is empty.
    var paragraphs: String? {
        var lines: [String] = []
        for (place, stretch) in stretches.enumerated() {
            var text = stretch.bytes[...]
            // A change of layout and <pre> both begin a new line (§13.2.6.4.7), so the newline there is redundant.
            if place > 0, text.first == 0x0A { text.removeFirst() }
            if place < last, text.last == 0x0A { text.removeLast() }
            if text.isEmpty { continue }
            for piece in Bytes(text).lossyText.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
                let line = stretch.isPreformatted ? TextCleaning.layout(piece) : TextCleaning.line(String(piece)) ?? ""
                if !line.isEmpty || (stretch.isPreformatted && !lines.isEmpty) || lines.last?.isEmpty == false {
                    lines.append(line)
                }
            }
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    /// The whole text in one line; nil if it is empty.
    var line: String? {
        TextCleaning.line(stretches.map(\.bytes.lossyText).joined(separator: " "))
    }

    // MARK: Reading

    private var last: Int { stretches.count - 1 }

    private mutating func append(_ byte: UInt8) { stretches[last].bytes.append(byte) }

    private mutating func append(_ reference: CharacterReference) {
        switch reference.first {
        // A no-break space affects only how a text is displayed. Here it is a space.
        case "\u{A0}": append(0x20)
        // A soft hyphen, too, affects only how a text is displayed.
        case "\u{AD}": break
        default: reference.append(to: &stretches[last].bytes)
        }
    }

    private mutating func take(_ tag: HTMLTag, _ bytes: Bytes) {
        switch tag.name {
        case "a":
            endLink()
            guard !tag.isEnd, let address = tag.attribute("href", bytes).flatMap(Self.address) else { return }
            if !links.contains(address) { links.append(address) }
            link = Link(address: address, stretch: last, start: stretches[last].bytes.count)
        case "pre":
            if tag.isEnd == stretches[last].isPreformatted { stretches.append(Stretch(isPreformatted: !tag.isEnd)) }
        // Puts a space between a table cell and the one before it.
        case "td", "th": append(0x20)
        default: if Self.blocks.contains(tag.name) { append(0x0A) }
        }
    }

    /// The elements that HTML displays as blocks (§15.3.3 and the sections after it), and <br>.
    private static let blocks: Set<String> = [
        "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "details", "dialog",
        "dir",
        "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
        "head", "header", "hgroup", "hr", "html", "legend", "li", "listing", "main", "menu", "nav", "ol", "optgroup",
        "option", "p", "plaintext", "search", "section", "summary", "table", "tbody", "tfoot", "thead", "title", "tr",
        "ul", "xmp",
    ]

    // MARK: Links

    /// The URL of a link, if it is http or https. A page that shows results must not receive "javascript:…".
    private static func address(_ text: String) -> String? {
        let text = String(ASCII.trimmed(text[...]))
        return WebURL.isWeb(text) && WebURL(text) != nil && !text.utf8.contains(0x20) ? text : nil
    }

    private mutating func endLink() {
        guard let link else { return }
        self.link = nil
        // A link whose text spans several layouts is left as it is.
        guard link.stretch == last else { return }
        let visible = TextCleaning.line(Bytes(stretches[last].bytes[link.start...]).lossyText) ?? ""
        if Self.shortens(visible, link.address) || visible.isEmpty && addresses == .all {
            stretches[last].bytes.removeSubrange(link.start...)
            stretches[last].bytes.append(contentsOf: link.address.utf8)
        } else if addresses == .all, !visible.isEmpty, !Self.shows(visible, link.address) {
            stretches[last].bytes.append(contentsOf: " (\(link.address))".utf8)
        }
    }

    /// Whether a text is the beginning of a URL, with dots where it was cut.
    private static func shortens(_ visible: String, _ address: String) -> Bool {
        for dots in ["...", "…"] where visible.hasSuffix(dots) {
            let beginning = visible.dropLast(dots.count)
            if !beginning.isEmpty, spellings(address).contains(where: { $0.hasPrefix(beginning) }) { return true }
        }
        return false
    }

    /// Whether a text shows the whole URL.
    private static func shows(_ visible: String, _ address: String) -> Bool {
        spellings(address).contains { $0 == visible || $0 == visible + "/" }
    }

    /// The forms in which a text may show a URL: with and without its scheme, and without "www.".
    private static func spellings(_ address: String) -> [Substring] {
        var spellings = [address[...]]
        guard let scheme = address.firstRange(of: "://") else { return spellings }
        spellings.append(address[scheme.upperBound...])
        if spellings[1].hasPrefix("www.") { spellings.append(spellings[1].dropFirst(4)) }
        return spellings
    }
}
