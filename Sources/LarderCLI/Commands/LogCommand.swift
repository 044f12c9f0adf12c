// larder log: prints the latest requests, then each new one, one line per request.
import LarderCore
import LarderDaemon
import LarderHTTP

enum LogCommand {
    /// Options that become parameters of the route.
    private static let filters = RouteParameters.requests.options([
        ("provider", "NAME", nil), ("outcome", "OUTCOME", nil),
        ("status", "STATUS", "only requests answered with this status, or one of a class: 404, 5xx"),
        ("client", "CLIENT", nil), ("path", "TEXT", nil),
        ("slow", "DURATION", "only requests that took at least this long: 100ms"),
    ])

    static let command = Subcommand(
        "log", "show requests, and follow them as they are answered",
        details: [
            "Shows the last requests, oldest first, then each request as it is answered, hits from memory included. "
                + "It ends with Ctrl-C or with the daemon, or with --no-follow after the last known request. In a "
                + "pipe each line is a JSON object.",
            "Over the Unix socket, or with a token, the words of searches are shown. Otherwise, and always for "
                + "pass-through requests, only the names of parameters are shown. Requests that come faster than they "
                + "can be shown are counted.",
        ],
        options: filters + [
            CommandOption(
                "--last", short: "-n", value: "NUMBER", "show this many earlier requests, up to 1000; default 20"),
            CommandOption("--follow", short: "-f", "show further requests as they are answered (default)"),
            CommandOption("--no-follow", "show the last requests and end"),
            CommandOption("--json", "JSON on a terminal too"),
        ] + Conversation.options,
        examples: [
            ("larder log", "the last 20 requests, then further ones until Ctrl-C"),
            ("larder log --outcome miss --slow 500ms", "the slow misses"),
            ("larder log --last 1000 --no-follow --status 5xx", "the recent failures"),
        ]
    ) { invocation throws(CommandFailure) in
        try invocation.noOperands()
        guard !invocation.has("--follow") || !invocation.has("--no-follow") else {
            throw CommandFailure(.usage, "--follow and --no-follow exclude each other")
        }
        let last = try invocation.number("--last", in: 0...1000) ?? 20
        let conversation = try Conversation(invocation)
        return invocation.has("--no-follow")
            ? try show(invocation, conversation, last) : try follow(invocation, conversation, last)
    }

    private static func target(
        _ route: String, _ invocation: Invocation, _ more: QueryParameters.Item
    ) throws(CommandFailure) -> String {
        "\(route)?\(QueryParameters([more] + (try invocation.parameters(filters)).items).encoded)"
    }

    private static func show(
        _ invocation: Invocation, _ conversation: Conversation, _ last: Int
    ) throws(CommandFailure) -> CommandStatus {
        // The route does not accept 0.
        guard last > 0 else { return .done }
        var request = DaemonRequest(.get, try target("/v1/requests", invocation, .init("limit", String(last))))
        request.needsAuthority = true
        let value = try conversation.json(request).value
        for request in (value["requests"]?.elements.map { $0 } ?? []).reversed() {
            guard write(request, invocation) else { break }
        }
        return .done
    }

    private static func follow(
        _ invocation: Invocation, _ conversation: Conversation, _ last: Int
    ) throws(CommandFailure) -> CommandStatus {
        var dropped = 0
        let response = try conversation.events(
            try target("/v1/requests/events", invocation, .init("last", String(last))),
            until: MonotonicTime(nanoseconds: .max), showsToken: true
        ) { event throws(CommandFailure) in
            guard let value = try? JSON.parse(event.data) else { return true }
            for request in value["requests"]?.elements.map({ $0 }) ?? [] {
                guard write(request, invocation) else { return false }
            }
            let all = value["dropped"]?.integer ?? dropped
            defer { dropped = all }
            return all <= dropped || write(dropped: all - dropped, invocation)
        }
        guard response.status == 200 else { throw Problem(response).asFailure }
        if invocation.wantsJSON { return .done }
        throw CommandFailure(.noDaemon, "the daemon has ended")
    }

    private static func write(_ request: JSONValue, _ invocation: Invocation) -> Bool {
        let console = invocation.console
        if invocation.wantsJSON { return console.show(Bytes(request.raw) + [0x0A]) }
        return console.write(Bytes(text: LogLineText(request).line(width: console.width) + "\n"))
    }

    private static func write(dropped: Int, _ invocation: Invocation) -> Bool {
        let console = invocation.console
        if invocation.wantsJSON { return console.write(Bytes(text: "{\"dropped\":\(dropped)}\n")) }
        return console.write(
            Bytes(text: console.styled("… \(dropped) more came faster than they can be shown", .faint) + "\n"))
    }
}

/// One request as a line for a person.
struct LogLineText {
    private let cells: [(text: String, width: Int, isRight: Bool)]
    private let target: String

    init(_ request: JSONValue) {
        func text(_ name: String) -> String { Console.printable(request[name]?.string ?? "") }
        let providers = request["providers"]?.elements.compactMap(\.string).joined(separator: ",")
        let milliseconds = request["milliseconds"].flatMap { Double(String(decoding: $0.raw, as: UTF8.self)) }
        cells = [
            (String(text("at").dropFirst(11).prefix(12)), 12, false),
            (request["status"]?.integer.map(String.init) ?? "", 3, false), (text("outcome"), 11, false),
            (milliseconds.map(Self.time) ?? text("tier"), 8, true),
            (Console.printable(providers ?? request["provider"]?.string ?? ""), 10, false),
            (text("client"), 15, false), (text("method"), 4, false),
        ]
        target = text("target").isEmpty ? "(not known)" : text("target")
    }

    /// Formats a duration: "1.2ms", "350ms", "2.5s".
    static func time(_ milliseconds: Double) -> String {
        let tenths = Int((milliseconds * 10).rounded())
        return switch milliseconds {
        case ..<100: "\(tenths / 10).\(tenths % 10)ms"
        case ..<1000: "\(Int(milliseconds.rounded()))ms"
        default: "\(Int((milliseconds / 100).rounded()) / 10).\(Int((milliseconds / 100).rounded()) % 10)s"
        }
    }

    /// The columns that give way to the target in a narrow terminal, in this order: client, provider, duration, time,
    /// outcome, method.
    private static let givingWay = [5, 4, 3, 0, 2, 6]
    /// The columns that a target has at least.
    private static let targetWidth = 28

    /// The line, at most `width` columns wide.
    func line(width: Int) -> String {
        var shown = Array(cells.indices)
        for column in Self.givingWay where shown.reduce(Self.targetWidth, { $0 + cells[$1].width + 1 }) > width {
            shown.removeAll { $0 == column }
        }
        let front = shown.map { cells[$0] }.map { cell in
            let text = DisplayWidth.cut(cell.text, to: cell.width)
            let padding = String(repeating: " ", count: cell.width - DisplayWidth.of(text))
            return cell.isRight ? padding + text : text + padding
        }
        return DisplayWidth.cut((front + [target]).joined(separator: " "), to: width)
    }
}
