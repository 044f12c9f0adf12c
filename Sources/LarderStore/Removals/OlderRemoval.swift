// The removal of what is older of a URL than a response that was given out and is not stored. It names rows by their number
// of arrival and not by their keys, so it counts before anybody has looked what is stored, and never meets what comes after
// that response (Docs/Decisions/0053-older-responses-removed-by-number.md).
import LarderCore

/// One such removal that is not committed yet.
struct OlderRemoval: Sendable {
    /// Rises with every removal.
    var number: UInt64
    /// Only what arrived before this number is meant.
    var before: UInt64
    /// Whether a response of the URL is meant. It gets the response without its body.
    var selects: @Sendable (StoredResponse) -> Bool

    func means(_ entry: StoredResponse) -> Bool { entry.arrival < before && selects(entry) }
}

extension StoredResponse {
    /// The digest by which it is found as a response of its URL.
    var urlDigest: Digest { self.variant?.url ?? self.key.digest }
}

extension SQLiteStore {
    /// Removes what is stored of a URL and arrived before a number. This counts at once, unless the store closes. Nobody
    /// waits for the commit.
    /// - Parameters:
    ///   - url: the digest of the URL's key.
    ///   - selects: whether a response is meant. It gets the response without its body.
    public func removeOlder(
        of url: Digest, provider: String, before: UInt64, where selects: @escaping @Sendable (StoredResponse) -> Bool
    ) {
        if before == 0 { return }
        // First what is accepted, then what is stored, so that none slips through in between.
        for order in shared.overlay.orders(of: url) where order.entry.arrival < before && selects(order.entry) {
            shared.orders.overtake(order.entry.key.digest, below: order.number + 1)
        }
        if shared.keys.lacks(url) || shared.isClosed.withLock({ $0 }) { return }
        if let number = shared.removals.change({ $0.addOlder(of: url, before: before, where: selects) }) {
            shared.noteIfLate(number) { $0.isOpen(older: number, of: url) }
        } else {
            shared.drop([url], of: provider)
        }
        // The writer may be asleep, and has something to remove.
        shared.writes.nudge()
    }
}

extension StoreWriter {
    /// Removes what the present removals of this kind mean. Inside a transaction, before anything else.
    func applyOlder(_ removals: Removals, _ rows: EntryRows) throws(StoreError) {
        for (url, removals) in removals.older {
            rows.connection.takes(.removal)
            let meant = try rows.heads(of: url).filter { found in removals.contains { $0.means(found.entry) } }
            for found in meant {
                // What was made from it goes with it, as the parts of a list.
                try rows.connection.run(
                    "DELETE FROM entry WHERE id IN (SELECT child FROM parent WHERE digest = ?1)",
                    found.entry.key.digest)
                try rows.remove(id: found.id)
            }
            removing.older[url] = removals.map(\.number).max() ?? 0
            removing.olderCount += meant.count
        }
    }
}

extension EntryRows {
    /// What is stored of a URL, without bodies. A row with a damaged head is left to whoever reads it.
    fileprivate func heads(of url: Digest) throws(StoreError) -> [(id: Int64, entry: StoredResponse)] {
        try connection.rows(
            """
            SELECT id, key, digest, head FROM entry WHERE digest = ?1
            UNION ALL SELECT id, key, digest, head FROM entry WHERE url = ?1
            """, url
        ) { row in
            guard let digest = Digest(raw: row.raw(2)),
                let entry = EntryCodec.decode(
                    row.raw(3), key: CacheKey(bytes: row.bytes(1), digest: digest), body: [], freshUntil: 0,
                    staleUntil: 0, label: "")
            else { return nil }
            return (row.int(0), entry)
        }
    }
}
