// Every route of the daemon, once. A provider's routes follow from its properties (`ProviderRecords`), not its name.
import LarderCore
import LarderProviders
import LarderServer

/// The table of routes.
enum RouteTable {
    /// The groups, in the order of the documentation.
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

    /// The paths that a browser may be led to from another site.
    static let landingPaths: [String] = all.filter(\.isLanding).map(\.pattern)

    /// Whether requests of that route only look at this daemon. `/v1/requests` leaves them out.
    static func isLooking(_ name: RouteName) -> Bool { looking.contains(name.text) }

    private static let looking: Set<String> = Set(all.filter(\.isLooking).map(\.name))

    /// The route's parameters whose values viewers with authority may see: those of a search. Any other parameter, and
    /// any parameter of another route, may be a credential.
    static func tellable(_ name: RouteName) -> Set<String> { searching.contains(name.text) ? searchWords : [] }

    private static let searchRoutes = all.filter { route in
        route.hasResults || route.parameters.contains { $0.place == .query && $0.name == "q" }
    }
    private static let searching: Set<String> = Set(searchRoutes.map(\.name))
    private static let searchWords: Set<String> = Set(
        searchRoutes.flatMap(\.parameters).filter { $0.place == .query }.map(\.name))

    /// Whether the body of such a request is streamed. The path is compared literally; with another spelling of the
    /// path the body is read whole.
    static func takesStream(_ method: Method, _ path: String) -> Bool {
        streams.contains { stream in
            stream.method == method && (stream.isWhole ? path == stream.start : path.hasPrefix(stream.start))
        }
    }

    /// The streaming routes, each with the beginning of its pattern before the first capture.
    private static let streams: [(method: Method, start: String, isWhole: Bool)] = all.filter(\.takesStream)
        .flatMap { route in
            let start = String(route.pattern.prefix { $0 != "{" })
            return route.methods.map { ($0, start, start == route.pattern) }
        }
}
