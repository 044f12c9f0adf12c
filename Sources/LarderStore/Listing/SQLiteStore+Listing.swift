// Lists entries in an order, and shows one entry with its relatives. The orders use only the indexes that writing needs
// anyway: a listing must not make storing slower. `newest` and `oldest` go by the ids, `recentlyUsed` by the index of
// eviction, `mostUsed` by the counts in memory; these end as soon as enough is found. `soonStale` looks at every row of
// `life` (tens of bytes each), `largest` at the pages of all entries, the newest first. Each is bounded in time.
import CSQLite
import LarderCore

extension SQLiteStore {
    /// Rows that one slice looks at.
    private static let sliceRows: Int64 = 1024
    /// Rows that one slice looks at if the look must end soon.
    private static let fewRows: Int64 = 64
    /// Ids that one slice covers if only a few bytes of each are read.
    private static let sliceIDs: Int64 = 50_000

    /// The entries that are asked for, accepted ones included.
    /// - Throws: `StoreError` with SQLITE_BUSY if too many wait or the disk stands still, with SQLITE_CANTOPEN if there
    ///   is no database at the moment.
    public func entries(_ question: EntryQuestion) async throws(StoreError) -> EntryListing {
        await settleAccepted()
        var listing = EntryListing()
        if !question.digests.isEmpty {
            listing.entries = try await family(question)
        } else {
            switch question.order {
            case .newest, .oldest, .recentlyUsed: try await walk(question, &listing)
            case .mostUsed: try await mostUsed(question, &listing)
            case .largest, .soonStale: try await choose(question, &listing)
            }
        }
        shared.notes.withLock { notes in
            for place in listing.entries.indices {
                listing.entries[place].uses = notes.uses(of: listing.entries[place].digest)
            }
        }
        return listing
    }

    // MARK: In the order of an index

    private static func rows(_ question: EntryQuestion) -> Int64 {
        question.time < listingTime ? fewRows : sliceRows
    }

