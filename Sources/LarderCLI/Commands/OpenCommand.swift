// larder open: opens a result of the last search in the browser.
import LarderCore

enum OpenCommand {
    private static let most = 100_000

    static let command = Subcommand(
        "open", "open a result of the last search in the browser", operands: "[NUMBER]",
        details: [
            "NUMBER is that of the table which larder search or larder local printed last on a terminal; without it, the "
                + "first result. $BROWSER or xdg-open opens the page; without $BROWSER and a graphical session its URL is printed."
        ],
        options: [CommandOption("--print", "print the URL instead")],
        examples: [
            ("larder open 3", "the third result"),
            ("larder open --print 3", "its URL"),
        ]
    ) { invocation throws(CommandFailure) in
        guard invocation.operands.count <= 1 else { throw CommandFailure(.usage, "only one number at a time") }
        let text = invocation.operands.first ?? "1"
        guard let number = Int(text), 1...most ~= number else {
            throw CommandFailure(.usage, "\"\(Console.printable(text))\" is not the number of a result")
        }
        guard let url = try LastSearch(invocation.environment)?.url(number) else {
            throw CommandFailure(
                .noResults, "the last search has no result \(number)",
                advice: "Search first: larder search jack johnson")
        }
        guard Hyperlink.isSafe(url) else { throw CommandFailure(.noResults, "result \(number) has no page") }
        if invocation.has("--print") {
            invocation.console.line(url)
            return .done
        }
        try await browse(url, invocation)
        return .done
    }

    /// Opens a page in the browser, or prints its URL if there is none.
    /// - Parameter page: what the browser's command names in the place of the URL.
    static func browse(_ url: String, by page: String? = nil, _ invocation: Invocation) async throws(CommandFailure) {
        let variables = invocation.environment
        let isGiven = ["BROWSER", "DISPLAY", "WAYLAND_DISPLAY"].contains { variables[$0]?.isEmpty == false }
        guard isGiven else {
            invocation.console.line(url)
            return
        }
        // A list of commands, each with the place of the URL or without one.
        let command = invocation.environment["BROWSER"]?.split(separator: ":").first ?? "xdg-open"
        var words = command.split(separator: " ").map { String($0).replacing("%s", with: page ?? url) }
        let browser = words.first ?? ""
        if !command.contains("%s") { words.append(page ?? url) }
        let child: RunChild
        do throws(CommandFailure) {
            child = try RunChild(words, environment: invocation.environment)
        } catch {
            throw CommandFailure(.failed, "\(browser) cannot be started: \(error.message)", advice: url)
        }
        guard await child.wait() == 0 else { throw CommandFailure(.failed, "\(browser) failed", advice: url) }
    }
}
