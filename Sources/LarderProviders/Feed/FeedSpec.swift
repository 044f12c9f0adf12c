// What Larder knows of every feed: its items with their usual members, and the question for them. The feed gives all it has;
// Larder itself chooses those with the words of a search.
import LarderCore

enum FeedSpec {
    static let list: JSONPath = "$.items"
    static let total: JSONPath = "$._total"
    static let accepted =
        "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5"

    /// Ids are often URLs; a digest of one fits into a result's own id.
    static let item = ResultSpec(
        kind: "item", id: .first("$.id", as: .digest(24)), title: title,
        creator: .first("$.authors[*].name", as: .html, .join(", ")),
        summary: .first("$.summary", "$.content_text", "$.content_html", as: .paragraphs),
        date: .first("$.date_published"), url: .first("$.url", as: .web),
        genres: .first("$.tags[*]", as: .line, .most(12)),
        artwork: .urls(original: .first("$.image", "$.banner_image", as: .web)),
        attributes: [AttributeSpec("modified", .text, .first("$.date_modified"))], once: .first("$.id"))

    /// Short messages have no title.
    private static let title = FieldRule.any(
        .first("$.title", as: .html), .first("$.summary", "$.content_text", "$.content_html", as: .html, .shortened(80))
    )

    /// The question for a feed's items.
    /// - Parameter path: path and query of the feed.
    static func items(_ path: String, of title: String) -> QuestionSpec {
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let query = parts.count > 1 ? (try? QueryParameters(parsing: parts[1])) ?? QueryParameters() : QueryParameters()
        var question = QuestionSpec(
            name: "items", route: "items", path: PathTemplate(parts[0]),
            parameters: [
                .text("q", "Only items with these words.", example: "lantern").term.unsent.lowerCase,
                .limit(1...500, default: 50).unsent, .sort([.relevance, .name, .date]).unsent,
            ],
            fixed: query.items.map { ($0.name, $0.value ?? "") }, ttl: .seconds(900),
            summary: "the items of \(title)",
            answer: AnswerSpec(list: list, noun: "items", counts: .matches, result: item))
        question.cutsAtLimit = true
        question.answer.isFeed = true
        question.answer.choices = [
            ChoiceSpec(
                parameter: "q",
                rule: .words([
                    .first("$.title"), .first("$.summary", "$.content_text", "$.content_html"), .first("$.tags[*]"),
                    .first("$.authors[*].name"),
                ]))
        ]
        return question
    }
}
