// All tables, in the order of the page about conformance.

enum Tables {
    /// One table: what it is about, and its clauses.
    struct Table: Sendable {
        let title: String
        let clauses: [Clause]
    }

    static let all: [Table] = [
        Table(title: "Storing", clauses: storing)
    ]
}
