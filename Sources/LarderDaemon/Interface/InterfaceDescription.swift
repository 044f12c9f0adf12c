// `/openapi.json`: the routes for machines (OpenAPI 3.1), written from the table of routes
// (`RouteTable`) so that it cannot lag behind them.
import LarderCore
import LarderEngine
import LarderProviders
import LarderServer
import LarderSettings

enum InterfaceDescription {
    static func response(route: RouteName) -> ServerResponse {
        var response = ServerResponse(status: 200)
        response.fields = ["Content-Type": "application/json", "Cache-Control": "private, max-age=3600"]
        response.body = .bytes(document())
        response.route = route
        return response
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
                let all = RouteTable.all.filter(\.isDescribed)
                for path in all.map(\.path).reduce(into: [String](), { if !$0.contains($1) { $0.append($1) } }) {
                    writer.name(path)
                    writer.object { writer in
                        for route in all where route.path == path { append(route, to: &writer) }
                    }
                }
            }
            InterfaceSchemas.append(to: &writer)
        }
        return writer.bytes
    }

    private static func append(_ route: Route, to writer: inout JSONWriter) {
        writer.name((route.methods.first ?? .get).name.lowercased())
        writer.object { writer in
            writer.member("summary", route.told)
            if !route.parameters.isEmpty {
                writer.name("parameters")
                writer.array { writer in
                    for parameter in route.parameters {
                        writer.object { writer in
                            writer.member("name", parameter.name)
                            writer.member("in", parameter.place.rawValue)
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
                for answer in route.answers {
                    writer.name(String(answer.status))
                    writer.object { writer in
                        writer.member("description", answer.line)
                        if answer.status == 200, route.hasResults { InterfaceSchemas.appendContent(to: &writer) }
                    }
                }
            }
        }
    }
}
