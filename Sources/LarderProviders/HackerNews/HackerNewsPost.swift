// One post of Hacker News, from either API, and its users. Both APIs give the same result for the same post. Texts are
// HTML upstream and plain text in results.
import LarderCore

enum HackerNewsPost {
    /// A hit of a search has a kind among its tags; one without is a comment if it has such a text.
    static let shapes: [ShapeSpec] =
        ["story", "job", "poll"].map { shape($0, of: $0, discussed) } + [
            shape("comment", of: "comment", reply.with { $0.attributes.insert(replies, at: 3) }),
            shape("pollopt", of: "pollOption", reply),
            ShapeSpec("@.objectID && @.comment_text >= '' && !@.type", reply.with { $0.kind = "comment" }),
            ShapeSpec("@.objectID", discussed),
            // What has no known type is dropped, unless it is dropped for another reason.
            ShapeSpec("@.id || !@.id", post.with { $0.drops.append((.type, "@.id >= 0")) }),
        ]

    private static func shape(_ type: String, of kind: String, _ result: ResultSpec) -> ShapeSpec {
        ShapeSpec(
            JSONFilter(stringLiteral: "@.type == '\(type)' || @._tags[?@ == '\(type)']"),
            result.with { $0.kind = kind })
    }

    static let post = ResultSpec(
        kind: "story", id: id, title: .first("$.title", as: .html), creator: .first("$.by", "$.author", as: .line),
        collection: .first("$.url", as: .link, .using(site)), summary: text(as: words),
        date: instant("$.time", "$.created_at_i"),
        url: .any(.first("$.url", as: .link), discussion),
        attributes: [
            AttributeSpec("itemId", .number, id), AttributeSpec("discussionUrl", .text, discussion),
            AttributeSpec("points", .number, .first("$.score", "$.points")),
            AttributeSpec("parentId", .number, .first("$.parent", "$.poll", "$.parent_id")),
            AttributeSpec("storyId", .number, .made(story)),
            AttributeSpec("kids", .numbers, .first("$.kids[*]", "$.children[*]")),
            AttributeSpec("tags", .texts, .first("$._tags[*]", as: .line)),
            AttributeSpec("links", .texts, text(as: links)),
            // The plan of a discussion knows it.
            AttributeSpec("depth", .number, .first("$.depth")),
        ],
        drops: [(.deleted, "@.deleted == true"), (.dead, "@.dead == true")])

    private static let discussed = post.with { $0.attributes.insert(comments, at: 3) }

    /// The first words of a comment serve as its title, because a comment has none.
    private static let reply = post.with {
        $0.title = .any(.first("$.title", as: .html), text(as: words, .shortened(80)))
        $0.titleReason = .text
        $0.collection = .first("$.story_title", as: .html)
    }

    private static let id = FieldRule.any(
        .first("$.id", as: .integer(0...Int.max)),
        .first("$.objectID", as: .matching(TextPattern("^[1-9][0-9]{0,11}$"))))
    private static let discussion = FieldRule.url(page + "item?id={$.id}", or: .url(page + "item?id={$.objectID}"))
    private static let page = "https://news.ycombinator.com/"
    private static let comments = AttributeSpec("comments", .number, .first("$.descendants", "$.num_comments"))
    private static let replies = AttributeSpec(
        "replies", .number,
        .made(
            RecordFunction("hackernews.replies") { record in
                let count = (record["kids"] ?? record["children"])?.elements.count { $0.integer != nil } ?? 0
                return count == 0 ? nil : String(count)
            }))
    /// Newer responses name a story as its own story.
    private static let story = RecordFunction("hackernews.story") { record in
        record["story_id"]?.integer.map(String.init).flatMap { $0 == record["objectID"]?.string ? nil : $0 }
    }
    /// The host of a link in the form that the site displays.
    private static let site = TextFunction("hackernews.site") { link in
        WebURL(link).map { $0.host.hasPrefix("www.") ? String($0.host.dropFirst(4)) : $0.host }
    }
    private static let words = TextFunction("html.linkedParagraphs") { TextCleaning.linkedParagraphs($0).text }
    private static let links = TextFunction("html.links", all: { TextCleaning.linkedParagraphs($0).links })

    private static func text(as function: TextFunction, _ transforms: Transform...) -> FieldRule {
        let texts: [JSONPath] = ["$.text", "$.comment_text", "$.story_text"]
        return FieldRule(sources: texts.map { .path($0) }, transforms: [.using(function)] + transforms)
    }

    private static func instant(_ paths: JSONPath...) -> FieldRule {
        FieldRule(sources: paths.map { .path($0) }, transforms: [.integer(0...253_402_300_799), .unixTime])
    }

    static let user = ResultSpec(
        kind: "user", id: .first("$.id", as: .line), title: .first("$.id", as: .line),
        summary: .first("$.about", as: .using(words)), date: instant("$.created"), url: .url(page + "user?id={$.id}"),
        attributes: [
            AttributeSpec("karma", .number, .first("$.karma", as: .integer(Int.min...Int.max))),
            // A user may have tens of thousands of submissions, so only their number is shown.
            AttributeSpec(
                "submissions", .number,
                .made(RecordFunction("hackernews.submissions") { $0["submitted"].map { String($0.count) } })),
            AttributeSpec("links", .texts, .first("$.about", as: .using(links))),
        ])
}
