// larder NAME login, logout, status: manages Larder's account at a provider that has sign-in.
import Glibc
import LarderCore
import LarderProviders

struct SignInCommand: Sendable {
    let about: ProviderAbout
    let facts: SignInAbout

    private var words: String { "larder \(about.name)" }
    private var root: String { "/v1/\(about.routePrefix)" }

    var login: Subcommand {
        let setting = "providers.\(about.name)"
        return Subcommand(
            "\(about.name) login", "sign in to \(about.title)",
            details: [
                "Prints the address of the sign-in page, and waits until the browser has returned to the daemon. "
                    + "Ctrl-C ends the waiting. It needs \(setting).key, the \(facts.clientIDTitle) of your own "
                    + "application, whose callback is the daemon's \(root)/oauth/callback, and \(setting).clientSecret "
                    + "to stay signed in."
            ] + (facts.note.map { [$0] } ?? []),
            options: [
                CommandOption("--no-wait", "only print the address of the page"),
                CommandOption("--code", "get a code instead of tokens, if the application is registered for it"),
                CommandOption("--json", "JSON on a terminal too"),
            ] + Conversation.options,
            examples: [("\(words) login", "then open the printed address")],
            run: signIn)
    }

    private func signIn(_ invocation: Invocation) throws(CommandFailure) -> CommandStatus {
        try invocation.noOperands()
        let conversation = try Conversation(invocation)
        var request = DaemonRequest(
            .get, "\(root)/oauth/start" + (invocation.has("--code") ? "?response_type=code" : ""))
        request.needsAuthority = true
        let (begun, response) = try conversation.json(request)
        guard let url = begun["url"]?.string, let startedAt = begun["startedAt"]?.string,
            let expiresAt = begun["expiresAt"]?.string
        else { throw CommandFailure(.broken, "the daemon's answer has no sign-in page") }
        if invocation.wantsJSON {
            _ = invocation.console.show(response.body + [0x0A])
        } else {
            show(begun, url, expiresAt, invocation.console)
        }
        if invocation.has("--no-wait") { return .done }
        let (account, answer) = try wait(conversation, since: startedAt, until: expiresAt)
        if invocation.wantsJSON {
            _ = invocation.console.show(answer.body + [0x0A])
        } else {
            let name = account["account"]?.string.map { " as \(Console.printable($0))" } ?? ""
            invocation.console.line("Signed in\(name).")
        }
        return .done
    }

    private func show(_ begun: JSONValue, _ url: String, _ expiresAt: String, _ console: Console) {
        console.line("Open this page to sign in, until \(StatusCommand.time(expiresAt)):")
        console.line()
        console.line("  " + console.styled(Console.printable(url), .bold))
        console.line()
        if let callback = begun["callback"]?.string {
            console.note(
                "It returns to \(Console.printable(callback)), which the application must have as its callback.")
        }
        if begun["renewable"]?.bool == false {
            console.note(
                "Without providers.\(about.name).clientSecret the sign-in cannot be renewed and ends with its first token."
            )
        }
    }

    /// Polls the daemon once a second. Instants in one format can be compared as texts.
    private func wait(
        _ conversation: Conversation, since startedAt: String, until expiresAt: String
    ) throws(CommandFailure) -> (JSONValue, DaemonResponse) {
        while true {
            let (account, response) = try conversation.json(DaemonRequest(.get, "\(root)/account"))
            if account["signedIn"]?.bool == true, let at = account["signedInAt"]?.string, at >= startedAt {
                return (account, response)
            }
            if let failure = account["lastFailure"], let at = failure["at"]?.string, at >= startedAt {
                throw CommandFailure(.refused, Console.printable(failure["detail"]?.string ?? "the sign-in failed"))
            }
            guard SystemTime().wall().rfc3339 < expiresAt, account["pending"]?.integer != 0 else {
                throw CommandFailure(
                    .refused, "nobody came back from the sign-in page in time", advice: "Begin again: \(words) login")
            }
            poll(nil, 0, 1000)
        }
    }

    var logout: Subcommand {
        Subcommand(
            "\(about.name) logout", "sign out of \(about.title)",
            details: [
                "Larder forgets the tokens. To revoke them at \(about.title) too, remove the application from your "
                    + "account's settings."
            ],
            options: Conversation.options, examples: [("\(words) logout", "anonymous again")], run: signOut)
    }

    private func signOut(_ invocation: Invocation) throws(CommandFailure) -> CommandStatus {
        try invocation.noOperands()
        let (value, _) = try Conversation(invocation).json(DaemonRequest(.delete, "\(root)/account"))
        guard invocation.console.isTerminal else { return .done }
        invocation.console.line(value["wasSignedIn"]?.bool == true ? "Signed out." : "Nobody was signed in.")
        return .done
    }

    var status: Subcommand {
        Subcommand(
            "\(about.name) status", "show who is signed in to \(about.title)",
            details: ["The exit status is 3 if nobody is signed in."],
            options: [CommandOption("--json", "JSON on a terminal too")] + Conversation.options,
            examples: [("\(words) status", "the account, and until when it is signed in")], run: showAccount)
    }

    private func showAccount(_ invocation: Invocation) throws(CommandFailure) -> CommandStatus {
        try invocation.noOperands()
        let (value, response) = try Conversation(invocation).json(DaemonRequest(.get, "\(root)/account"))
        let isSignedIn = value["signedIn"]?.bool == true
        if invocation.wantsJSON {
            _ = invocation.console.show(response.body + [0x0A])
        } else if isSignedIn {
            let name = value["account"]?.string.map { " as \(Console.printable($0))" } ?? ""
            let until = value["expiresAt"]?.string.map { ", until \(StatusCommand.time($0))" } ?? ""
            let isRenewed = value["renewable"]?.bool == true ? " and renewed before" : ""
            invocation.console.line("Signed in\(name)\(until)\(until.isEmpty ? "" : isRenewed).")
        } else {
            invocation.console.line("Nobody is signed in: \(words) login")
            if let reason = value["reason"]?.string { invocation.console.line(Console.printable(reason)) }
        }
        return isSignedIn ? .done : .noResults
    }
}
