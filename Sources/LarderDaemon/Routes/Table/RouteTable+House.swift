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
                page(.overTime, "Figures of the last hour and the last month."),
                page(.providers, "Providers and budgets."),
                page(.store, "The stored entries."),
                Route(
                    methods: [.get], pattern: "/console/{file}", name: "console",
                    summary: "The console's styles, modules and pictures.", isDescribed: false, isLooking: true
                ) { _, call throws(ClientFacingError) in
                    try ConsoleRoute.file(call.captured("file"), call)
                },
                Route(
                    methods: [.get], pattern: "/opensearch.xml", name: "console",
                    summary: "Describes the search page as a search engine, for browsers.", isDescribed: false,
                    isLooking: true
                ) { _, call in
                    ConsoleRoute.openSearch(call)
                },
                Route(
                    methods: [.get], pattern: "/openapi.json", name: "openapi",
                    summary: "The OpenAPI description of this interface.",
                    isDescribed: false, isLooking: true
                ) { parts, call in
                    InterfaceDescription.response(parts.routes.description(), route: call.name)
                },
            ])
    }()

    /// Stored content and what is known of it.
    static let things = [artwork, raw, mcp, status, fleet, settings, history, entries, events, explain, requests]

    private static let mcp = RouteGroup(
        line: "[tools for language models](Docs/mcp.md), by the Model Context Protocol",
        routes: [
            Route(
                methods: [.post], pattern: "/mcp", name: "mcp",
                summary: "One message of the Model Context Protocol: a JSON-RPC request or notification.",
                answers: [
                    RouteAnswer(200, "The answer to a request.", .schema(.mcpAnswer)),
                    RouteAnswer(202, "A notification was received."),
                    RouteAnswer(400, "The message or its MCP-Protocol-Version is not understood."),
                    RouteAnswer(415, "The body is not application/json."),
                ], bodies: ["application/json"]
            ) { parts, call throws(ClientFacingError) in
                try await MCPRoute.respond(parts, call)
            }
        ])

    private static let artwork = RouteGroup(
        line: "an image of a result; `HEAD`, ranges, validators",
        routes: [
            Route(
                methods: [.get], pattern: "/v1/artwork/{handle}", name: "artwork",
                summary: "An image of a result.",
                parameters: [
                    .path("handle", "The handle from a result's `artwork`.", .pattern("^[A-Za-z0-9_-]{1,512}$"))
                ],
                answers: [
                    RouteAnswer(200, "The image.", .binary), RouteAnswer(206, "A part of it.", .binary),
                    RouteAnswer(304, "Not modified."), RouteAnswer(403, "Images of this host are not allowed."),
                    RouteAnswer(404, "No such image."),
                ] + RouteAnswer.failures.filter { $0.status != 400 }, takesConditions: true
            ) { parts, call throws(ClientFacingError) in
                try await parts.artwork.image(call.request, handle: call.captured("handle"), route: call.name)
            }
        ])

    private static let raw = RouteGroup(
        line: "the API's own answer, cached; a provider of your own takes every method but TRACE and CONNECT",
        routes: [
            // This route takes any method and keeps the path's spelling, so it is recognised before the router.
            Route(
                methods: [], pattern: "/raw/{provider}/{path...}", name: "raw",
                summary: "The API's own answer, cached.",
                parameters: [
                    .path(
                        "provider", "The provider's name in the configuration, or its short name.", example: "itunes"),
                    .path("path", "The API's own path and query. Slashes are not encoded.", example: "search"),
                ],
                answers: [RouteAnswer(200, "The API's own answer, with any status.", .binary)], takesConditions: true)
        ])

    private static let status = RouteGroup(
        line: "providers, budgets, store and memory",
        routes: [
            Route(
                methods: [.get], pattern: "/v1/status", name: "status",
                summary: "The state of providers, budgets, store and memory.",
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
                answers: [RouteAnswer(200, "Each host, with the time of its last sign of life.", .schema(.fleet))],
                isLooking: true
            ) { parts, call in
                await parts.fleet.fleet(route: call.name)
            }
        ])

    private static let settings = RouteGroup(
        line: "the settings in force; `larder params` compares them with the file",
        routes: [
            Route(
                methods: [.get], pattern: "/v1/settings", name: "settings", summary: "The settings in force.",
                answers: [RouteAnswer(200, "Each setting with its value. Secrets are hidden.", .schema(.settings))],
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
                    "Figures over time, in slots: answers by outcome, calls, errors, bytes, latency. Also calls saved.",
                parameters: HistoryRoute.parameters,
                answers: [RouteAnswer(200, "The figures.", .schema(.history)), .wrongQuestion], isLooking: true
            ) { parts, call throws(ClientFacingError) in
                try await parts.history.history(call.request, route: call.name)
            }
        ])

    private static let entries = RouteGroup(
        line:
            "[the stored entries](Docs/store.md#what-is-stored) by use or size; one entry with its head and a preview",
        routes: [
            Route(
                methods: [.get], pattern: "/v1/entries", name: "entries",
                summary: "The stored entries by use or size. Without authority, labels have no parameter values.",
                parameters: EntriesRoute.parameters,
                answers: [
                    RouteAnswer(200, "The entries.", .schema(.entries)), .wrongQuestion,
                    RouteAnswer(401, "The parameter prefix needs the admin token."),
                    RouteAnswer(503, "The store cannot be read."),
                ], refusals: [.unknownProvider, .unknownPrefix], isLooking: true
            ) { parts, call throws(ClientFacingError) in
                try await parts.entries.list(call.request, route: call.name)
            },
            Route(
                methods: [.get], pattern: "/v1/entries/{key}", name: "entries",
                summary: "One entry: its head, the beginning of its body, and related entries.",
                parameters: [
                    .path(
                        "key", "The digest of the entry's key, in base64url.", .digest,
                        example: RouteParameter.exampleDigest)
                ],
                answers: [
                    RouteAnswer(200, "The entry.", .schema(.entryDetail)), .wrongQuestion,
                    RouteAnswer(404, "There is no entry with this digest."),
                    RouteAnswer(503, "The store cannot be read."),
                ], needsAuthority: true, isLooking: true
            ) { parts, call throws(ClientFacingError) in
                try await parts.entries.detail(call.captured("key"), route: call.name)
            },
        ])

    private static let events = RouteGroup(
        line: "[changes of providers](Docs/typing.md), as server-sent events",
        routes: [
            Route(
                methods: [.get], pattern: "/v1/events", name: "events",
                summary: "Changes of the providers' reachability, suspensions and budgets, as server-sent events.",
                answers: [
                    RouteAnswer(
                        200, "A snapshot, then each change: reachability, suspension, budget.",
                        .events([
                            "snapshot": .providerSnapshot, "reachability": .providerEvent,
                            "suspension": .providerEvent, "budget": .providerEvent,
                        ])),
                    RouteAnswer(503, "Too many event streams are open."),
                ], isLooking: true
            ) { parts, call throws(ClientFacingError) in
                try await parts.events.events(call.request, route: call.name)
            }
        ])

    private static let explain = RouteGroup(
        line: "how an answer came about",
        routes: [
            Route(
                methods: [.get], pattern: "/v1/explain/{request}", name: "explain",
                summary: "How the answer with this X-Request-Id came about. Without authority, without the terms.",
                parameters: [
                    .path(
                        "request", "The X-Request-Id of an answer.", .pattern("^[0-9a-f]{1,4}-[0-9a-f]{1,15}$"),
                        example: "0-1")
                ],
                answers: [
                    RouteAnswer(200, "The decisions, explained in sentences.", .schema(.explanation)),
                    RouteAnswer(400, "This is not a request id."),
                    RouteAnswer(404, "The request is no longer remembered."),
                ], isLooking: true
            ) { parts, call throws(ClientFacingError) in
                try await parts.explain.explain(call.captured("request"), for: call.request, route: call.name)
            }
        ])

    /// Routes that change the daemon's state.
    static let changes = [purge, suspend, resume, console]

    private static let console = RouteGroup(
        line: "a one-time link to the [console](Docs/console.md), with which its owner may act there",
        routes: [
            Route(
                methods: [.post], pattern: "/v1/console/links", name: "owner",
                summary: "Make a one-time link to the console, for two minutes.",
                answers: [
                    RouteAnswer(200, "The link.", .schema(.consoleLink)), RouteAnswer(409, "No listener is on TCP."),
                ], needsAuthority: true
            ) { parts, call throws(ClientFacingError) in
                try parts.owner.link(route: call.name)
            },
            Route(
                methods: [.post], pattern: "/v1/console/tokens", name: "owner",
                summary: "The token for a link's code, for the console's page.",
                answers: [
                    RouteAnswer(200, "The token.", .schema(.consoleToken)),
                    RouteAnswer(403, "The link was used or is too old, or Origin is missing."),
                    RouteAnswer(415, "The body is not application/json."),
                ], bodies: ["application/json"]
            ) { parts, call throws(ClientFacingError) in
                try parts.owner.token(call.request, route: call.name)
            },
        ])

    private static let purge = RouteGroup(
        line: "remove stored entries, or with `soft=1` expire them",
        routes: [
            Route(
                methods: [.delete], pattern: "/v1/cache", name: "purge", summary: "Remove or expire stored entries.",
                parameters: AdminRoutes.purgeParameters,
                answers: [
                    RouteAnswer(200, "How many entries were purged.", .schema(.purge)), .wrongQuestion,
                    RouteAnswer(503, "The store could not be changed."),
                ],
                refusals: [.missingParameter, .conflict, .unknownProvider, .unknownPrefix, .unknownURL],
                needsAuthority: true
            ) { parts, call throws(ClientFacingError) in
                try await parts.admin.purge(call.request, route: call.name)
            }
        ])

    private static let suspend = RouteGroup(
        line: "stop all calls to a provider for a time",
        routes: [
            Route(
                methods: [.post], pattern: "/v1/providers/{name}/suspend", name: "suspend",
                summary: "Suspend a provider: make no calls to it for a time.",
                parameters: AdminRoutes.suspensionParameters,
                answers: [
                    RouteAnswer(200, "The provider is suspended until the given time.", .schema(.suspended)),
                    .wrongQuestion,
                    RouteAnswer(404, "There is no such provider."),
                ], needsAuthority: true
            ) { parts, call throws(ClientFacingError) in
                try await parts.admin.suspend(call.request, name: call.captured("name"), route: call.name)
            }
        ])

    private static let resume = RouteGroup(
        line: "end a provider's suspension",
        routes: [
            Route(
                methods: [.post], pattern: "/v1/providers/{name}/resume", name: "resume",
                summary: "End a provider's suspension.",
                parameters: [.path("name", "The provider's name in the configuration.", example: "itunes")],
                answers: [
                    RouteAnswer(200, "The provider may be called again.", .schema(.resumed)),
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
                summary: "Whether the daemon is alive and the store works.",
                answers: [RouteAnswer(200, "The body is ok or degraded.", .text)], isLooking: true
            ) { parts, call in
                await parts.probes.health(route: call.name)
            },
            Route(
                methods: [.get], pattern: "/readyz", name: "readyz",
                summary: "Whether the daemon is ready for requests.",
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
