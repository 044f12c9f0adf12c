// The records of searches: over several sources, over what is stored, and those that go on without their client.
import LarderCore
import LarderEngine
import LarderProviders

extension RouteTable {
    static let searches = [search, local, liveSearches]

    private static let sources = ProviderRegistry.builtIn.flatMap { [$0.about.name] + $0.about.shortNames }
    private static let categories = ProviderRegistry.builtIn.flatMap(\.about.categories)
    private static let term = RouteParameter(
        name: "q", place: .query, isRequired: true, line: "What is searched for.")

    private static let search = RouteGroup(
        line: "one search over one or several sources",
        routes: [
            Route(
                methods: [.get], pattern: "/v1/search", name: "search",
                summary: "One search over one or several sources.",
                parameters: [
                    term, .query("source", "The sources, separated by commas; all where left out.", allowed: sources),
                    .query("category", "What kind of thing is searched for.", allowed: categories),
                    .query("limit", "How many results each source gives at most."),
                    .query("sort", "The order of the results.", allowed: SortOrder.allCases.map(\.rawValue)),
                    .query("country", "The country whose shop or news is asked, by two letters."),
                    .query("lang", "The language of the results."),
                    .query("explicit", "Whether explicit results are wanted.", allowed: ["yes", "no"]),
                ] + RouteParameter.ofResults + TypingRoute.parameters,
                answers: [
                    RouteAnswer(200, "Results, or none; partial when a source failed."), .begun,
                ] + RouteAnswer.failures + [.outdated]
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
                    term, .query("source", "The sources, separated by commas; all where left out.", allowed: sources),
                    .query("category", "Results that a search of this category gives.", allowed: categories),
                    .query("kind", "Results of this kind."), .query("limit", "How many results at most."),
                    .query("offset", "How many of the best results are left out."), .fields,
                ],
                answers: [
                    RouteAnswer(200, "Results, or none."), .wrongQuestion,
                    RouteAnswer(
                        503, "The search took too long, too many wait, or there is no database at the moment."),
                ]
            ) { parts, call throws(ClientFacingError) in
                try await parts.local.search(call.request, route: call.name)
            }
        ])

    private static let liveSearches = RouteGroup(
        line: "[a search that goes on by itself](Docs/live-searches.md), begun with `Prefer: respond-async`",
        routes: [
            live(
                .show, [.get], "", "A search begun with Prefer: respond-async, as it stands.",
                [RouteAnswer(200, "Its state and the results so far."), unknown]),
            live(
                .cancel, [.delete], "", "Cancel it; its id is the authority.",
                [RouteAnswer(200, "Its state; one that had ended stays as it was."), unknown]),
            live(
                .events, [.get], "/events",
                "The same as server-sent events: each source's results when they arrive.",
                [
                    RouteAnswer(200, "text/event-stream: \"state\", a \"source\" for each, \"state\" at the end."),
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
            parameters: [.path("id", "What Location said when it began.")], answers: answers
        ) { parts, call throws(ClientFacingError) in
            try await parts.live.answer(part, call.captured("id"), call.request, route: call.name)
        }
    }
}

extension RouteParameter {
    static let fields = RouteParameter(
        name: "fields", place: .query, allowed: ResultProjection.names,
        line: "The members of a result that are wanted, separated by commas.", isCommon: true)

    /// What every route takes that answers with results of an API.
    static let ofResults = [
        RouteParameter(
            name: "include", place: .query, allowed: [SourceRecord.name],
            line: "The API's own record beside each result.", isCommon: true),
        fields,
    ]
}

extension RouteAnswer {
    static let begun = RouteAnswer(202, "With Prefer: respond-async: it goes on at Location.")
    static let outdated = RouteAnswer(409, "A newer request of the same X-Larder-Session took this one's place.")
    static let wrongQuestion = RouteAnswer(
        400, "A parameter is unknown, missing or not allowed; the problem names it.")

    /// What a question to an API may come to.
    static let failures = [
        wrongQuestion,
        RouteAnswer(429, "The provider's budget is spent and nothing is stored; Retry-After tells when."),
        RouteAnswer(502, "The provider failed or refused, and nothing is stored."),
        RouteAnswer(503, "The provider rests after failures or is not configured."),
        RouteAnswer(504, "The provider was too slow, or only-if-cached found nothing."),
    ]
}
