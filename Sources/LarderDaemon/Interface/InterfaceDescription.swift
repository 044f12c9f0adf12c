// `/openapi.json`: the routes for machines (OpenAPI 3.1), written from the providers' own tables so that it cannot lag
// behind them.
import LarderCore
import LarderEngine
import LarderProviders
import LarderServer
import LarderSettings

enum InterfaceDescription {
    static func response(route: String) -> ServerResponse {
        var response = ServerResponse(status: 200)
        response.fields = ["Content-Type": "application/json", "Cache-Control": "private, max-age=3600"]
        response.body = .bytes(document())
        response.route = route
        return response
    }

    private struct Path {
        var path: String
        var method = "get"
        var summary: String
        /// Name, where it stands, whether it is needed, what it may be.
        var parameters: [(name: String, place: String, isRequired: Bool, allowed: [String])] = []
        var statuses: [(Int, String)] = [(200, "The answer.")]
        /// A success is an envelope of results.
        var hasResults: Bool { parameters.contains { $0.name == "fields" } }
    }

    static func document() -> Bytes {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("openapi", "3.1.0")
            writer.name("info")
            writer.object { writer in
                writer.member("title", "Larder")
                writer.member("version", LarderVersion.text)
                writer.member("summary", "One local cache for searches and artwork.")
            }
            writer.name("paths")
            writer.object { writer in
                let all = paths()
                for path in all.map(\.path).reduce(into: [String](), { if !$0.contains($1) { $0.append($1) } }) {
                    writer.name(path)
                    writer.object { writer in
                        for operation in all where operation.path == path { append(operation, to: &writer) }
                    }
                }
            }
            InterfaceSchemas.append(to: &writer)
        }
        return writer.bytes
    }

    private static func paths() -> [Path] {
        let sources = ProviderRegistry.builtIn.flatMap { [$0.about.name] + $0.about.shortNames }
        let categories = ProviderRegistry.builtIn.flatMap(\.about.categories)
        let failures = [
            (400, "A parameter is unknown, missing or not allowed; the problem names it."),
            (429, "The provider's budget is spent and nothing is stored; Retry-After tells when."),
            (502, "The provider failed or refused, and nothing is stored."),
            (503, "The provider rests after failures or is not configured."),
            (504, "The provider was too slow, or only-if-cached found nothing."),
        ]
        let session = TypingRoute.parameters
        let outdated = [(409, "A newer request of the same X-Larder-Session took this one's place.")]
        var paths = [
            Path(
                path: "/v1/search", summary: "One search over one or several sources.",
                parameters: [
                    ("q", "query", true, []), ("source", "query", false, sources),
                    ("category", "query", false, categories), ("limit", "query", false, []),
                    ("sort", "query", false, SortOrder.allCases.map(\.rawValue)), ("country", "query", false, []),
                    ("lang", "query", false, []), ("explicit", "query", false, ["yes", "no"]),
                ] + ResultShape.described + session,
                statuses: [
                    (200, "Results, or none; partial when a source failed."),
                    (202, "With Prefer: respond-async: it goes on at Location."),
                ] + failures + outdated)
        ]
        let allowed = ["source": sources, "category": categories, "fields": ResultProjection.names]
        paths.append(
            Path(
                path: "/v1/local", summary: "Full text over every stored result; no API is asked.",
                parameters: LocalQuestion.parameters.map { name in
                    (name, "query", name == "q", allowed[name] ?? [])
                },
                statuses: [
                    (200, "Results, or none."), failures[0],
                    (503, "The search took too long, too many wait, or there is no database at the moment."),
                ]))
        paths += liveSearches
        for provider in ProviderRegistry.builtIn {
            for endpoint in provider.about.endpoints where endpoint.name != "other" {
                paths.append(
                    Path(
                        path: "/v1/\(provider.about.routePrefix)/\(endpoint.route)", summary: endpoint.summary,
                        parameters: endpoint.route.split(separator: "/").filter { $0.hasPrefix("{") }
                            .map { (String($0.dropFirst().dropLast()), "path", true, []) } + ResultShape.described
                            + session,
                        statuses: [
                            (200, "Results, or none."), (202, "With Prefer: respond-async: it goes on at Location."),
                        ] + failures + outdated))
            }
        }
        for about in ProviderRegistry.builtIn.map(\.about) where about.signIn != nil {
            let root = "/v1/\(about.routePrefix)"
            paths += [
                Path(
                    path: "\(root)/oauth/start", summary: "Begin a sign-in: where to send a person; needs authority.",
                    parameters: [
                        ("response_type", "query", false, about.signIn?.responseTypes.map(\.rawValue) ?? [])
                    ]),
                Path(path: "\(root)/oauth/callback", summary: "The page that ends a sign-in in the browser."),
                Path(
                    path: "\(root)/oauth/tokens", method: "post",
                    summary: "What that page found; needs its one-time state and a same-origin Origin.",
                    statuses: [(200, "Signed in."), (403, "The state is none of ours, is over or was used.")]),
                Path(path: "\(root)/account", summary: "Who is signed in; never a token."),
                Path(path: "\(root)/account", method: "delete", summary: "Sign out; needs authority."),
            ]
        }
        paths += [
            Path(
                path: "/v1/artwork/{handle}", summary: "An image that a result named.",
                parameters: [("handle", "path", true, [])],
                statuses: [
                    (200, "The image."), (206, "A part of it."), (304, "Not modified."), (404, "No such image."),
                ]),
            Path(
                path: "/raw/{provider}/{path}", summary: "The API's own answer through the cache.",
                parameters: [("provider", "path", true, []), ("path", "path", true, [])]),
            Path(path: "/v1/status", summary: "Providers, budgets, store and memory."),
            Path(
                path: "/v1/events",
                summary: "Reachability, suspensions and budgets of providers, as server-sent events.",
                statuses: [
                    (200, "A snapshot, then each change: reachability, suspension, budget."),
                    (503, "As many event streams are open as are permitted."),
                ]),
            Path(
                path: "/v1/explain/{request}", summary: "Why the answer with that X-Request-Id was what it was.",
                parameters: [("request", "path", true, [])]),
            Path(
                path: "/v1/cache", method: "delete", summary: "Purge; needs authority.",
                parameters: [
                    ("all", "query", false, ["1"]), ("provider", "query", false, []), ("term", "query", false, []),
                    ("url", "query", false, []), ("key", "query", false, []), ("soft", "query", false, ["1"]),
                ]),
            Path(
                path: "/v1/providers/{name}/resume", method: "post", summary: "End a suspension; needs authority.",
                parameters: [("name", "path", true, [])]),
        ]
        paths += uploads
        paths += [
            Path(path: "/healthz", summary: "Alive, and whether the store works."),
            Path(path: "/readyz", summary: "Ready for requests."),
            Path(path: "/metrics", summary: "Counters in the Prometheus text format."),
        ]
        return paths
    }

    private static let liveSearches: [Path] = {
        let id = [(name: "id", place: "path", isRequired: true, allowed: [String]())]
        let unknown = (404, "There is no such search, or none any more.")
        return [
            Path(
                path: "/v1/searches/{id}", summary: "A search begun with Prefer: respond-async, as it stands.",
                parameters: id, statuses: [(200, "Its state and the results so far."), unknown]),
            Path(
                path: "/v1/searches/{id}", method: "delete", summary: "Cancel it; its id is the authority.",
                parameters: id, statuses: [(200, "Its state; one that had ended stays as it was."), unknown]),
            Path(
                path: "/v1/searches/{id}/events",
                summary: "The same as server-sent events: each source's results when they arrive.", parameters: id,
                statuses: [
                    (200, "text/event-stream: \"state\", a \"source\" for each, \"state\" at the end."),
                    (204, "Last-Event-ID names the last one."), unknown,
                    (503, "Too many event streams are open."),
                ]),
        ]
    }()

    private static var uploads: [Path] {
        let fields = ImgurUploadFields.names.map { (name: $0, place: "query", isRequired: false, allowed: [String]()) }
        let id = [(name: "id", place: "path", isRequired: true, allowed: [String]())]
        let refusals = [
            (400, "The form is malformed, or Imgur refuses the file."), (409, "The upload's state does not allow it."),
            (413, "Too large."), (415, "No picture or film, or base64 or a URL."),
            (502, "Imgur failed or refused; nothing is sent again."), (503, "Too many uploads, or not configured."),
        ]
        let made = [(200, "The upload's state."), (404, "No such upload."), (409, "Its state does not allow that.")]
        return [
            Path(
                path: ImgurRoutes.images, method: "post", summary: "Upload, or begin an upload; needs authority.",
                parameters: fields, statuses: [(201, "Uploaded, or begun: see Location.")] + refusals),
            Path(
                path: "\(ImgurRoutes.images)/{deletehash}", method: "delete",
                summary: "Take a picture down; needs authority.", parameters: [("deletehash", "path", true, [])],
                statuses: [(200, "Deleted."), (404, "Imgur knows no such picture.")]),
            Path(
                path: "/v1/uploads/{id}/content", method: "put", summary: "Bring an upload's file; needs authority.",
                parameters: id, statuses: [(200, "Uploaded.")] + refusals),
            Path(
                path: "/v1/uploads/{id}", summary: "An upload's state; needs authority.", parameters: id, statuses: made
            ),
            Path(
                path: "/v1/uploads/{id}", method: "delete", summary: "Cancel an upload; needs authority.",
                parameters: id, statuses: made),
            Path(
                path: "/v1/uploads/{id}/events", summary: "An upload's states and progress as server-sent events.",
                parameters: id, statuses: [(200, "Events."), (404, "No such upload.")]),
            Path(
                path: "/v1/uploads/{id}/pause", method: "post", summary: "Pause an upload; needs authority.",
                parameters: id, statuses: made),
            Path(
                path: "/v1/uploads/{id}/resume", method: "post", summary: "Let an upload go on; needs authority.",
                parameters: id, statuses: made),
        ]
    }

    private static func append(_ path: Path, to writer: inout JSONWriter) {
        writer.name(path.method)
        writer.object { writer in
            writer.member("summary", path.summary)
            if !path.parameters.isEmpty {
                writer.name("parameters")
                writer.array { writer in
                    for parameter in path.parameters {
                        writer.object { writer in
                            writer.member("name", parameter.name)
                            writer.member("in", parameter.place)
                            writer.member("required", parameter.isRequired)
                            writer.name("schema")
                            writer.object { writer in
                                writer.member("type", "string")
                                if !parameter.allowed.isEmpty { writer.member("enum", strings: parameter.allowed) }
                            }
                        }
                    }
                }
            }
            writer.name("responses")
            writer.object { writer in
                for (status, description) in path.statuses {
                    writer.name(String(status))
                    writer.object { writer in
                        writer.member("description", description)
                        if status == 200, path.hasResults { InterfaceSchemas.appendContent(to: &writer) }
                    }
                }
            }
        }
    }
}
