// The kinds of Hacker News results.

extension HackerNews {
    static let kinds: [ResultKind] = {
        let post: [ResultAttribute] =
            .numbers("itemId", "points", "parentId", "storyId") + .texts("discussionUrl") + .numberLists("kids")
            + .lists("tags", "links")
        let below: [ResultAttribute] = .numbers("depth")
        return ["story", "job", "poll"].map { ResultKind($0, [post, below, .numbers("comments")]) } + [
            ResultKind("comment", [post, below, .numbers("replies")]), ResultKind("pollOption", [post, below]),
            ResultKind("user", [.numbers("karma", "submissions"), .lists("links")]),
        ]
    }()
}
