// larder purge: removes entries, or only their freshness.
import LarderCore

enum PurgeCommand {
    /// In every command `--url` is the daemon's address. Here it may also name what to purge. An address has no path;
    /// the URL of an entry has one.
    private static let urlOption = CommandOption(
        "--url", value: "URL",
        "entries for this URL: an API's own, or /raw/NAME/…; without a path, the daemon's address")

    private static func isAddress(_ url: String) -> Bool {
        (try? DaemonAddress(url: url)) != nil || url.hasPrefix("unix:")
    }

    /// The options and the parameters of `DELETE /v1/cache` that they set.
    private static let selectors = [
        "--all": "all", "--provider": "provider", "--term": "term", "--key": "key", "--prefix": "prefix",
        "--kind": "kind", "--older-than": "olderThan", "--layer": "layer",
    ]
    /// Parameters that may be combined. An entry must match all of them.
    private static let marks: Set<String> = ["provider", "prefix", "kind", "olderThan"]

    static let command = Subcommand(
        "purge", "remove entries from the cache",
        details: [
            "Works over the Unix socket for root, the daemon's own user and admin.users, and over TCP with the token. "
                + "--provider and --term can be combined, and so can --provider, --prefix, --kind and --older-than: "
                + "then entries that match all of them are removed. --dry-run changes nothing and shows what would be "
                + "removed. --url takes exactly one URL, the API's own or one below /raw, with or without the daemon's "
                + "address in front. --term takes every stored request whose URL contains the text."
        ],
        options: [
            CommandOption("--all", "everything"),
            CommandOption("--provider", value: "NAME", "entries of this API"),
            CommandOption("--term", value: "TEXT", "entries whose URL contains the text"),
            CommandOption("--key", value: "DIGEST", "one entry by its key's digest, in base64url"),
            CommandOption("--prefix", value: "URL", "entries whose URL begins with this: an API's own, or /raw/NAME/…"),
            CommandOption(
                "--kind", value: "KIND", choices: CacheKey.Layer.allCases.map(\.word), "entries of this kind"),
            CommandOption(
                "--older-than", value: "DURATION", "entries that were received longer ago than this, such as 7d"),
            CommandOption(
                "--layer", value: "LAYER", choices: ["memory"],
                "only this layer; the store keeps its entries"
            ),
            CommandOption("--dry-run", "change nothing; show which entries would be removed, how many and how large"),
            CommandOption(
                "--soft", "make the entries stale: they are served only during a refresh or if the API fails"),
            CommandOption("--json", "JSON on a terminal too"),
        ] + Conversation.options.map { $0.name == urlOption.name ? urlOption : $0 },
        examples: [
            ("larder purge --term 'jack johnson'", "one search, for all providers"),
            (
                "larder purge --url 'https://itunes.apple.com/search?term=jack+johnson'",
                "one URL of an API, and the entries made from it"
            ),
            (
                "larder purge --provider itunes --kind artwork --older-than 30d --dry-run",
                "which old pictures of one API would be removed"
            ),
            ("larder purge --provider newsapi --soft", "fetch the news again, and keep the old entries in reserve"),
        ]
    ) { invocation throws(CommandFailure) in
        try invocation.noOperands()
        var invocation = invocation
        let given = invocation.options["--url"] ?? []
        let urls = given.filter { !isAddress($0) }
        invocation.options["--url"] = given.count == urls.count ? nil : given.filter(isAddress)
        guard urls.count <= 1 else { throw CommandFailure(.usage, "only one URL at a time") }
        var parameters = QueryParameters()
        for (option, name) in selectors.sorted(by: { $0.key < $1.key }) {
            guard let value = invocation.value(option) else { continue }
            parameters.items.append(.init(name, option == "--all" ? "1" : value))
        }
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
        if invocation.has("--soft") { parameters.items.append(.init("soft", "1")) }
        if invocation.has("--dry-run") { parameters.items.append(.init("dryRun", "1")) }
        let (value, response) = try Conversation(invocation)
            .json(DaemonRequest(.delete, "/v1/cache?\(parameters.encoded)"))
        if invocation.wantsJSON {
            _ = invocation.console.show(response.body + (response.body.last == 0x0A ? [] : [0x0A]))
        } else if invocation.has("--dry-run") {
            showPreview(value, invocation)
        } else {
            let count = value["purged"]?.integer ?? 0
            let what = invocation.has("--soft") ? "made stale" : "removed"
            let reason = value["reason"]?.string.map { " " + Console.printable($0) } ?? ""
            invocation.console.line("\(count) \(count == 1 ? "entry" : "entries") \(what).\(reason)")
        }
        return .done
    }

    private static func showPreview(_ value: JSONValue, _ invocation: Invocation) {
        let console = invocation.console
        let count = value["wouldPurge"]?.integer ?? 0
        let labels = value["labels"]?.elements.compactMap(\.string) ?? []
        for label in labels { console.line(Console.printable(label)) }
        if count > labels.count { console.line("… and \(count - labels.count) more") }
        let least = value["complete"]?.bool == false ? "at least " : ""
        let what = invocation.has("--soft") ? "be made stale" : "be removed"
        let size = Units.format(size: Int64(value["bytes"]?.integer ?? 0))
        let reason = value["reason"]?.string.map { " " + Console.printable($0) } ?? ""
        console.line("\(least)\(count) \(count == 1 ? "entry" : "entries") (\(size)) would \(what).\(reason)")
    }
}
