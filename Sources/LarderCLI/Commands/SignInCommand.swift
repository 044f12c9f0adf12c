// larder imgur login, logout, status: who Larder is to Imgur.
import Glibc
import LarderCore

enum SignInCommand {
    static let login = Subcommand(
        "imgur login", "sign in to Imgur",
        details: [
            "Prints the page on which to sign in, and waits until the browser has come back from it to the daemon; "
                + "Ctrl-C ends the waiting. It needs providers.imgur.key, the Client-ID of an application of your own "
                + "whose callback is the daemon's /v1/imgur/oauth/callback, and providers.imgur.clientSecret to stay signed in.",
            "Imgur admits no new applications, and its own sign-in page has failed since 2025.",
        ],
        options: [
            CommandOption("--no-wait", "only print the page"),
            CommandOption("--code", "ask for a code instead of tokens, where the application was made for it"),
            CommandOption("--json", "JSON on a terminal too"),
        ] + Conversation.options,
        examples: [("larder imgur login", "then open what it prints")]
    ) { invocation throws(CommandFailure) in
        try invocation.noOperands()
        let conversation = try Conversation(invocation)
        var request = LocalRequest(
            .get, "/v1/imgur/oauth/start" + (invocation.has("--code") ? "?response_type=code" : ""))
        request.needsAuthority = true
        let (begun, response) = try conversation.json(request)
        guard let url = begun["url"]?.string, let startedAt = begun["startedAt"]?.string,
            let expiresAt = begun["expiresAt"]?.string
        else { throw CommandFailure(.broken, "the daemon's answer names no page to sign in on") }
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

    private static func show(_ begun: JSONValue, _ url: String, _ expiresAt: String, _ console: Console) {
        console.line("Open this page to sign in, until \(StatusCommand.time(expiresAt)):")
        console.line()
        console.line("  " + console.styled(Console.printable(url), .bold))
        console.line()
        if let callback = begun["callback"]?.string {
            console.note("It comes back to \(Console.printable(callback)), which the application has to name.")
        }
        if begun["renewable"]?.bool == false {
            console.note(
                "Without providers.imgur.clientSecret the sign-in cannot be renewed and ends with its first token.")
        }
    }

    /// Asks once a second. Instants in one form compare as texts.
    private static func wait(
        _ conversation: Conversation, since startedAt: String, until expiresAt: String
    ) throws(CommandFailure) -> (JSONValue, LocalResponse) {
        while true {
            let (account, response) = try conversation.json(LocalRequest(.get, "/v1/imgur/account"))
            if account["signedIn"]?.bool == true, let at = account["signedInAt"]?.string, at >= startedAt {
                return (account, response)
            }
            if let failure = account["lastFailure"], let at = failure["at"]?.string, at >= startedAt {
                throw CommandFailure(.refused, Console.printable(failure["detail"]?.string ?? "the sign-in failed"))
            }
            guard SystemTime().wall().rfc3339 < expiresAt, account["pending"]?.integer != 0 else {
                throw CommandFailure(
                    .refused, "nobody came back from the page in time", advice: "Begin again: larder imgur login")
            }
            poll(nil, 0, 1000)
        }
    }

    static let logout = Subcommand(
        "imgur logout", "sign out of Imgur",
        details: [
            "Larder forgets the tokens. To take them back at Imgur too, remove the application from your account's settings."
        ],
        options: Conversation.options,
        examples: [("larder imgur logout", "anonymous again")]
    ) { invocation throws(CommandFailure) in
        try invocation.noOperands()
        let (value, _) = try Conversation(invocation).json(LocalRequest(.delete, "/v1/imgur/account"))
        guard invocation.console.isTerminal else { return .done }
        invocation.console.line(value["wasSignedIn"]?.bool == true ? "Signed out." : "Nobody was signed in.")
        return .done
    }

    static let status = Subcommand(
        "imgur status", "show who is signed in to Imgur",
        details: ["The exit status is 3 where nobody is."],
        options: [CommandOption("--json", "JSON on a terminal too")] + Conversation.options,
        examples: [("larder imgur status", "the account, and until when")]
    ) { invocation throws(CommandFailure) in
        try invocation.noOperands()
        let (value, response) = try Conversation(invocation).json(LocalRequest(.get, "/v1/imgur/account"))
        let isSignedIn = value["signedIn"]?.bool == true
        if invocation.wantsJSON {
            _ = invocation.console.show(response.body + [0x0A])
        } else if isSignedIn {
            let name = value["account"]?.string.map { " as \(Console.printable($0))" } ?? ""
            let until = value["expiresAt"]?.string.map { ", until \(StatusCommand.time($0))" } ?? ""
            let isRenewed = value["renewable"]?.bool == true ? " and renewed before" : ""
            invocation.console.line("Signed in\(name)\(until)\(until.isEmpty ? "" : isRenewed).")
        } else {
            invocation.console.line("Nobody is signed in: larder imgur login")
            if let reason = value["reason"]?.string { invocation.console.line(Console.printable(reason)) }
        }
        return isSignedIn ? .done : .noResults
    }
}
