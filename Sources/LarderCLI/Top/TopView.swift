// Renders the view of `larder top`: a state in, lines out. The lines fit the width and height of the terminal.
import LarderCore

/// One line and its style.
struct TopLine: Sendable, Equatable {
    var text: String
    var style: Console.Style?

    init(_ text: String, _ style: Console.Style? = nil) {
        self.text = text
        self.style = style
    }
}

struct TopView {
    static let leastWidth = 60

    let state: TopState
    let width: Int
    let height: Int

    /// - Parameter height: the number of lines of the terminal. For other outputs it is larger than any view.
    init(_ state: TopState, width: Int, height: Int) {
        self.state = state
        self.width = max(1, width)
        self.height = max(1, height)
    }

    private static let keys = "q quit  ? help  sort: c count  t time  b bytes  n name  p providers"

    private static let help = [
        "Requests, hits and times are those since the last update.",
        "hits: the share of cacheable requests that needed no call of their own.",
        "p50, p90, p99: the time within which 50, 90 and 99 of 100 requests were",
        "  answered. Hits from memory are not timed and do not count here.",
        "LEFT: calls that the budget of a provider still permits.",
        "Entries are counted over the last 1,000 requests and all since. Requests that came",
        "  too fast to be shown are counted above the entries.",
        "",
        "c t b n  sort the entries by count, mean time, bytes or name",
        "p        sort the providers by answers a second, or as they are configured",
        "q        quit; any other key leaves this page",
    ]

    /// All lines of the view. The last one lists the keys.
    var lines: [TopLine] {
        guard width >= Self.leastWidth else {
            return fitted([TopLine("Too narrow: \(Self.leastWidth) columns are needed.")])
        }
        var out = head
        let room = height - out.count - 1
        out += state.showsHelp ? [TopLine("")] + Self.help.map { TopLine($0) } : tables(room)
        out = Array(out.prefix(height - 1))
        while out.count < height - 1 { out.append(TopLine("")) }
        return fitted(out + [TopLine(Self.keys, .faint)])
    }

    /// The lines of a snapshot, which is not redrawn.
    var snapshot: [String] { fitted(head + tables(.max)).map(\.text) }

    private func fitted(_ lines: [TopLine]) -> [TopLine] {
        lines.map { TopLine(DisplayWidth.cut($0.text, to: width), $0.style) }
    }

    private var head: [TopLine] {
        var out = [TopLine("larder \(state.version)  up \(Self.span(state.uptime))", .bold)]
        if let trouble = state.trouble {
            out[0] = TopLine("The daemon does not answer; trying again. \(trouble)", .red)
        }
        let rates = state.rates
        var facts = ["\(Self.figure(rates.requests)) requests/s"]
        facts.append("hits " + (rates.hitRatio.map { "\(Int(($0 * 100).rounded()))%" } ?? "-"))
        if let times = rates.percentiles {
            facts.append(
                "p50 \(LogLineText.time(times.p50)) p90 \(LogLineText.time(times.p90)) p99 \(LogLineText.time(times.p99))"
            )
        } else {
            facts.append("p50 - p90 - p99 -")
        }
        if rates.errors > 0 { facts.append("5xx \(Self.figure(rates.errors))/s") }
        out.append(TopLine(facts.joined(separator: "   ")))
        if let proxy = state.proxy { out.append(TopLine("proxy: \(proxy)")) }
        return out
    }

    /// - Parameter room: the number of lines for all three tables and the lines between them.
    private func tables(_ room: Int) -> [TopLine] {
        let slow = state.slow
        let providers = providerTable
        // The table of targets gets the lines that the others leave. Each table has a title and an empty line before
        // it.
        let bounded = room == .max ? 10_000 : room
        let providerRows = min(providers.rows.count, max(1, (bounded - 6) / 3))
        let slowRows = min(slow.count, max(1, (bounded - 6) / 4))
        let entryRows = room == .max ? 20 : max(0, bounded - providerRows - slowRows - (slow.isEmpty ? 5 : 7))
        var out = table(providers, rows: providerRows)
        if state.dropped > 0 {
            out.append(TopLine("\(state.dropped) requests came faster than they are shown", .faint))
        }
        out += table(entryTable, rows: entryRows)
        if !slow.isEmpty { out += table(slowTable, rows: slowRows) }
        return out
    }

