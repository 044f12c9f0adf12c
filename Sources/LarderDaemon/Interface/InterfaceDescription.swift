// `/openapi.json`: the routes in machine-readable form (OpenAPI 3.1). It is written from the route table
// (`RouteTable`), so the two cannot differ.
import LarderCore
import LarderEngine
import LarderHTTP
import LarderProviders
import LarderServer
import LarderSettings

enum InterfaceDescription {
    /// - Parameter document: `document(of:)` of the table in force.
    static func response(_ document: Bytes, route: RouteName) -> ServerResponse {
        var response = ServerResponse(status: 200)
        response.fields = ["Content-Type": "application/json", "Cache-Control": "private, max-age=60"]
        response.body = .bytes(document)
        response.route = route
        return response
    }

    /// The responses that any request may get before its route is asked, or instead of the route's own.
    static let common: [RouteAnswer] = [
        RouteAnswer(400, "The request is malformed."),
        RouteAnswer(
            403, "The request comes from a page of another site, or needs authority and no token is configured."),
        RouteAnswer(405, "The path does not support the method. Allow lists the supported ones."),
        RouteAnswer(408, "The request did not arrive in time."), RouteAnswer(413, "The body is too large."),
        RouteAnswer(414, "The target is too long."), RouteAnswer(421, "The Host field does not name this daemon."),
        RouteAnswer(431, "The fields are too large."), RouteAnswer(500, "An internal error of the daemon."),
        RouteAnswer(503, "The daemon is stopping or overloaded."),
    ]
    private static let conditional: [RouteAnswer] = [
        RouteAnswer(206, "The requested range."), RouteAnswer(304, "The client's copy is current."),
        RouteAnswer(412, "The client's condition does not hold."),
        RouteAnswer(416, "The range cannot be satisfied."),
    ]
    private static let unauthorised = RouteAnswer(401, "The admin token is needed.")

    /// All responses of a route, sorted by status. The route's own replace the common ones.
    static func answers(of route: Route) -> [RouteAnswer] {
        let further =
            (route.takesConditions ? conditional : []) + (route.needsAuthority ? [unauthorised] : []) + common
        let told = Set(route.answers.map(\.status))
        return (route.answers + further.filter { !told.contains($0.status) }).sorted { $0.status < $1.status }
    }

    /// The description of all routes of a table.
    static func document(of table: RouteTable = .builtIn) -> Bytes {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("openapi", "3.1.0")
            writer.name("info")
            writer.object { writer in
                writer.member("title", "Larder")
                writer.member("version", LarderVersion.text)
                writer.member("summary", "A local cache for searches and artwork.")
                writer.member("description", introduction)
                writer.name("license")
                writer.object { writer in
                    writer.member("name", "Apache-2.0")
                    writer.member("identifier", "Apache-2.0")
                }
            }
            writer.name("servers")
            writer.array { writer in
                for (url, line) in [
                    ("/", "The listener that this document came from."),
                    ("http://localhost:8787", "The usual listener. The same routes are on the Unix socket."),
                ] {
                    writer.object { writer in
                        writer.member("url", url)
                        writer.member("description", line)
                    }
                }
            }
            append(tagsOf: table, to: &writer)
            append(pathsOf: table, to: &writer)
            append(componentsOf: table, to: &writer)
        }
        return writer.bytes
    }

    private static let introduction = """
        Every GET route answers HEAD too. Errors are application/problem+json (RFC 9457). A list is one value with \
        commas, or one value for each time its name is given. On the Unix socket, root, the daemon's own user and \
        admin.users have authority without a token. Schemas show the usual spelling of values: words are also taken in \
        another letter case, and white space around a value has no meaning. x-aliases are other names of a parameter. x-refusals are reasons \
        to refuse a request although each of its parameters is allowed.
        """

    private static func append(tagsOf table: RouteTable, to writer: inout JSONWriter) {
        writer.name("tags")
        writer.array { writer in
            var told: Set<String> = []
            for group in table.groups {
                for name in group.routes.filter(\.isDescribed).map(\.name) where told.insert(name).inserted {
                    writer.object { writer in
                        writer.member("name", name)
                        writer.member("description", PlainLink.text(group.line))
                    }
                }
            }
        }
    }

    private static func append(pathsOf table: RouteTable, to writer: inout JSONWriter) {
        writer.name("paths")
        writer.object { writer in
            let all = table.all.filter(\.isDescribed)
            for path in all.map(\.path).reduce(into: [String](), { if !$0.contains($1) { $0.append($1) } }) {
                writer.name(path)
                writer.object { writer in
                    for route in all where route.path == path { InterfaceOperation.append(route, to: &writer) }
                }
            }
        }
    }

    private static func append(componentsOf table: RouteTable, to writer: inout JSONWriter) {
        writer.name("components")
        writer.object { writer in
            writer.name("schemas")
            writer.object { writer in
                for component in InterfaceComponent.allCases {
                    writer.name(component.rawValue)
                    InterfaceSchemas.schema(of: component).write(to: &writer)
                }
                for (name, schema) in InterfaceResultSchemas.all(of: table.providers) {
                    writer.name(name)
                    schema.write(to: &writer)
                }
            }
            writer.name("securitySchemes")
            writer.object { writer in
                writer.name("token")
                writer.object { writer in
                    writer.member("type", "http")
                    writer.member("scheme", "bearer")
                    writer.member(
                        "description",
                        "The setting admin.token. Trusted users on the Unix socket need no token.")
                }
            }
        }
    }
}

/// A line of the reference's table without its links.
enum PlainLink {
    static func text(_ line: String) -> String {
        line.replacing(#/\[([^\]]*)\]\([^)]*\)/#) { $0.output.1 }.replacing("`", with: "")
    }
}
