// larder quota: shows how many calls each API still allows.
import LarderCore

enum QuotaCommand {
    static let command = Subcommand(
        "quota", "show how many calls each API still allows",
        details: ["Only calls to the APIs count; hits and joined requests are free."],
        options: [
            CommandOption("--by", value: "WHAT", choices: ["tool"], "tool: the calls that each tool made"),
            CommandOption("--json", "JSON on a terminal too"),
        ] + Conversation.options,
        examples: [
            ("larder quota", "rate and quota of every provider"),
            ("larder quota --by tool", "who made how many calls"),
        ]
    ) { invocation throws(CommandFailure) in
        try invocation.noOperands()
        let by = invocation.value("--by")
        guard by == nil || by == "tool" else {
            throw CommandFailure(.usage, "--by: \"\(by ?? "")\" is not tool", advice: "Use --by tool, or leave it out.")
        }
        let (value, _) = try Conversation(invocation).json(DaemonRequest(.get, "/v1/status"))
        let providers = value["providers"]?.elements.map { $0 } ?? []
        if invocation.wantsJSON {
            var writer = JSONWriter()
            writer.array { writer in
                for provider in providers {
                    writer.object { writer in
                        writer.member(ifPresent: "provider", provider["name"]?.string)
                        if by != nil, let tools = provider["tools"] { writer.member("tools", raw: tools.raw) }
                        if let budget = provider["budget"] {
                            for member in budget.members { writer.member(member.name, raw: member.value.raw) }
                        }
                    }
                }
            }
            _ = invocation.console.write(writer.bytes + [0x0A])
            return .done
        }
        var table = by == nil ? QuotaCommand.table(providers, isBrief: false) : toolTable(providers)
        if by == nil, table.wholeWidth > invocation.console.width {
            table = QuotaCommand.table(providers, isBrief: true)
        }
        if by != nil, table.rows.isEmpty {
            invocation.console.note("no calls were made since the daemon's start")
            return .done
        }
        for (number, line) in table.lines(width: invocation.console.width).enumerated() {
            invocation.console.line(number == 0 ? invocation.console.styled(line, .bold) : line)
        }
        return .done
    }

    private static func table(_ providers: [JSONValue], isBrief: Bool) -> TableLayout {
        var table = TableLayout(columns: [
            .init("PROVIDER"), .init("RATE", weight: 1), .init("QUOTA", weight: 1), .init("THE API SAYS", weight: 1),
        ])
        for provider in providers {
            let budget = provider["budget"]
            let rate = StatusCommand.limit(budget?["rate"], isBrief: isBrief, isSpelled: true)
            let quota = StatusCommand.limit(budget?["quota"], isBrief: isBrief, isSpelled: true)
            table.rows.append([
                Console.printable(provider["name"]?.string ?? ""), rate.isEmpty ? "no limit" : rate,
                quota.isEmpty ? "no limit" : quota, credits(budget),
            ])
        }
        return table
    }

    /// Who made how many calls. The columns of the limits are the calls in their windows: "3 of 20/min".
    private static func toolTable(_ providers: [JSONValue]) -> TableLayout {
        var table = TableLayout(columns: [
            .init("PROVIDER"), .init("TOOL", weight: 1), .init("RATE"), .init("QUOTA"),
            .init("CALLS", isRight: true), .init("REFUSED", isRight: true),
        ])
        for provider in providers {
            func use(_ tool: JSONValue, _ name: String) -> String {
                guard let limit = provider["budget"]?[name], let calls = tool[name]?.integer,
                    let most = limit["limit"]?.integer
                else { return "no limit" }
                let window = limit["windowSeconds"]?.integer.map { "/\(StatusCommand.window($0))" } ?? ""
                return "\(calls) of \(most)\(window)"
            }
            for tool in provider["tools"]?.elements.map({ $0 }) ?? [] {
                table.rows.append([
                    Console.printable(provider["name"]?.string ?? ""), Console.printable(tool["tool"]?.string ?? ""),
                    use(tool, "rate"), use(tool, "quota"), String(tool["calls"]?.integer ?? 0),
                    String(tool["refused"]?.integer ?? 0),
                ])
            }
        }
        return table
    }

    /// The remaining calls that the API itself reports: "user 488 of 500, client 12488 of 12500".
    private static func credits(_ budget: JSONValue?) -> String {
        let told = budget?.members.filter { $0.name.hasSuffix("Credits") } ?? []
        return told.compactMap { member in
            guard let remaining = member.value["remaining"]?.integer else { return nil }
            let limit = member.value["limit"]?.integer.map { " of \($0)" } ?? ""
            return "\(Console.printable(String(member.name.dropLast("Credits".count)))) \(remaining)\(limit)"
        }.joined(separator: ", ")
    }
}
