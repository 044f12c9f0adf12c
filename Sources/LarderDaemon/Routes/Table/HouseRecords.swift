// The routes of the daemon itself: its console, its stored entries and figures, its health, and changes of its state.
import LarderConsole
import LarderCore
import LarderProviders
import LarderServer

extension RouteTable {
    /// The console for browsers, and the description for programs.
    static let pages: RouteGroup = {
        func page(_ view: ConsoleView, _ summary: String) -> Route {
            Route(
                methods: [.get], pattern: view.rawValue, name: "console", summary: summary, isDescribed: false,
                isLanding: view == .search, isLooking: true
            ) { parts, call throws(ClientFacingError) in
                try await ConsoleRoute.page(view, parts, call)
            }
        }
        return RouteGroup(
            line: "the console, for a browser",
            routes: [
                page(.search, "A search over all sources."), page(.now, "Requests as they happen."),
                page(.overTime, "The last hour and the last month."), page(.providers, "Providers and their budgets."),
                page(.store, "What is stored."),
                Route(
                    methods: [.get], pattern: "/console/{file}", name: "console",
                    summary: "Styles, modules and pictures of the console.", isDescribed: false, isLooking: true
                ) { _, call throws(ClientFacingError) in
                    try ConsoleRoute.file(call.captured("file"), call)
                },
                Route(
                    methods: [.get], pattern: "/opensearch.xml", name: "console",
                    summary: "The search page as a search engine, for browsers.", isDescribed: false, isLooking: true
                ) { _, call in
                    ConsoleRoute.openSearch(call)
                },
                Route(
                    methods: [.get], pattern: "/openapi.json", name: "openapi",
                    summary: "This interface, for programs.",
                    isDescribed: false, isLooking: true
                ) { _, call in
                    InterfaceDescription.response(route: call.name)
                },
            ])
    }()

    /// Stored content and what is known of it.
    static let things = [artwork, raw, status, fleet, settings, history, entries, events, explain, requests]

    private static let artwork = RouteGroup(
        line: "an image that a result named; `HEAD`, ranges, validators",
        routes: [
            Route(
                methods: [.get], pattern: "/v1/artwork/{handle}", name: "artwork",
                summary: "An image that a result named.",
                parameters: [
                    .path("handle", "As a result's `artwork` has it.", .pattern("^[A-Za-z0-9_-]{1,512}$"))
                ],
                answers: [
                    RouteAnswer(200, "The image.", .binary), RouteAnswer(206, "A part of it.", .binary),
                    RouteAnswer(304, "Not modified."), RouteAnswer(403, "The host may not be asked for images."),
                    RouteAnswer(404, "No such image."),
                ] + RouteAnswer.failures.filter { $0.status != 400 }, takesConditions: true
            ) { parts, call throws(ClientFacingError) in
                try await parts.artwork.image(call.request, handle: call.captured("handle"), route: call.name)
            }
        ])

    private static let raw = RouteGroup(
        line: "the API's own answer through the cache; an API of your own takes every method but TRACE and CONNECT",
        routes: [
            // This route takes any method and keeps the path's spelling, so it is recognised before the router.
            Route(
                methods: [], pattern: "/raw/{provider}/{path...}", name: "raw",
                summary: "The API's own answer through the cache.",
                parameters: [
                    .path("provider", "Its name in the configuration, or a short one.", example: "itunes"),
                    .path("path", "The API's own path and query; slashes stay as they are.", example: "search"),
                ],
                answers: [RouteAnswer(200, "The API's own answer, of any status.", .binary)], takesConditions: true)
        ])

    private static let status = RouteGroup(
        line: "providers, budgets, store and memory",
        routes: [
            Route(
                methods: [.get], pattern: "/v1/status", name: "status",
                summary: "Providers, budgets, store and memory.",
                answers: [RouteAnswer(200, "The state of the daemon.", .schema(.status))], isLooking: true
            ) { parts, call in
                await parts.statuses.status(route: call.name)
            }
        ])

