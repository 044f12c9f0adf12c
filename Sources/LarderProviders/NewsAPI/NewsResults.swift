// Converts articles and sources of NewsAPI to results. Articles have no id, so a digest of the URL serves as one.
// Withdrawn articles, which stay in the list as "[Removed]", are dropped and counted.
import LarderCore

enum NewsResults {
    private static let provider = NewsAPI.facts.name

    static func articles(
        _ response: UpstreamResponse, _ signer: ArtworkSigner, sort: SortOrder, language: String?
    ) throws(NormaliseError) -> NormalisedAnswer {
        let root = try root(response.body)
        return answer(try articles(root)[...], root, response.body.count, signer, sort: sort, language: language)
    }

    /// Results from a range of a response that was fetched for another question; nil if it does not hold the whole
    /// range.
    static func articles(
        _ response: UpstreamResponse, _ signer: ArtworkSigner, sort: SortOrder, language: String?,
        _ wanted: ListStretch, of stored: ListStretch
    ) throws(NormaliseError) -> NormalisedAnswer? {
        let root = try root(response.body)
        let articles = try articles(root)
        return wanted.places(in: stored, records: articles.count).map { places in
            answer(articles[places], root, response.body.count, signer, sort: sort, language: language)
        }
    }

    private static func articles(_ root: JSONValue) throws(NormaliseError) -> [JSONValue] {
        guard let articles = root["articles"], articles.kind == .array else {
            throw NormaliseError(provider: provider, message: "The answer has no list of articles.")
        }
        return Array(articles.elements)
    }

    private static func answer(
        _ articles: ArraySlice<JSONValue>, _ root: JSONValue, _ size: Int, _ signer: ArtworkSigner, sort: SortOrder,
        language: String?
    ) -> NormalisedAnswer {
        var list = ResultList(provider: provider, signer: signer, capacity: size * 2)
        var seen: Set<String> = []
        for value in articles {
            guard value.kind == .object else {
                list.drop(.notAnObject)
                continue
            }
            let article = Article(value)
            if article.isRemoved {
                list.drop(.removed)
            } else if let result = article.result {
                // Some lists contain an article twice. Its URL identifies it.
                guard article.url.map({ seen.insert($0).inserted }) ?? true else {
                    list.drop(.repeated)
                    continue
                }
                list.add(result, from: value)
            } else {
                list.drop(.title)
            }
        }
        return list.answer(sort: sort, language: language, total: root["totalResults"]?.integer)
    }

    static func sources(
        _ response: UpstreamResponse, _ signer: ArtworkSigner, name: String?, sort: SortOrder
    ) throws(NormaliseError) -> NormalisedAnswer {
        let root = try root(response.body)
        guard let sources = root["sources"], sources.kind == .array else {
            throw NormaliseError(provider: provider, message: "The answer has no list of sources.")
        }
        var list = ResultList(provider: provider, signer: nil, capacity: response.body.count * 2)
        for value in sources.elements {
            guard let id = value["id"]?.string, !id.isEmpty else {
                list.drop(.id)
                continue
            }
            let title = TextCleaning.htmlLine(value["name"]?.string) ?? id
            if let name, !title.lowercased().contains(name) {
                list.leaveOut()
                continue
            }
            var result = ResultItem(id: "\(provider):newsSource:\(id)", kind: "newsSource", title: title)
            result.summary = TextCleaning.paragraphs(value["description"]?.string)
            result.url = value["url"]?.string.flatMap { WebURL.isWeb($0) ? $0 : nil }
            result.genres = [value["category"]?.string].compactMap { $0 }.filter { !$0.isEmpty }
            result.attribute("sourceId", text: id)
            result.attribute("language", text: value["language"]?.string)
            result.attribute("country", text: value["country"]?.string)
            list.add(result, from: value)
        }
        return list.answer(sort: sort, language: nil, total: sources.count)
    }

    private static func root(_ body: Bytes) throws(NormaliseError) -> JSONValue {
        do {
            return try JSON.parse(body)
        } catch {
            throw NormaliseError(provider: provider, message: Impostor.describe(body, error))
        }
    }

    /// One article with its texts cleaned.
    private struct Article {
        let title, author, description, content, url, image, published: String?
        let sourceID, sourceName: String?

        init(_ value: JSONValue) {
            func text(_ name: String) -> String? { value[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }
            title = TextCleaning.htmlLine(text("title"))
            author = TextCleaning.htmlLine(text("author"))
            description = TextCleaning.paragraphs(text("description"))
            content = text("content")
            url = text("url")
            image = text("urlToImage")
            published = text("publishedAt")
            let source = value["source"]
            sourceID = TextCleaning.line(source?["id"]?.string)
            sourceName = TextCleaning.htmlLine(source?["name"]?.string)
        }

        var isRemoved: Bool {
            let isEmptied = title == "[Removed]" && (description == "[Removed]" || description == nil)
            return isEmptied || url == "https://removed.com" || url == "https://removed.com/"
        }

        /// The result; nil if there is nothing to show. The first words of an article without a title serve as one.
        var result: ResultItem? {
            let (content, omitted) = Self.split(content)
            guard let title = title ?? description.map(Self.firstWords) ?? content.map(Self.firstWords) ?? url else {
                return nil
            }
            let name = url ?? "\(title)\u{0}\(published ?? "")"
            let digest = Digest(of: Bytes(text: name)).hex.prefix(24)
            var result = ResultItem(id: "\(provider):article:\(digest)", kind: "article", title: title)
            // Sometimes the author is the URL of a page about the author.
            let isAddress = author?.hasPrefix("http://") == true || author?.hasPrefix("https://") == true
            result.creator = isAddress ? nil : author
            result.collection = sourceName
            result.summary = description
            result.url = url.flatMap { WebURL.isWeb($0) ? $0 : nil }
            result.setPublished(published)
            if let image, let absolute = WebURL.resolve(image.trimmingSpace, against: url ?? ""), WebURL.isWeb(absolute)
            {
                result.artwork = ResultItem.Artwork(small: absolute, large: absolute, original: absolute)
            }
            result.attribute("sourceId", text: sourceID)
            result.attribute("authorUrl", text: isAddress ? author : nil)
            result.attribute("content", text: content)
            result.attribute("omittedCharacters", number: omitted)
            return result
        }

        /// The text before "[+1234 chars]", and that number.
        private static func split(_ content: String?) -> (String?, String?) {
            guard let content else { return (nil, nil) }
            guard content.hasSuffix(" chars]"), let mark = content.lastIndex(of: "[") else {
                return (TextCleaning.paragraphs(content), nil)
            }
            let digits = content[mark...].dropFirst(2).dropLast(7)
            guard content[mark...].hasPrefix("[+"), let number = Int(digits), number >= 0 else {
                return (TextCleaning.paragraphs(content), nil)
            }
            return (TextCleaning.paragraphs(String(content[..<mark])), String(number))
        }

        private static func firstWords(_ text: String) -> String {
            let line = TextCleaning.line(text) ?? text
            return line.count <= 80 ? line : line.prefix(79) + "…"
        }
    }
}

extension String {
    fileprivate var trimmingSpace: String { String(ASCII.trimmed(self[...])) }
}
