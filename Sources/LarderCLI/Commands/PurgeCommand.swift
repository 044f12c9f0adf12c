// larder purge: remove entries, or only their freshness.
import LarderCore

enum PurgeCommand {
    /// Option and parameter of `DELETE /v1/cache`.
    private static let selectors = ["--all": "all", "--provider": "provider", "--term": "term", "--key": "key"]

    static let command = Subcommand(
        "purge", "remove entries from the cache",
        details: [
            "Works over the Unix socket for root, the daemon's own user and admin.users, and over TCP with the token. "
                + "--provider and --term may be given together."
        ],
        options: [
            CommandOption("--all", "everything"),
            CommandOption("--provider", value: "NAME", "what came from this API"),
            CommandOption("--term", value: "TEXT", "entries whose request holds the text"),
            CommandOption("--key", value: "DIGEST", "one entry by its key's digest, in base64url"),
            CommandOption(
                "--soft", "keep the entries as stale ones: served only while refreshing or when the API fails"),
            CommandOption("--json", "JSON on a terminal too"),
        ] + Conversation.options,
        examples: [
            ("larder purge --term 'jack johnson'", "one search of every provider"),
            ("larder purge --provider newsapi --soft", "fetch the news again, and have the old ones in reserve"),
        ]
    ) { invocation throws(CommandFailure) in
        try invocation.noOperands()
        var parameters = QueryParameters()
        for (option, name) in selectors.sorted(by: { $0.key < $1.key }) {
            guard let value = invocation.value(option) else { continue }
            parameters.items.append(.init(name, option == "--all" ? "1" : value))
        }
        let names = Set(parameters.items.map(\.name))
        guard names.count == 1 || names == ["provider", "term"] else {
            throw CommandFailure(
                .usage, names.isEmpty ? "what shall be purged?" : "these cannot be given together",
                advice: "One of --all, --provider NAME, --term TEXT, --key DIGEST; or --provider with --term.")
        }
        if invocation.has("--soft") { parameters.items.append(.init("soft", "1")) }
        let (value, response) = try Conversation(invocation)
            .json(LocalRequest(.delete, "/v1/cache?\(parameters.encoded)"))
        if invocation.wantsJSON {
            _ = invocation.console.write(response.body + (response.body.last == 0x0A ? [] : [0x0A]))
        } else {
            let count = value["purged"]?.integer ?? 0
            let what = invocation.has("--soft") ? "made stale" : "removed"
            invocation.console.line("\(count) \(count == 1 ? "entry" : "entries") \(what).")
        }
        return .done
    }
}
