// `Docs/reference.md`: every route with its parameters, responses and an example, made from the route table. `make
// routes` writes the page, and a test checks that it is current.
import LarderCore
import LarderProviders

/// Renders the reference of the interface.
enum RouteReference {
    static func markdown() -> String {
        var out = introduction
        for group in RouteTable.builtIn.groups {
            let routes = group.routes.filter(\.isDescribed)
            guard let first = routes.first else { continue }
            out += "\n## \(title(of: first, group))\n\n\(sentence(group.line))\n" + kinds(of: first)
            for route in routes { out += section(route) }
        }
        return out
    }

    /// The table of the kinds of a provider's results.
    private static func kinds(of route: Route) -> String {
        for case .results(let about) in route.answers.compactMap(\.content) {
            var out = "\n| Kind | Its attributes |\n|---|---|\n"
            var rest = about.kinds[...]
            while let kind = rest.first {
                // Kinds with the same attributes share a row.
                let same = rest.prefix { $0.attributes == kind.attributes && $0.isOpen == kind.isOpen }
                rest = rest.dropFirst(same.count)
                let names = kind.attributes.map { "`\($0.name)`" } + (kind.isOpen ? ["the record's own members"] : [])
                let kinds = same.map { "`\($0.name)`" }
                out += "| \(kinds.joined(separator: ", ")) | \(names.joined(separator: ", ")) |\n"
            }
            return out + (about.hasFurtherKinds ? "| others | as the API names them |\n" : "")
        }
        return ""
    }

    private static func title(of route: Route, _ group: RouteGroup) -> String {
        group.root.isEmpty ? "`\(route.path)`" : "`\(group.root)`"
    }

    private static func sentence(_ line: String) -> String {
        let line = localLinks(line)
        return line.prefix(1).uppercased() + line.dropFirst() + "."
    }

    /// Links of the records start at the root; this page is in Docs itself.
    private static func localLinks(_ text: String) -> String { text.replacing("](Docs/", with: "](") }

    private static func section(_ route: Route) -> String {
        let method = route.methods.isEmpty ? "Any method" : route.methods.map(\.name).joined(separator: ", ")
        var out = "\n### \(method) `\(route.path)`\n\n\(escaped(route.told))\(route.told.hasSuffix(".") ? "" : ".")\n"
        let own = route.parameters.filter { !$0.isCommon }
        if !own.isEmpty {
            out += "\n| Parameter | In | What it may be | Default | What it is |\n|---|---|---|---|---|\n"
            for parameter in own { out += row(parameter) }
        }
        let common = route.parameters.filter(\.isCommon).map { "`\($0.record.name)`" }
        if !common.isEmpty { out += "\nAlso \(common.joined(separator: ", ")): see the top.\n" }
        if !route.refusals.isEmpty {
            out += "\nA request with valid parameters is refused with 400 in these cases:\n\n"
            for refusal in route.refusals { out += "- `\(refusal.rawValue)`: \(refusal.sentence)\n" }
        }
        out += "\n| Status | Body | When |\n|---|---|---|\n"
        for answer in route.answers { out += "| \(answer.status) | \(body(answer)) | \(escaped(answer.line)) |\n" }
        if let target = route.exampleTarget { out += "\n```\n\(command(route, target))\n```\n" }
        return out
    }

    private static func row(_ parameter: RouteParameter) -> String {
        let record = parameter.record
        let names = record.names.map { "`\($0)`" }.joined(separator: " or ")
        let needed = record.isRequired && parameter.place != .path ? ", needed" : ""
        let standard = record.defaultText.map { "`\($0)`" } ?? ""
        return "| \(names) | \(parameter.place.rawValue)\(needed) | \(form(record)) | \(standard) "
            + "| \(escaped(record.line)) |\n"
    }

    private static func form(_ record: QuestionParameter) -> String {
        let one =
            switch record.form {
            case .text(let longest): "a text of at most \(longest) characters"
            case .duration: "a duration such as `30s`, `15min` or `7d`"
            case .pattern(let pattern): "`\(pattern.replacing("|", with: "\\|"))`"
            case .number(let range): "\(range.lowerBound) to \(range.upperBound)"
            case .choice(let words): words.map { "`\($0)`" }.joined(separator: ", ")
            case .flag: "`yes` or `no`"
            case .any: "any text"
            }
        return record.isList ? "a comma list of: \(one)" : one
    }

    private static func body(_ answer: RouteAnswer) -> String {
        switch answer.content {
        case .schema(let component): component.rawValue
        case .results(let about): InterfaceResultSchemas.envelopeName(about)
        case .events: "server-sent events"
        case .text: "text"
        case .html: "HTML"
        case .binary: "as it came"
        case nil: answer.status >= 400 ? InterfaceComponent.problem.rawValue : ""
        }
    }

    private static func command(_ route: Route, _ target: String) -> String {
        let method = route.methods.first.map { $0 == .get ? "" : "-X \($0.name) " } ?? ""
        let socket = route.needsAuthority ? "--unix-socket /run/larder/larder.sock " : ""
        let place = route.needsAuthority ? "http://localhost" : "localhost:8787"
        return "curl \(socket)\(method)'\(place)\(target)'"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("|", with: "\\|").replacing("<", with: "&lt;").replacing("*", with: "\\*")
    }

    private static let introduction: String = {
        var out = """
            # Reference

            Every route with its parameters, answers and an example. The page is made from the same tables as the routes
            and `/openapi.json`, which has the schemas of the bodies by the names given here. Every GET route answers
            HEAD too. Errors are problems (RFC 9457). The name of a comma list may also be repeated, once for each
            value.

            """
        out += "\n" + localLinks(RouteTable.builtIn.markdown())
        out += """

            Parameters of many routes:

            | Parameter | In | What it may be | Default | What it is |
            |---|---|---|---|---|

            """
        for parameter in RouteParameter.ofResults + TypingRoute.parameters { out += row(parameter) }
        out += "\nStatuses of every route:\n\n| Status | When |\n|---|---|\n"
        for answer in InterfaceDescription.common { out += "| \(answer.status) | \(answer.line) |\n" }
        return out
    }()
}