    private func walk(_ question: EntryQuestion, _ listing: inout EntryListing) async throws(StoreError) {
        let end = shared.time.monotonic() + question.time
        var cursor: EntryPlace? = question.after ?? EntryPlace(id: question.order == .oldest ? .min : .max)
        while let from = cursor {
            let (rows, next) = try await slice("listing") { (reader, connection) throws(StoreError) in
                try Self.step(question.order, from, Self.rows(question), reader, connection)
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
        _ order: EntryOrder, _ from: EntryPlace, _ most: Int64, _ reader: StoreReader, _ connection: DatabaseConnection
    ) throws(StoreError) -> (rows: [StoreReader.Row], next: EntryPlace?) {
        let columns = StoreReader.summaryColumns
        let sql =
            switch order {
            case .oldest:
                """
                SELECT \(columns) FROM entry e CROSS JOIN life l WHERE e.id > ?1 AND ?2 = ?2 AND l.id = e.id
                ORDER BY e.id LIMIT ?3
                """
            case .recentlyUsed:
                """
                SELECT \(columns) FROM life l INDEXED BY lifeUse CROSS JOIN entry e
                WHERE (l.lastUsed, l.id) < (?2, ?1) AND e.id = l.id ORDER BY l.lastUsed DESC, l.id DESC LIMIT ?3
                """
            default:
                """
                SELECT \(columns) FROM entry e CROSS JOIN life l WHERE e.id < ?1 AND ?2 = ?2 AND l.id = e.id
                ORDER BY e.id DESC LIMIT ?3
                """
            }
        let statement = try connection.statement(sql)
        defer { statement.reset() }
        statement.bind(1, from.id)
        statement.bind(2, from.lastUsed)
        statement.bind(3, most)
        var seen: Int64 = 0
        var last = from
        var rows: [StoreReader.Row] = []
        while try statement.step() {
            seen += 1
            last = EntryPlace(id: statement.int(0), lastUsed: statement.int(7))
            if let row = reader.row(statement) { rows.append(row) }
        }
        return (try reader.present(rows), seen < most ? nil : last)
    }

    // MARK: The best of all rows

    /// Finds the best of all rows that can be looked at in time.
    private func choose(_ question: EntryQuestion, _ listing: inout EntryListing) async throws(StoreError) {
        let end = shared.time.monotonic() + question.time
        let now = shared.time.wall().milliseconds
        let isBySize = question.order == .largest
        // Small at first: until there is a bar every row of a slice is read whole.
        var step = Self.rows(question)
        var high = try await slice("listing") { (_, connection) throws(StoreError) in
            try connection.number("SELECT max(id) FROM entry") ?? 0
        }
        if let after = question.after { high = min(high, after.id) }
        var best: [EntrySummary] = []
        /// The value that a row must beat. Only rows that do are read whole.
        var bar = isBySize ? -1 : Int64.max
        while high > 0 {
            let (from, to, limit) = (max(0, high - step), high, bar)
            let rows = try await slice("listing") { (reader, connection) throws(StoreError) in
                let columns = StoreReader.summaryColumns
                let statement = try connection.statement(
                    isBySize
                        ? """
                        SELECT \(columns) FROM entry e CROSS JOIN life l
                        WHERE e.id > ?1 AND e.id <= ?2 AND e.size > ?3 AND ?4 = ?4 AND l.id = e.id
                        """
                        : """
                        SELECT \(columns) FROM life l CROSS JOIN entry e
                        WHERE l.id > ?1 AND l.id <= ?2 AND l.freshUntil < ?3 AND l.freshUntil > ?4 AND e.id = l.id
                        """)
                statement.bind(1, from)
                statement.bind(2, to)
                statement.bind(3, limit)
                statement.bind(4, now)
                return try reader.rows(statement)
            }
            best += rows.filter { question.takes($0.facts) }.map(\.summary)
            best.sort { isBySize ? $0.size > $1.size : $0.freshUntil < $1.freshUntil }
            if best.count >= question.limit {
                best.removeLast(best.count - question.limit)
                if let last = best.last { bar = isBySize ? last.size : last.freshUntil.milliseconds }
            }
            high = from
            if !isBySize, question.time == Self.listingTime { step = min(step * 2, Self.sliceIDs) }
            if high > 0, shared.time.monotonic() > end {
                (listing.isComplete, listing.next) = (false, EntryPlace(id: high))
                break
            }
        }
        listing.entries = best
    }

    private func mostUsed(_ question: EntryQuestion, _ listing: inout EntryListing) async throws(StoreError) {
        let end = shared.time.monotonic() + question.time
        // Sorted outside the lock, because hits of the database take that lock.
        let counted = shared.notes.withLock { $0.counted }
        let after = Int(clamping: max(0, question.after?.id ?? 0))
        let all = counted.sorted { $0.value > $1.value }.map(\.key)
        var rest = all.dropFirst(after)
        var found: [EntrySummary] = []
        while !rest.isEmpty, found.count < question.limit {
            let digests = Array(rest.prefix(Int(Self.rows(question))))
            rest = rest.dropFirst(digests.count)
            let rows = try await slice("listing") { (reader, connection) throws(StoreError) in
                try Self.rows(of: digests, reader, connection)
            }
            found += rows.filter { question.takes($0.facts) }.map(\.summary)
            if !rest.isEmpty, found.count < question.limit, shared.time.monotonic() > end {
                (listing.isComplete, listing.next) = (false, EntryPlace(id: Int64(all.count - rest.count)))
                break
            }
        }
        listing.entries = Array(found.prefix(question.limit))
    }

    private static func rows(
        of digests: [Digest], _ reader: StoreReader, _ connection: DatabaseConnection
    ) throws(StoreError) -> [StoreReader.Row] {
        let statement = try connection.statement(
            """
            SELECT \(StoreReader.summaryColumns) FROM entry e CROSS JOIN life l WHERE e.digest = ?1 AND l.id = e.id
            """)
        var rows: [StoreReader.Row] = []
        for digest in digests {
            statement.bind(1, digest)
            rows += try reader.rows(statement, atMost: 1)
        }
        return rows
    }

    // MARK: One entry

    /// The most relatives of each kind that are shown.
    private static let mostRelatives = 200

    private static func children(
        of digest: Digest, _ reader: StoreReader, _ connection: DatabaseConnection
    ) throws(StoreError) -> [StoreReader.Row] {
        let statement = try connection.statement(
            """
            SELECT \(StoreReader.summaryColumns) FROM parent p CROSS JOIN entry e CROSS JOIN life l
            WHERE p.digest = ?1 AND e.id = p.child AND l.id = e.id LIMIT \(mostRelatives)
            """)
        statement.bind(1, digest)
        return try reader.rows(statement)
    }

    /// The entries of these digests, each with those made from it.
    private func family(_ question: EntryQuestion) async throws(StoreError) -> [EntrySummary] {
        let rows = try await slice("listing") { (reader, connection) throws(StoreError) in
            var rows = try Self.rows(of: question.digests, reader, connection)
            for digest in question.digests { rows += try Self.children(of: digest, reader, connection) }
            return rows
        }
        var known: Set<Int64> = []
        let found = rows.filter { question.takes($0.facts) && known.insert($0.id).inserted }.map(\.summary)
        return Array(found.prefix(question.limit))
    }

    /// The entry of this digest with its relatives; nil if there is none.
    public func detail(of digest: Digest) async throws(StoreError) -> EntryDetail? {
        await settleAccepted()
        let found = try await slice("listing") { (reader, connection) throws(StoreError) -> EntryDetail? in
            guard let own = try Self.rows(of: [digest], reader, connection).first else { return nil }
            let look = try connection.statement("SELECT key FROM entry WHERE digest = ?1")
            look.bind(1, digest)
            let key: CacheKey
            do {
                defer { look.reset() }
                guard try look.step() else { return nil }
                key = CacheKey(bytes: look.bytes(0))
            }
            let names = try connection.statement(
                "SELECT digest FROM parent WHERE child = ?1 LIMIT \(Self.mostRelatives)")
            names.bind(1, own.id)
            var parents: [Digest] = []
            do {
                defer { names.reset() }
                while try names.step() {
                    if let parent = Digest(bytes: names.bytes(0)) { parents.append(parent) }
                }
            }
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
