// The tools of the MCP server. A tool asks a route of this daemon and tells a model what came back. Its arguments are
// the parameters of that route, from the same records.
import LarderCore
import LarderProviders
import LarderServer

/// A tool.
struct MCPTool: Sendable {
    typealias Run = @Sendable (MCPArguments, RouteParts, RouteCall) async throws(ClientFacingError) -> MCPResult

    var name: String
    var title: String
    var description: String
    /// Arguments that no route has.
    var own: [QuestionParameter] = []
    /// The route whose parameters the tool takes.
    var route: Taken?
    /// Whether it takes a source's own parameters, as an object.
    var takesParameters = false
    /// Whether an API may be called.
    var callsAPIs = false
    let run: Run

    /// A route, and the parameters that are taken from it.
    struct Taken: Sendable {
        var pattern: String
        var parameters: [String]
    }

    /// Whether the result names its request, which the tool `explain` takes.
    var leadsToExplanation: Bool { route != nil || callsAPIs }

    /// The names of all arguments.
    var arguments: [String] {
        own.map(\.name) + (route?.parameters ?? []) + (takesParameters ? [Self.parameters] : [])
    }

    /// The argument with a source's own parameters.
    private static let parameters = "parameters"
    private static let searching = Taken(
        pattern: "/v1/search",
        parameters: ["q", "source", "category", "limit", "sort", "country", "lang", "explicit", "fields"])
    private static let searchingStored = Taken(
        pattern: "/v1/local", parameters: ["q", "source", "category", "kind", "limit", "offset", "fields"])

    static let maxBytes = QuestionParameter(
        "maxBytes", .number(100...MCPArguments.mostBytes),
        "The most bytes of data. Results that do not fit are left out whole.", default: "\(MCPArguments.usualBytes)")
    private static let sourceName = QuestionParameter(
        "source", .text(), "The name of one source, such as itunes.", example: "itunes")

    static let all = [search, stored, questions, ask, get, quota, explain]

    private static let search = MCPTool(
        name: "search", title: "Search several sources",
        description: "Searches music, films, books, news, posts, rules of games and other sources at once. The answer "
            + "comes from the cache of this machine if it is there. It says whether nothing was found or a source "
            + "failed.", own: [maxBytes],
        route: searching, callsAPIs: true
    ) { arguments, parts, call throws(ClientFacingError) in
        try await results(of: searching, arguments, parts, call)
    }

    private static let stored = MCPTool(
        name: "search_stored", title: "Search what is stored",
        description: "Full-text search of all results that this machine has stored. Calls no API, and works without a "
            + "network.", own: [maxBytes],
        route: searchingStored
    ) { arguments, parts, call throws(ClientFacingError) in
        try await results(of: searchingStored, arguments, parts, call, isStored: true)
    }

    private static let questions = MCPTool(
        name: "list_questions", title: "List sources and their questions",
        description: "Lists the sources. With a source: every question that can be put to it with ask_source, with its "
            + "parameters.", own: [sourceName]
    ) { arguments, parts, _ throws(ClientFacingError) in
        let abouts = parts.routes.table.providers.map(\.about)
        guard let name = try arguments.text(sourceName.name) else {
            return MCPResult(
                words: abouts.map { "\($0.name) (\($0.title)): \($0.offers)." }.joined(separator: "\n"))
        }
        let about = try source(name, parts)
        let lines = about.endpoints.filter { $0.name != "other" }.map { endpoint in
            (["\(endpoint.route): \(endpoint.summary)"]
                + (endpoint.captures + endpoint.parameters).map { "  \($0.name): \($0.line)\(allowed($0.form))" })
                .joined(separator: "\n")
        }
        return MCPResult(words: "Questions of \(about.title):", data: Bytes(text: lines.joined(separator: "\n")))
    }

    private static let ask = MCPTool(
        name: "ask_source", title: "Ask one source",
        description:
            "Puts one question to one source: a lookup, a list, one thing by its id. list_questions tells what "
            + "can be asked.",
        own: [
            sourceName.required,
            QuestionParameter(
                "question", .text(), "The question, as list_questions writes it, with values in place of {names}.",
                example: "monsters/aboleth"
            ).required, maxBytes,
        ], takesParameters: true, callsAPIs: true
    ) { arguments, parts, call throws(ClientFacingError) in
        let about = try source(try arguments.required(sourceName.name), parts)
        let path = try arguments.required("question").split(separator: "/", omittingEmptySubsequences: true)
            .map { PercentCoding.encode(String($0)) }.joined(separator: "/")
        let query = try arguments.parameters(parameters)
        let end = query.items.isEmpty ? "" : "?\(query.encoded)"
        return try await results("/v1/\(about.routePrefix)/\(path)\(end)", arguments, parts, call)
    }

