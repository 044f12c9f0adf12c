// The page of the last requests. Without a script it shows the requests at the time of loading, with the same filters.
import LarderCore

public enum NowPage {
    /// The filters, with the parameter names of `/v1/requests`.
    public static let filters = ["provider", "outcome", "status", "client", "path", "slow"]

    private static let columns: [(label: String, term: String?, isNumber: Bool)] = [
        ("Time", nil, false), ("Request", nil, false), ("Status", "status", true), ("Outcome", "outcome", false),
        ("Provider", "provider", false), ("Took", nil, true), ("Client", "client", false),
    ]

    private static let outcomes = [
        "hit", "miss", "stale", "joined", "revalidated", "negative", "bypass", "none",
    ]

    /// - Parameters:
    ///   - providers: the providers to choose from.
    ///   - answer: the response of `/v1/requests` with these filters.
    public static func render(_ query: QueryParameters, providers: [ProviderName], answer: ConsoleAnswer) -> String {
        // The requests with which the console follows its own searches.
        let requests = (answer.value?["requests"]?.elements).all
            .filter {
                query["own"] == "1" || $0["route"]?.string != "searches" || $0["status"]?.integer ?? 0 >= 400
            }
        return ConsolePage.document(.now, title: "Now · Larder") { main in
            main.add("h1", text: "Now")
            filters(&main, query, providers)
            main.addProblem(answer)
            main.add("p", ["id": "stream", "class": "soft", "role": "status"], text: "")
            main.add("div", ["class": "panel flush scroll"]) { panel in
                panel.add("table", ["class": "rows lines"]) { table in
                    table.add("caption", ["class": "apart"], text: "The last requests, newest first")
                    table.addColumns(columns)
                    table.add("tbody", ["id": "requests"]) { body in
                        for request in requests { row(&body, request) }
                    }
                }
                panel.add(
                    "p", ["id": "none", "class": "soft none", "hidden": requests.isEmpty ? nil : ""],
                    text: "No requests yet.")
            }
            ConsolePage.tokenForm(&main)
        }
    }

    private static func filters(_ main: inout Markup, _ query: QueryParameters, _ providers: [ProviderName]) {
        main.add("form", ["id": "filters", "class": "filters", "action": "/now", "aria-label": "Filters"]) { form in
            form.addChoice(
                "provider", "Provider", [("", "all")] + providers.map { ($0.name, $0.title) },
                chosen: query["provider"] ?? "")
            form.addChoice(
                "outcome", "Outcome", [("", "all")] + outcomes.map { ($0, $0) }, chosen: query["outcome"] ?? "")
            form.addField("status", "Status", value: query["status"] ?? "", placeholder: "4xx")
            form.addField("path", "Path", value: query["path"] ?? "", placeholder: "part of it")
            form.addField("client", "Client", value: query["client"] ?? "", placeholder: "127.0.0.1")
            form.addField("slow", "Slower than", value: query["slow"] ?? "", placeholder: "100ms")
            form.add("label", ["class": "check"]) { label in
                label.addEmpty(
                    "input",
                    ["name": "own", "type": "checkbox", "value": "1", "checked": query["own"] == "1" ? "" : nil])
                label.add("span", text: "the console's own")
            }
            form.add("noscript") { $0.add("button", ["type": "submit"], text: "Show") }
            form.add(
                "button", ["id": "pause", "type": "button", "aria-pressed": "false", "hidden": ""], text: "Pause")
        }
    }

    private static func row(_ body: inout Markup, _ request: JSONValue) {
        let method = request["method"]?.string ?? ""
        let target = request["target"]?.string ?? ""
        body.add("tr") { row in
            row.addCell("Time") { $0.addInstant(request["at"]) }
            row.add("td", ["data-name": "Request", "class": "target"]) { cell in
                cell.add("a", ["class": "mono", "href": explanation(request)], text: "\(method) \(target)")
            }
            row.addCell("Status", number: true) { $0.add(request["status"]?.said ?? "") }
            row.addCell("Outcome") { cell in
                let (outcome, pill) = outcome(request)
                cell.addTerm(outcome, pill: pill, isStop: false)
            }
            let several = (request["providers"]?.elements).all.compactMap(\.string)
            row.addCell("Provider") { cell in
                cell.add(
                    "span", ["title": several.isEmpty ? nil : several.joined(separator: ", ")],
                    text: request["provider"]?.string ?? (several.isEmpty ? "" : "\(several.count) sources"))
            }
            row.addCell("Took", number: true) { cell in
                if let time = request["milliseconds"]?.numberText { cell.add("\(time) ms") }
            }
            row.addCell("Client") { $0.add(request["client"]?.string ?? "") }
        }
    }

    /// The outcome and the style of its pill. An error is never shown as a success.
    private static func outcome(_ request: JSONValue) -> (String, String) {
        let outcome = request["outcome"]?.string ?? "none"
        switch request["status"]?.integer ?? 0 {
        case 500...: return (outcome == "none" ? "failed" : outcome, "bad")
        case 404 where outcome == "none": return ("notFound", "warn")
        case 400...: return (outcome == "none" ? "refused" : outcome, "warn")
        default: return (outcome, outcomes.contains(outcome) ? outcome : "")
        }
    }

    private static func explanation(_ request: JSONValue) -> String {
        "/v1/explain/" + PercentCoding.encode(request["id"]?.string ?? "")
    }
}
