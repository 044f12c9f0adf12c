// The part of the search page that is shown before a search: examples, and the sources with their states.
import LarderCore

enum StartPart {
    private static let examples = ["jack johnson", "lantern", "fireball", "dragon"]

    /// - Parameter sources: the providers of `/v1/status` that can be searched.
    static func add(_ main: inout Markup, _ sources: [JSONValue], isShown: Bool) {
        main.add("div", ["id": "start", "class": "start", "hidden": isShown ? nil : ""]) { start in
            // The script fills it in: only this browser keeps the searches.
            start.add("section", ["id": "recent", "aria-labelledby": "recent-title", "hidden": ""]) { section in
                section.add("h2", ["id": "recent-title"], text: "Recent searches")
                section.add("p", ["id": "recent-terms", "class": "next"], text: "")
            }
            start.add("section", ["aria-labelledby": "examples-title"]) { section in
                section.add("h2", ["id": "examples-title"], text: "Examples")
                section.add("p", ["class": "next"]) { line in
                    for example in examples {
                        var question = SearchQuestion(QueryParameters())
                        question.term = example
                        line.add("a", ["href": question.address], text: example)
                    }
                }
            }
            start.add("section", ["aria-labelledby": "states-title"]) { section in
                section.add("h2", ["id": "states-title"], text: "Sources")
                section.add("ul", ["id": "states", "class": "states"]) { list in
                    let shown = sources.filter { $0["state"]?.string != "off" }
                    let isUnset = { (source: JSONValue) in source["state"]?.string == "notConfigured" }
                    for source in shown.filter({ !isUnset($0) }) + shown.filter(isUnset) { state(&list, source) }
                }
            }
        }
    }

    private static func state(_ list: inout Markup, _ source: JSONValue) {
        list.add("li") { item in
            item.add("div", ["class": "line"]) { line in
                line.add("b", text: source["title"]?.string ?? source["name"]?.string ?? "")
                line.addTerm(
                    ProvidersPage.shown(source), ProvidersPage.label(source), pill: ProvidersPage.pill(source),
                    isStop: false)
            }
            let problem = source["missing"] ?? source["configurationProblem"]
            let failure = ProvidersPage.pill(source) == "bad" ? source["lastFailureDetail"] : nil
            if let words = (problem ?? failure)?.string { item.add("p", ["class": "soft"], text: words) }
        }
    }
}
