// larder explain: why an answer came from the store or from the upstream, by the rules and their sections.
import LarderCore

enum ExplainCommand {
    static let command = Subcommand(
        "explain", "tell why a request is a hit or a miss", operands: "PATH",
        details: [
            "PATH is a route of the daemon or of a pass-through provider, which is asked once, or the request id of an answer "
                + "(its field X-Request-Id), about which nothing is asked anew. The daemon remembers the last thousand or so."
        ],
        options: [
            CommandOption("--header", short: "-H", value: "FIELD", "send this field: \"Name: value\"; may be repeated"),
            CommandOption("--only-if-cached", "call no API: a miss is answered 504 and explained"),
            CommandOption("--json", "JSON on a terminal too"),
        ] + Conversation.options,
        examples: [
            ("larder explain '/v1/search?q=jack+johnson'", "ask, and tell how the answer came to be"),
            ("larder explain 0-2f", "the request with that X-Request-Id"),
        ]
    ) { invocation throws(CommandFailure) in
        let operand = try invocation.operand("path")
        let conversation = try Conversation(invocation)
        let id = RequestID(operand) != nil ? operand : try ask(operand, conversation, invocation)
        let (value, response) = try conversation.json(LocalRequest(.get, "/v1/explain/\(id)"))
        if invocation.wantsJSON {
            _ = invocation.console.write(response.body + [0x0A])
            return .done
        }
        let path = Console.printable(value["path"]?.string ?? operand)
        let status = value["status"].map { String(decoding: $0.raw, as: UTF8.self) } ?? ""
        invocation.console.line(
            invocation.console.styled(
                "\(value["method"]?.string ?? "GET") \(path.isEmpty ? "(from memory)" : path): \(status), request \(id)",
                .bold))
        let sources = value["sources"]?.elements.map { $0 } ?? []
        if sources.isEmpty { invocation.console.line("  No provider had a part in it, nor the cache.") }
        for source in sources {
            invocation.console.line("\(Console.printable(source["provider"]?.string ?? "")):")
            for sentence in source["explanation"]?.elements.map({ $0 }) ?? [] {
                invocation.console.line("  \(Console.printable(sentence.string ?? ""))")
            }
        }
        return .done
    }

    /// The path of a URL of this daemon; anything else as it is.
    private static func local(_ text: String) -> String {
        for start in ["http://127.0.0.1", "http://localhost", "http://[::1]"] where text.hasPrefix(start) {
            let path = text.dropFirst(start.count).drop { $0 == ":" || $0.isNumber }
            return path.isEmpty ? "/" : String(path)
        }
        return text
    }

    /// Asks the route; the id of its answer.
    private static func ask(
        _ path: String, _ conversation: Conversation, _ invocation: Invocation
    ) throws(CommandFailure) -> String {
        var request = LocalRequest(.get, try GetCommand.target(local(path)))
        for text in invocation.options["--header"] ?? [] { request.fields.lines.append(try GetCommand.field(text)) }
        if invocation.has("--only-if-cached") { request.fields.add("Cache-Control", "only-if-cached") }
        let response = try conversation.ask(request)
        guard let id = response.fields.first("X-Request-Id") else {
            throw CommandFailure(.broken, "the answer has no X-Request-Id: is this a Larder daemon?")
        }
        return id
    }
}
