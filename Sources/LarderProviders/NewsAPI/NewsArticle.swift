// What an article of NewsAPI needs a program for: a title if it has none, an id without a URL, a picture beside the
// article, and the content without the mark of its cut.
import LarderCore

enum NewsArticle {
    /// The first words of an article without a title serve as one.
    static let title = FieldRule.any(
        .first("$.title", as: .html), .first("$.description", as: .paragraphs, .shortened(80)),
        .first("$.content", as: .using(shown), .shortened(80)), .first("$.url"))

    static let id = RecordFunction("newsapi.id") { record in
        let published = record["publishedAt"]?.string ?? ""
        return title.text(of: record).map { Digest(of: Bytes(text: "\($0)\u{0}\(published)")).hex }
            .map { String($0.prefix(24)) }
    }

    static let picture = RecordFunction("newsapi.picture") { record in
        guard let text = record["urlToImage"]?.string else { return nil }
        let reference = String(ASCII.trimmed(text[...]))
        return WebURL.resolve(reference, against: record["url"]?.string ?? "").flatMap { WebURL.isWeb($0) ? $0 : nil }
    }

    static let shown = TextFunction("newsapi.shown") { TextCleaning.paragraphs(parts($0).shown) }

    static let omitted = TextFunction("newsapi.omitted") { parts($0).omitted }

    /// The text before "[+1234 chars]", and that number.
    private static func parts(_ content: String) -> (shown: String, omitted: String?) {
        guard content.hasSuffix(" chars]"), let mark = content.lastIndex(of: "["), content[mark...].hasPrefix("[+"),
            let number = Int(content[mark...].dropFirst(2).dropLast(7)), number >= 0
        else { return (content, nil) }
        return (String(content[..<mark]), String(number))
    }
}
