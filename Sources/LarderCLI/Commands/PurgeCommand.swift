// larder purge: removes entries, or only their freshness.
import LarderCore
import LarderDaemon

enum PurgeCommand {
    /// In every command `--url` is the daemon's address. Here it may also name what to purge. An address has no path;
    /// the URL of an entry has one.
    private static let urlOption = CommandOption(
        "--url", value: "URL",
        "entries for this URL: an API's own, or /raw/NAME/…; without a path, the daemon's address")

    private static func isAddress(_ url: String) -> Bool {
        (try? DaemonAddress(url: url)) != nil || url.hasPrefix("unix:")
    }

    /// The options that become parameters of `DELETE /v1/cache`: what is purged, and how.
    private static let selectors = RouteParameters.purge.options([
        ("all", nil, nil), ("provider", "NAME", "entries of this API"),
        ("term", "TEXT", "entries whose URL contains the text"),
        ("key", "DIGEST", "one entry by its key's digest, in base64url"),
        ("prefix", "URL", "entries whose URL begins with this: an API's own, or /raw/NAME/…"), ("kind", "KIND", nil),
        ("olderThan", "DURATION", "entries that were received longer ago than this, such as 7d"),
        ("layer", "LAYER", "only this layer; the store keeps its entries"),
    ])
    private static let manners = RouteParameters.purge.options([
        ("soft", nil, "make the entries stale: they are served only during a refresh or if the API fails")
    ])
    /// Parameters that may be combined. An entry must match all of them.
    private static let marks: Set<String> = ["provider", "prefix", "kind", "olderThan"]

    static let command = Subcommand(
        "purge", "remove entries from the cache",
        details: [
            "Works over the Unix socket for root, the daemon's own user and admin.users, and over TCP with the token. "
                + "--provider and --term can be combined, and so can --provider, --prefix, --kind and --older-than: "
                + "then entries that match all of them are removed. --url takes exactly one URL, the API's own or one "
                + "below /raw, with or without the daemon's address in front. --term takes every stored request whose "
                + "URL contains the text."
        ],
        options: selectors + manners + [CommandOption("--json", "JSON on a terminal too")]
            + Conversation.options.map { $0.name == urlOption.name ? urlOption : $0 },
        examples: [
            ("larder purge --term 'jack johnson'", "one search, for all providers"),
            (
                "larder purge --url 'https://itunes.apple.com/search?term=jack+johnson'",
                "one URL of an API, and the entries made from it"
            ),
            ("larder purge --provider itunes --kind artwork --older-than 30d", "old pictures of one API"),
            ("larder purge --provider newsapi --soft", "fetch the news again, and keep the old entries in reserve"),
        ]
    ) { invocation throws(CommandFailure) in
        try invocation.noOperands()
        var invocation = invocation
        let given = invocation.options["--url"] ?? []
        let urls = given.filter { !isAddress($0) }
        invocation.options["--url"] = given.count == urls.count ? nil : given.filter(isAddress)
        guard urls.count <= 1 else { throw CommandFailure(.usage, "only one URL at a time") }
        var parameters = try invocation.parameters(selectors)
        parameters.items.sort { $0.name < $1.name }
        for url in urls { parameters.items.append(.init("url", url)) }
        let names = Set(parameters.items.map(\.name))
        guard names.count == 1 || names == ["provider", "term"] || !names.isEmpty && names.isSubset(of: marks) else {
            throw CommandFailure(
                .usage, names.isEmpty ? "name what to purge" : "these options cannot be combined",
                advice:
                    "One of --all, --provider NAME, --term TEXT, --url URL, --key DIGEST, --layer memory; or --provider with "
                    + "--term; "
                    + "or any of --provider, --prefix, --kind and --older-than together.")
        }
        parameters.items += try invocation.parameters(manners).items
        let (value, response) = try Conversation(invocation)
            .json(DaemonRequest(.delete, "/v1/cache?\(parameters.encoded)"))
        if invocation.wantsJSON {
            invocation.console.showLine(response)
        } else {
            let count = value["purged"]?.integer ?? 0
            let what = invocation.has("--soft") ? "made stale" : "removed"
            let reason = value["reason"]?.string.map { " " + Console.printable($0) } ?? ""
            invocation.console.line("\(count) \(count == 1 ? "entry" : "entries") \(what).\(reason)")
        }
        return .done
    }
}
