// The answer of a search in the form that the terminal shows. Every member is optional; a missing one is not shown.
import LarderCore

/// The parts of a search's envelope that a table needs.
struct SearchAnswer {
    struct Source {
        var provider: String
        var state: String
        var count: Int
        var isStale: Bool
        var fetchedAt: String?
        var detail: String?
        var failure: FailureClass?
        /// The number of records that gave no result, and the reasons.
        var dropped = 0
        var droppedReasons: [(word: String, count: Int)] = []
    }

    struct Result {
        var title: String
        var creator: String
        var collection: String
        var kind: String
        var price: String
        /// The votes, if the source counts them.
        var points: String
        var published: String
        var provider: String
        var artwork: String?
        var url: String?
        /// Members that have a column only if they are chosen.
        var members: [String: String] = [:]
    }

    var state: String
    var sources: [Source]
    var results: [Result]

    init(_ value: JSONValue) {
        func text(_ value: JSONValue?, _ name: String) -> String { Console.printable(value?[name]?.string ?? "") }
        state = value["state"]?.string ?? ""
        sources =
            (value["sources"]?.elements).map { Array($0) }?.map { source in
                let error = source["error"]
                var answer = Source(
                    provider: text(source, "provider"), state: text(source, "state"),
                    count: source["count"]?.integer ?? 0, isStale: source["stale"]?.bool ?? false,
                    fetchedAt: source["fetchedAt"]?.string,
                    detail: error?["detail"]?.string.map(Console.printable),
                    failure: error?["class"]?.string.flatMap(FailureClass.init(rawValue:)))
                answer.dropped = source["dropped"]?.integer ?? 0
                answer.droppedReasons =
                    (source["droppedReasons"]?.members).map { Array($0) }?.map { reason in
                        (Console.printable(reason.name), reason.value.integer ?? 0)
                    } ?? []
                return answer
            } ?? []
        results =
            (value["results"]?.elements).map { Array($0) }?.map { result in
                let attributes = result["attributes"]
                // Indentation shows the structure of a discussion.
                let indent = String(repeating: "  ", count: min(max(attributes?["depth"]?.integer ?? 0, 0), 10))
                return Result(
                    title: indent + text(result, "title"), creator: text(result, "creator"),
                    collection: text(result, "collection"),
                    kind: text(result, "kind"), price: Self.price(result["price"]),
                    points: attributes?["points"]?.integer.map(String.init) ?? "",
                    published: String(text(result, "publishedAt").prefix(10)), provider: text(result, "provider"),
                    artwork: result["artwork"]?["small"]?.string, url: result["url"]?.string,
                    members: ChosenColumns.members(of: result))
            } ?? []
    }

    private static func price(_ value: JSONValue?) -> String {
        guard let amount = value?["amount"]?.numberText else { return "" }
        if Double(amount) == 0 { return "free" }
        let parts = amount.split(separator: ".", omittingEmptySubsequences: false)
        let cents = parts.count == 2 && parts[1].count == 1 ? "\(amount)0" : amount
        return "\(cents) \(Console.printable(value?["currency"]?.string ?? ""))"
    }

    /// The exit status for the state of the envelope.
    var exitStatus: CommandStatus {
        switch state {
        case "results": .done
        case "noResults", "allDropped": .noResults
        case "partial": .partial
        case "failed": sources.lazy.compactMap(\.failure).first.map { CommandStatus($0) } ?? .failed
        default: .broken
        }
    }

    /// The message if there are no results: nothing was found, or nothing that was found could be used.
    var emptiness: String {
        let dropped = sources.filter { $0.state == "allDropped" }
        if dropped.isEmpty { return "Nothing was found." }
        let parts = dropped.map { "\($0.provider) found \($0.dropped): \(Self.listed($0))" }
        return "Nothing usable was found: \(parts.joined(separator: "; "))."
    }

    private static func listed(_ source: Source) -> String { DropReason.described(source.droppedReasons) }

    /// The sources that have not answered.
    var waiting: [String] { sources.filter { $0.state == "loading" }.map(\.provider) }

    /// The results as a table. Columns without any value are left out.
    /// - Parameter chosen: the members that the user named.
    func table(_ chosen: ChosenColumns = .none) -> TableLayout {
        let hasSeveral = Set(results.map(\.provider)).count > 1
        var table = TableLayout(columns: [
            .init("", isRight: true), .init("TITLE", weight: 3), .init("BY", weight: 2, rank: 1),
            .init("IN", weight: 2, rank: 5), .init("KIND", rank: 4), .init("PRICE", isRight: true, rank: 3),
            .init("POINTS", isRight: true, rank: 6), .init("DATE", rank: 7), .init("SOURCE", rank: 2),
        ])
        table.columns += chosen.columns
        for (number, result) in results.enumerated() {
            table.rows.append(
                [
                    "\(number + 1)", result.title, result.creator, result.collection, result.kind, result.price,
                    result.points, result.published, hasSeveral || chosen.includesProvider ? result.provider : "",
                ] + chosen.cells(result.members))
        }
        return table
    }

    /// Where a cell of the table leads: titles lead to their results.
    func link(_ row: Int, _ column: Int) -> String? { column == 1 ? results[row].url : nil }

    /// Whether the table shows more of the results than their numbers.
    static func showsSomething(_ table: TableLayout) -> Bool {
        table.rows.contains { $0.dropFirst().contains { !$0.isEmpty } }
    }

    /// One line about how the answer was made: "itunes 50 · hit, 12 s old · 0.4 ms".
    func footer(_ response: DaemonResponse, took: Duration) -> String {
        var parts = sources.map { source in
            switch source.state {
            case "results": "\(source.provider) \(source.count)\(source.isStale ? " (stale)" : "")"
            case "noResults": "\(source.provider) 0"
            case "allDropped": "\(source.provider) 0 of \(source.dropped), unusable: \(Self.listed(source))"
            case "partial": "\(source.provider) \(source.count), not all: \(source.detail ?? "")"
            default: "\(source.provider): \(source.detail ?? source.failure?.rawValue ?? source.state)"
            }
        }
        parts.append(Self.outcome(response))
        parts.append(Self.milliseconds(took))
        return parts.filter { !$0.isEmpty }.joined(separator: " · ")
    }

    /// "hit, 12 s old", from `Cache-Status` (RFC 9211) and `Age`.
    static func outcome(_ response: DaemonResponse) -> String {
        guard let status = response.fields.combined(.cacheStatus) else { return "" }
        let words = status.split(separator: ";").map { ASCII.trimmed($0) }
        let ttl = words.first { $0.hasPrefix("ttl=") }.flatMap { Int($0.dropFirst(4)) }
        if words.contains("hit") {
            let word = (ttl ?? 0) < 0 ? "stale" : "hit"
            // An answer that combines many stored answers has no single age.
            guard let age = response.fields.first(.age).flatMap({ Int($0) }) else {
                return words.contains("detail=local") ? "from stored results" : word
            }
            return "\(word), \(age) s old"
        }
        return words.contains("collapsed") ? "joined" : "miss"
    }

    static func milliseconds(_ took: Duration) -> String {
        let tenths = (took.components.attoseconds / 1_000_000_000_000 + took.components.seconds * 1_000_000 + 50) / 100
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}