    private static let fleet = RouteGroup(
        line: "[the hosts that share answers and budgets](Docs/fleet.md)",
        routes: [
            Route(
                methods: [.get], pattern: "/v1/fleet", name: "fleet",
                summary: "The hosts that share answers and budgets.",
                answers: [RouteAnswer(200, "Each host by its last sign of life.", .schema(.fleet))], isLooking: true
            ) { parts, call in
                await parts.fleet.fleet(route: call.name)
            }
        ])

    private static let settings = RouteGroup(
        line: "the settings in force, as `larder params` compares them with those of the file",
        routes: [
            Route(
                methods: [.get], pattern: "/v1/settings", name: "settings", summary: "The settings in force.",
                answers: [RouteAnswer(200, "Each with its value; secrets are hidden.", .schema(.settings))],
                needsAuthority: true, isLooking: true
            ) { parts, call in
                parts.settings.settings(route: call.name)
            }
        ])

    private static let history = RouteGroup(
        line: "[figures over time](Docs/operations.md#figures-over-time), and calls saved",
        routes: [
            Route(
                methods: [.get], pattern: "/v1/history", name: "history",
                summary:
                    "Figures over time: answers by outcome, calls, errors, bytes and latency, in slots; calls saved.",
                parameters: HistoryRoute.parameters,
                answers: [RouteAnswer(200, "The figures.", .schema(.history)), .wrongQuestion], isLooking: true
            ) { parts, call throws(ClientFacingError) in
                try await parts.history.history(call.request, route: call.name)
            }
        ])

    private static let entries = RouteGroup(
        line: "[what is stored](Docs/store.md#what-is-stored), in six orders; one entry with its head and a preview",
        routes: [
            Route(
                methods: [.get], pattern: "/v1/entries", name: "entries",
                summary: "Entries of the store in an order; without authority, labels without values.",
                parameters: EntriesRoute.parameters,
                answers: [
                    RouteAnswer(200, "The entries.", .schema(.entries)), .wrongQuestion,
                    RouteAnswer(401, "prefix, url and key need the admin token."),
                    RouteAnswer(503, "The store cannot be read."),
                ], refusals: [.unknownProvider, .unknownPrefix], isLooking: true
            ) { parts, call throws(ClientFacingError) in
                try await parts.entries.list(call.request, route: call.name)
            },
            Route(
                methods: [.get], pattern: "/v1/entries/{key}", name: "entries",
                summary: "One entry: its head, the beginning of its body, and its relatives.",
                parameters: [
                    .path("key", "The digest of its key, in base64url.", .digest, example: RouteParameter.exampleDigest)
                ],
                answers: [
                    RouteAnswer(200, "The entry.", .schema(.entryDetail)), .wrongQuestion,
                    RouteAnswer(404, "No entry has that digest."), RouteAnswer(503, "The store cannot be read."),
                ], needsAuthority: true, isLooking: true
            ) { parts, call throws(ClientFacingError) in
                try await parts.entries.detail(call.captured("key"), route: call.name)
            },
        ])

    private static let events = RouteGroup(
        line: "[what happens to providers](Docs/typing.md), as server-sent events",
        routes: [
            Route(
                methods: [.get], pattern: "/v1/events", name: "events",
                summary: "Reachability, suspensions and budgets of providers, as server-sent events.",
                answers: [
                    RouteAnswer(
                        200, "A snapshot, then each change: reachability, suspension, budget.",
                        .events([
                            "snapshot": .providerSnapshot, "reachability": .providerEvent,
                            "suspension": .providerEvent, "budget": .providerEvent,
                        ])),
                    RouteAnswer(503, "As many event streams are open as are permitted."),
                ], isLooking: true
            ) { parts, call throws(ClientFacingError) in
                try await parts.events.events(call.request, route: call.name)
            }
        ])

