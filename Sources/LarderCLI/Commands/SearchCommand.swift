// larder search: one search over one or several sources, as a table or as JSON.
import LarderCore

enum SearchCommand {
    /// The options that become parameters of `/v1/search`, by the same names.
    static let questionOptions = [
        CommandOption(
            "--source", value: "NAMES",
            "sources with commas: itunes, news, dnd, hn, jokes, tmdb, imgur; all configured ones unless set"),
        CommandOption(
            "--category", value: "NAME", "a category of a source: music, software, ebooks, science, monsters"),
        CommandOption("--limit", value: "NUMBER", "results per source, 1 to 200"),
        CommandOption(
            "--sort", value: "ORDER", choices: ["relevance", "name", "date", "price"], "the order of the results"),
        CommandOption("--country", value: "CODE", "two letters: the store or edition, such as de"),
        CommandOption("--lang", value: "CODE", "the language, such as ja_jp or en"),
    ]

    static let command = Subcommand(
        "search", "search, and show the results", operands: "QUERY…",
        details: [
            "The words are one query. On a terminal each source is shown when it has answered; then the results are a "
                + "table, with a line about sources, cache and time below it. Elsewhere they are the daemon's JSON. Ctrl-C "
                + "cancels the search in the daemon too. Exit status 3 says that nothing was found, 4 that a source failed."
        ],
        options: questionOptions + [CommandOption("--json", "JSON on a terminal too")] + Conversation.options,
        examples: [
            ("larder search jack johnson --source itunes", "songs, albums, books and apps"),
            ("larder search --source itunes --category software --sort price notes", "the cheapest first"),
            ("larder search dragon --source dnd,news --json | jq '.results[].title'", "two sources, in a pipe"),
        ]
    ) { invocation throws(CommandFailure) in
        guard !invocation.operands.isEmpty else {
            throw CommandFailure(.usage, "the query is missing", advice: "Try: larder search jack johnson")
        }
        let conversation = try Conversation(invocation)
        let request = try request(invocation.operands.joined(separator: " "), invocation)
        return try show(request, conversation, invocation.console, asJSON: invocation.wantsJSON)
    }

    /// The question of these options.
    static func request(_ query: String, _ invocation: Invocation) throws(CommandFailure) -> LocalRequest {
        _ = try invocation.number("--limit", in: 1...200)
        return invocation.question("/v1/search", query, questionOptions)
    }

    /// Asks and shows the answer.
    static func show(
        _ request: LocalRequest, _ conversation: Conversation, _ console: Console, asJSON: Bool
    ) throws(CommandFailure) -> CommandStatus {
        let clock = ContinuousClock()
        let start = clock.now
        let search = FollowedSearch(conversation, console)
        defer { search.end() }
        if asJSON {
            let (value, response) = try conversation.json(request)
            _ = console.write(response.body + (response.body.last == 0x0A ? [] : [0x0A]))
            return Envelope(value).exitStatus
        }
        let (value, response) = try search.answer(to: request)
        let took = start.duration(to: clock.now)
        let envelope = Envelope(value)
        let lines = envelope.table().lines(width: console.width)
        if let header = lines.first {
            console.line(console.styled(header, .bold))
            for line in lines.dropFirst() { console.line(line) }
        } else {
            console.line("Nothing was found.")
        }
        console.line(console.styled(envelope.footer(response, took: took), .faint))
        return envelope.exitStatus
    }
}
