// larder console: opens the console in the browser, by a link that works once and makes its page the owner's.
import LarderCore

enum ConsoleCommand {
    static let command = Subcommand(
        "console", "open the console in the browser, as the owner of this machine",
        details: [
            "The page then shows whole search terms and may make changes, until its tab is closed or the daemon ends. The "
                + "link works once, for two minutes. It is made over the Unix socket, or with the admin token. Without a graphical "
                + "session or $BROWSER the link is printed.",
            "The browser gets the link from a file of yours. A browser in a sandbox (snap, Flatpak) may not see it: use "
                + "--print then.",
        ],
        options: [CommandOption("--print", "print the link instead")] + Conversation.options,
        examples: [
            ("larder console", "in the browser of this session"),
            ("larder console --print", "for a browser elsewhere, such as through an ssh tunnel"),
        ]
    ) { invocation throws(CommandFailure) in
        try invocation.noOperands()
        let conversation = try Conversation(invocation)
        let response = try conversation.ask(DaemonRequest(.post, "/v1/console/links"))
        if [401, 403].contains(response.status), Problem(response).code == "authorityNeeded" {
            throw withoutAuthority(response, conversation)
        }
        let answer = try conversation.json(DaemonRequest(.post, "/v1/console/links"), response).value
        guard let url = answer["url"]?.string, Hyperlink.isSafe(url), !url.contains(where: "\"'<>&".contains)
        else {
            throw CommandFailure(.broken, "the daemon's answer has no link")
        }
        if invocation.has("--print") {
            invocation.console.line(url)
        } else {
            try await OpenCommand.browse(url, by: Self.page(url, invocation.environment), invocation)
        }
        return .done
    }

    /// The address of a file of this user that leads to the link. Every user of the machine sees the words of a command, and
    /// would have the link before the browser. Without a place for the file it is the link itself.
    private static func page(_ url: String, _ environment: [String: String]) -> String {
        let page =
            "<!doctype html><meta charset=utf-8><title>Larder</title><meta http-equiv=refresh content=\"0;url=\(url)\">"
            + "<a href=\"\(url)\">Open the console</a>\n"
        guard let file = UserFile("larder-console.html", environment), file.write(Bytes(text: page)) else { return url }
        return "file://" + PercentCoding.encode(file.path, keeping: "/")
    }

    /// The failure for a user whom the daemon does not take for its owner. The console without that right can be opened.
    private static func withoutAuthority(_ response: DaemonResponse, _ conversation: Conversation) -> CommandFailure {
        guard let address = conversation.addresses.first(where: { if case .tcp = $0.place { true } else { false } })
        else { return conversation.failure(response) }
        let advice =
            conversation.token == nil
            ? conversation.socketAdvice : Problem(response).failureText + "\n" + conversation.socketAdvice
        return CommandFailure(
            .refused, "the console is at \(address)/. As its owner you also need the daemon's socket or its token.",
            advice: advice)
    }
}
