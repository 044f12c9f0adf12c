// The search routes: over several sources, over stored results, and searches that continue without their client.
import LarderCore
import LarderEngine
import LarderProviders

extension RouteTable {
    static let searches = [search, local, liveSearches]

    private static let sources = ProviderRegistry.builtIn.flatMap { [$0.about.name] + $0.about.shortNames }
    private static let categories = ProviderRegistry.builtIn.flatMap(\.about.categories)
    private static let term = RouteParameter(
        name: "q", place: .query, isRequired: true, line: "What is searched for.", example: "dragon",
        aliases: ["term"])
    private static let source = RouteParameter.query(
        "source", "The sources; all where left out.", allowed: sources, example: "itunes", isList: true)
    /// Only words with a letter or a digit can be searched for.
    private static let words = RouteParameter(
        name: "q", place: .query, isRequired: true,
        line: "Words and \"phrases\", at most 16 of them; the last may go on.",
        form: .pattern(
            "^[^\\u0000-\\u001F\\u007F-\\u009F]{0,60}[A-Za-z0-9][^\\u0000-\\u001F\\u007F-\\u009F]{0,60}$"),
        example: "dragon")
    /// The categories that stored results have.
    private static let storedCategories = ProviderRegistry.builtIn.flatMap { provider in
        provider.about.categories.filter { provider.kinds(of: $0) != nil }
    }

    private static let search = RouteGroup(
        line: "one search over one or several sources",
        routes: [
            Route(
                methods: [.get], pattern: "/v1/search", name: "search",
                summary: "One search over one or several sources.",
                parameters: [
                    term, source, .query("category", "What kind of thing is searched for.", allowed: categories),
                    .query("limit", "How many results each source gives at most.", .number(1...200), example: "5"),
                    .query(
                        "sort", "The order of the results.", allowed: SortOrder.allCases.map(\.rawValue),
                        default: SortOrder.relevance.rawValue),
                    .query(
                        "country", "The country whose shop or news is asked, by two letters.",
                        .pattern("^[A-Za-z]{2}$"), example: "US"),
                    .query(
                        "lang", "The language of the results.", .pattern("^[A-Za-z]{2}([_-][A-Za-z]{2})?$"),
                        example: "en-US"),
                    .query("explicit", "Whether explicit results are wanted.", allowed: ["yes", "no"]),
                ] + RouteParameter.ofResults + TypingRoute.parameters,
                answers: [
                    RouteAnswer(200, "Results, or none; partial when a source failed.", .schema(.envelope)), .begun,
                ] + RouteAnswer.failures + [.absent, .outdated],
                refusals: [.conflict, .termLength], takesConditions: true
            ) { parts, call throws(ClientFacingError) in
                try await parts.typing.search(call.request, route: call.name)
            }
        ])

    private static let local = RouteGroup(
        line: "[full text](Docs/local-search.md) over every result that is stored; no network needed",
        routes: [
            Route(
                methods: [.get], pattern: "/v1/local", name: "local",
                summary: "Full text over every stored result; no API is asked.",
                parameters: [
                    words, source,
                    .query("category", "Results that a search of this category gives.", allowed: storedCategories),
                    .query(
                        "kind", "Results of these kinds.", .pattern("^[A-Za-z]{1,40}$"), example: "monster",
                        isList: true),
                    .query("limit", "How many results at most.", .number(1...200), example: "5", default: "50"),
                    .query(
                        "offset", "How many of the best results are left out.", .number(0...10_000), example: "0",
                        default: "0"), .fields,
                ],
                answers: [
                    RouteAnswer(200, "Results, or none.", .schema(.localEnvelope)), .wrongQuestion,
                    RouteAnswer(
                        503, "The search took too long, too many wait, or there is no database at the moment."),
                ],
                refusals: [.conflict], takesConditions: true
            ) { parts, call throws(ClientFacingError) in
                try await parts.local.search(call.request, route: call.name)
            }
        ])

    private static let liveSearches = RouteGroup(
        line: "[a search that goes on by itself](Docs/live-searches.md), begun with `Prefer: respond-async`",
        routes: [
            live(
                .show, [.get], "", "A search begun with Prefer: respond-async, as it stands.",
                [RouteAnswer(200, "Its state and the results so far.", .schema(.liveSearch)), unknown]),
            live(
                .cancel, [.delete], "", "Cancel it; its id is the authority.",
                [RouteAnswer(200, "Its state; one that had ended stays as it was.", .schema(.liveSearch)), unknown]),
            live(
                .events, [.get], "/events",
                "The same as server-sent events: each source's results when they arrive.",
                [
                    RouteAnswer(
                        200, "text/event-stream: \"state\", a \"source\" for each, \"state\" at the end.",
                        .events(["state": .liveSearch, "source": .source])),
                    RouteAnswer(204, "Last-Event-ID names the last one."), unknown,
                    RouteAnswer(503, "Too many event streams are open."),
                ]),
        ])

    private static let unknown = RouteAnswer(404, "There is no such search, or none any more.")

    private static func live(
        _ part: LiveRoute.Part, _ methods: [Method], _ end: String, _ summary: String, _ answers: [RouteAnswer]
    ) -> Route {
        Route(
            methods: methods, pattern: "/v1/searches/{id}\(end)", name: "searches", summary: summary,
            parameters: [.path("id", "What Location said when it began.", .pattern("^[A-Za-z0-9_-]{1,64}$"))],
            answers: answers
        ) { parts, call throws(ClientFacingError) in
            try await parts.live.answer(part, call.captured("id"), call.request, route: call.name)
        }
    }
}

extension RouteParameter {
    static let fields = RouteParameter(
        name: "fields", place: .query, allowed: ResultProjection.names,
        line: "The members of a result that are wanted; id always comes.", isCommon: true, example: "title",
        isList: true)

    /// The parameters of every route that answers with results of an API.
    static let ofResults = [
        RouteParameter(
            name: "include", place: .query, allowed: [SourceRecord.name],
            line: "The API's own record beside each result.", isCommon: true, isList: true),
        fields,
    ]
}

extension RouteAnswer {
    static let begun = RouteAnswer(
        202, "With Prefer: respond-async: it goes on at Location.", .schema(.liveSearch))
    static let absent = RouteAnswer(404, "The API has nothing of that name, or the route is none.")
    static let outdated = RouteAnswer(409, "A newer request of the same X-Larder-Session took this one's place.")
    static let wrongQuestion = RouteAnswer(
        400, "A parameter is unknown, missing or not allowed; the problem names it.")

    /// How a question to an API may fail.
    static let failures = [
        wrongQuestion,
        RouteAnswer(429, "The provider's budget is spent and nothing is stored; Retry-After tells when."),
        RouteAnswer(502, "The provider failed or refused, and nothing is stored."),
        RouteAnswer(503, "The provider rests after failures or is not configured."),
        RouteAnswer(504, "The provider was too slow, or only-if-cached found nothing."),
    ]
}
