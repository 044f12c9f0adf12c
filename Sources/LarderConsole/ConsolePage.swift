// The frame that all pages of the console share. A page is a complete document, so it can be read without a script.
// Scripts take over its lists.
import LarderCore

/// The views of the console. The raw value is the path.
public enum ConsoleView: String, Sendable, CaseIterable {
    case search = "/"
    case now = "/now"
    case overTime = "/over-time"
    case providers = "/providers"
    case store = "/store"

    /// The title of the view.
    public var title: String {
        switch self {
        case .search: "Search"
        case .now: "Now"
        case .overTime: "Over time"
        case .providers: "Providers"
        case .store: "Store"
        }
    }

    /// The file name of the page's script.
    var script: String {
        switch self {
        case .search: "search.js"
        case .now: "now.js"
        case .overTime: "over-time.js"
        case .providers: "providers.js"
        case .store: "store.js"
        }
    }
}

/// The response of a route, as a page receives it.
public enum ConsoleAnswer: Sendable {
    case answer(JSONValue)
    /// The route refused or failed. Holds a sentence for the user.
    case problem(String)
    /// The route was not asked.
    case none

    var value: JSONValue? { if case .answer(let value) = self { value } else { nil } }
    /// The providers of `/v1/status`.
    public var providers: [JSONValue] { (value?["providers"]?.elements).all }
    var problem: String? { if case .problem(let sentence) = self { sentence } else { nil } }
}

/// A provider's name, and the title that people read.
public struct ProviderName: Sendable {
    public var name: String
    public var title: String

    /// - Parameter provider: one of the providers of `/v1/status`; nil if it has no name.
    public init?(_ provider: JSONValue) {
        guard let name = provider["name"]?.string else { return nil }
        self.init(name, provider["title"]?.string ?? name)
    }

    public init(_ name: String, _ title: String) {
        self.name = name
        self.title = title
    }
}

/// The order that the header of a column leads to.
struct ColumnOrder {
    /// The name of the order.
    var name: String
    /// The page with the order.
    var address: String
    /// Whether the rows are in this order.
    var isNow: Bool
}

/// Renders a complete document.
enum ConsolePage {
    /// - Parameters:
    ///   - view: nil for a page that is none of the views. It has no script.
    ///   - search: the value of `data-search`: whether the script may search without a click; nil on other pages.
    static func document(
        _ view: ConsoleView?, title: String, search: String? = nil, _ content: (inout Markup) -> Void
    ) -> String {
        var page = Markup()
        page.addDoctype()
        page.add("html", ["lang": "en", "data-view": view?.title, "data-search": search]) { html in
            html.add("head") { head(&$0, view, title) }
            html.breakLine()
            html.add("body") { body in
                body.add("a", ["class": "skip", "href": "#main"], text: "Skip to the content")
                body.add("header", ["class": "top"]) { header(&$0, view) }
                body.add("p", ["id": "lost", "role": "alert", "hidden": ""], text: "")
                body.breakLine()
                body.add("main", ["id": "main", "tabindex": "-1"], content)
                body.breakLine()
                body.add("footer", ["class": "end"]) { footer in
                    for (path, label) in [
                        ("/v1/status", "status as JSON"), ("/metrics", "metrics"), ("/openapi.json", "interface"),
                    ] { footer.add("a", ["href": path], text: label) }
                }
            }
        }
        page.breakLine()
        return page.text
    }