    private func table(_ table: TableLayout, rows: Int) -> [TopLine] {
        var table = table
        table.rows = Array(table.rows.prefix(rows))
        guard !table.rows.isEmpty else { return [] }
        let lines = table.lines(width: width)
        return [TopLine("")] + lines.enumerated().map { TopLine($0.element, $0.offset == 0 ? .bold : nil) }
    }

    private var providerTable: TableLayout {
        var table = TableLayout(columns: [
            .init("PROVIDER", weight: 1), .init("STATE", weight: 1), .init("ANSWERS/S", isRight: true),
            .init("LEFT", weight: 2),
        ])
        table.rows = state.sortedProviders.map { [$0.name, $0.state, Self.figure($0.rate), $0.left] }
        return table
    }

    private var entryTable: TableLayout {
        func title(_ text: String, _ order: TopState.Order) -> String { state.order == order ? text + "*" : text }
        var table = TableLayout(columns: [
            .init(title("COUNT", .count), isRight: true), .init("HITS", isRight: true),
            .init(title("MEAN", .time), isRight: true), .init(title("BYTES", .bytes), isRight: true),
            .init(title("HOTTEST ENTRIES", .name), weight: 1),
        ])
        table.rows = state.hottest.map { entry in
            [
                String(entry.count), "\(entry.hits * 100 / max(1, entry.count))%",
                entry.mean.map(LogLineText.time) ?? "-", Units.format(size: Int64(entry.bytes)), entry.target,
            ]
        }
        return table
    }

    private var slowTable: TableLayout {
        var table = TableLayout(columns: [
            .init("AT"), .init("TOOK", isRight: true), .init("PROVIDER"), .init("SLOW REQUESTS", weight: 1),
        ])
        table.rows = state.slow.map { [$0.at, LogLineText.time($0.milliseconds), $0.provider, $0.target] }
        return table
    }

    /// Formats a number: "0", "0.4", "12", "1,234".
    static func figure(_ value: Double) -> String {
        if value > 0, value < 9.95 {
            let tenths = Int((value * 10).rounded())
            return tenths % 10 == 0 ? String(tenths / 10) : "\(tenths / 10).\(tenths % 10)"
        }
        var digits = String(Int(value.rounded()))
        var place = digits.count - 3
        while place > 0 {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
            place -= 3
        }
        return digits
    }

    private static func span(_ seconds: Int) -> String { Units.format(duration: .seconds(seconds)) }
}

extension TopState {
    /// The snapshot as JSON.
    var json: Bytes {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("version", version)
            writer.member("requestsPerSecond", number: rates.requests)
            writer.member("errorsPerSecond", number: rates.errors)
            writer.member(ifPresent: "proxy", proxy)
            if let hitRatio = rates.hitRatio { writer.member("hitRatio", number: hitRatio) }
            if let times = rates.percentiles {
                writer.member("p50", number: times.p50)
                writer.member("p90", number: times.p90)
                writer.member("p99", number: times.p99)
            }
            writer.name("providers")
            writer.array { writer in
                for provider in providers {
                    writer.object { writer in
                        writer.member("name", provider.name)
                        writer.member("state", provider.state)
                        writer.member("left", provider.left)
                        writer.member("answersPerSecond", number: provider.rate)
                    }
                }
            }
            writer.name("entries")
            writer.array { writer in
                for entry in hottest.prefix(50) {
                    writer.object { writer in
                        writer.member("target", entry.target)
                        writer.member("count", entry.count)
                        writer.member("hits", entry.hits)
                        writer.member("bytes", entry.bytes)
                        if let mean = entry.mean { writer.member("meanMilliseconds", number: mean) }
                    }
                }
            }
        }
        return writer.bytes
    }
}
