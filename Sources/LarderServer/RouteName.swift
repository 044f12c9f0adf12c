// What a route is called in counters, log and explanations. Only a router makes names, of the routes that it is given, and
// those below are the ways that no router knows: so no label is made up where a request is answered, and no path of a client's
// invention becomes one.

/// The name of a route.
public struct RouteName: Sendable, Hashable {
    public let text: String

    init(_ text: String) {
        self.text = text
    }

    /// Of an answer that no route has put its name on.
    public static let unnamed = RouteName("")
    /// Of a problem, until it is known whose.
    public static let error = RouteName("error")
    /// No route takes such a request.
    public static let nowhere = RouteName("none")
    /// A path below `/raw`, whatever its method.
    public static let raw = RouteName("raw")
    /// A listener that stands at a provider's root.
    public static let listener = RouteName("listener")
    /// The server as a whole: `OPTIONS *`.
    public static let options = RouteName("options")
    /// Hits that no route was asked for, from memory and from the database.
    public static let memory = RouteName("memory")
    public static let store = RouteName("store")
}
