// The page of the providers and of Larder itself, made from the response of `/v1/status`.
import LarderCore

public enum ProvidersPage {
    /// - Parameter answer: the response of `/v1/status`.
    public static func render(answer: ConsoleAnswer) -> String {
        ConsolePage.document(.providers, title: "Providers · Larder") { main in
            main.add("h1", text: "Providers")
            main.addProblem(answer)
            main.add("p", ["id": "word", "role": "status"], text: "")
            main.add("div", ["id": "providers", "class": "grid"]) { list in
                for provider in (answer.value?["providers"]?.elements).all { card(&list, provider) }
            }
            main.add("section", ["class": "panel", "aria-labelledby": "house-title"]) { section in
                section.add("h2", ["id": "house-title"], text: "Larder itself")
                section.add("div", ["id": "house"]) { house(&$0, answer.value) }
            }
            proxy(&main, answer.value?["proxy"])
            fleet(&main, answer.value?["shared"])
            ConsolePage.tokenForm(&main)
        }
    }

    /// The tunnels of the proxy and the runs under way. Hidden if there were none.
    private static func proxy(_ main: inout Markup, _ proxy: JSONValue?) {
        let runs = (proxy?["runs"]?.elements).all
        let isIdle = ["tunnelBytes", "tunnels", "refused"].allSatisfy { (proxy?[$0]?.integer ?? 0) == 0 }
        main.add(
            "section",
            [
                "id": "proxy", "class": "panel", "aria-labelledby": "proxy-title",
                "hidden": isIdle && runs.isEmpty ? "" : nil,
            ]
        ) { section in
            section.add("h2", ["id": "proxy-title"], text: "Tunnels and runs")
            section.add("div", ["id": "tunnels"]) { facts in
                facts.add("dl", ["class": "facts"]) { list in
                    for (label, value) in [
                        ("tunnels open", proxy?["tunnels"]?.said),
                        ("passed through them", proxy?["tunnelBytes"]?.sizeText),
                        ("requests refused", proxy?["refused"]?.said),
                    ] {
                        list.add("dt", text: label)
                        list.add("dd", text: value ?? "0")
                    }
                }
            }
            section.add("table", ["class": "rows", "id": "runs-table", "hidden": runs.isEmpty ? "" : nil]) { table in
                table.add("caption", ["class": "apart"], text: "Runs under way")
                table.addColumns([
                    ("Process", nil, true), ("Since", nil, false), ("Requests", nil, true), ("Hits", nil, true),
                ])
                table.add("tbody", ["id": "runs"]) { body in
                    for run in runs {
                        body.add("tr") { row in
                            row.addCell("Process", number: true) { $0.add(run["process"]?.said ?? "") }
                            row.addCell("Since") { $0.addInstant(run["since"]) }
                            row.addCell("Requests", number: true) { $0.add(run["requests"]?.said ?? "") }
                            row.addCell("Hits", number: true) { $0.add(run["hits"]?.said ?? "") }
                        }
                    }
                }
            }
        }
    }

    /// The shared tier and, with a script, the hosts. Hidden if this host shares nothing.
    private static func fleet(_ main: inout Markup, _ shared: JSONValue?) {
        main.add(
            "section",
            [
                "id": "fleet", "class": "panel", "aria-labelledby": "fleet-title", "hidden": shared == nil ? "" : nil,
            ]
        ) { section in
            section.add("h2", ["id": "fleet-title"], text: "Shared with other hosts")
            section.add("div", ["id": "tier"]) { facts in
                guard let shared else { return }
                facts.add("dl", ["class": "facts"]) { list in
                    for name in [
                        "url", "connected", "breaker", "openSince", "lastFailure", "hits", "misses", "published",
                    ] {
                        guard let value = shared[name]?.said else { continue }
                        list.add("dt", text: name.spaced)
                        list.add("dd", text: name == "openSince" ? value.instant : value)
                    }
                }
            }
            section.add("table", ["class": "rows", "id": "hosts-table", "hidden": ""]) { table in
                table.add("caption", ["class": "apart"], text: "Hosts that share answers and budgets")
                table.addColumns(["Host", "Version", "Last sign", "Calls left in leases"].map { ($0, nil, false) })
                table.add("tbody", ["id": "hosts"], text: "")
            }
        }
    }

    /// The state, or that the last call of a provider that can be called got no answer.
    static func shown(_ provider: JSONValue) -> String {
        let state = provider["state"]?.string ?? "unknown"
        return state == "ready" && provider["reachable"]?.bool == false ? "unreachable" : state
    }

    /// The words of the state. Nothing is being tested until there is a call.
    static func label(_ provider: JSONValue) -> String {
        let shown = shown(provider)
        return shown == "probing" ? "waiting for a trial" : shown.spaced
    }

