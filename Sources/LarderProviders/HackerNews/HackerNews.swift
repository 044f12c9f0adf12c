// Hacker News: lists, items and users from its Firebase API (version 0), searches from Algolia's (version 1). Both are
// free, need no key and use the same ids. The path distinguishes them: /v0 is Firebase, /api/v1 is Algolia. This file
// holds the facts, the questions and the classes of answers.
import LarderCore

extension ProviderSpec {
    static let hackerNews = ProviderSpec(
        facts: facts, questions: lists.map(list) + [item, user, search, recent], search: "search",
        searches: zip(facts.categories, ["story", "comment", "ask_hn", "show_hn", "job", "poll"]).map {
            SearchRow(category: $0, values: ["tags": $1])
        },
        usualCategory: "stories",
        categoryKinds: ["stories": ["story"], "comments": ["comment"], "jobs": ["job"], "polls": ["poll"]],
        isFormShared: false, classification: classification)

    private static let facts = ProviderAbout(
        name: "hackernews", shortNames: ["hn"], routePrefix: "hackernews", title: "Hacker News",
        defaultBaseURL: "https://hacker-news.firebaseio.com", pathPrefix: "/v0",
        searchBase: SearchBase("https://hn.algolia.com", pathPrefix: "/api/v1"), endpoints: [],
        // A new id may appear shortly after a look-up that did not find it.
        emptyTTL: .seconds(60), negativeTTL: .seconds(60), staleFor: .seconds(86_400),
        // Algolia's limit per address. Firebase states no limit, but its calls count here as well, as a courtesy.
        defaultQuota: CallRate(calls: 10_000, per: .seconds(3600)),
        categories: ["stories", "comments", "ask", "show", "jobs", "polls"], sorts: [.relevance, .name, .date],
        offers: "lists of Hacker News with their items, each cached separately; comments, users, search",
        terms: "No key and no stated limit for lists and items. At most 10,000 searches an hour from one address.",
        attribution: "Hacker News, news.ycombinator.com; search by Algolia", normaliserVersion: 2)

    private static let lists = ["top", "new", "best", "ask", "show", "job"]
    /// The longest upstream list has 500 ids.
    private static let longestList = 500
    /// Algolia returns only so many hits of any search.
    private static let reach = 1000
    private static let sort = QuestionParameter.sort(facts.sorts).unsent

    private static func list(_ name: String) -> QuestionSpec {
        QuestionSpec(
            name: name, route: PathTemplate(name), path: PathTemplate("/v0/\(name)stories.json"),
            parameters: [
                .choice("list", [name], "The list.", default: name).fixed.unsent,
                .limit(1...longestList, default: 30).unsent,
                .page(longestList).unsent.sent { $0.isKeyedAtDefault = false }, sort,
            ],
            plan: PlanFunction("hackernews.list") { asked, call, _ in HackerNewsListPlan(asked, call.request) },
            ttl: .seconds(60), summary: "/v0/\(name)stories.json and the items it names",
            answer: AnswerSpec(
                list: "$", noun: "ids", elements: .number,
                result: HackerNewsPost.post, shapes: HackerNewsPost.shapes))
    }

    /// Discussions are read to at most ten levels.
    private static let item = QuestionSpec(
        name: "item", route: "item/{id}", path: "/v0/item/{id}.json",
        otherPaths: ["/v0/item/{other}.json"],
        parameters: [
            QuestionParameter("id", .pattern("^[1-9][0-9]{0,11}$"), "The item's number.", example: "1000001").sent {
                ($0.toldAs, $0.mismatch) = (.number, "An item's id is a number, as in item/8863.")
            },
            .number("depth", 0...10, "How many levels of comments to return.", example: "1", default: "1").unsent,
            // Without comments, their limit has no meaning.
            .number("limit", 1...longestList, "The most comments to return.", default: "100").unsent
                .sent { $0.unlessBy = .init(parameter: "depth", values: ["0"]) },
        ],
        plan: PlanFunction("hackernews.thread") { asked, _, _ in HackerNewsThreadPlan(asked) },
        ttl: .seconds(300),
        // Comments and votes on a post close after two weeks. Older posts change only if a moderator edits a text.
        settles: SettledSpec(time: "$.time", after: .seconds(14 * 86_400), ttl: .seconds(86_400)),
        summary: "/v0/item/{id}.json, with its comments if wanted",
        answer: AnswerSpec(
            noun: "items", identity: ("$.id", "{id}"), nameForm: .number, result: HackerNewsPost.post,
            shapes: HackerNewsPost.shapes))

