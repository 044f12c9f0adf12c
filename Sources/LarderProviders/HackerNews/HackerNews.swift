// Hacker News: lists, items and users from its Firebase API (version 0), searches from Algolia's (version 1). Both are
// free, need no key and use the same ids. The path distinguishes them: /v0 is Firebase, /api/v1 is Algolia.
import LarderCore

/// Stories, comments, jobs and polls of Hacker News.
public struct HackerNews: Provider {
    public init() {}

    public var samples: [any SampleAPI] { [HackerNewsSamples()] }

    public var about: ProviderAbout { Self.facts }

    static let facts = ProviderAbout(
        name: "hackernews", shortNames: ["hn"], routePrefix: "hackernews", title: "Hacker News",
        defaultBaseURL: "https://hacker-news.firebaseio.com", pathPrefix: "/v0",
        searchBase: SearchBase("https://hn.algolia.com", pathPrefix: "/api/v1"),
        endpoints: HackerNewsList.allCases.map { list in
            EndpointAbout(
                list.rawValue, parameters: listParameters, ttl: .seconds(60),
                summary: "/v0/\(list.rawValue)stories.json and the items it names")
        } + [
            EndpointAbout(
                "item", route: "item/{id}", captures: [itemCapture], parameters: itemParameters, ttl: .seconds(300),
                summary: "/v0/item/{id}.json, with its comments if wanted"),
            EndpointAbout(
                "user", route: "user/{id}", captures: [userCapture], ttl: .seconds(3600), summary: "/v0/user/{id}.json"),
            EndpointAbout(
                "search", parameters: searchParameters, refusals: [.missingParameter, .conflict], ttl: .seconds(300),
                summary: "/api/v1/search: the best match first"),
            EndpointAbout(
                "recent", parameters: recentParameters, refusals: [.conflict], ttl: .seconds(60),
                summary: "/api/v1/search_by_date: the newest first"),
        ],
        // A new id may appear shortly after a look-up that did not find it.
        emptyTTL: .seconds(60), negativeTTL: .seconds(60), staleFor: .seconds(86_400),
        // Algolia's limit per address. Firebase states no limit, but its calls count here as well, as a courtesy.
        defaultQuota: CallRate(calls: 10_000, per: .seconds(3600)),
        categories: ["stories", "comments", "ask", "show", "jobs", "polls"], sorts: [.relevance, .name, .date],
        offers: "lists of Hacker News with their items, each cached separately; comments, users, search",
        terms: "No key and no stated limit for lists and items. At most 10,000 searches an hour from one address.",
        attribution: "Hacker News, news.ycombinator.com; search by Algolia", normaliserVersion: 2, kinds: kinds)
}

/// The six lists.
enum HackerNewsList: String, CaseIterable, Sendable {
    case top, new, best, ask, show, job

    var request: UpstreamRequest { UpstreamRequest(path: "/v0/\(rawValue)stories.json") }
}
