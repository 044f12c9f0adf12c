// Lists entries by use or by size, and shows one entry with its relatives. A listing must not make storing slower. By
// use it goes by the index of eviction, and ends as soon as enough is found. By size it looks at the pages of all
// entries, the newest first. Each is bounded in time.
import CSQLite
import LarderCore

extension SQLiteStore {
    /// Rows that one slice looks at.
    private static let sliceRows: Int64 = 1024
    /// Rows that one slice looks at if the look must end soon.
    private static let fewRows: Int64 = 64

    /// The entries that are asked for, accepted ones included.
    /// - Throws: `StoreError` with SQLITE_BUSY if too many wait or the disk stands still, with SQLITE_CANTOPEN if there
    ///   is no database at the moment.
    public func entries(_ question: EntryQuestion) async throws(StoreError) -> EntryListing {
        await settleAccepted()
        var listing = EntryListing()
        switch question.order {
        case .recentlyUsed: try await recentlyUsed(question, &listing)
        case .largest: try await largest(question, &listing)
        }
        shared.notes.withLock { notes in
            for place in listing.entries.indices {
                listing.entries[place].uses = notes.uses(of: listing.entries[place].digest)
            }
        }
        return listing
    }

    private static func rows(_ question: EntryQuestion) -> Int64 {
        question.time < listingTime ? fewRows : sliceRows
    }

    // MARK: By use

    private func recentlyUsed(_ question: EntryQuestion, _ listing: inout EntryListing) async throws(StoreError) {
        let end = shared.time.monotonic() + question.time
        var cursor: EntryPlace? = question.after ?? EntryPlace(id: .max)
        while let from = cursor {
            let (rows, next) = try await slice("listing") { (reader, connection) throws(StoreError) in
                try Self.step(from, Self.rows(question), reader, connection)
            }
            for row in rows where question.takes(row.facts) {
                listing.entries.append(row.summary)
                if listing.entries.count >= question.limit { return }
            }
            cursor = next
            if next != nil, shared.time.monotonic() > end {
                (listing.isComplete, listing.next) = (false, next)
                return
            }
        }
    }

    private static func step(
        _ from: EntryPlace, _ most: Int64, _ reader: StoreReader, _ connection: DatabaseConnection
    ) throws(StoreError) -> (rows: [StoreReader.Row], next: EntryPlace?) {
        let seen = try connection.rows(
            """
            SELECT \(StoreReader.summaryColumns) FROM life l INDEXED BY lifeUse CROSS JOIN entry e
            WHERE (l.lastUsed, l.id) < (?2, ?1) AND e.id = l.id ORDER BY l.lastUsed DESC, l.id DESC LIMIT ?3
            """, from.id, from.lastUsed, most
        ) { (place: EntryPlace(id: $0.int(0), lastUsed: $0.int(7)), row: reader.row($0)) }
        return (try reader.present(seen.compactMap(\.row)), seen.count < most ? nil : seen.last?.place)
    }

    // MARK: By size

    /// Finds the largest of all entries that can be looked at in time.
    private func largest(_ question: EntryQuestion, _ listing: inout EntryListing) async throws(StoreError) {
        let end = shared.time.monotonic() + question.time
        let step = Self.rows(question)
        var high = try await slice("listing") { (_, connection) throws(StoreError) in
            try connection.number("SELECT max(id) FROM entry") ?? 0
        }
        if let after = question.after { high = min(high, after.id) }
        var best: [EntrySummary] = []
        /// The size that an entry must exceed. Only entries that do are read whole.
        var bar: Int64 = -1
        while high > 0 {
            let (from, to, limit) = (max(0, high - step), high, bar)
            let rows = try await slice("listing") { (reader, connection) throws(StoreError) in
                try reader.rows(
                    connection,
                    """
                    SELECT \(StoreReader.summaryColumns) FROM entry e CROSS JOIN life l
                    WHERE e.id > ?1 AND e.id <= ?2 AND e.size > ?3 AND l.id = e.id
                    """, from, to, limit)
            }
            best += rows.filter { question.takes($0.facts) }.map(\.summary)
            best.sort { $0.size > $1.size }
            if best.count >= question.limit {
                best.removeLast(best.count - question.limit)
                if let last = best.last { bar = last.size }
            }
            high = from
            if high > 0, shared.time.monotonic() > end {
                (listing.isComplete, listing.next) = (false, EntryPlace(id: high))
                break
            }
        }
        listing.entries = best
    }