    private static let get = MCPTool(
        name: "get", title: "Get a URL of a configured API",
        description: "The answer of an API to one URL, through the cache. Only APIs that Larder is configured for are "
            + "asked.",
        own: [
            QuestionParameter(
                "url", .text(longest: MCPContent.longestURL), "The API's own URL, or a path /raw/NAME/….",
                example: "https://itunes.apple.com/search?term=dragon"
            ).required,
            QuestionParameter("storedOnly", .flag, "Whether to take only what is stored, without a call."), maxBytes,
        ], callsAPIs: true
    ) { arguments, parts, call throws(ClientFacingError) in
        try await MCPContent.get(arguments, parts, call)
    }

    private static let quota = MCPTool(
        name: "quota", title: "Budgets and states of the sources",
        description: "For each source: whether it can be reached, its last failure, and how many calls are left."
    ) { _, parts, call throws(ClientFacingError) in
        MCPContent.quota(try await MCPContent.json("/v1/status", parts, call))
    }

    private static let explain = MCPTool(
        name: "explain", title: "Explain an answer",
        description:
            "Why an answer was a hit, a miss, stale or not stored. It takes a request id, not a URL: the sentence of each search, question and URL ends with it.",
        own: [QuestionParameter("request", .text(), "The request id, such as 0-7.", example: "0-1").required]
    ) { arguments, parts, call throws(ClientFacingError) in
        let id = PercentCoding.encode(try arguments.required("request"))
        return MCPContent.explanation(try await MCPContent.json("/v1/explain/\(id)", parts, call))
    }

    // MARK: What several tools do

    private static func results(
        of route: Taken, _ arguments: MCPArguments, _ parts: RouteParts, _ call: RouteCall, isStored: Bool = false
    ) async throws(ClientFacingError) -> MCPResult {
        let target = try arguments.target(route.pattern, route.parameters)
        return try await results(target, arguments, parts, call, isStored: isStored)
    }

    private static func results(
        _ target: String, _ arguments: MCPArguments, _ parts: RouteParts, _ call: RouteCall, isStored: Bool = false
    ) async throws(ClientFacingError) -> MCPResult {
        let limit = try arguments.maxBytes()
        let value = try await MCPContent.json(target, parts, call)
        guard value["results"]?.kind == .array else {
            throw .invalid("question", "This is no question with results. list_questions tells what can be asked.")
        }
        return MCPResult(envelope: value, isStored: isStored, atMost: limit)
    }

    private static func source(_ name: String, _ parts: RouteParts) throws(ClientFacingError) -> ProviderAbout {
        let abouts = parts.routes.table.providers.map(\.about)
        let found = abouts.first { ([$0.name, $0.routePrefix] + $0.shortNames).contains(name) }
        guard let found else {
            throw .invalid("source", "There is no source named \"\(name)\".", allowed: abouts.map(\.name))
        }
        return found
    }

    private static func allowed(_ form: ParameterForm) -> String {
        switch form {
        case .choice(let words): " One of: \(words.joined(separator: ", "))."
        case .number(let range): " From \(range.lowerBound) to \(range.upperBound)."
        case .flag: " yes or no."
        case .text, .pattern, .any: ""
        }
    }
}

extension MCPTool {
    /// Writes the tool for `tools/list`.
    func write(_ routes: [Route], to writer: inout JSONWriter) {
        let given = routes.first { $0.pattern == route?.pattern }?.parameters.map(\.record) ?? []
        let records = own + (route?.parameters ?? []).compactMap { name in given.first { $0.name == name } }
        writer.object { writer in
            writer.member("name", name)
            writer.member("title", title)
            writer.member("description", description)
            writer.name("inputSchema")
            writer.object { writer in
                writer.member("type", "object")
                writer.name("properties")
                writer.object { writer in
                    for record in records {
                        writer.name(record.name)
                        record.schema.write(record.line, to: &writer)
                    }
                    if takesParameters {
                        writer.name(Self.parameters)
                        InterfaceSchema.map(.any).write("The question's parameters, by name.", to: &writer)
                    }
                }
                let required = records.filter(\.isRequired).map(\.name)
                if !required.isEmpty { writer.member("required", strings: required) }
                writer.member("additionalProperties", false)
            }
            writer.name("annotations")
            writer.object { writer in
                writer.member("readOnlyHint", true)
                writer.member("openWorldHint", callsAPIs)
            }
        }
    }
}
