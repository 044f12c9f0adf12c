// The search routes: over several sources, over stored results, and searches that continue without their client.
import LarderCore
import LarderEngine
import LarderProviders

extension RouteTable {
    static func searches(of providers: [any Provider]) -> [RouteGroup] {
        let sources = providers.flatMap { [$0.about.name] + $0.about.shortNames }
        let categories = providers.flatMap(\.about.categories)
        // The categories that stored results have.
        let stored = providers.flatMap { provider in
            provider.about.categories.filter { provider.kinds(of: $0) != nil }
        }
        return [search(sources, categories), local(sources, stored), liveSearches]
    }

    private static func search(_ sources: [String], _ categories: [String]) -> RouteGroup {
        RouteGroup(
            line: "one search over one or several sources",
            routes: [
                Route(
                    methods: [.get], pattern: "/v1/search", name: "search",
                    summary: "One search over one or several sources.",
                    parameters: SearchPlan.records(sources: sources, categories: categories)
                        .map(RouteParameter.ofRoute) + TypingRoute.parameters,
                    answers: [
                        RouteAnswer(200, "Results, or none. Partial if a source failed.", .schema(.envelope)), .begun,
                    ] + RouteAnswer.failures + [.absent, .outdated],
                    refusals: [.conflict, .termLength], takesConditions: true
                ) { parts, call throws(ClientFacingError) in
                    try await parts.typing.search(call.request, route: call.name)
                }
            ])
    }

    private static func local(_ sources: [String], _ categories: [String]) -> RouteGroup {
        RouteGroup(
            line: "[full-text search](Docs/local-search.md) of all stored results, without the network",
            routes: [
                Route(
                    methods: [.get], pattern: "/v1/local", name: "local",
                    summary: "Full-text search of all stored results, without a call to an API.",
                    parameters: LocalQuestion.records(sources: sources, categories: categories)
                        .map(RouteParameter.ofRoute),
                    answers: [
                        RouteAnswer(200, "Results, or none.", .schema(.localEnvelope)), .wrongQuestion,
                        RouteAnswer(
                            503, "The search took too long, too many searches wait, or the database is not available."),
                    ],
                    refusals: [.conflict, .termLength], takesConditions: true
                ) { parts, call throws(ClientFacingError) in
                    try await parts.local.search(call.request, route: call.name)
                }
            ])
    }

    private static let liveSearches = RouteGroup(
        line: "[an asynchronous search](Docs/live-searches.md), begun with `Prefer: respond-async`",
        routes: [
            live(
                .show, [.get], "", "The state of an asynchronous search (Prefer: respond-async).",
                [RouteAnswer(200, "Its state and the results so far.", .schema(.liveSearch)), unknown]),
            live(
                .cancel, [.delete], "", "Cancel an asynchronous search. Whoever has its id may do so.",
                [RouteAnswer(200, "Its state. An ended search does not change.", .schema(.liveSearch)), unknown]),
            live(
                .events, [.get], "/events",
                "An asynchronous search as server-sent events: each source's results when they arrive.",
                [
                    RouteAnswer(
                        200, "text/event-stream: \"state\", one \"source\" for each source, \"state\" at the end.",
                        .events(["state": .liveSearch, "source": .source])),
                    RouteAnswer(204, "Last-Event-ID names the last event: there are no more."), unknown,
                    RouteAnswer(503, "Too many event streams are open."),
                ]),
        ])

    private static let unknown = RouteAnswer(404, "There is no such search, or it is no longer kept.")

    private static func live(
        _ part: LiveRoute.Part, _ methods: [Method], _ end: String, _ summary: String, _ answers: [RouteAnswer]
    ) -> Route {
        Route(
            methods: methods, pattern: "/v1/searches/{id}\(end)", name: "searches", summary: summary,
            parameters: [.path("id", "The id from the Location of the 202 answer.", .pattern("^[A-Za-z0-9_-]{1,64}$"))],
            answers: answers
        ) { parts, call throws(ClientFacingError) in
            try await parts.live.answer(part, call.captured("id"), call.request, route: call.name)
        }
    }
}

extension RouteParameter {
    /// The parameters of every route that answers with results of an API.
    static let ofResults = ResultShape.records.map(ofRoute)

    /// A parameter of a search. The reference describes those that all searches have at its top.
    static func ofRoute(_ record: QuestionParameter) -> RouteParameter {
        RouteParameter(record: record, place: .query, isCommon: ResultShape.records.contains(record))
    }
}

extension RouteAnswer {
    static let begun = RouteAnswer(
        202, "With Prefer: respond-async: the search runs on; Location is its address.", .schema(.liveSearch))
    static let absent = RouteAnswer(404, "The API has no such thing, or there is no such route.")
    static let outdated = RouteAnswer(409, "A newer request of the same X-Larder-Session replaced this one.")
    static let wrongQuestion = RouteAnswer(
        400, "A parameter is unknown, missing or invalid. The problem names it.")

    /// How a question to an API may fail.
    static let failures = [
        wrongQuestion,
        RouteAnswer(429, "The provider's budget is spent and nothing is stored. Retry-After tells when to try again."),
        RouteAnswer(502, "The provider failed or refused, and nothing is stored."),
        RouteAnswer(503, "The provider is suspended or not configured."),
        RouteAnswer(504, "The provider was too slow, or only-if-cached found nothing."),
    ]
}
