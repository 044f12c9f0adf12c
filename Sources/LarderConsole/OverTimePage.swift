// The page of the figures over time. The script draws plots; without a script the page shows totals.
import LarderCore

/// A span of time up to now. The raw value is the page's `span`.
public enum HistoryRange: String, Sendable, CaseIterable {
    case quarter = "15m"
    case hour = "1h"
    case sixHours = "6h"
    case day = "24h"
    case week = "7d"
    case month = "30d"

    /// - Parameter span: the page's parameter. `month` is the name of an earlier version.
    public init(_ span: String?) { self = span.flatMap(Self.init(rawValue:)) ?? (span == "month" ? .month : .hour) }

    /// The `span` of `/v1/history` that contains it.
    public var source: String {
        switch self {
        case .quarter, .hour: "hour"
        case .sixHours, .day: "days"
        case .week, .month: "month"
        }
    }

    /// The length and the length of a slot of a plot, in seconds.
    var seconds: (whole: Int64, slot: Int64) {
        switch self {
        case .quarter: (900, 15)
        case .hour: (3600, 30)
        case .sixHours: (21_600, 240)
        case .day: (86_400, 720)
        case .week: (604_800, 10_800)
        case .month: (2_592_000, 21_600)
        }
    }

    var label: String {
        switch self {
        case .quarter: "15 min"
        case .hour: "1 h"
        case .sixHours: "6 h"
        case .day: "24 h"
        case .week: "7 d"
        case .month: "30 d"
        }
    }
}

public enum OverTimePage {
    private static let plots: [(name: String, title: String, line: String)] = [
        ("requests", "Requests", "by outcome"), ("errors", "Errors", "answers of 500 and more"),
        ("ratio", "Hit ratio", "requests answered without a call of their own"),
        ("latency", "Latency", "of the slowest part of each slot"),
        ("upstream", "Upstream calls", "by provider"), ("budgets", "Calls against budget", "the spent share"),
        ("bytes", "Sent", "bytes to clients"),
    ]

    /// - Parameters:
    ///   - range: the time to show.
    ///   - answer: the response of `/v1/history`.
    public static func render(_ range: HistoryRange, now: WallTime, answer: ConsoleAnswer) -> String {
        ConsolePage.document(.overTime, title: "Over time · Larder") { main in
            main.add("h1", text: "Over time")
            main.add("nav", ["id": "spans", "class": "tabs", "aria-label": "Span"]) { nav in
                for one in HistoryRange.allCases {
                    nav.add(
                        "a",
                        [
                            "class": "tab", "href": "/over-time?span=\(one.rawValue)", "data-source": one.source,
                            "data-seconds": String(one.seconds.whole), "data-slot": String(one.seconds.slot),
                            "aria-current": one == range ? "true" : nil,
                        ], text: one.label)
                }
            }
            main.addProblem(answer)
            main.add("dl", ["id": "totals", "class": "tiles"]) {
                totals(&$0, answer.value, since: (now + .seconds(-range.seconds.whole)).rfc3339)
            }
            main.add("div", ["class": "plots"]) { list in
                for plot in plots {
                    list.add("figure", ["id": "plot-\(plot.name)", "class": "panel plot"]) { figure in
                        figure.add("figcaption") { caption in
                            caption.add("b", text: plot.title)
                            caption.add("span", ["class": "soft"], text: " \(plot.line)")
                        }
                    }
                }
                savings(&list, answer.value)
            }
        }
    }

    private static func savings(_ list: inout Markup, _ history: JSONValue?) {
        list.add("section", ["class": "panel", "aria-labelledby": "saved-title"]) { section in
            section.add("h2", ["id": "saved-title"]) { $0.addTerm("callsSaved", "Calls saved") }
            section.add("table", ["class": "saved"]) { table in
                table.add("caption", ["class": "apart"], text: "Calls saved over all runs, by provider")
                table.add("tbody", ["id": "saved"]) { saved(&$0, history) }
            }
            let isEmpty = (history?["saved"]?.count ?? 0) == 0
            section.add("p", ["id": "saved-none", "class": "soft", "hidden": isEmpty ? nil : ""], text: "None yet.")
        }
    }

    /// - Parameter since: the beginning of the range. Instants in this form compare like texts.
    private static func totals(_ list: inout Markup, _ history: JSONValue?, since: String) {
        guard let points = history?["points"]?.elements else { return }
        var (requests, calls, errors, bytes) = (0, 0, 0, 0)
        for point in points where point["at"]?.string ?? since >= since {
            requests += sum(point["requests"])
            calls += sum(point["upstream"])
            errors += point["errors"]?.integer ?? 0
            bytes += point["bytes"]?.integer ?? 0
        }
        for (label, value) in [
            ("Requests", String(requests)), ("Upstream calls", String(calls)), ("Errors", String(errors)),
            ("Sent", Units.format(size: Int64(bytes))),
        ] {
            list.add("div", ["class": "tile"]) { tile in
                tile.add("dt", text: label)
                tile.add("dd", text: value)
            }
        }
    }

    private static func saved(_ body: inout Markup, _ history: JSONValue?) {
        for member in (history?["saved"]?.members).map(Array.init) ?? [] {
            body.add("tr") { row in
                row.add("th", ["scope": "row"], text: member.name)
                row.add("td", ["class": "number"], text: member.value.said)
            }
        }
    }

    private static func sum(_ record: JSONValue?) -> Int {
        (record?.members).map { $0.reduce(0) { $0 + ($1.value.integer ?? 0) } } ?? 0
    }
}
