// One post of Hacker News, from either API. Both APIs give the same result for the same post. Texts are HTML upstream
// and plain text in results.
import LarderCore

struct HackerNewsPost: Sendable {
    /// Why a post gives no result.
    struct NoResult: Error {
        var reason: DropReason
    }

    private var id: Int?
    private var kind: String?
    private var by, title, text, url, storyTitle: String?
    private var time: Int?
    private(set) var points: Int?
    /// The number of all comments below a story or a poll.
    private(set) var comments: Int?
    private var parent, story: Int?
    private var isDead = false
    private var isDeleted = false
    /// The ids of the direct comments in ranked order, and of the options of a poll.
    private(set) var kids: [Int] = []
    private(set) var parts: [Int] = []
    /// The tags by which a search finds the post. Items from Firebase have none.
    private var tags: [String] = []
    /// The API's own record.
    let source: JSONValue?

    /// Reads a record of `/v0/item/{id}.json`.
    init(item: JSONValue?) {
        source = item
        guard let item, item.kind == .object else { return }
        id = item["id"]?.integer
        kind = Self.kind(item["type"]?.string)
        isDead = item["dead"]?.bool ?? false
        isDeleted = item["deleted"]?.bool ?? false
        by = item["by"]?.string
        title = item["title"]?.string
        text = item["text"]?.string
        url = item["url"]?.string
        time = item["time"]?.integer
        points = item["score"]?.integer
        comments = item["descendants"]?.integer
        parent = item["parent"]?.integer ?? item["poll"]?.integer
        kids = item["kids"]?.elements.compactMap(\.integer) ?? []
        parts = item["parts"]?.elements.compactMap(\.integer) ?? []
    }

    /// Reads a hit of a search. A null member means the same as an absent one.
    init(hit: JSONValue) {
        source = hit
        id = hit["objectID"]?.string.flatMap(HackerNews.number)
        kind = hit["_tags"]?.elements.lazy.compactMap { Self.kind($0.string) }.first
        by = hit["author"]?.string
        title = hit["title"]?.string
        text = hit["comment_text"]?.string ?? hit["story_text"]?.string
        url = hit["url"]?.string
        storyTitle = hit["story_title"]?.string
        time = hit["created_at_i"]?.integer
        points = hit["points"]?.integer
        comments = hit["num_comments"]?.integer
        parent = hit["parent_id"]?.integer
        kids = hit["children"]?.elements.compactMap(\.integer) ?? []
        tags = hit["_tags"]?.elements.compactMap { TextCleaning.line($0.string) } ?? []
        let story = hit["story_id"]?.integer
        // Newer responses name a story as its own story.
        if story != id { self.story = story }
        if kind == nil { kind = hit["comment_text"]?.string == nil ? "story" : "comment" }
    }

    private static func kind(_ type: String?) -> String? {
        switch type {
        case "story", "comment", "job", "poll": type
        case "pollopt": "pollOption"
        default: nil
        }
    }

    /// - Parameter root: the post whose discussion contains this one.
    func result(of root: HackerNewsPost? = nil) throws(NoResult) -> ResultItem {
        if isDeleted { throw NoResult(reason: .deleted) }
        if isDead { throw NoResult(reason: .dead) }
        guard let id else { throw NoResult(reason: .id) }
        guard let kind else { throw NoResult(reason: .type) }
        let (summary, links) = TextCleaning.linkedParagraphs(text)
        let isReply = kind == "comment" || kind == "pollOption"
        guard let title = TextCleaning.htmlLine(title) ?? (isReply ? summary.flatMap(Self.firstWords) : nil) else {
            throw NoResult(reason: isReply ? .text : .title)
        }
        let discussion = Self.page("item?id=\(id)")
        let link = url.flatMap { WebURL.isWeb($0) ? $0 : nil }
        var result = ResultItem(id: "\(HackerNews.facts.name):\(kind):\(id)", kind: kind, title: title)
        result.creator = TextCleaning.line(by)
        result.collection =
            isReply ? TextCleaning.htmlLine(root?.title ?? storyTitle) : link.flatMap { Self.site($0) }
        result.summary = summary
        result.url = link ?? discussion
        // Only years of four digits, because RFC 3339 has no others.
        if let time, (0..<253_402_300_800).contains(time) {
            result.setPublished(WallTime(seconds: Int64(time)).rfc3339)
        }
        result.attribute("itemId", number: String(id))
        result.attribute("discussionUrl", text: discussion)
        result.attribute("points", number: points.map(String.init))
        result.attribute("comments", number: isReply ? nil : comments.map(String.init))
        result.attribute("replies", number: kind == "comment" && !kids.isEmpty ? String(kids.count) : nil)
        result.attribute("parentId", number: parent.map(String.init))
        result.attribute("storyId", number: story.map(String.init))
        result.attribute("kids", numbers: kids)
        result.attribute("tags", texts: tags)
        result.attribute("links", texts: links)
        return result
    }

    static func page(_ target: String) -> String { "https://news.ycombinator.com/\(target)" }

    /// The host of a link in the form that the site displays.
    private static func site(_ link: String) -> String? {
        guard let host = WebURL(link)?.host else { return nil }
        return host.hasPrefix("www.") ? String(host.dropFirst(4)) : host
    }

    /// The first words of a comment serve as its title, because a comment has none.
    private static func firstWords(_ text: String) -> String? {
        guard let line = TextCleaning.line(text) else { return nil }
        return line.count <= 80 ? line : line.prefix(79) + "…"
    }
}
