// larder status: shows the state of the daemon, its store and the APIs.
import LarderCore

enum StatusCommand {
    static let command = Subcommand(
        "status", "show the state of the daemon and the APIs",
        options: [
            CommandOption("--quiet", short: "-q", "print nothing; the exit status tells whether a daemon answers"),
            CommandOption("--json", "JSON on a terminal too"),
        ] + Conversation.options,
        examples: [
            ("larder status", "providers, budgets, store"),
            ("larder status --quiet", "for health checks"),
        ]
    ) { invocation throws(CommandFailure) in
        try invocation.noOperands()
        let conversation = try Conversation(invocation)
        if invocation.has("--quiet") {
            let response = try conversation.ask(DaemonRequest(.get, "/healthz"))
            return response.status == 200 ? .done : .noDaemon
        }
        let there = try conversation.ask(DaemonRequest(.get, "/v1/status"))
        guard (try? JSON.parse(there.body))?["version"] != nil || Problem(there).code != nil else {
            let address = invocation.value("--url") ?? invocation.environment["LARDER_URL"] ?? "what answers"
            throw CommandFailure(
                .broken, "\(address) is not a Larder",
                advice: "Give the daemon's address with --url or LARDER_URL.")
        }
        let (value, response) = try conversation.json(DaemonRequest(.get, "/v1/status"), there)
        if invocation.wantsJSON {
            invocation.console.showLine(response)
        } else {
            show(value, invocation.console)
        }
        return .done
    }

    static func show(_ value: JSONValue, _ console: Console) {
        let version = Console.printable(value["version"]?.string ?? "?")
        let uptime = value["uptimeSeconds"]?.integer.map { ", up \(span($0))" } ?? ""
        console.line(console.styled("larder \(version)", .bold) + uptime)
        if let store = value["store"] {
            var parts: [String] = []
            if let entries = store["entries"]?.integer { parts.append("\(entries) entries") }
            if let bytes = store["liveBytes"]?.integer { parts.append(size(bytes, of: store["maxBytes"]?.integer)) }
            if let reason = store["degraded"]?.string {
                parts.append(console.styled("stores nothing: \(Console.printable(reason))", .yellow))
            }
            if !parts.isEmpty { console.line("store   \(parts.joined(separator: ", "))") }
            if let told = store["setAside"]?.string {
                console.line("        " + console.styled("set aside at \(Console.printable(told))", .yellow))
            }
        }
        if let reason = value["state"]?["degraded"]?.string {
            console.line("state   " + console.styled("counts no calls: \(Console.printable(reason))", .yellow))
        }
        if let memory = value["memory"], let bytes = memory["bytes"]?.integer {
            let entries = memory["entries"]?.integer.map { "\($0) answers, " } ?? ""
            console.line("memory  \(entries)\(size(bytes, of: memory["maxBytes"]?.integer))")
        }
        if let shared = value["shared"] { console.line("shared  " + self.shared(shared, console)) }
        if let proxy = proxy(value) { console.line("proxy   \(proxy)") }
        for run in (value["proxy"]?["runs"]?.elements.map { $0 } ?? []).prefix(mostRuns) {
            let since = run["since"]?.string.map { ", since \(time($0))" } ?? ""
            console.line("        run of process \(run["process"]?.integer ?? 0)\(since): \(calls(run))")
        }
        var table = providers(value)
        guard !table.rows.isEmpty else { return }
        if table.wholeWidth > console.width { table = providers(value, isBrief: true) }
        // The essential columns are not shortened. Columns about the past are removed first.
        for least in [["REVALIDATED"], ["HITS", "MISSES"]] where table.wholeWidth > console.width {
            table.leaveOut(least)
        }
        console.line()
        let lines = table.lines(width: console.width)
        for (number, line) in lines.enumerated() { console.line(number == 0 ? console.styled(line, .bold) : line) }
        for provider in value["providers"]?.elements.map({ $0 }) ?? [] {
            guard let problem = provider["configurationProblem"]?.string else { continue }
            console.line(Console.printable("\(provider["name"]?.string ?? ""): \(problem)"))
        }
    }

    private static let mostRuns = 10

