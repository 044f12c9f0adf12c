// larder explain: tells why a response came from the store or from the upstream, by the rules and their sections.
import LarderCore

enum ExplainCommand {
    static let command = Subcommand(
        "explain", "explain why a request is a hit or a miss", operands: "PATH",
        details: [
            "PATH is a route of the daemon, such as /v1/search?q=x, or of a pass-through provider, such as "
                + "/raw/weather/v1/forecast. It is requested once, which may make a call to the API; with "
                + "--only-if-cached it makes none.",
            "Instead of PATH, the request id of an answer (its field X-Request-Id) explains that answer without a new "
                + "request. The daemon remembers about a thousand requests.",
        ],
        options: [
            CommandOption("--header", short: "-H", value: "FIELD", "send this field: \"Name: value\"; may be repeated"),
            CommandOption("--only-if-cached", "call no API: a miss is answered with 504 and explained"),
            CommandOption("--json", "JSON on a terminal too"),
        ] + Conversation.options,
        examples: [
            ("larder explain '/v1/search?q=jack+johnson'", "make the request, and explain its answer"),
            ("larder explain --only-if-cached '/v1/search?q=jack+johnson'", "the same without a call"),
            ("larder explain 0-2f", "the request with that X-Request-Id"),
        ]
    ) { invocation throws(CommandFailure) in
        let operand = try invocation.operand("path")
        guard operand.contains("/") || RequestID(operand) != nil else {
            throw CommandFailure(
                .usage, "\"\(operand)\" is neither a path nor a request id",
                advice: "A path begins with \"/\": larder explain '/v1/search?q=jack+johnson'. "
                    + "A request id is that of X-Request-Id, such as 0-2f.")
        }
        let conversation = try Conversation(invocation)
        let asked = RequestID(operand) != nil ? nil : try ask(operand, conversation, invocation)
        let id = asked?.id ?? operand
        let (value, response) = try explanation(of: id, asked, conversation)
        let sources = value["sources"]?.elements.map { $0 } ?? []
        if sources.isEmpty, let problem = value["problem"] {
            throw refusal(Problem(problem, status: value["status"]?.integer ?? 400))
        }
        if invocation.wantsJSON {
            _ = invocation.console.show(response.body + [0x0A])
            return .done
        }
        // The record of a memory hit has no target, and the path of a built-in API lacks its route prefix.
        let path = Console.printable(asked?.target ?? value["path"]?.string ?? operand)
        let status = value["status"].map { String(decoding: $0.raw, as: UTF8.self) } ?? ""
        invocation.console.line(
            invocation.console.styled(
                "\(value["method"]?.string ?? "GET") \(path.isEmpty ? "(from memory)" : path): \(status), request \(id)",
                .bold))
        if sources.isEmpty { invocation.console.line("  Neither a provider nor the cache took part in it.") }
        for source in sources {
            invocation.console.line("\(Console.printable(source["provider"]?.string ?? "")):")
            for sentence in source["explanation"]?.elements.map({ $0 }) ?? [] {
                invocation.console.line("  \(Console.printable(sentence.string ?? ""))")
            }
        }
        let bars = TimelineBars(value).lines(width: invocation.console.width)
        if !bars.isEmpty { invocation.console.line() }
        for line in bars { invocation.console.line(line) }
        return .done
    }

    /// A request that this command made in order to explain it.
    private struct Asked {
        var target: String
        var id: String
        var response: DaemonResponse
    }

    private static func explanation(
        of id: String, _ asked: Asked?, _ conversation: Conversation
    ) throws(CommandFailure) -> (value: JSONValue, response: DaemonResponse) {
        // A listener bound to one provider passes every path on. `only-if-cached` keeps it from calling its API. The
        // daemon's own route ignores it.
        let response = try conversation.ask(
            DaemonRequest(.get, "/v1/explain/\(id)", fields: ["Cache-Control": "only-if-cached"]))
        let value = try? JSON.parse(response.body)
        let code = value?["code"]?.string
        if let asked, asked.response.status >= 400, response.status == 404, code == "unknownRequest" {
            // The request was refused before it was recorded, like a request from another site's page.
            throw refusal(Problem(asked.response))
        }
        let isProblem = response.status >= 400 && code != nil && code != "notStored"
        if isProblem { throw Problem(response).asFailure }
        guard response.status == 200, let value, value["sources"] != nil,
            let named = value["requestId"]?.string, RequestID(named) == RequestID(id)
        else {
            throw CommandFailure(
                .broken, "the answer is not an explanation (status \(response.status))",
                advice: "Is --url a listener of one provider? Explanations are at the daemon's own address.")
        }
        return (value, response)
    }

    /// The failure of a request that was wrong, so there is nothing to explain; for example, an unknown provider.
    private static func refusal(_ problem: Problem) -> CommandFailure {
        var failure = problem.asFailure
        if problem.status == 404 { failure.status = .usage }
        return failure
    }

    /// The path of a URL of this daemon. Any other text is unchanged.
    private static func local(_ text: String) -> String {
        for start in ["http://127.0.0.1", "http://localhost", "http://[::1]"] where text.hasPrefix(start) {
            let path = text.dropFirst(start.count).drop { $0 == ":" || $0.isNumber }
            return path.isEmpty ? "/" : String(path)
        }
        return text
    }

    /// Sends the request to be explained.
    private static func ask(
        _ path: String, _ conversation: Conversation, _ invocation: Invocation
    ) throws(CommandFailure) -> Asked {
        var request = DaemonRequest(.get, try GetCommand.target(local(path)))
        for text in invocation.options["--header"] ?? [] { request.fields.add(try GetCommand.field(text)) }
        if invocation.has("--only-if-cached") { request.fields.add(.cacheControl, "only-if-cached") }
        let response = try conversation.ask(request)
        guard let id = response.fields.first(.xRequestID) else {
            throw CommandFailure(.broken, "the answer has no X-Request-Id: is this a Larder daemon?")
        }
        return Asked(target: request.target, id: id, response: response)
    }
}
