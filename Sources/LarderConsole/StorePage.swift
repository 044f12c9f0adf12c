// The page of stored entries, as lists. Viewing one entry and removing entries need the token, and so a script.
import LarderCore

public enum StorePage {
    /// The default order.
    public static let usualOrder = "largest"

    /// The filters, with the parameter names of `/v1/entries`.
    public static let filters = ["order", "provider", "prefix"]

    private static let orders: [(value: String, label: String)] = [
        ("largest", "largest"), ("recentlyUsed", "recently used"),
    ]
    private static let columns: [(label: String, term: String?, isNumber: Bool)] = [
        ("Entry", "entry", false), ("Provider", "provider", false), ("Kind", nil, false), ("Size", nil, true),
        ("Uses", "uses", true), ("Stored", nil, false), ("Fresh until", "freshUntil", false), ("Last used", nil, false),
    ]

    /// - Parameters:
    ///   - providers: the providers to choose from.
    ///   - answer: the response of `/v1/entries` with these filters.
    public static func render(_ query: QueryParameters, providers: [ProviderName], answer: ConsoleAnswer) -> String {
        ConsolePage.document(.store, title: "Store · Larder") { main in
            main.add("h1", text: "Store")
            main.add("form", ["id": "filters", "class": "filters", "action": "/store", "aria-label": "Filters"]) {
                form in
                form.addChoice("order", "Order", orders, chosen: query["order"] ?? usualOrder)
                form.addChoice(
                    "provider", "Provider", [("", "all")] + providers.map { ($0.name, $0.title) },
                    chosen: query["provider"] ?? "")
                form.addField("prefix", "Begins with", value: query["prefix"] ?? "", placeholder: "https://…")
                form.add("noscript") { $0.add("button", ["type": "submit"], text: "Show") }
            }
            main.addProblem(answer)
            list(&main, query, answer)
            purge(&main)
            ConsolePage.tokenForm(&main)
        }
    }

    /// The orders that the headers lead to.
    private static func sorting(_ query: QueryParameters) -> [String: ColumnOrder] {
        let now = query["order"] ?? usualOrder
        return [("Size", "largest"), ("Last used", "recentlyUsed")].reduce(into: [:]) { orders, one in
            let items = filters.compactMap { name in
                name == "order" ? nil : query[name].map { QueryParameters.Item(name, $0) }
            }
            let address = "/store?" + QueryParameters([.init("order", one.1)] + items).encoded
            orders[one.0] = ColumnOrder(name: one.1, address: address, isNow: now == one.1)
        }
    }

    private static func list(_ main: inout Markup, _ query: QueryParameters, _ answer: ConsoleAnswer) {
        main.add("p", ["id": "bases", "class": "soft"], text: "")
        main.add("div", ["class": "panel flush scroll"]) { panel in
            panel.add("table", ["class": "rows lines"]) { table in
                table.add("caption", ["class": "apart"], text: "Stored entries")
                table.addColumns(columns, sorting: sorting(query))
                table.add("tbody", ["id": "entries"]) { body in
                    for entry in (answer.value?["entries"]?.elements).all { row(&body, entry) }
                }
            }
            let isEmpty = (answer.value?["entries"]?.count ?? 0) == 0
            panel.add(
                "p", ["id": "none", "class": "soft none", "hidden": isEmpty ? nil : ""], text: "Nothing is stored.")
        }
    }

    private static func row(_ body: inout Markup, _ entry: JSONValue) {
        body.add("tr") { row in
            row.add("td", ["data-name": "Entry", "class": "target"]) { cell in
                cell.add("span", ["class": "mono"], text: entry["label"]?.string ?? entry["key"]?.string ?? "")
            }
            row.addCell("Provider") { $0.add(entry["provider"]?.string ?? "") }
            row.addCell("Kind") { $0.addTerm(entry["kind"]?.string ?? "", pill: "", isStop: false) }
            row.addCell("Size", number: true) { $0.add(entry["bytes"]?.sizeText ?? "") }
            row.addCell("Uses", number: true) { $0.add(entry["uses"]?.said ?? "") }
            row.addCell("Stored") { $0.addInstant(entry["receivedAt"]) }
            row.addCell("Fresh until") { $0.addInstant(entry["freshUntil"]) }
            row.addCell("Last used") { $0.addInstant(entry["lastUsedAt"]) }
        }
    }

    /// The form for removing entries. Its second button stays hidden until the first one has been pressed.
    private static func purge(_ main: inout Markup) {
        main.add("form", ["id": "purge", "class": "panel purge", "hidden": "", "aria-labelledby": "purge-title"]) {
            form in
            form.add("h2", ["id": "purge-title"]) { $0.addTerm("purge", "Remove", isStop: true) }
            form.add("div", ["class": "filters"]) { line in
                line.addChoice(
                    "purge-by", "What",
                    [
                        ("provider", "all of a provider"), ("term", "URLs that contain a text"), ("url", "a URL"),
                        ("prefix", "URLs that begin with"), ("kind", "a kind"), ("olderThan", "older than"),
                        ("key", "the entry of a key"), ("all", "everything"),
                    ], chosen: "provider")
                line.addField("purge-value", "Which", value: "", placeholder: "itunes, https://…, 30d")
                line.add("label", ["class": "check"]) { label in
                    label.addEmpty("input", ["id": "purge-soft", "type": "checkbox"])
                    label.addTerm("softPurge", "only expire", isStop: false)
                }
                line.add("button", ["id": "purge-try", "type": "submit"], text: "Remove…")
                line.add(
                    "button", ["id": "purge-do", "type": "button", "class": "danger", "hidden": ""], text: "Remove")
            }
            form.add("p", ["id": "purge-needs", "class": "soft"], text: "Removing needs the token below.")
            form.add("div", ["id": "purge-word", "role": "status"], text: "")
        }
    }
}