    /// The name keeps its case: the API knows "pg" and not "PG".
    private static let user = QuestionSpec(
        name: "user", route: "user/{id}", path: "/v0/user/{id}.json",
        otherPaths: ["/v0/user/{other}.json"],
        parameters: [
            QuestionParameter(
                "id", .pattern("^[A-Za-z0-9_-]{1,40}$"), "The user's name, case-sensitive.", example: "ada"
            ).sent {
                $0.mismatch = "A user's name has letters, digits, \"-\" and \"_\" only, as in user/pg."
            }
        ],
        ttl: .seconds(3600), summary: "/v0/user/{id}.json",
        answer: AnswerSpec(
            noun: "users", identity: ("$.id", "{id}"), nameForm: .caseSensitive,
            result: HackerNewsPost.user))

    private static let search = QuestionSpec(
        name: "search", route: "search", path: "/api/v1/search",
        parameters: searchParameters + [sort],
        rules: [
            .oneOf(
                ["q", "tags", "numericFilters"], blamed: "q",
                sentence: "A search needs one of: q, tags, numericFilters."), isReachable,
        ], paging: .pages(longest: reach), ownSorts: [.name], becomes: ("sort", ["date": "recent"]),
        ttl: .seconds(300), summary: "/api/v1/search: the best match first", answer: hits)

    /// The order is always by time, so there is no `sort`.
    private static let recent = QuestionSpec(
        name: "recent", route: "recent", path: "/api/v1/search_by_date",
        parameters: searchParameters + [.choice("sort", ["date"], "The order.", default: "date").fixed.unsent],
        rules: [isReachable], paging: .pages(longest: reach), ownSorts: [], ttl: .seconds(60),
        summary: "/api/v1/search_by_date: the newest first", answer: hits)

    private static let isReachable = QuestionRule.within(
        reach, of: ["limit", "page"],
        sentence: "Only the first \(reach) hits of a search can be reached. Narrow it down with created_at_i.")
    private static let searchParameters: [QuestionParameter] = [
        .text("q", "The search term.", example: "cache").or("query").term.sent {
            ($0.name, $0.apiDefault) = ("query", "")
        },
        QuestionParameter(
            "tags", .pattern(HackerNewsTags.pattern),
            "Tags, separated by commas. All must match; of tags in brackets one must match.", example: "story"
        ).sent { $0.using = HackerNewsTags.canonical },
        QuestionParameter(
            "numericFilters", .pattern("^(created_at_i|points|num_comments)(<=|>=|<|>|=)[0-9]{1,12}$"),
            "At most 10 comparisons of numbers, separated by commas.", example: "points>=1"
        ).list.upTo(10).sent { ($0.using, $0.order) = (HackerNewsFilter.canonical, .sorted) },
        .limit(1...reach, default: 20).sent {
            ($0.name, $0.apiDefault, $0.mostShared) = ("hitsPerPage", "20", 200)
        },
        .page(reach).sent { ($0.isFromZero, $0.apiDefault, $0.isKeyedAtDefault) = (true, "0", false) },
    ]
    private static let hits = AnswerSpec(
        list: "$.hits", noun: "hits", total: "$.nbHits",
        result: HackerNewsPost.post, shapes: HackerNewsPost.shapes,
        choices: [ChoiceSpec(parameter: "numericFilters", rule: .using(HackerNewsFilter.choice))])

    /// Firebase answers `null` under 200 for an item that does not exist or is withheld, and never 404. It refuses a path,
    /// not the client: other paths still work. Algolia answers with an empty page and a message if a page lies beyond the
    /// reachable hits. For its items and users, which no typed route uses, it answers 404 with a message.
    private static let classification = ClassificationSpec(
        rows: [404, 410].map { .init(statuses: $0...$0, question: "other", condition: hasMessage, means: .notFound) }
            + [
                .init(statuses: 401...403, condition: hasMessage, means: .invalidRequest(""), messages: messages),
                .init(statuses: 201...599, condition: hasMessage, messages: messages),
            ]
            + ["item", "user"].map {
                .init(statuses: 200...200, question: $0, condition: "@ == null", means: .notFound)
            }
            + ["search", "recent"].map {
                .init(
                    statuses: 200...200, question: $0,
                    condition: "@.hits && @.error >= '' || @.hits && @.message >= ''", means: .invalidRequest(""),
                    messages: messages)
            },
        isAbsenceStrict: true, describesErrors: true, others: .json)
    private static let hasMessage: JSONFilter = "@.error >= '' || @.message >= ''"
    private static let messages: [JSONPath] = ["$.error", "$.message"]
}
