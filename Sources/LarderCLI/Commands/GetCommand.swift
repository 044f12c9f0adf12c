// larder get: prints the response of any route of the daemon, byte for byte.
import LarderCore

enum GetCommand {
    static let command = Subcommand(
        "get", "print the answer of any route", operands: "PATH",
        details: [
            "PATH is a route such as /v1/status, or a raw one such as /raw/itunes/search?term=x: the API's own bytes, "
                + "cached. Characters that a URL cannot have are encoded. The body is printed with any status. The "
                + "exit status tells whether it was an error. On a terminal JSON is indented and coloured."
        ],
        options: [
            CommandOption("--include", short: "-i", "print the status line and the fields first"),
            CommandOption("--head", short: "-I", "get only the status line and the fields"),
            CommandOption("--header", short: "-H", value: "FIELD", "send this field: \"Name: value\"; may be repeated"),
        ] + Conversation.options,
        examples: [
            ("larder get /v1/dnd/monsters/aboleth", "one record"),
            ("larder get -i '/raw/itunes/search?term=jack+johnson'", "the API's own answer, with Cache-Status and Age"),
            ("larder get -H 'Cache-Control: only-if-cached' '/v1/search?q=x'", "only what is in the cache"),
        ]
    ) { invocation throws(CommandFailure) in
        let target = try target(try invocation.operand("path"))
        var request = DaemonRequest(invocation.has("--head") ? .head : .get, target)
        for text in invocation.options["--header"] ?? [] { request.fields.add(try field(text)) }
        let response = try Conversation(invocation).ask(request)
        var out = Bytes()
        if invocation.has("--include") || invocation.has("--head") {
            out += Bytes(text: "HTTP/1.1 \(response.status) \(response.reason)\r\n")
            for field in response.fields {
                out += Bytes(text: "\(field.name): ")
                HeaderField.append(field.value, to: &out)
                out += Bytes(text: "\r\n")
            }
            out += Bytes(text: "\r\n")
        }
        if invocation.console.isTerminal, let value = json(response) {
            _ = invocation.console.show(out)
            invocation.console.line(JSONDisplay(invocation.console).text(value))
            return response.status < 400 ? .done : Problem(response).exitStatus
        }
        out += response.body
        if invocation.console.isTerminal, let last = response.body.last, last != 0x0A { out.append(0x0A) }
        _ = invocation.console.show(out)
        return response.status < 400 ? .done : Problem(response).exitStatus
    }

    /// The body of a JSON response; nil for any other.
    private static func json(_ response: DaemonResponse) -> JSONValue? {
        guard response.fields.first(.contentType)?.contains("json") == true,
            !response.fields.contains(.contentEncoding)
        else { return nil }
        return try? JSON.parse(response.body)
    }

    /// The path as a request target: it begins with "/" and contains only printable ASCII (RFC 9112 §3.2.1).
    static func target(_ text: String) throws(CommandFailure) -> String {
        let path = text.hasPrefix("/") ? text : "/\(text)"
        guard !text.lowercased().hasPrefix("http://"), !text.lowercased().hasPrefix("https://") else {
            throw CommandFailure(
                .usage, "PATH must be a path of the daemon, not a URL: \(text)",
                advice: "Give the daemon's address with --url.")
        }
        return path.utf8.map { byte in
            byte > 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x3C && byte != 0x3E && byte != 0x23
                ? String(decoding: [byte], as: UTF8.self)
                : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    /// Parses "Name: value" as a field.
    static func field(_ text: String) throws(CommandFailure) -> HeaderField {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex,
            text[..<colon].utf8.allSatisfy(ASCII.isToken)
        else { throw CommandFailure(.usage, "--header: \"\(text)\" is not \"Name: value\"") }
        let value = String(ASCII.trimmed(text[text.index(after: colon)...]))
        guard value.utf8.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }) else {
            throw CommandFailure(.usage, "--header: the value of \(text[..<colon]) contains a control character")
        }
        // In `HeaderFields`, a value has one Unicode scalar for each byte.
        return HeaderField(String(text[..<colon]), HeaderField.text(Bytes(text: value)))
    }
}
