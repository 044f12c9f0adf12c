// The search page. Its form also works without a script: the daemon then runs the search and puts the results into the
// page. A search spends upstream calls, and any web page may link to `/?q=…`. A search therefore runs without a click
// only after a navigation that this origin or the browser's user started; the route determines this.
import LarderCore

/// The question and the part of the answer to show, as given in the page's URL.
public struct SearchQuestion: Sendable, Equatable {
    public var term = ""
    public var source = ""
    public var sort = "relevance"
    /// Whether only stored results are searched.
    public var isStored = false
    public var kind = ""
    /// If set, only results of this provider are shown.
    public var from = ""
    public var page = 1
    /// Whether the browser runs no script. Only such a browser sends this field of the form.
    public var isPlain = false

    /// The highest page number. A larger number is treated as this one.
    private static let lastPage = 10_000

    public init(_ query: QueryParameters) {
        func text(_ name: String) -> String { query[name] ?? "" }
        term = text("q").trimmingSpaces
        source = text("source")
        if !text("sort").isEmpty { sort = text("sort") }
        isStored = text("where") == "stored"
        kind = text("kind")
        from = text("from")
        page = min(max(1, Int(text("page")) ?? 1), Self.lastPage)
        isPlain = text("plain") == "1"
    }

    /// The target of the request that answers the question.
    public var target: String {
        var items = [QueryParameters.Item("q", term)]
        if !source.isEmpty { items.append(.init("source", source)) }
        guard !isStored else {
            return "/v1/local?" + QueryParameters(items + [.init("limit", "200")]).encoded
        }
        if sort != "relevance" { items.append(.init("sort", sort)) }
        return "/v1/search?" + QueryParameters(items).encoded
    }

    /// The page's own URL.
    var address: String {
        var items: [QueryParameters.Item] = []
        func add(_ name: String, _ value: String, unless usual: String = "") {
            if value != usual { items.append(.init(name, value)) }
        }
        add("q", term)
        add("source", source)
        add("where", isStored ? "stored" : "")
        add("sort", sort, unless: "relevance")
        add("kind", kind)
        add("from", from)
        add("page", String(page), unless: "1")
        add("plain", isPlain ? "1" : "")
        return items.isEmpty ? "/" : "/?" + QueryParameters(items).encoded
    }

    /// The same question with another part of the answer shown.
    func showing(_ change: (inout SearchQuestion) -> Void) -> SearchQuestion {
        var other = self
        other.page = 1
        change(&other)
        return other
    }
}

public enum SearchPage {
    /// The number of cards on one page.
    static let pageSize = 24

    /// - Parameters:
    ///   - sources: the providers of `/v1/status`.
    ///   - runs: whether the script may search without a click, because this origin led here.
    ///   - answer: the answer to the question's target, if the daemon had to ask it for the page.
    public static func render(
        _ question: SearchQuestion, sources: [JSONValue], runs: Bool, answer: ConsoleAnswer
    ) -> String {
        let sources = sources.filter { $0["kind"]?.string != "passthrough" }
        let title = question.term.isEmpty ? "Larder" : "\(question.term) · Larder"
        return ConsolePage.document(.search, title: title, search: runs ? "runs" : "waits") { main in
            main.add("h1", ["class": "apart"], text: "Search")
            let names = sources.compactMap(ProviderName.init)
            form(&main, question, names)
            let titles = Dictionary(names.map { ($0.name, $0.title) }) { first, _ in first }
            let isBad = answer.problem != nil
            main.add(
                "p", ["id": "outcome", "class": isBad ? "bad" : nil, "role": "status"], text: outcome(question, answer))
            main.add("ul", ["id": "sources", "class": "marks", "aria-label": "Sources"]) { list in
                for source in (answer.value?["sources"]?.elements).all { mark(&list, source, titles) }
            }
            let results = (answer.value?["results"]?.elements).all
            let shown = results.filter { result in
                (question.kind.isEmpty || result["kind"]?.string == question.kind)
                    && (question.from.isEmpty || result["provider"]?.string == question.from)
            }
            help(&main, question, answer)
            StartPart.add(&main, sources, isShown: question.term.isEmpty)
            tabs(&main, question, results, titles)
            let first = (question.page - 1) * pageSize
            main.add("ol", ["id": "results", "class": "cards", "aria-label": "Results"]) { list in
                for result in shown.dropFirst(first).prefix(pageSize) { card(&list, result, titles) }
            }
            pages(&main, question, (shown.count + pageSize - 1) / pageSize)
        }
    }

