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
        let look = try connection.statement("SELECT url, head FROM entry WHERE id = ?1 AND url IS NOT NULL")
        defer { look.reset() }
        look.bind(1, id)
        guard try look.step(), let url = Digest(raw: look.raw(0)) else { return nil }
        // Of a damaged head nothing is known.
        return (url, EntryCodec.arrival(of: look.raw(1))?.number ?? .max)
    }

    /// Removes what a new variant replaces besides an older one with its key.
    func join(_ variant: StoredVariant, _ arrival: UInt64) throws(StoreError) {
        try replace(variant.url)
        // What is kept ready was chosen among fewer variants.
        let ready = try connection.statement("DELETE FROM ready WHERE url = ?1")
        ready.bind(1, variant.url)
        try ready.run()
        if variant.putsOthersInDoubt { try doubt(variant.url, before: arrival) }
    }

    /// Removes the variants of a URL, because a response that no request field selects takes their place.
    func replaceVariants(of url: Digest) throws(StoreError) {
        let statement = try connection.statement("DELETE FROM entry WHERE url = ?1")
        statement.bind(1, url)
        try statement.run()
        if connection.changes > 0 { connection.takes(.replacement) }
    }

    /// Removes the response of a URL that no request field selects, if it was received before an arrival.
    func removePlain(of url: Digest, before arrival: UInt64) throws(StoreError) {
        let look = try connection.statement("SELECT head FROM entry WHERE digest = ?1")
        look.bind(1, url)
        let found: UInt64?
        do {
            defer { look.reset() }
            found = try look.step() ? EntryCodec.arrival(of: look.raw(0))?.number ?? 0 : nil
        }
        if let found, found < arrival { try replace(url) }
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
        let look = try connection.statement("SELECT head FROM entry WHERE url = ?1 AND digest <> ?2")
        defer { look.reset() }
        look.bind(1, variant.url)
        look.bind(2, entry.key.digest)
        var newer = 0
        while try look.step() {
            if EntryCodec.arrival(of: look.raw(0))?.number ?? 0 > entry.arrival { newer += 1 }
        }
        return newer >= Self.mostVariants
    }

    /// Whether a response with a key is stored that was received after this one.
    func hasNewer(than entry: StoredResponse) throws(StoreError) -> Bool {
        let look = try connection.statement("SELECT head FROM entry WHERE digest = ?1")
        defer { look.reset() }
        look.bind(1, entry.key.digest)
        return try look.step() && EntryCodec.arrival(of: look.raw(0))?.number ?? 0 > entry.arrival
    }

    /// Removes the variants that were received first, as far as there are too many.
    func limitVariants(of url: Digest) throws(StoreError) {
        let count = try connection.statement("SELECT count(*) FROM entry WHERE url = ?1")
        count.bind(1, url)
        let isTooMany: Bool
        do {
            defer { count.reset() }
            isTooMany = try count.step() && count.int(0) > Self.mostVariants
        }
        guard isTooMany else { return }
        let variants = try variants(of: url).sorted { $0.arrival > $1.arrival }
        for variant in variants.dropFirst(Self.mostVariants) { try remove(id: variant.id) }
    }

    private func variants(of url: Digest) throws(StoreError) -> [(id: Int64, arrival: UInt64)] {
        let look = try connection.statement("SELECT id, head FROM entry WHERE url = ?1")
        defer { look.reset() }
        look.bind(1, url)
        var found: [(id: Int64, arrival: UInt64)] = []
        // A damaged head counts as the first.
        while try look.step() { found.append((look.int(0), EntryCodec.arrival(of: look.raw(1))?.number ?? 0)) }
        return found
    }

    /// The URLs with variants that follow `last` in their order, read from the index alone.
    func urls(after last: Bytes, atMost limit: Int) throws(StoreError) -> [Digest] {
        let statement = try connection.statement(
            "SELECT DISTINCT url FROM entry WHERE url > ?1 ORDER BY url LIMIT ?2")
        defer { statement.reset() }
        statement.bind(1, last)
        statement.bind(2, Int64(limit))
        var found: [Digest] = []
        while try statement.step() {
            if let url = Digest(raw: statement.raw(0)) { found.append(url) }
        }
        return found
    }
}
