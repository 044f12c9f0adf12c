// The page of the last hour and the last month. The script draws plots; without a script the page shows totals.
import LarderCore

public enum OverTimePage {
    private static let plots: [(name: String, title: String, line: String)] = [
        ("ratio", "Hit ratio", "the share of answers that needed no call of their own"),
        ("requests", "Requests", "by outcome"), ("upstream", "Upstream calls", "by provider"),
        ("budgets", "Calls against budget", "the spent share of each budget"),
        ("latency", "Latency", "of the slowest part of each slot"),
        ("bytes", "Sent", "bytes to clients"), ("errors", "Errors", "answers of 500 and more"),
    ]

    /// - Parameters:
    ///   - isMonth: whether to show the month instead of the hour.
    ///   - answer: the response of `/v1/history`.
    public static func render(isMonth: Bool, answer: ConsoleAnswer) -> String {
        ConsolePage.document(.overTime, title: "Over time · Larder") { main in
            main.add("h1", text: "Over time")
            main.add("nav", ["id": "spans", "class": "tabs", "aria-label": "Span"]) { nav in
                for (span, path, label) in [
                    ("hour", "/over-time", "Last hour"), ("month", "/over-time?span=month", "Last 30 days"),
                ] {
                    let isChosen = (span == "month") == isMonth
                    nav.add(
                        "a",
                        ["class": "tab", "href": path, "data-span": span, "aria-current": isChosen ? "true" : nil],
                        text: label)
                }
            }
            main.addProblem(answer)
            main.add("dl", ["id": "totals", "class": "tiles"]) { totals(&$0, answer.value) }
            main.add("div", ["id": "plots", "class": "plots", "hidden": ""]) { list in
                for plot in plots {
                    list.add("figure", ["id": "plot-\(plot.name)", "class": "panel plot"]) { figure in
                        figure.add("figcaption") { caption in
                            caption.add("b", text: plot.title)
                            caption.add("span", ["class": "soft"], text: " \(plot.line)")
                        }
                    }
                }
            }
            main.add("section", ["class": "panel", "aria-labelledby": "saved-title"]) { section in
                section.add("h2", ["id": "saved-title"]) { $0.addTerm("callsSaved", "Calls saved") }
                section.add("table", ["class": "saved"]) { table in
                    table.add("caption", ["class": "apart"], text: "Calls saved over all runs, by provider")
                    table.add("tbody", ["id": "saved"]) { saved(&$0, answer.value) }
                }
                let isEmpty = (answer.value?["saved"]?.count ?? 0) == 0
                section.add(
                    "p", ["id": "saved-none", "class": "soft", "hidden": isEmpty ? nil : ""], text: "None yet.")
            }
        }
    }

    private static func totals(_ list: inout Markup, _ history: JSONValue?) {
        guard let points = history?["points"]?.elements else { return }
        var (requests, calls, errors, bytes) = (0, 0, 0, 0)
        for point in points {
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
