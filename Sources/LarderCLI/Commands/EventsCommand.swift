// larder events: follows changes in the state of the APIs, one line per event.
import LarderCore
import LarderHTTP

enum EventsCommand {
    static let command = Subcommand(
        "events", "follow the state of the APIs",
        details: [
            "Shows the state of the APIs, then a line for each change: an API cannot be reached, or can again; it is "
                + "suspended after failures, or works again; four fifths of a rate or quota are used, or all of it, or "
                + "it is whole again. It ends with Ctrl-C, or with the daemon. In a pipe each line is a JSON object."
        ],
        options: [CommandOption("--json", "JSON on a terminal too")] + Conversation.options,
        examples: [
            ("larder events", "until Ctrl-C"),
            ("larder events | jq 'select(.event == \"budget\")'", "only changes of rates and quotas"),
        ]
    ) { invocation throws(CommandFailure) in
        try invocation.noOperands()
        let console = invocation.console
        let asJSON = invocation.wantsJSON
        // There is no deadline, because events may be far apart.
        let response = try Conversation(invocation).events(
            "/v1/events", until: MonotonicTime(nanoseconds: .max)
        ) { event throws(CommandFailure) in
            let text = asJSON ? json(event) : lines(event).map { $0 + "\n" }.joined()
            // If the output cannot be written any more, the stream is ended.
            return text.isEmpty || (asJSON ? console.show(Bytes(text: text)) : console.write(Bytes(text: text)))
        }
        guard response.status == 200 else { throw Problem(response).asFailure }
        if asJSON || !console.isTerminal { return .done }
        throw CommandFailure(.noDaemon, "the daemon has ended")
    }

    /// The event as one line of JSON: its data, with its name as the first member.
    static func json(_ event: EventTextReader.Event) -> String {
        let data = event.data.lossyText
        guard data.hasPrefix("{\""), (try? JSON.parse(event.data)) != nil else { return "" }
        return "{\"event\":\"\(event.name)\",\(data.dropFirst())\n"
    }

    /// The event as lines for a person.
    static func lines(_ event: EventTextReader.Event) -> [String] {
        guard let value = try? JSON.parse(event.data) else { return [] }
        let at = time(value["at"]?.string)
        if event.name == "snapshot" {
            return value["providers"]?.elements.map { "\(at)  \(name($0))  \(state($0))" } ?? []
        }
        let what =
            switch event.name {
            case "reachability": reachability(value)
            case "suspension": suspension(value)
            case "budget": budget(value)
            // An event from a newer daemon.
            default: Console.printable(event.name)
            }
        return ["\(at)  \(name(value))  \(what)"]
    }

    private static func state(_ value: JSONValue) -> String {
        var parts: [String] = []
        if value["suspended"]?.bool == true { parts.append(suspension(value)) }
        if value["probing"]?.bool == true {
            parts.append("the suspension is over: the next call tries it\(reason(value))")
        }
        if value["reachable"]?.bool == false { parts.append("cannot be reached") }
        for budget in value["budgets"]?.elements.map({ $0 }) ?? [] {
            if let left = budget["remaining"]?.integer {
                let all = budget["calls"]?.integer.map { " of \($0)" } ?? ""
                parts.append("\(left)\(all) calls left (\(Console.printable(budget["limit"]?.string ?? "")))")
            }
        }
        return parts.isEmpty ? "nothing to report" : parts.joined(separator: ", ")
    }

    private static func reachability(_ value: JSONValue) -> String {
        value["reachable"]?.bool == true ? "can be reached" : "cannot be reached\(reason(value))"
    }

    private static func suspension(_ value: JSONValue) -> String {
        guard value["suspended"]?.bool == true else { return "works again" }
        return "suspended until \(time(value["until"]?.string))\(reason(value))"
    }

    private static func budget(_ value: JSONValue) -> String {
        let limit = Console.printable(value["limit"]?.string ?? "budget")
        let left = value["remaining"]?.integer ?? 0
        // An API need not report its limit when all of its calls are left.
        let calls = value["calls"]?.integer
        let all = calls.map { " of \($0) calls" } ?? ""
        return switch value["level"]?.string {
        case "spent": "\(limit) is spent: none\(all) left"
        case "whole": "\(limit) is whole again\(calls.map { ": \($0) calls" } ?? "")"
        default: "\(limit) is scarce: \(left)\(all) left"
        }
    }

    private static func reason(_ value: JSONValue) -> String {
        value["class"]?.string.map { " (\(Console.printable($0)))" } ?? ""
    }

    /// The provider's name, padded to the length of the built-in providers' names.
    private static func name(_ value: JSONValue) -> String {
        let name = Console.printable(value["provider"]?.string ?? "")
        return name + String(repeating: " ", count: max(0, 10 - name.count))
    }

    /// The date and time, in UTC.
    private static func time(_ text: String?) -> String { StatusCommand.time(text ?? "") }
}
