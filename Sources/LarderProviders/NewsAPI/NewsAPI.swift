// NewsAPI.org, version 2 (newsapi.org/docs). It needs a key and allows a hundred calls a day on the free plan. Errors
// have a body with a code. Withdrawn articles stay in the lists as "[Removed]".
import LarderCore

/// News headlines, article search and the list of sources.
public struct NewsAPI: Provider {
    public init() {}

    public var samples: [any SampleAPI] { [NewsSamples()] }

    public var about: ProviderAbout { Self.facts }

    static let categories = [
        "business", "entertainment", "general", "health", "science", "sports", "technology",
    ]

    static let facts = ProviderAbout(
        name: "newsapi", shortNames: ["news"], routePrefix: "news", title: "NewsAPI.org",
        defaultBaseURL: "https://newsapi.org", pathPrefix: "/v2",
        endpoints: [
            EndpointAbout(
                "headlines", parameters: headlineParameters,
                refusals: [.missingParameter, .conflict, .termLength, .accountLimit], ttl: .seconds(600),
                summary: "/v2/top-headlines"),
            EndpointAbout(
                "everything", parameters: everythingParameters,
                refusals: [.missingParameter, .conflict, .termLength, .accountLimit],
                ttl: .seconds(1800),
                summary: "/v2/everything: article search"),
            EndpointAbout(
                "sources", parameters: sourceParameters, refusals: [.conflict], ttl: .seconds(86_400),
                summary: "/v2/sources: the index of sources"),
        ],
        emptyTTL: .seconds(600), negativeTTL: .seconds(600), staleFor: .seconds(86_400),
        defaultQuota: CallRate(calls: 100, per: .seconds(86_400)), imageHosts: ["*"],
        categories: categories,
        sorts: [.relevance, .name, .date], needsKey: true, keyVariables: ["LARDER_NEWSAPI_KEY", "NEWSAPI_KEY"],
        credentialParameters: ["apiKey"], credentialFieldNames: ["X-Api-Key", "Authorization"],
        offers: "headlines, articles and sources of NewsAPI",
        terms: "The free plan is for development only, and its articles are a day old. The API's headers forbid "
            + "storing: the lifetimes here are your own decision.",
        attribution: "Powered by NewsAPI.org", normaliserVersion: 2,
        kinds: [
            ResultKind("article", [.texts("sourceId", "authorUrl", "content"), .numbers("omittedCharacters")]),
            ResultKind("newsSource", [.texts("sourceId", "language", "country")]),
        ])
}

extension NewsAPI {
    /// NewsAPI has no accounts: "Authorization" holds the application's key, with or without "Bearer"
    /// (newsapi.org/docs/authentication).
    public func holder(ofAuthorization value: String) -> CredentialHolder {
        .of(value, scheme: "Bearer", allowsBare: true)
    }
}