    private static let explain = RouteGroup(
        line: "why that answer was what it was",
        routes: [
            Route(
                methods: [.get], pattern: "/v1/explain/{request}", name: "explain",
                summary: "Why the answer with that X-Request-Id was what it was.",
                parameters: [
                    .path(
                        "request", "The X-Request-Id of an answer.", .pattern("^[0-9a-f]{1,4}-[0-9a-f]{1,15}$"),
                        example: "0-1")
                ],
                answers: [
                    RouteAnswer(200, "The decisions, with sentences.", .schema(.explanation)),
                    RouteAnswer(400, "That is no request id."), RouteAnswer(404, "Nothing is known of it any more."),
                ], isLooking: true
            ) { parts, call throws(ClientFacingError) in
                try await parts.explain.explain(call.captured("request"), route: call.name)
            }
        ])

    /// Routes that change the daemon's state.
    static let changes = [purge, suspend, resume]

    private static let purge = RouteGroup(
        line: "remove what is stored, or with `soft=1` expire it",
        routes: [
            Route(
                methods: [.delete], pattern: "/v1/cache", name: "purge", summary: "Purge.",
                parameters: AdminRoutes.purgeParameters,
                answers: [
                    RouteAnswer(200, "What was purged.", .schema(.purge)), .wrongQuestion,
                    RouteAnswer(503, "The store could not be changed."),
                ],
                refusals: [.missingParameter, .conflict, .unknownProvider, .unknownPrefix], needsAuthority: true
            ) { parts, call throws(ClientFacingError) in
                try await parts.admin.purge(call.request, route: call.name)
            }
        ])

    private static let suspend = RouteGroup(
        line: "make no call to a provider for a time",
        routes: [
            Route(
                methods: [.post], pattern: "/v1/providers/{name}/suspend", name: "suspend",
                summary: "Suspend a provider.",
                parameters: [
                    .path("name", "The provider's name in the configuration.", example: "itunes"),
                    .query(
                        "for", "How long, at most 24h.", .pattern("^([1-9][0-9]{0,2}(s|min)|([1-9]|1[0-9]|2[0-4])h)$"),
                        example: "1h", default: "10min"),
                ],
                answers: [
                    RouteAnswer(200, "It is suspended until then.", .schema(.suspended)), .wrongQuestion,
                    RouteAnswer(404, "There is no such provider."),
                ], needsAuthority: true
            ) { parts, call throws(ClientFacingError) in
                try await parts.admin.suspend(call.request, name: call.captured("name"), route: call.name)
            }
        ])

    private static let resume = RouteGroup(
        line: "end a provider's rest after failures",
        routes: [
            Route(
                methods: [.post], pattern: "/v1/providers/{name}/resume", name: "resume",
                summary: "End a suspension.",
                parameters: [.path("name", "The provider's name in the configuration.", example: "itunes")],
                answers: [
                    RouteAnswer(200, "It may be asked again.", .schema(.resumed)),
                    RouteAnswer(400, "There is no such provider."), RouteAnswer(404, "There is no such provider."),
                ], needsAuthority: true
            ) { parts, call throws(ClientFacingError) in
                try await parts.admin.resume(name: call.captured("name"), route: call.name)
            }
        ])

    static let probes = RouteGroup(
        line: "for watchdogs, service managers and Prometheus",
        routes: [
            Route(
                methods: [.get], pattern: "/healthz", name: "healthz",
                summary: "Alive, and whether the store works.",
                answers: [RouteAnswer(200, "It says ok, or degraded.", .text)], isLooking: true
            ) { parts, call in
                await parts.probes.health(route: call.name)
            },
            Route(
                methods: [.get], pattern: "/readyz", name: "readyz", summary: "Ready for requests.",
                answers: [RouteAnswer(200, "Ready.", .text), RouteAnswer(503, "Not ready.", .text)], isLooking: true
            ) { parts, call in
                parts.probes.ready(route: call.name)
            },
            Route(
                methods: [.get], pattern: "/metrics", name: "metrics",
                summary: "Counters in the Prometheus text format.",
                answers: [RouteAnswer(200, "The counters.", .text)], isLooking: true
            ) { parts, call in
                await parts.probes.metrics(route: call.name)
            },
        ])
}
