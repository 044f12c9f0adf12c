// larder console: opens the console in the browser, by a link that works once and makes its page the owner's.
import LarderCore

enum ConsoleCommand {
    static let command = Subcommand(
        "console", "open the console in the browser, as the owner of this machine",
        details: [
            "The page then shows whole search terms and may make changes, until its tab is closed or the daemon ends. The "
                + "link works once, for two minutes. It is made over the Unix socket, or with the admin token."
        ],
        options: [CommandOption("--print", "print the link instead")] + Conversation.options,
        examples: [
            ("larder console", "in the browser of this session"),
            ("larder console --print", "for a browser elsewhere, such as through an ssh tunnel"),
        ]
    ) { invocation throws(CommandFailure) in
        try invocation.noOperands()
        let answer = try Conversation(invocation).json(DaemonRequest(.post, "/v1/console/links")).value
        guard let url = answer["url"]?.string, Hyperlink.isSafe(url) else {
            throw CommandFailure(.broken, "the daemon's answer has no link")
        }
        if invocation.has("--print") {
            invocation.console.line(url)
        } else {
            try await OpenCommand.browse(url, invocation)
        }
        return .done
    }
}
