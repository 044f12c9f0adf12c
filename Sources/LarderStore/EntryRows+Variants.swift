// The variants of a URL (`StoredVariant`). A URL has either one response that no request field selects, or variants: what
// is written of one kind replaces what is stored of the other. If a variant goes and nothing takes its place, or one says
// that the URL has no representation, the variants before it are validated before their next use.
import LarderCore

extension EntryRows {
    /// The most variants of one URL. An origin whose `Vary` names a field that differs in every request would fill the
    /// store with responses that are never used again. 32 are enough for languages times codings.
    static let mostVariants = 32

    /// The variant with this id; nil if the entry is none.
    func variant(id: Int64) throws(StoreError) -> (url: Digest, arrival: UInt64)? {
        try connection.first("SELECT url, head FROM entry WHERE id = ?1 AND url IS NOT NULL", id) { row in
            // Of a damaged head nothing is known.
            Digest(raw: row.raw(0)).map { ($0, EntryCodec.arrival(of: row.raw(1))?.number ?? .max) }
        }
    }

    /// Removes what a new variant replaces besides an older one with its key.
    func join(_ variant: StoredVariant, _ arrival: UInt64) throws(StoreError) {
        try replace(variant.url)
        // What is kept ready was chosen among fewer variants.
        try connection.run("DELETE FROM ready WHERE url = ?1", variant.url)
        if variant.putsOthersInDoubt { try doubt(variant.url, before: arrival) }
    }

    /// Removes the variants of a URL, because a response that no request field selects takes their place.
    func replaceVariants(of url: Digest) throws(StoreError) {
        try connection.run("DELETE FROM entry WHERE url = ?1", url)
        if connection.changes > 0 { connection.takes(.replacement) }
    }

    /// Removes the response of a URL that no request field selects, if it was received before an arrival.
    func removePlain(of url: Digest, before arrival: UInt64) throws(StoreError) {
        if let found = try self.arrival(of: url), found < arrival { try replace(url) }
    }

    /// Has the variants that were received before an arrival validated before any use.
    func doubt(_ url: Digest, before arrival: UInt64) throws(StoreError) {
        for variant in try variants(of: url) where variant.arrival < arrival {
            _ = try expire(id: variant.id, now: StoredResponse.unverified)
        }
    }

    /// Whether a URL has as many variants as it may have, all received after this one.
    func isFull(for entry: StoredResponse) throws(StoreError) -> Bool {
        guard let variant = entry.variant else { return false }
        let arrivals = try connection.rows(
            "SELECT head FROM entry WHERE url = ?1 AND digest <> ?2", variant.url, entry.key.digest
        ) { EntryCodec.arrival(of: $0.raw(0))?.number }
        return arrivals.count { $0 > entry.arrival } >= Self.mostVariants
    }

    /// Whether a response with a key is stored that was received after this one.
    func hasNewer(than entry: StoredResponse) throws(StoreError) -> Bool {
        try arrival(of: entry.key.digest) ?? 0 > entry.arrival
    }

    /// The number of the entry with a key; 0 if its head is damaged, nil if there is none.
    private func arrival(of digest: Digest) throws(StoreError) -> UInt64? {
        try connection.first("SELECT head FROM entry WHERE digest = ?1", digest) {
            EntryCodec.arrival(of: $0.raw(0))?.number ?? 0
        }
    }

    /// Removes the variants that were received first, as far as there are too many.
    func limitVariants(of url: Digest) throws(StoreError) {
        let count = try connection.number("SELECT count(*) FROM entry WHERE url = ?1", url) ?? 0
        guard count > Self.mostVariants else { return }
        let variants = try variants(of: url).sorted { $0.arrival > $1.arrival }
        for variant in variants.dropFirst(Self.mostVariants) { try remove(id: variant.id) }
    }

    private func variants(of url: Digest) throws(StoreError) -> [(id: Int64, arrival: UInt64)] {
        // A damaged head counts as the first.
        try connection.rows("SELECT id, head FROM entry WHERE url = ?1", url) {
            ($0.int(0), EntryCodec.arrival(of: $0.raw(1))?.number ?? 0)
        }
    }
}
