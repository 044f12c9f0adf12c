// larder history: shows the daemon's figures over time, as a line of bars and a table of twelve rows.
import LarderCore

enum HistoryCommand {
    private static let spans = ["hour", "days", "month"]

    static let command = Subcommand(
        "history", "show requests, calls, errors and latency over time",
        details: [
            "The last hour, the last 2 days, or the last 30 days. Where there are no bars, the daemon did not run. "
                + "The last column is the highest 99th percentile of the slots in a row."
        ],
        options: [
            CommandOption(
                "--span", value: "SPAN", choices: spans,
                "the last hour (default), the last 2 days, or the last 30 days"),
            CommandOption("--json", "JSON on a terminal too"),
        ] + Conversation.options,
        examples: [
            ("larder history", "the last hour"), ("larder history --span days", "the last 2 days"),
            ("larder history --span month", "the last 30 days"),
        ]
    ) { invocation throws(CommandFailure) in
        try invocation.noOperands()
        let span = invocation.value("--span") ?? "hour"
        guard spans.contains(span) else {
            throw CommandFailure(.usage, "--span: \"\(span)\" is not a span", advice: "Give hour, days or month.")
        }
        let (value, response) = try Conversation(invocation).json(DaemonRequest(.get, "/v1/history?span=\(span)"))
        if invocation.wantsJSON {
            invocation.console.showLine(response)
        } else {
            show(value, invocation.console)
        }
        return .done
    }

    /// The slots of one row, added up.
    struct Group: Equatable {
        var from = ""
        /// Nil if the daemon did not run.
        var requests: Int?
        var hits = 0
        var calls = 0
        var errors = 0
        var bytes = 0
        var slowest: Double?
    }

    /// Divides the time into `count` parts of equal length and adds up each part.
    static func groups(_ value: JSONValue, count: Int) -> [Group] {
        guard count > 0, let step = value["stepSeconds"]?.integer, step > 0,
            let begin = value["from"]?.string.flatMap(seconds(of:)),
            let end = value["to"]?.string.flatMap(seconds(of:)),
            end >= begin, (end - begin) / Int64(step) < 1_000_000
        else { return [] }
        let slots = Int((end - begin) / Int64(step)) + 1
        var groups = (0..<count).map { part in
            Group(from: WallTime(seconds: begin + Int64(part * slots / count * step)).rfc3339)
        }
        for point in value["points"]?.elements.map({ $0 }) ?? [] {
            guard let at = point["at"]?.string.flatMap(seconds(of:)), at >= begin, at <= end else { continue }
            let slot = Int((at - begin) / Int64(step))
            // The last part that begins at or before the slot, by the same rounding as above.
            var part = min(count - 1, slot * count / slots)
            while part + 1 < count, (part + 1) * slots / count <= slot { part += 1 }
            add(point, to: &groups[part])
        }
        return groups
    }

    private static func add(_ point: JSONValue, to group: inout Group) {
        for member in point["requests"]?.members.map({ $0 }) ?? [] {
            let count = member.value.integer ?? 0
            group.requests = (group.requests ?? 0) + count
            if ["hit", "stale", "negative", "joined"].contains(member.name) { group.hits += count }
        }
        group.requests = group.requests ?? 0
        for member in point["upstream"]?.members.map({ $0 }) ?? [] { group.calls += member.value.integer ?? 0 }
        group.errors += point["errors"]?.integer ?? 0
        group.bytes += point["bytes"]?.integer ?? 0
        if let slow = point["p99"]?.double { group.slowest = max(group.slowest ?? 0, slow) }
    }

    static func show(_ value: JSONValue, _ console: Console) {
        let isHour = value["span"]?.string == "hour"
        let width = min(72, max(12, console.width - 10))
        console.line(console.styled("requests", .bold) + "  " + bars(groups(value, count: width).map(\.requests)))
        console.line()
        var table = TableLayout(columns: [
            .init("FROM"), .init("REQUESTS", isRight: true), .init("NO CALL", isRight: true),
            .init("CALLS", isRight: true), .init("ERRORS", isRight: true), .init("SENT", isRight: true),
            .init("P99", isRight: true),
        ])
        for group in groups(value, count: 12) {
            let from = isHour ? group.from.dropFirst(11).prefix(8) : group.from.dropFirst(5).prefix(11)
            guard let requests = group.requests else {
                table.rows.append(["\(from.replacing("T", with: " "))Z", "-", "", "", "", "", ""])
                continue
            }
            table.rows.append([
                "\(from.replacing("T", with: " "))Z", String(requests),
                requests == 0 ? "" : "\(group.hits * 100 / requests) %", String(group.calls), String(group.errors),
                Units.format(size: Int64(group.bytes)), group.slowest.map { "\(milliseconds($0)) ms" } ?? "",
            ])
        }
        for least in [["SENT"], ["ERRORS"]] where table.wholeWidth > console.width { table.leaveOut(least) }
        for (number, line) in table.lines(width: console.width).enumerated() {
            console.line(number == 0 ? console.styled(line, .bold) : line)
        }
        let saved = value["saved"]?.members.map { ($0.name, $0.value.integer ?? 0) } ?? []
        guard !saved.isEmpty else { return }
        console.line()
        let parts = saved.map { "\(Console.printable($0.0)) \($0.1)" }.joined(separator: ", ")
        console.line("Calls saved over every run: \(parts)")
    }

    /// One character for each figure: a space if there is none, else a bar for its share of the largest.
    static func bars(_ figures: [Int?]) -> String {
        let signs: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
        let most = figures.compactMap { $0 }.max() ?? 0
        return String(
            figures.map { figure -> Character in
                guard let figure else { return " " }
                guard most > 0, figure > 0 else { return signs[0] }
                return signs[min(7, figure * 7 / most + (figure * 7 % most == 0 ? 0 : 1))]
            })
    }

    private static func milliseconds(_ value: Double) -> String {
        value >= 10 ? String(Int(value.rounded())) : "\((value * 10).rounded() / 10)"
    }

    /// The seconds since 1970 of "2026-11-20T12:00:00Z"; nil for any other text.
    static func seconds(of text: String) -> Int64? {
        let parts = text.split { "-T:Z".contains($0) }.map { Int64($0) }
        guard text.utf8.count == 20, text.hasSuffix("Z"), parts.count == 6, let year = parts[0], let month = parts[1],
            let day = parts[2], let hour = parts[3], let minute = parts[4], let second = parts[5],
            (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        return WallTime.days(year: year, month: month, day: day) * 86_400 + hour * 3600 + minute * 60 + second
    }
}
