// Routes as a tree of path segments. A literal segment takes precedence over a capture. Each route has the name that
// counters and logs use (`RouteName`).
import LarderCore

/// Finds the route of a method and a path.
public struct Router<Value: Sendable>: Sendable {
    /// A route that was found.
    public struct Match: Sendable {
        public let value: Value
        public let name: RouteName
        /// The captured segments, percent-decoded, by their names in the pattern.
        public let captures: [String: String]
        /// The capture of `{name...}` at the pattern's end: the rest of the path, still encoded, without a leading "/".
        public let rest: String?
    }

    private struct Route: Sendable {
        var value: Value
        var name: RouteName
    }

    private final class Node: Sendable {
        let literals: [String: Node]
        let capture: (name: String, node: Node)?
        let rest: (name: String, routes: [Method: Route])?
        let routes: [Method: Route]

        init(
            literals: [String: Node] = [:], capture: (name: String, node: Node)? = nil,
            rest: (name: String, routes: [Method: Route])? = nil, routes: [Method: Route] = [:]
        ) {
            self.literals = literals
            self.capture = capture
            self.rest = rest
            self.routes = routes
        }
    }

    private var root = Node()

    public init() {}

    /// Adds a route. A route for GET also answers HEAD, unless HEAD has its own route.
    /// - Parameter pattern: for example "/v1/dnd/monsters/{index}". A last segment `{path...}` captures the rest.
    public mutating func add(_ methods: Method..., pattern: String, name: String, _ value: Value) {
        let segments = pattern.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        for method in methods {
            root = Self.adding(segments[...], method, Route(value: value, name: RouteName(name)), to: root)
        }
    }

    private static func adding(_ segments: ArraySlice<String>, _ method: Method, _ route: Route, to node: Node) -> Node
    {
        var literals = node.literals
        var capture = node.capture
        var rest = node.rest
        var routes = node.routes
        if let segment = segments.first {
            if segment.hasPrefix("{"), segment.hasSuffix("...}") {
                precondition(segments.count == 1, "a rest capture ends its pattern")
                var known = rest?.routes ?? [:]
                known[method] = route
                rest = (String(segment.dropFirst().dropLast(4)), known)
            } else if segment.hasPrefix("{"), segment.hasSuffix("}") {
                let name = String(segment.dropFirst().dropLast())
                precondition(capture == nil || capture?.name == name, "one place, one capture name")
                capture = (name, adding(segments.dropFirst(), method, route, to: capture?.node ?? Node()))
            } else {
                literals[segment] = adding(segments.dropFirst(), method, route, to: literals[segment] ?? Node())
            }
        } else {
            precondition(routes[method] == nil, "a route twice: \(route.name.text)")
            routes[method] = route
        }
        return Node(literals: literals, capture: capture, rest: rest, routes: routes)
    }

    /// Returns the route for a method and a percent-encoded path.
    /// - Throws: 404; 405 with `Allow`; or 400 if the path is not text.
    public func match(_ method: Method, path: String) throws(ClientFacingError) -> Match {
        let raw = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        var segments: [String] = []
        for segment in raw {
            do {
                segments.append(try PercentCoding.decode(segment.utf8, plusIsSpace: false))
            } catch {
                throw ClientFacingError(
                    status: 400, code: "badPath", detail: "The path is not percent-encoded UTF-8 text.")
            }
        }
        var search = Search(method: method, raw: Array(raw), segments: segments)
        if path.hasPrefix("/"), let match = search.find(0, in: root, captures: [:]) { return match }
        var found = search.known
        guard !found.isEmpty else {
            throw ClientFacingError(
                status: 404, code: "noSuchRoute",
                detail: "There is no route at this path. /openapi.json lists all routes.")
        }
        if found.contains(.get) { found.insert(.head) }
        let allowed = found.map(\.name).sorted()
        throw ClientFacingError(
            status: 405, code: "methodNotAllowed",
            detail: "This path does not support the method \(method.name.prefix(32)).",
            allowed: allowed, fields: ["Allow": allowed.joined(separator: ", ")])
    }

    /// One walk down the tree.
    private struct Search {
        let method: Method
        let raw: [Substring]
        let segments: [String]
        /// The methods of all routes that match the path.
        var known: Set<Method> = []

        mutating func find(_ index: Int, in node: Node, captures: [String: String]) -> Match? {
            if index == segments.count { return pick(node.routes, captures: captures, rest: nil) }
            let segment = segments[index]
            if let next = node.literals[segment], let match = find(index + 1, in: next, captures: captures) {
                return match
            }
            if let (name, next) = node.capture, !segment.isEmpty {
                var captures = captures
                captures[name] = segment
                if let match = find(index + 1, in: next, captures: captures) { return match }
            }
            guard let rest = node.rest else { return nil }
            return pick(rest.routes, captures: captures, rest: raw[index...].joined(separator: "/"))
        }

        private mutating func pick(_ routes: [Method: Route], captures: [String: String], rest: String?) -> Match? {
            if let route = routes[method] ?? (method == .head ? routes[.get] : nil) {
                return Match(value: route.value, name: route.name, captures: captures, rest: rest)
            }
            known.formUnion(routes.keys)
            return nil
        }
    }
}