    /// "2 tunnels open, 12MiB passed, 3 refused, 1 run under way: 12 requests, 10 hits"; nil if there is nothing to tell.
    static func proxy(_ value: JSONValue) -> String? {
        guard let proxy = value["proxy"] else { return nil }
        var parts: [String] = []
        let (open, bytes) = (proxy["tunnels"]?.integer ?? 0, proxy["tunnelBytes"]?.integer ?? 0)
        if open > 0 || bytes > 0 {
            parts.append("\(open) \(open == 1 ? "tunnel" : "tunnels") open, \(Units.format(size: Int64(bytes))) passed")
        }
        if let refused = proxy["refused"]?.integer, refused > 0 { parts.append("\(refused) refused") }
        let runs = proxy["runs"]?.elements.map { $0 } ?? []
        if !runs.isEmpty { parts.append("\(runs.count) \(runs.count == 1 ? "run" : "runs") under way") }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private static func calls(_ run: JSONValue) -> String {
        "\(run["requests"]?.integer ?? 0) requests, \(run["hits"]?.integer ?? 0) hits"
    }

    /// The shared tier: its address, whether it is in use, and what it contributed.
    private static func shared(_ value: JSONValue, _ console: Console) -> String {
        var parts = [Console.printable(value["url"]?.string ?? "")]
        if value["breaker"]?.string != "closed" {
            let since = value["openSince"]?.string.map { " since \(time($0))" } ?? ""
            let why = value["lastFailure"]?.string.map { " (\(Console.printable($0)))" } ?? ""
            parts.append(console.styled("not used\(since)\(why)", .yellow))
        } else if value["connected"]?.bool != true {
            parts.append(console.styled("not connected", .yellow))
        }
        if value["removalWaiting"]?.bool == true { parts.append(console.styled("a removal waits", .yellow)) }
        for (name, word) in [("hits", "hits"), ("misses", "misses"), ("published", "published")] {
            if let figure = value[name]?.integer { parts.append("\(figure) \(word)") }
        }
        return parts.joined(separator: ", ")
    }

    /// A table with one row per provider.
    /// - Parameter isBrief: whether the terminal is too narrow for the long form. A shortened number would be useless.
    static func providers(_ value: JSONValue, isBrief: Bool = false) -> TableLayout {
        var table = TableLayout(columns: [
            .init("PROVIDER"), .init("STATE", weight: 1), .init("RATE", weight: 1),
            .init("QUOTA", weight: 1), .init("HITS", isRight: true), .init("MISSES", isRight: true),
            .init("REVALIDATED", isRight: true),
        ])
        for provider in value["providers"]?.elements.map({ $0 }) ?? [] {
            var state = Console.printable(provider["state"]?.string ?? "")
            // For a provider that is off or has no key, no time is shown, because waiting does not help.
            if state == "suspended", let until = provider["suspendedUntil"]?.string {
                state += " until \(isBrief ? timeOfDay(until) : time(until))"
            }
            if state == "probing", !isBrief { state += ": the next call tries it" }
            if provider["reachability"]?.string == "unreachable" {
                state = state == "ready" ? "not reached" : state + (isBrief ? "" : ", not reached")
            }
            let answers = provider["answers"]
            let hits = ["hit", "memoryHit", "stale", "negative", "joined"].compactMap { answers?[$0]?.integer }.reduce(
                0, +)
            let budget = provider["budget"]
            table.rows.append([
                Console.printable(provider["name"]?.string ?? ""), state,
                limit(budget?["rate"], isBrief: isBrief),
                limit(budget?["quota"], isBrief: isBrief), answers == nil ? "" : String(hits),
                answers?["miss"]?.integer.map(String.init) ?? "",
                // Usually there are none, and the column is then left out.
                answers?["revalidated"]?.integer.flatMap { $0 > 0 ? String($0) : nil } ?? "",
            ])
        }
        return table
    }

    /// "17 of 20/min left, full at 12:00:30Z". The time is in UTC, with month and day if the window is longer than an
    /// hour. The brief form is "17 of 20/min".
    static func limit(_ value: JSONValue?, isBrief: Bool = false, isSpelled: Bool = false) -> String {
        guard let limit = value?["limit"]?.integer, let remaining = value?["remaining"]?.integer else { return "" }
        let seconds = value?["windowSeconds"]?.integer
        let window = seconds.map { isSpelled && !isBrief ? " per \(spelled($0))" : "/\(Self.window($0))" } ?? ""
        if isBrief { return "\(remaining) of \(limit)\(window)" }
        guard remaining < limit, let instant = value?["resetsAt"]?.string, instant.count == 20 else {
            return "\(remaining) of \(limit)\(window) left"
        }
        let time = Console.printable(instant)
        let next =
            (seconds ?? 0) > 3600
            ? time.dropFirst(5).prefix(11).replacing("T", with: " ") + "Z" : String(time.dropFirst(11))
        return "\(remaining) of \(limit)\(window) left, full at \(next)"
    }

    static func window(_ seconds: Int) -> String {
        switch seconds {
        case 1: "s"
        case 60: "min"
        case 3600: "h"
        case 86_400: "day"
        default: Units.format(duration: .seconds(seconds))
        }
    }

    private static func spelled(_ seconds: Int) -> String {
        switch seconds {
        case 1: "second"
        case 60: "minute"
        case 3600: "hour"
        default: window(seconds)
        }
    }

    /// An RFC 3339 instant as date and time in UTC: every reader sees the same text.
    static func time(_ text: String) -> String {
        let plain = Console.printable(text)
        guard plain.count == 20, plain.hasSuffix("Z") else { return plain }
        return "\(plain.prefix(10)) \(plain.dropFirst(11).prefix(8)) UTC"
    }

    /// The time of day of an instant: "12:00:30Z".
    private static func timeOfDay(_ text: String) -> String {
        let plain = Console.printable(text)
        return plain.count == 20 && plain.hasSuffix("Z") ? String(plain.dropFirst(11)) : plain
    }

    private static func size(_ bytes: Int, of limit: Int?) -> String {
        let text = Units.format(size: Int64(bytes))
        return limit.map { "\(text) of \(Units.format(size: Int64($0)))" } ?? text
    }

    private static func span(_ seconds: Int) -> String {
        switch seconds {
        case ..<120: "\(seconds)s"
        case ..<7200: "\(seconds / 60)min"
        case ..<172_800: "\(seconds / 3600)h"
        default: "\(seconds / 86_400)d"
        }
    }
}