    private static func form(_ main: inout Markup, _ question: SearchQuestion, _ sources: [ProviderName]) {
        main.add("form", ["id": "search", "role": "search", "action": "/", "class": "search"]) { form in
            form.add("label", ["class": "apart", "for": "q"], text: "Search term")
            form.addEmpty(
                "input",
                [
                    "id": "q", "name": "q", "type": "search", "value": question.term,
                    "placeholder": "Search all sources", "autofocus": "", "autocomplete": "off", "maxlength": "200",
                ])
            form.add("button", ["type": "submit"], text: "Search")
            form.add("div", ["class": "options"]) { options in
                options.addChoice(
                    "source", "Source", [("", "all sources")] + sources.map { ($0.name, $0.title) },
                    chosen: question.source)
                options.addChoice(
                    "sort", "Order",
                    [("relevance", "relevance"), ("name", "name"), ("date", "date"), ("price", "price")],
                    chosen: question.sort)
                options.add("label", ["class": "check"]) { label in
                    label.addEmpty(
                        "input",
                        [
                            "id": "where", "name": "where", "type": "checkbox", "value": "stored",
                            "checked": question.isStored ? "" : nil,
                        ])
                    label.addTerm("fullText", "only stored results", isStop: false)
                }
            }
            // A browser that runs scripts ignores this field.
            form.add("noscript") { $0.addEmpty("input", ["type": "hidden", "name": "plain", "value": "1"]) }
        }
    }

    private static func outcome(_ question: SearchQuestion, _ answer: ConsoleAnswer) -> String {
        switch answer {
        case .problem(let sentence): return sentence
        case .none: return question.term.isEmpty ? "" : "Not searched yet: press Search."
        case .answer(let value):
            let count = value["results"]?.count ?? 0
            return count == 1 ? "1 result" : "\(count) results"
        }
    }

    /// What to do next if there are no results. The script fills it in, with the state of each source.
    private static func help(_ main: inout Markup, _ question: SearchQuestion, _ answer: ConsoleAnswer) {
        let isNeeded = answer.problem != nil || answer.value?["results"]?.count == 0
        main.add("section", ["id": "help", "aria-label": "What to do next", "hidden": isNeeded ? nil : ""]) { help in
            guard isNeeded else { return }
            help.add("p", ["class": "next"]) { line in
                if !question.source.isEmpty {
                    line.add("a", ["href": question.showing { $0.source = "" }.address], text: "Search all sources")
                }
                let label = question.isStored ? "Ask the sources" : "Show stored results"
                line.add("a", ["href": question.showing { $0.isStored.toggle() }.address], text: label)
            }
        }
    }

    private static func mark(_ list: inout Markup, _ source: JSONValue, _ titles: [String: String]) {
        let name = source["provider"]?.string ?? ""
        let failure = source["error"].flatMap { $0["detail"]?.string ?? $0["class"]?.string }
        list.add("li", ["class": failure == nil ? "mark" : "mark bad"]) { item in
            item.add("\(titles[name] ?? name) ")
            item.add("b", text: failure == nil ? source["count"]?.said ?? "0" : "!")
            if let failure { item.add("span", ["class": "soft"], text: " " + failure) }
        }
    }

