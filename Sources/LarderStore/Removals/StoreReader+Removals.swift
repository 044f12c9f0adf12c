// Makes a reader pass over entries that were removed and are still in the database. Called only while there are
// tombstones.
import LarderCore

extension StoreReader {
    /// Whether a found row may be served. A row that was expired is stale since then.
    func admit(_ entry: inout StoredResponse, _ id: Int64, _ removals: Removals) throws(StoreError) -> Bool {
        if removals.meansAsOlder(entry) { return false }
        var verdict = Removals.Verdict()
        removals.verdict(id: id, digest: entry.key.digest, EntryFacts(entry), into: &verdict)
        for relative in entry.relatives { try consider(relative, of: id, removals, &verdict) }
        guard !verdict.isRemoved else { return false }
        if let at = verdict.expiredAt { entry.freshUntil = min(entry.freshUntil, at) }
        return true
    }

    /// Adds what the tombstones say of a parent: an entry made from a removed entry goes with it.
    private func consider(
        _ parent: Digest, of id: Int64, _ removals: Removals, _ verdict: inout Removals.Verdict
    ) throws(StoreError) {
        removals.verdict(id: id, ofParent: parent, into: &verdict)
        guard !removals.wide.isEmpty, let connection else { return }
        let row = try connection.first("SELECT id, label, head FROM entry WHERE digest = ?1", parent) {
            (id: $0.int(0), facts: EntryCodec.facts(label: $0.text(1), head: $0.raw(2)))
        }
        if let row { removals.verdict(id: row.id, digest: parent, row.facts, into: &verdict) }
    }

    /// The rows among these that are removed.
    /// - Parameter orUnverified: whether rows that must be validated before any use count too.
    func removed(
        of ids: Set<Int64>, orUnverified: Bool = false, _ removals: Removals
    ) throws(StoreError) -> Set<Int64> {
        guard let connection else { return [] }
        let row = try connection.statement(
            "SELECT digest, label, head, key FROM entry WHERE id = ?1")
        var removed: Set<Int64> = []
        for id in ids {
            var verdict = Removals.Verdict()
            row.bind(1, id)
            defer { row.reset() }
            if try row.step(), let digest = Digest(bytes: row.bytes(0)) {
                let facts = EntryCodec.facts(label: row.text(1), head: row.raw(2))
                removals.verdict(id: id, digest: digest, facts, into: &verdict)
                let entry = EntryCodec.decode(
                    row.raw(2), key: CacheKey(bytes: row.bytes(3), digest: digest), body: [], freshUntil: 0,
                    staleUntil: 0, label: "")
                if let entry, removals.meansAsOlder(entry) { verdict.isRemoved = true }
            }
            let parents = try connection.rows(
                """
                SELECT digest FROM parent WHERE child = ?1
                UNION ALL SELECT url FROM entry WHERE id = ?1 AND url IS NOT NULL
                """, id
            ) { Digest(raw: $0.raw(0)) }
            for parent in parents { try consider(parent, of: id, removals, &verdict) }
            if orUnverified ? verdict.isUnusable : verdict.isRemoved { removed.insert(id) }
        }
        return removed
    }
}
