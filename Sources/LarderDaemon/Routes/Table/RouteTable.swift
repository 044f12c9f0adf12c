// Every route of the daemon, once. Providers have theirs by what they are (`ProviderRecords`): no record names one.
import LarderCore
import LarderProviders
import LarderServer

/// The table of routes.
enum RouteTable {
    /// In the order in which they are described.
    static let groups: [RouteGroup] =
        [pages] + searches + ProviderRegistry.builtIn.map { typed($0.about) }
        + ProviderRegistry.builtIn.compactMap { signIn($0.about) } + things + changes
        + ProviderRegistry.builtIn.compactMap { uploads($0.about) } + [uploading, probes]

    static let all: [Route] = groups.flatMap(\.routes)

    /// Finds the route of a request.
    static let router: Router<Destination> = {
        var router = Router<Destination>()
        for route in all {
            guard let handler = route.handler else { continue }
            let destination = Destination(needsAuthority: route.needsAuthority, handler: handler)
            for method in route.methods {
                router.add(method, pattern: route.pattern, name: route.name, destination)
            }
        }
        return router
    }()

    /// Paths that a browser may be led to from another site.
    static let landingPaths: [String] = all.filter(\.isLanding).map(\.pattern)

    /// Whether a request of that route only looks at this daemon: `/v1/requests` does not tell of it.
    static func isLooking(_ name: RouteName) -> Bool { looking.contains(name.text) }

    private static let looking: Set<String> = Set(all.filter(\.isLooking).map(\.name))

    /// Parameters of that route whose values those with authority are told: the words of a search. Any other parameter, and
    /// any of another route, may be a credential.
    static func tellable(_ name: RouteName) -> Set<String> { searching.contains(name.text) ? searchWords : [] }

    private static let searchRoutes = all.filter { route in
        route.hasResults || route.parameters.contains { $0.place == .query && $0.name == "q" }
    }
    private static let searching: Set<String> = Set(searchRoutes.map(\.name))
    private static let searchWords: Set<String> = Set(
        searchRoutes.flatMap(\.parameters).filter { $0.place == .query }.map(\.name))

    /// Whether such a request's body is handed on as it comes. Its path is read as it is written: in another spelling the
    /// body is read whole.
    static func takesStream(_ method: Method, _ path: String) -> Bool {
        streams.contains { stream in
            stream.method == method && (stream.isWhole ? path == stream.start : path.hasPrefix(stream.start))
        }
    }

    /// What stands before the first capture of a pattern.
    private static let streams: [(method: Method, start: String, isWhole: Bool)] = all.filter(\.takesStream)
        .flatMap { route in
            let start = String(route.pattern.prefix { $0 != "{" })
            return route.methods.map { ($0, start, start == route.pattern) }
        }
}
