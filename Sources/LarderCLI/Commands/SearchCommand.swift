// larder search: searches one or several sources and prints a table or JSON.
import LarderCore
import LarderDaemon
import LarderProviders

enum SearchCommand {
    /// The options that become parameters of `/v1/search`.
    static let questionOptions = RouteParameters.search.options([
        ("source", "NAMES", "sources, separated by commas; default all configured ones"),
        ("category", "NAME", "a category of a source: music, software, ebooks, science, monsters"),
        ("limit", "NUMBER", "the most results of each source, 1 to 200"), ("sort", "ORDER", nil),
        ("country", "CODE", "the store or edition, as two letters, such as de"),
        ("lang", "CODE", "the language, such as ja_jp or en"),
        ("fields", "NAMES", "members of each result, separated by commas: title, creator, url, price …; default all"),
        ("include", "WHAT", "in JSON: add the API's own record to each result"),
    ])

    static let command = Subcommand(
        "search", "search, and show the results", operands: "QUERY…",
        details: [
            "The sources are \(ProviderRegistry.sourceNames).",
            "The words are one query. On a terminal each source is shown when it has answered. Then the results are a "
                + "table, with a line about sources, cache and time below it. Elsewhere they are the daemon's JSON. "
                + "Ctrl-C cancels the search in the daemon too. Exit status 3 means that nothing was found, 4 that a "
                + "source failed. At the end of --timeout the results so far are shown and the rest is cancelled: the "
                + "state is partial, a source without an answer has failed with the class timedOut, and the exit "
                + "status is 4, or 6 if no source has answered.",
        ],
        options: questionOptions + [CommandOption("--json", "JSON on a terminal too")] + Conversation.options,
        examples: [
            ("larder search jack johnson --source itunes", "songs, albums, books and apps"),
            ("larder search --source itunes --category software --sort price notes", "the cheapest first"),
            ("larder search dragon --source dnd,news --json | jq '.results[].title'", "two sources, in a pipe"),
            (
                "larder search dragon --source itunes --json --fields title,url --include source",
                "and the API's records"
            ),
        ]
    ) { invocation throws(CommandFailure) in
        guard !invocation.operands.isEmpty else {
            throw CommandFailure(.usage, "the query is missing", advice: "Try: larder search jack johnson")
        }
        let conversation = try Conversation(invocation)
        let request = try request(invocation.operands.joined(separator: " "), invocation)
        if invocation.has("--include"), !invocation.wantsJSON {
            invocation.console.note("larder: a table cannot show the API's own records; --json shows them")
        }
        return try show(
            request, conversation, invocation.console, asJSON: invocation.wantsJSON,
            isTimed: invocation.has("--timeout"), chosen: ChosenColumns(invocation.value("--fields")))
    }

    /// The request for these options.
    static func request(_ query: String, _ invocation: Invocation) throws(CommandFailure) -> DaemonRequest {
        try invocation.question("/v1/search", query, questionOptions)
    }

    /// Sends the request and shows the answer.
    /// - Parameters:
    ///   - isTimed: whether the user set a time limit. JSON output then also contains only what arrived in time.
    ///   - chosen: the members that the user named.
    static func show(
        _ request: DaemonRequest, _ conversation: Conversation, _ console: Console, asJSON: Bool, isTimed: Bool = false,
        chosen: ChosenColumns = .none
    ) throws(CommandFailure) -> CommandStatus {
        let clock = ContinuousClock()
        let start = clock.now
        let search = FollowedSearch(conversation, console)
        defer { search.end() }
        if asJSON, !isTimed {
            let (value, response) = try conversation.json(request)
            console.showLine(response)
            return SearchAnswer(value).exitStatus
        }
        let outcome = try search.answer(to: request, isQuiet: asJSON)
        let response = outcome.response
        let took = start.duration(to: clock.now)
        let envelope = SearchAnswer(outcome.value)
        defer {
            if outcome.isLate {
                let limit = Units.format(duration: conversation.timeout)
                console.note(
                    "larder: not all within \(limit): \(outcome.late.joined(separator: ", ")) left out")
            }
        }
        if asJSON {
            console.showLine(response)
            return outcome.isLate ? .partial : envelope.exitStatus
        }
        let table = envelope.table(chosen)
        let lines =
            console.hasColour
            ? table.lines(width: console.width, link: envelope.link) : table.lines(width: console.width)
        if !lines.isEmpty, !SearchAnswer.showsSomething(table) {
            console.line(
                "A table cannot show the chosen members of these \(table.rows.count) results; --json shows them.")
        } else if let header = lines.first {
            console.line(console.styled(header, .bold))
            for line in lines.dropFirst() { console.line(line) }
            if console.isTerminal {
                LastSearch(conversation.environment)?.keep(envelope.results.map { $0.url ?? "" })
            }
        } else {
            console.line(envelope.emptiness)
        }
        console.line(console.styled(envelope.footer(response, took: took), .faint))
        return outcome.isLate ? .partial : envelope.exitStatus
    }
}