    private static func head(_ head: inout Markup, _ view: ConsoleView?, _ title: String) {
        head.addEmpty("meta", ["charset": "utf-8"])
        head.addEmpty("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
        head.addEmpty("meta", ["name": "color-scheme", "content": "light dark"])
        head.add("title", text: title)
        head.addEmpty("link", ["rel": "icon", "href": "/console/larder.svg", "type": "image/svg+xml"])
        head.addEmpty(
            "link",
            [
                "rel": "search", "type": "application/opensearchdescription+xml", "title": "Larder",
                "href": "/opensearch.xml",
            ])
        head.addEmpty("link", ["rel": "stylesheet", "href": "/console/console.css"])
        if let view { head.add("script", ["type": "module", "src": "/console/\(view.script)"], text: "") }
    }

    private static func header(_ header: inout Markup, _ view: ConsoleView?) {
        header.add("a", ["class": "brand", "href": "/"]) { brand in
            brand.addEmpty("img", ["src": "/console/larder.svg", "alt": "", "width": "24", "height": "24"])
            brand.add("span", text: "Larder")
        }
        header.add("nav", ["aria-label": "Views"]) { nav in
            for one in ConsoleView.allCases {
                nav.add("a", ["href": one.rawValue, "aria-current": one == view ? "page" : nil], text: one.title)
            }
        }
    }

    /// The form for the admin token. Only a script can use it.
    static func tokenForm(_ page: inout Markup) {
        page.add("form", ["id": "token", "class": "panel token", "hidden": "", "autocomplete": "off"]) { form in
            form.add("label", ["for": "token-field"]) { $0.addTerm("token", "Token", isStop: false) }
            form.addEmpty(
                "input", ["id": "token-field", "type": "password", "autocomplete": "off", "spellcheck": "false"])
            form.add("button", ["type": "submit"], text: "Use")
            form.add(
                "button", ["type": "button", "id": "token-forget", "class": "quiet", "hidden": ""], text: "Forget")
            form.add(
                "span", ["id": "token-word", "class": "soft", "role": "status"],
                text:
                    "For complete search terms, and for changes. Only this page keeps it, until you leave. Or run larder console."
            )
        }
    }
}

extension Markup {
    /// Adds a form field with its label.
    mutating func addField(
        _ name: StaticString, _ label: String, value: String, placeholder: String = "", id: StaticString? = nil
    ) {
        let id = "\(id ?? name)"
        add("label") { field in
            field.add("span", text: label)
            field.addEmpty(
                "input",
                [
                    "id": id, "name": "\(name)", "value": value, "placeholder": placeholder.isEmpty ? nil : placeholder,
                    "autocomplete": "off", "spellcheck": "false",
                ])
        }
    }

    /// Adds a choice to a form, with its label.
    /// - Parameter choices: the values and their labels.
    mutating func addChoice(
        _ name: StaticString, _ label: String, _ choices: [(value: String, label: String)], chosen: String
    ) {
        add("label") { field in
            field.add("span", text: label)
            field.add("select", ["id": "\(name)", "name": "\(name)"]) { select in
                let known = choices.contains { $0.value == chosen }
                for (value, label) in choices + (known ? [] : [(chosen, chosen)]) {
                    select.add("option", ["value": value, "selected": value == chosen ? "" : nil], text: label)
                }
            }
        }
    }

    /// Adds an instant in UTC. The scripts convert it to the user's local time.
    mutating func addInstant(_ value: JSONValue?) {
        guard let text = value?.string else { return }
        add("time", ["datetime": text], text: text.instant)
    }

    /// Adds the head of a table.
    /// - Parameters:
    ///   - columns: the columns, each with the glossary word that explains it, if there is one.
    ///   - sorting: the order that a column's header leads to.
    mutating func addColumns(
        _ columns: [(label: String, term: String?, isNumber: Bool)], sorting: [String: ColumnOrder] = [:]
    ) {
        add("thead") { head in
            head.add("tr") { row in
                for column in columns {
                    let order = sorting[column.label]
                    row.add(
                        "th",
                        [
                            "scope": "col", "data-name": column.label, "class": column.isNumber ? "number" : nil,
                            "aria-sort": order?.isNow == true ? "descending" : nil,
                        ]
                    ) { cell in
                        if let order {
                            cell.add("a", ["href": order.address, "data-order": order.name], text: column.label)
                        } else if let term = column.term {
                            cell.addTerm(term, column.label)
                        } else {
                            cell.add(column.label)
                        }
                    }
                }
            }
        }
    }

    /// Adds a cell that also holds the name of its column, for narrow screens where rows are shown as blocks.
    mutating func addCell(_ name: String, number: Bool = false, _ content: (inout Markup) -> Void) {
        add("td", ["data-name": name, "class": number ? "number" : nil], content)
    }

    /// Adds the message of a response that could not be shown.
    mutating func addProblem(_ answer: ConsoleAnswer) {
        add("p", ["id": "refusal", "class": "bad", "role": "status"], text: answer.problem ?? "")
    }
}

extension String {
    /// "2026-11-21T18:00:00.123Z" → "2026-11-21 18:00:00 UTC".
    var instant: String {
        guard hasSuffix("Z"), utf8.count >= 20 else { return self }
        return prefix(19).replacing("T", with: " ") + " UTC"
    }
}

extension JSONValue {
    /// The text of a string, a number or a Boolean; empty for any other value.
    var said: String {
        string ?? numberText ?? bool.map { $0 ? "yes" : "no" } ?? ""
    }

    /// A number of bytes in the largest fitting unit.
    var sizeText: String { Units.format(size: Int64(integer ?? 0)) }
}