    private static func tabs(
        _ main: inout Markup, _ question: SearchQuestion, _ results: [JSONValue], _ titles: [String: String]
    ) {
        func group(
            _ nav: inout Markup, _ label: String, _ member: String, _ path: WritableKeyPath<SearchQuestion, String>
        ) {
            let names = results.compactMap { $0[member]?.string }
            let counts = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
                .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            nav.add("div", ["class": "tabs", "role": "group", "aria-label": label]) { group in
                group.add("span", ["class": "label"], text: label)
                for (name, count) in [("", results.count)] + counts.map({ ($0.key, $0.value) }) {
                    let isChosen = question[keyPath: path] == name
                    let address = question.showing { $0[keyPath: path] = name }.address
                    group.add("a", ["class": "tab", "href": address, "aria-current": isChosen ? "true" : nil]) { tab in
                        tab.add(name.isEmpty ? "All" : member == "provider" ? titles[name] ?? name : name)
                        tab.add("span", ["class": "tally"], text: String(count))
                    }
                }
            }
        }
        main.add("nav", ["id": "tabs", "aria-label": "Narrow", "hidden": results.isEmpty ? "" : nil]) { nav in
            guard !results.isEmpty else { return }
            group(&nav, "Kind", "kind", \.kind)
            group(&nav, "From", "provider", \.from)
        }
    }

    private static func card(_ list: inout Markup, _ result: JSONValue, _ titles: [String: String]) {
        let provider = result["provider"]?.string ?? ""
        let title = result["title"]?.string ?? result["id"]?.string ?? ""
        let kind = result["kind"]?.string ?? "result"
        list.add("li", ["class": "card"]) { card in
            card.add("div", ["class": "frame", "aria-hidden": "true"]) { frame in
                if let place = result["artwork"]?["small"]?.string, place.hasPrefix("/v1/artwork/") {
                    frame.addEmpty(
                        "img", ["alt": "", "src": place, "width": "72", "height": "72", "loading": "lazy"])
                } else {
                    frame.add("span", text: kind.prefix(1).uppercased())
                }
            }
            card.add("div", ["class": "told"]) { told in
                told.add("h2") { heading in
                    if let link = result["url"]?.string?.webAddress {
                        heading.add("a", ["href": link, "rel": "noreferrer noopener"], text: title)
                    } else {
                        heading.add(title)
                    }
                }
                let price = result["price"].map { "\($0["amount"]?.said ?? "") \($0["currency"]?.said ?? "")" }
                let published = result["publishedAt"]?.string.map { String($0.prefix(10)) }
                let facts = [result["creator"]?.string, result["collection"]?.string, price, published]
                    .compactMap { $0 }.filter { !$0.isEmpty }
                if !facts.isEmpty { told.add("p", ["class": "soft"], text: facts.joined(separator: " · ")) }
                if let summary = result["summary"]?.string { told.add("p", ["class": "summary"], text: summary) }
                told.add("p", ["class": "foot"]) { foot in
                    foot.add("span", ["class": "pill"], text: kind)
                    foot.add("span", ["class": "source"], text: titles[provider] ?? provider)
                }
            }
        }
    }

    private static func pages(_ main: inout Markup, _ question: SearchQuestion, _ count: Int) {
        main.add("nav", ["id": "pages", "aria-label": "Pages of results", "hidden": count < 2 ? "" : nil]) { nav in
            guard count > 1 else { return }
            for page in 1...count {
                let isHere = page == question.page
                let address = question.showing { $0.page = page }.address
                nav.add(
                    "a", ["class": "tab", "href": address, "aria-current": isHere ? "page" : nil], text: String(page))
            }
        }
    }
}

extension String {
    /// The text itself if it is an http or https URL. Nothing else becomes a link.
    var webAddress: String? {
        let start = prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://") ? self : nil
    }

    var trimmingSpaces: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}

extension Optional where Wrapped == JSONValue.Elements {
    /// The elements; empty if there is no value.
    var all: [JSONValue] { map { Array($0) } ?? [] }
}