    /// The style of the state. Only a provider whose last call was answered is green.
    static func pill(_ provider: JSONValue) -> String {
        switch shown(provider) {
        case "ready": "good"
        case "off": ""
        case "notConfigured", "probing": "warn"
        default: "bad"
        }
    }

    private static func card(_ list: inout Markup, _ provider: JSONValue) {
        let name = provider["name"]?.string ?? ""
        list.add("article", ["class": "panel provider", "aria-label": provider["title"]?.string ?? name]) { card in
            card.add("header") { header in
                header.add("h2", text: provider["title"]?.string ?? name)
                header.addTerm(shown(provider), label(provider), pill: pill(provider))
            }
            card.add("p") { line in
                line.addTerm(provider["reachability"]?.string ?? "unknown")
                guard let last = provider["lastSuccess"] else { return line.add(" · no answer yet") }
                line.add(" · last answer ")
                line.addInstant(last)
            }
            if let missing = provider["missing"]?.string { card.add("p", text: missing) }
            if let problem = provider["configurationProblem"]?.string { card.add("p", ["class": "bad"], text: problem) }
            if let until = provider["suspendedUntil"] {
                card.add("p", ["class": "bad"]) { line in
                    line.add("Suspended until ")
                    line.addInstant(until)
                }
            }
            if let failed = provider["lastFailure"] {
                card.add("p") { line in
                    line.add("Last error ")
                    line.addInstant(failed)
                    line.add(": \(provider["lastFailureDetail"]?.string ?? provider["lastFailureClass"]?.said ?? "")")
                }
            }
            card.add("div", ["class": "budgets"]) { budgets in
                for member in (provider["budget"]?.members).map(Array.init) ?? [] where provider["missing"] == nil {
                    budget(&budgets, member.name, member.value)
                }
            }
            tools(&card, provider)
            if let attribution = provider["attribution"]?.string {
                card.add("footer") { $0.add("small", ["class": "soft"], text: attribution) }
            }
        }
    }

    /// The calls by tool. Hidden if no setting tells tools apart: then all are of one.
    private static func tools(_ card: inout Markup, _ provider: JSONValue) {
        let tools = (provider["tools"]?.elements).all
        guard tools.contains(where: { !["other", "larder"].contains($0["tool"]?.string ?? "") }) else { return }
        card.add("table", ["class": "rows"]) { table in
            table.add("caption", ["class": "apart"], text: "Calls by tool")
            table.addColumns([("Tool", nil, false), ("Calls", nil, true), ("Refused", nil, true)])
            table.add("tbody") { body in
                for tool in tools {
                    body.add("tr") { row in
                        row.add("td", ["data-name": "Tool"], text: tool["tool"]?.string ?? "")
                        row.add("td", ["data-name": "Calls", "class": "number"], text: tool["calls"]?.said ?? "")
                        row.add("td", ["data-name": "Refused", "class": "number"], text: tool["refused"]?.said ?? "")
                    }
                }
            }
        }
    }

    private static func budget(_ list: inout Markup, _ name: String, _ budget: JSONValue) {
        let remaining = budget["remaining"]?.said ?? ""
        let limit = budget["limit"]?.numberText
        let left = limit.map { "\(remaining) of \($0) left" } ?? "\(remaining) left"
        list.add("div", ["class": "budget"]) { item in
            item.add("div", ["class": "line"]) { line in
                line.addTerm(name.hasSuffix("Credits") ? "credits" : name, name.spaced)
                line.add("span", ["class": "soft"]) { told in
                    told.add(left)
                    if let resets = budget["resetsAt"] {
                        told.add(" · resets ")
                        told.addInstant(resets)
                    }
                }
            }
            if let limit {
                item.add(
                    "meter", ["min": "0", "max": limit, "value": remaining, "aria-label": "\(name.spaced): \(left)"],
                    text: left)
            }
        }
    }

    private static func house(_ section: inout Markup, _ status: JSONValue?) {
        guard let status else { return }
        let (store, memory) = (status["store"], status["memory"])
        func room(_ record: JSONValue?, _ bytes: String, _ what: String) -> String {
            let (used, whole) = (record?[bytes]?.sizeText ?? "", record?["maxBytes"]?.sizeText ?? "")
            return "\(record?["entries"]?.said ?? "0") \(what), \(used) of \(whole)"
        }
        section.add("dl", ["class": "facts"]) { facts in
            for (label, value) in [
                ("version", status["version"]?.said ?? ""), ("up since", (status["startedAt"]?.string ?? "").instant),
                ("store", room(store, "liveBytes", "entries")), ("memory", room(memory, "bytes", "answers")),
                ("degraded", store?["degraded"]?.string ?? ""),
            ] where !value.isEmpty {
                facts.add("dt", text: label)
                facts.add("dd", text: value)
            }
        }
    }
}
