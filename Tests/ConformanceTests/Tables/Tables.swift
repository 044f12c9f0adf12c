// All tables, in the order of the conformance page.

enum Tables {
    /// One table: its topic and its clauses.
    struct Table<Row: Requirement>: Sendable {
        let title: String
        let clauses: [Row]
    }

    static let all: [Table<Clause>] = [
        Table(title: "Lifetimes", clauses: lifetime),
        Table(title: "Age", clauses: age),
        Table(title: "Guessed lifetimes", clauses: heuristics),
        Table(title: "Configured lifetimes", clauses: fallbacks),
        Table(title: "Storing", clauses: storing),
        Table(title: "Answers of one person", clauses: persons),
        Table(title: "Cookies by choice", clauses: cookies),
        Table(title: "Digests", clauses: digests),
        Table(title: "Stored fields", clauses: fields),
        Table(title: "Variants", clauses: vary),
        Table(title: "Tags of other variants", clauses: variantOffers),
        Table(title: "Fields with a meaning of their own", clauses: requestFields),
        Table(title: "Languages", clauses: languages),
        Table(title: "No-Vary-Search", clauses: searchVariance),
        Table(title: "Parts", clauses: parts),
        Table(title: "HEAD", clauses: heads),
        Table(title: "What a client asks of the cache", clauses: requests),
        Table(title: "Stale answers", clauses: stale),
        Table(title: "Extensions about stale answers", clauses: staleExtensions),
        Table(title: "Validation", clauses: validation),
        Table(title: "Absence", clauses: absence),
        Table(title: "Invalidation", clauses: invalidation),
        Table(title: "Invalidation of what lies below", clauses: folders),
        Table(title: "Answers to POST", clauses: posts),
        Table(title: "QUERY", clauses: queries),
        Table(title: "POST that only reads", clauses: readOnlyPosts),
        Table(title: "Callers", clauses: callers),
        Table(title: "Other methods by a field", clauses: overrides),
        Table(title: "Groups", clauses: groups),
        Table(title: "Cache-Status", clauses: cacheStatus),
        Table(title: "Collapsing", clauses: collapsing),
        Table(title: "Targeted fields", clauses: targeted),
    ]
}
