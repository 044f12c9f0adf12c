// `/mcp`: a server of the Model Context Protocol by HTTP (Streamable HTTP, 2025-11-25). It keeps no session: a message is
// a POST, and its answer is the response. `larder mcp` passes the messages of its standard input on to this route.
import LarderCore
import LarderHTTP
import LarderServer
import LarderSettings

enum MCPRoute {
    /// The versions of the protocol in which this server's messages are the same, the latest first.
    static let versions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]

    private static let instructions =
        "Larder is the cache of this machine for public APIs. Ask search first. Repeated questions cost nothing. Each "
        + "result begins with a sentence that tells results, no results, a partial answer, a stale one and a failure "
        + "apart. After a failure ask search_stored, or quota for the reason."

    static func respond(_ parts: RouteParts, _ call: RouteCall) async throws(ClientFacingError) -> ServerResponse {
        try check(call.request)
        var id: Bytes?
        do throws(MCPError) {
            guard case .request(let asked, let method, let params) = try MCPMessage(call.request.body) else {
                return ServerResponse(status: 202, route: call.name)
            }
            id = asked
            return .json(try await answer(asked, method, params, parts, call), route: call.name)
        } catch {
            // A message that cannot be read has no id that the client waits for.
            return .json(error.response(to: id), status: id == nil ? 400 : 200, route: call.name)
        }
    }

    private static func check(_ request: ServerRequest) throws(ClientFacingError) {
        try JSONBody.check(request)
        guard let version = request.fields.first("MCP-Protocol-Version") else { return }
        guard versions.contains(version) else {
            throw .invalid(
                "MCP-Protocol-Version", "This server does not speak that version of the protocol.", allowed: versions)
        }
    }

    private static func answer(
        _ id: Bytes, _ method: String, _ params: JSONValue?, _ parts: RouteParts, _ call: RouteCall
    ) async throws(MCPError) -> Bytes {
        switch method {
        case "initialize":
            let asked = params?["protocolVersion"]?.string ?? ""
            return MCPMessage.result(id) { writer in
                writer.member("protocolVersion", versions.contains(asked) ? asked : versions[0])
                writer.name("capabilities")
                writer.object { writer in
                    writer.name("tools")
                    writer.object { _ in }
                }
                writer.name("serverInfo")
                writer.object { writer in
                    writer.member("name", "larder")
                    writer.member("title", "Larder")
                    writer.member("version", LarderVersion.text)
                }
                writer.member("instructions", instructions)
            }
        case "ping": return MCPMessage.result(id) { _ in }
        case "tools/list":
            let routes = parts.routes.table.all
            return MCPMessage.result(id) { writer in
                writer.name("tools")
                writer.array { writer in
                    for tool in MCPTool.all { tool.write(routes, to: &writer) }
                }
            }
        case "tools/call":
            let result = try await run(params, parts, call)
            return MCPMessage.result(id) { result.write(to: &$0) }
        default: throw MCPError(.methodNotFound, "This server has no method \"\(method)\".")
        }
    }

    private static func run(
        _ params: JSONValue?, _ parts: RouteParts, _ call: RouteCall
    ) async throws(MCPError) -> MCPResult {
        let name = params?["name"]?.string ?? ""
        guard let tool = MCPTool.all.first(where: { $0.name == name }) else {
            let names = MCPTool.all.map(\.name).joined(separator: ", ")
            throw MCPError(.invalidParams, "There is no tool \"\(name)\". The tools are \(names).")
        }
        // What goes wrong within a tool is told to the model, which may ask better.
        var result: MCPResult
        do throws(ClientFacingError) {
            result = try await tool.run(MCPArguments(params?["arguments"], knowing: tool.arguments), parts, call)
        } catch {
            result = MCPResult(error)
        }
        if tool.leadsToExplanation { result.words += " (request \(call.request.id))" }
        return result
    }
}
