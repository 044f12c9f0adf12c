// larder local: searches the text of stored results without calling any API.
import LarderCore
import LarderDaemon
import LarderProviders

enum LocalCommand {
    private static let questionOptions = RouteParameters.local.options([
        ("source", "NAMES", "sources, separated by commas; default all"),
        ("category", "NAME", "a category of a source: music, software, ebooks, monsters"),
        ("kind", "NAMES", "kinds of results, separated by commas: song, article, story, monster"),
        ("limit", "NUMBER", "the most results, 1 to 200; default 50"),
        ("offset", "NUMBER", "how many results to skip, up to 10000"),
        ("fields", "NAMES", "members of each result, separated by commas: title, creator, url, price …; default all"),
    ])

    static let command = Subcommand(
        "local", "search the stored results, without the network", operands: "WORD…",
        details: [
            "Every word must occur in a title, a creator, a collection or a summary. The last one may be the "
                + "beginning of a word. Words in quotation marks are a phrase. Accents and case do not matter. Exit "
                + "status 3 means that nothing was found.",
            "The sources are \(ProviderRegistry.sourceNames).",
        ],
        options: questionOptions + [CommandOption("--json", "JSON on a terminal too")] + Conversation.options,
        examples: [
            ("larder local jack johns", "stored results with both words; the last is the beginning of a word"),
            ("larder local --kind song '\"better together\"'", "a phrase, in songs only"),
        ]
    ) { invocation throws(CommandFailure) in
        guard !invocation.operands.isEmpty else {
            throw CommandFailure(.usage, "the words are missing", advice: "Try: larder local jack johnson")
        }
        let conversation = try Conversation(invocation)
        let request = try invocation.question("/v1/local", invocation.operands.joined(separator: " "), questionOptions)
        return try SearchCommand.show(
            request, conversation, invocation.console, asJSON: invocation.wantsJSON,
            chosen: ChosenColumns(invocation.value("--fields")))
    }
}
