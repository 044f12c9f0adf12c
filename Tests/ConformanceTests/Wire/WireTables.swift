// The tables of exchanges in raw bytes, in the order of the conformance page. They follow the tables of the caching
// rules.

extension Tables {
    /// All tables as the page shows them.
    static let pages: [(title: String, clauses: [any Requirement])] =
        all.map { ($0.title, $0.clauses) } + wire.map { ($0.title, $0.clauses) }

    static let wire: [Table<WireClause>] = [
        Table(title: "Messages passed on", clauses: WireClauses.messages),
        Table(title: "Places, cookies and origins of a mount", clauses: WireClauses.mounts),
        Table(title: "Methods, hops, interim answers, trailers", clauses: WireClauses.forwarding),
        Table(title: "Unsafe methods and their bodies", clauses: WireClauses.uploads),
        Table(title: "Requests: framing", clauses: WireClauses.requestFraming),
        Table(title: "Answers: framing", clauses: WireClauses.answerFraming),
        Table(title: "Connections", clauses: WireClauses.connections),
        Table(title: "Bodies on their way", clauses: WireClauses.streams),
        Table(title: "Conditional requests", clauses: WireClauses.conditional),
        Table(title: "Ranges", clauses: WireClauses.ranges),
        Table(title: "Content codings", clauses: WireClauses.codings),
        Table(title: "Failures of the origin", clauses: WireClauses.failures),
    ]
}
