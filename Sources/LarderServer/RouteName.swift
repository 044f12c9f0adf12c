// The names of routes in counters, log and explanations. Only a router makes names, from the routes it is given; the
// constants below are for requests that no router handles. Code that answers a request therefore cannot invent a label,
// and no path that a client invents becomes one.

/// The name of a route.
public struct RouteName: Sendable, Hashable {
    public let text: String

    init(_ text: String) {
        self.text = text
    }

    /// A response without a route name yet.
    public static let unnamed = RouteName("")
    /// A problem, until its route is known.
    public static let error = RouteName("error")
    /// A request that no route takes.
    public static let nowhere = RouteName("none")
    /// A path below `/raw`, with any method.
    public static let raw = RouteName("raw")
    /// A listener at a provider's root.
    public static let listener = RouteName("listener")
    /// A request through the proxy that the cache answers, and a tunnel.
    public static let proxy = RouteName("proxy")
    public static let tunnel = RouteName("tunnel")
    /// The server as a whole: `OPTIONS *`.
    public static let options = RouteName("options")
    /// Hits that were answered without a route, from memory and from the database.
    public static let memory = RouteName("memory")
    public static let store = RouteName("store")
}
