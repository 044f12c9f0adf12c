// A feed in the form of a JSON Feed (jsonfeed.org, version 1.1), whatever form it came in: RSS 2.0, RSS 1.0, Atom (RFC 4287)
// or a JSON Feed. So the paths of a description are the same for all. What JSON Feed has no member for is below
// `_elements`, by its name in the feed.
import LarderCore

enum FeedDocument {
    /// The feed as a JSON text.
    /// - Throws: what is wrong with the document.
    static func json(_ body: Bytes) throws(XMLError) -> Bytes {
        // Many feeds begin with white space or a byte order mark, which XML and JSON do not allow there.
        var start = body[...]
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { start = start.dropFirst(3) }
        start = start.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if start.first == 0x7B { return Bytes(start) }
        let root = try XMLTree.parse(Bytes(start))
        switch root.name {
        case "feed": return write(root, items: root.all("entry"))
        case "rss":
            guard let channel = root.first("channel") else { throw XMLError(message: "The feed has no channel.") }
            return write(channel, items: channel.all("item"))
        case "rdf:RDF": return write(root.first("channel") ?? root, items: root.all("item"))
        default: throw XMLError(message: "The document is no feed: its root is <\(root.name.prefix(40))>.")
        }
    }

    private static func write(_ feed: XMLElement, items: [XMLElement]) -> Bytes {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member(ifPresent: "title", text(feed, "title"))
            writer.member(ifPresent: "home_page_url", FeedItem.link(feed))
            writer.member(ifPresent: "description", text(feed, "description", "subtitle"))
            if let total = text(feed, "opensearch:totalResults").flatMap({ Int($0) }) { writer.member("_total", total) }
            writer.name("items")
            writer.array { writer in for item in items { FeedItem(item).write(&writer) } }
        }
        return writer.bytes
    }

    /// The text of the first of these elements that has one.
    static func text(_ parent: XMLElement, _ names: String...) -> String? {
        names.lazy.compactMap { parent.first($0).flatMap(text) }.first
    }

    static func text(_ element: XMLElement) -> String? {
        // Text of the type xhtml stands in a div (RFC 4287 §3.1.1.3).
        let text = element.first("div") == nil ? element.text : element.markup
        let start = text.firstIndex { !$0.isWhitespace }
        guard let start, let end = text.lastIndex(where: { !$0.isWhitespace }) else { return nil }
        return String(text[start...end])
    }
}

/// One item of a feed.
private struct FeedItem {
    private let element: XMLElement

    init(_ element: XMLElement) { self.element = element }

    private func text(_ names: String...) -> String? {
        names.lazy.compactMap { name in element.first(name).flatMap(FeedDocument.text) }.first
    }

    func write(_ writer: inout JSONWriter) {
        let link = Self.link(element)
        writer.object { writer in
            writer.member(ifPresent: "id", text("guid", "id") ?? link ?? text("title"))
            writer.member(ifPresent: "url", link)
            writer.member(ifPresent: "title", text("title"))
            writer.member(ifPresent: "summary", text("description", "summary", "itunes:summary"))
            writer.member(ifPresent: "content_html", text("content:encoded", "content"))
            writer.member(ifPresent: "image", image)
            writer.member(ifPresent: "date_published", date("pubDate", "dc:date", "published", "updated"))
            writer.member(ifPresent: "date_modified", date("updated"))
            writeAuthors(&writer)
            let tags = element.all("category").compactMap { $0.attributes["term"] ?? FeedDocument.text($0) }
            if !tags.isEmpty { writer.member("tags", strings: tags) }
            writeOthers(&writer)
        }
    }

    private func writeAuthors(_ writer: inout JSONWriter) {
        var names = element.all("author").compactMap { $0.first("name").flatMap(FeedDocument.text) ?? rssName($0) }
        if names.isEmpty { names = element.all("dc:creator").compactMap(FeedDocument.text) }
        if names.isEmpty { names = element.all("itunes:author").compactMap(FeedDocument.text) }
        guard !names.isEmpty else { return }
        writer.name("authors")
        writer.array { writer in for name in names { writer.object { $0.member("name", name) } } }
    }

    /// "ann@example.org (Ann Lee)": RSS wants an address, with the name behind it.
    private func rssName(_ author: XMLElement) -> String? {
        guard let text = FeedDocument.text(author) else { return nil }
        guard let open = text.firstIndex(of: "("), text.hasSuffix(")"), text.contains("@") else { return text }
        return String(text[text.index(after: open)...].dropLast())
    }

    private func date(_ names: String...) -> String? {
        names.lazy.compactMap { name in text(name) }.first.map { FeedDate.instant($0)?.rfc3339 ?? $0 }
    }

    /// The page of a feed or an item: an address in an attribute (Atom), a text (RSS), or an id that is one.
    static func link(_ element: XMLElement) -> String? {
        let links = element.all("link")
        let page = links.first { $0.attributes["href"] != nil && ["alternate", nil].contains($0.attributes["rel"]) }
        if let page { return page.attributes["href"] }
        if let text = links.lazy.compactMap(FeedDocument.text).first { return text }
        guard let guid = element.first("guid"), guid.attributes["isPermaLink"] != "false" else { return nil }
        return FeedDocument.text(guid).flatMap { WebURL.isWeb($0) ? $0 : nil }
    }

    private var image: String? {
        let groups = [element] + element.all("media:group")
        let places = groups.flatMap { $0.all("media:thumbnail") + $0.all("media:content").filter(Self.isPicture) }
        let others =
            element.all("enclosure").filter(Self.isPicture)
            + element.all("link").filter { link in
                link.attributes["rel"] == "enclosure" && Self.isPicture(link)
            }
        return places.lazy.compactMap { $0.attributes["url"] }.first
            ?? element.first("itunes:image")?.attributes["href"]
            ?? others.lazy.compactMap { $0.attributes["url"] ?? $0.attributes["href"] }.first
    }

    private static func isPicture(_ element: XMLElement) -> Bool {
        element.attributes["medium"] == "image" || element.attributes["type"]?.hasPrefix("image/") == true
    }

    /// Elements that no member of JSON Feed holds, each with its texts.
    private func writeOthers(_ writer: inout JSONWriter) {
        var texts: [(name: String, texts: [String])] = []
        for child in element.children where !Self.told.contains(child.name) {
            let text =
                FeedDocument.text(child)
                ?? ["term", "href", "url", "value"].lazy.compactMap { child.attributes[$0] }.first
            guard let text else { continue }
            if let place = texts.firstIndex(where: { $0.name == child.name }) {
                texts[place].texts.append(text)
            } else if texts.count < Self.mostOthers {
                texts.append((child.name, [text]))
            }
        }
        guard !texts.isEmpty else { return }
        writer.name("_elements")
        writer.object { writer in for other in texts { writer.member(other.name, strings: other.texts) } }
    }

    private static let mostOthers = 100
    private static let told: Set = [
        "guid", "id", "link", "title", "description", "summary", "content:encoded", "content", "pubDate", "dc:date",
        "published", "updated", "author", "dc:creator", "category",
    ]
}
