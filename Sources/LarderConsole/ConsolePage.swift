// A page of the console: what all of them have around what each of them shows. Pages are whole documents, so that they can
// be read without a script; the scripts take the lists over.
import LarderCore

/// The views.
public enum ConsoleView: String, Sendable, CaseIterable {
    case search = "/"
    case now = "/now"
    case overTime = "/over-time"
    case providers = "/providers"
    case store = "/store"

    /// What it is called.
    public var title: String {
        switch self {
        case .search: "Search"
        case .now: "Now"
        case .overTime: "Over time"
        case .providers: "Providers"
        case .store: "Store"
        }
    }

    /// The script of the page.
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

/// What a route answered, as a page takes it.
public enum ConsoleAnswer: Sendable {
    case answer(JSONValue)
    /// It was refused or failed, with a sentence.
    case problem(String)
    /// It was not asked for.
    case none

    var value: JSONValue? { if case .answer(let value) = self { value } else { nil } }
    var problem: String? { if case .problem(let sentence) = self { sentence } else { nil } }
}

/// A whole document.
enum ConsolePage {
    /// - Parameter search: whether the script may search without a click; nil on other pages.
    static func document(
        _ view: ConsoleView, title: String, search: String? = nil, _ content: (inout Markup) -> Void
    ) -> String {
        var page = Markup()
        page.addDoctype()
        page.add("html", ["lang": "en", "data-view": view.title, "data-search": search]) { html in
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

    private static func head(_ head: inout Markup, _ view: ConsoleView, _ title: String) {
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
        head.add("script", ["type": "module", "src": "/console/\(view.script)"], text: "")
    }

    private static func header(_ header: inout Markup, _ view: ConsoleView) {
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

    /// The form for the admin token, which only a script can use.
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
                text: "For whole search terms, and for changes. It is kept by this page only, until it is left.")
        }
    }
}

extension Markup {
    /// A field of a form with its label.
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

    /// A choice of a form with its label.
    /// - Parameter choices: values and what they are called.
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

    /// An instant as a person reads it, in UTC; the scripts show it in the person's own time.
    mutating func addInstant(_ value: JSONValue?) {
        guard let text = value?.string else { return }
        add("time", ["datetime": text], text: text.instant)
    }

    /// The head of a table.
    /// - Parameter columns: each with the word that explains it, where there is one.
    mutating func addColumns(_ columns: [(label: String, term: String?, isNumber: Bool)]) {
        add("thead") { head in
            head.add("tr") { row in
                for column in columns {
                    row.add("th", ["scope": "col", "class": column.isNumber ? "number" : nil]) { cell in
                        if let term = column.term {
                            cell.addTerm(term, column.label)
                        } else {
                            cell.add(column.label)
                        }
                    }
                }
            }
        }
    }

    /// A cell that tells its column where rows are blocks.
    mutating func addCell(_ name: String, number: Bool = false, _ content: (inout Markup) -> Void) {
        add("td", ["data-name": name, "class": number ? "number" : nil], content)
    }

    /// A sentence for what could not be shown.
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
    /// What a string, a number or a truth says; of anything else nothing.
    var said: String {
        string ?? numberText ?? bool.map { $0 ? "yes" : "no" } ?? ""
    }

    /// A count of bytes in the greatest unit.
    var sizeText: String { Units.format(size: Int64(integer ?? 0)) }
}
