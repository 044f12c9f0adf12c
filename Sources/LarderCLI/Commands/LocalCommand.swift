// larder local: searches the text of stored results without calling any API.
import LarderCore
import LarderProviders

enum LocalCommand {
    private static let questionOptions = [
        CommandOption("--source", value: "NAMES", "sources with commas; all unless set"),
        CommandOption("--category", value: "NAME", "a category of a source: music, software, ebooks, monsters"),
        CommandOption("--kind", value: "NAMES", "kinds of results with commas: song, article, story, monster"),
        CommandOption("--limit", value: "NUMBER", "results at most, 1 to 200; 50 unless set"),
        CommandOption("--offset", value: "NUMBER", "results to leave out at the beginning, to 10000"),
        CommandOption(
            "--fields", value: "NAMES",
            "members of each result, with commas: title, creator, url, price …; all unless set"),
    ]

    static let command = Subcommand(
        "local", "search what is stored, without a network", operands: "WORD…",
        details: [
            "Every word must be met in a title, a creator, a collection or a summary; the last one may be a beginning; "
                + "words in quotation marks follow each other. Accents and case do not count. Exit status 3 says that "
                + "nothing was found.",
            "The sources are \(ProviderRegistry.sourceNames).",
        ],
        options: questionOptions + [CommandOption("--json", "JSON on a terminal too")] + Conversation.options,
        examples: [
            ("larder local jack johns", "everything stored that holds both, the last word being a beginning"),
            ("larder local --kind song '\"better together\"'", "a phrase, in songs only"),
        ]
    ) { invocation throws(CommandFailure) in
        guard !invocation.operands.isEmpty else {
            throw CommandFailure(.usage, "the words are missing", advice: "Try: larder local jack johnson")
        }
        let conversation = try Conversation(invocation)
        _ = try invocation.number("--limit", in: 1...200)
        _ = try invocation.number("--offset", in: 0...10_000)
        let request = invocation.question("/v1/local", invocation.operands.joined(separator: " "), questionOptions)
        return try SearchCommand.show(
            request, conversation, invocation.console, asJSON: invocation.wantsJSON,
            chosen: ChosenColumns(invocation.value("--fields")))
    }
}