    // MARK: One entry

    /// The most relatives of each kind that are shown.
    private static let mostRelatives = 200

    private static func rows(
        of digests: [Digest], _ reader: StoreReader, _ connection: DatabaseConnection
    ) throws(StoreError) -> [StoreReader.Row] {
        var rows: [StoreReader.Row] = []
        for digest in digests {
            rows += try reader.rows(
                connection,
                """
                SELECT \(StoreReader.summaryColumns) FROM entry e CROSS JOIN life l WHERE e.digest = ?1 AND l.id = e.id
                """, digest)
        }
        return rows
    }

    private static func children(
        of digest: Digest, _ reader: StoreReader, _ connection: DatabaseConnection
    ) throws(StoreError) -> [StoreReader.Row] {
        try reader.rows(
            connection,
            """
            SELECT \(StoreReader.summaryColumns) FROM parent p CROSS JOIN entry e CROSS JOIN life l
            WHERE p.digest = ?1 AND e.id = p.child AND l.id = e.id LIMIT \(mostRelatives)
            """, digest)
    }

    private static func variants(
        of url: Digest, _ reader: StoreReader, _ connection: DatabaseConnection
    ) throws(StoreError) -> [StoreReader.Row] {
        try reader.rows(
            connection,
            "SELECT \(StoreReader.summaryColumns) FROM entry e CROSS JOIN life l WHERE e.url = ?1 AND l.id = e.id", url)
    }

    /// The entry of this digest with its relatives; nil if there is none.
    public func detail(of digest: Digest) async throws(StoreError) -> EntryDetail? {
        await settleAccepted()
        let found = try await slice("listing") { (reader, connection) throws(StoreError) -> EntryDetail? in
            guard let own = try Self.rows(of: [digest], reader, connection).first else { return nil }
            let named = try connection.first("SELECT key, url FROM entry WHERE digest = ?1", digest) {
                (CacheKey(bytes: $0.bytes(0)), Digest(raw: $0.raw(1)))
            }
            guard let (key, url) = named else { return nil }
            let parents = try connection.rows(
                "SELECT digest FROM parent WHERE child = ?1 LIMIT \(Self.mostRelatives)", own.id
            ) { Digest(raw: $0.raw(0)) }
            var detail = EntryDetail(entry: own.summary, key: key)
            for row in try Self.rows(of: parents, reader, connection)
            where own.summary.isMade(of: row.summary) || own.summary.isVariant(of: row.summary) {
                detail.parents.append(row.summary)
            }
            var near = try Self.children(of: digest, reader, connection)
            for row in near
            where row.summary.isMade(of: own.summary) && !row.summary.isVariant(of: own.summary) {
                detail.children.append(row.summary)
            }
            for parent in parents { near += try Self.children(of: parent, reader, connection) }
            if let url { near += try Self.variants(of: url, reader, connection) }
            var known: Set<Int64> = [own.id]
            for row in near where row.summary.isVariant(of: own.summary) && known.insert(row.id).inserted {
                detail.variants.append(row.summary)
            }
            return detail
        }
        guard var detail = found else { return nil }
        detail.entry.uses = shared.notes.withLock { $0.uses(of: digest) }
        return detail
    }
}

extension EntrySummary {
    /// Whether one was made from the other, given that they are child and parent. An API's own bytes are made from
    /// nothing: an answer to a request with content has the URL's own answer as its parent only so that it is removed
    /// with it.
    fileprivate func isMade(of other: EntrySummary) -> Bool { layer != .raw || other.layer != .raw }

    /// Whether both are answers of one URL, as they came.
    fileprivate func isVariant(of other: EntrySummary) -> Bool { layer == other.layer && label == other.label }
}
