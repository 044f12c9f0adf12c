// larder fleet status: lists the hosts that share answers and budgets.
import LarderCore

enum FleetCommand {
    static let command = Subcommand(
        "fleet status", "show the hosts that share answers and budgets",
        details: [
            "A host gives a sign of life every few seconds. CALLS are the calls left in its leases. PLACE is how far "
                + "it has carried out the removals by other hosts."
        ],
        options: [CommandOption("--json", "JSON on a terminal too")] + Conversation.options,
        examples: [("larder fleet status", "hosts, leases and generations")]
    ) { invocation throws(CommandFailure) in
        try invocation.noOperands()
        let (value, response) = try Conversation(invocation).json(DaemonRequest(.get, "/v1/fleet"))
        if invocation.wantsJSON {
            invocation.console.showLine(response)
        } else {
            show(value, invocation.console)
        }
        return .done
    }

    static func show(_ value: JSONValue, _ console: Console) {
        guard value["shared"]?.bool == true else {
            return console.line("this host shares nothing: shared.url is not set")
        }
        let place = Console.printable(value["url"]?.string ?? "")
        console.line("engine       \(place), prefix \(Console.printable(value["prefix"]?.string ?? ""))")
        guard value["reached"]?.bool == true else {
            return console.line(console.styled("the engine does not answer", .yellow))
        }
        let generations = value["generations"].map { Array($0.members) } ?? []
        if !generations.isEmpty {
            let texts = generations.map {
                "\(Console.printable($0.name)) \(Console.printable(String(($0.value.string ?? "").prefix(8))))"
            }
            console.line("generations  \(texts.joined(separator: ", "))")
        }
        var table = TableLayout(columns: [
            .init("HOST", weight: 1), .init("VERSION"), .init("SEEN", isRight: true), .init("PLACE"),
            .init("CALLS", weight: 1),
        ])
        for host in value["hosts"]?.elements.map({ $0 }) ?? [] {
            let name =
                Console.printable(host["name"]?.string ?? "?") + (host["self"]?.bool == true ? " (this one)" : "")
            let seconds = host["silentSeconds"]?.integer ?? 0
            let calls = (host["calls"].map { Array($0.members) } ?? []).map {
                "\(Console.printable($0.name)) \($0.value.integer ?? 0)"
            }
            table.rows.append([
                name, Console.printable(host["version"]?.string ?? ""),
                host["alive"]?.bool == true ? "\(seconds) s ago" : "gone for \(seconds) s",
                Console.printable(host["place"]?.string ?? ""), calls.joined(separator: ", "),
            ])
        }
        console.line()
        for (number, line) in table.lines(width: console.width).enumerated() {
            console.line(number == 0 ? console.styled(line, .bold) : line)
        }
    }
}
