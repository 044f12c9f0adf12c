// Every route of the daemon, once. A provider's routes follow from its properties (`ProviderRecords`), not its name. The
// table is made from the providers of the settings in force, because a user's file may describe further ones.
import LarderCore
import LarderProviders
import LarderServer

/// The table of routes.
struct RouteTable: Sendable {
    /// The table without providers of a user's own.
    static let builtIn = RouteTable(ProviderRegistry.builtIn)

    /// The providers with typed routes.
    let providers: [any Provider]
    /// Finds the route of a request.
    let router: Router<Destination>
    private let looking: Set<String>
    private let searching: Set<String>
    private let searchWords: Set<String>
    /// The streaming routes, each with the beginning of its pattern before the first capture.
    private let streams: [(method: Method, start: String, isWhole: Bool)]

    init(_ providers: [any Provider]) {
        self.providers = providers
        let all = Self.groups(of: providers).flatMap(\.routes)
        router = Self.router(all)
        looking = Set(all.filter(\.isLooking).map(\.name))
        let searchRoutes = all.filter { route in
            route.hasResults || route.parameters.contains { $0.place == .query && $0.record.name == "q" }
        }
        searching = Set(searchRoutes.map(\.name))
        searchWords = Set(searchRoutes.flatMap(\.parameters).filter { $0.place == .query }.map(\.record.name))
        streams = all.filter(\.takesStream).flatMap { route in
            let start = String(route.pattern.prefix { $0 != "{" })
            return route.methods.map { ($0, start, start == route.pattern) }
        }
    }

    private static func groups(of providers: [any Provider]) -> [RouteGroup] {
        let abouts = providers.map(\.about)
        return [pages] + searches(of: providers) + abouts.map(typed) + abouts.compactMap(signIn)
            + things + changes + abouts.compactMap(uploads) + [uploading, probes]
    }

    /// The groups, in the order of the documentation. Made for each who asks: what they say of parameters and answers
    /// takes more than a megabyte, and no request needs it.
    var groups: [RouteGroup] { Self.groups(of: providers) }

    var all: [Route] { groups.flatMap(\.routes) }

    private static func router(_ routes: [Route]) -> Router<Destination> {
        var router = Router<Destination>()
        for route in routes {
            guard let handler = route.handler else { continue }
            let destination = Destination(needsAuthority: route.needsAuthority, handler: handler)
            for method in route.methods {
                router.add(method, pattern: route.pattern, name: route.name, destination)
            }
        }
        return router
    }

    /// The paths that a browser may be led to from another site. Providers of a user's own have none.
    static var landingPaths: [String] {
        ([pages] + ProviderRegistry.builtIn.map(\.about).compactMap(signIn)).flatMap(\.routes)
            .filter(\.isLanding).map(\.pattern)
    }

    /// Whether requests of that route only look at this daemon. `/v1/requests` leaves them out.
    func isLooking(_ name: RouteName) -> Bool { looking.contains(name.text) }

    /// The route's parameters whose values viewers with authority may see: those of a search. Any other parameter, and
    /// any parameter of another route, may be a credential.
    func tellable(_ name: RouteName) -> Set<String> { searching.contains(name.text) ? searchWords : [] }

    /// Whether the body of such a request is streamed. The path is compared literally; with another spelling of the
    /// path the body is read whole.
    func takesStream(_ method: Method, _ path: String) -> Bool {
        streams.contains { stream in
            stream.method == method && (stream.isWhole ? path == stream.start : path.hasPrefix(stream.start))
        }
    }
}
