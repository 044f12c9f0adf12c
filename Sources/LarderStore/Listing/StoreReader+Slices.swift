// Looks at many rows on the readers' threads. Each look is cut into slices, and each slice is a job of its own:
// look-ups come in between, and no snapshot stays open for long, which would keep the write-ahead log from being cut.
import CSQLite
import LarderCore

extension StoreReader {
    /// Carries out one slice, in a snapshot of its own.
    func slice<Value>(
        _ doing: String, _ body: (DatabaseConnection) throws(StoreError) -> Value
    ) -> Result<Value, StoreError> {
        shared.reads.stepAside()
        defer { shared.reads.stepBack() }
        do throws(StoreError) {
            guard try connect(), let connection else {
                return .failure(StoreError(SQLITE_CANTOPEN, doing, "there is no database"))
            }
            try beginSnapshot()
            defer { finish() }
            return .success(try body(connection))
        } catch {
            if error.isDamage { damaged(error) }
            return .failure(error)
        }
    }

    /// The columns of `entry e` and `life l` that a summary is made of.
    static let summaryColumns = """
        e.id, e.digest, e.size, e.label, e.head, l.freshUntil, l.staleUntil, l.lastUsed
        """

    /// A row as a look sees it.
    struct Row {
        var id: Int64
        var summary: EntrySummary
        var facts: EntryFacts
    }

    /// The present row of a statement that begins with `summaryColumns`; nil if it cannot be understood.
    func row(_ statement: Statement) -> Row? {
        guard let digest = Digest(bytes: statement.bytes(1)), let origin = EntryCodec.origin(of: statement.raw(4)),
            let layer = origin.layer
        else { return nil }
        let label = statement.text(3)
        return Row(
            id: statement.int(0),
            summary: EntrySummary(
                digest: digest, provider: origin.provider, layer: layer, label: label, status: origin.status,
                size: max(0, statement.int(2)), receivedAt: origin.at,
                freshUntil: WallTime(milliseconds: statement.int(5)),
                staleUntil: WallTime(milliseconds: statement.int(6)), lastUsed: WallTime(seconds: statement.int(7))),
            facts: EntryFacts(provider: origin.provider, label: label, layer: layer, receivedAt: origin.at))
    }

    /// These rows without those that are removed and still in the database.
    func present(_ rows: [Row]) throws(StoreError) -> [Row] {
        guard let removals, !rows.isEmpty else { return rows }
        let gone = try removed(of: Set(rows.map(\.id)), removals)
        return rows.filter { !gone.contains($0.id) }
    }

    /// The rows that a statement finds which begins with `summaryColumns`.
    func rows<each Value: Bindable>(
        _ connection: DatabaseConnection, _ sql: String, _ values: repeat each Value
    ) throws(StoreError) -> [Row] {
        try present(connection.rows(sql, repeat each values, read: row))
    }
}

extension SQLiteStore {
    /// The longest time of a look at many rows. After it the result is what was seen until then.
    static let listingTime = Duration.seconds(1)

    /// Makes a reader carry out one slice.
    func slice<Value: Sendable>(
        _ doing: String,
        _ body: @escaping @Sendable (StoreReader, DatabaseConnection) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let answer: Result<Value, StoreError> = await shared.waits.ask(
            .search, late: { .failure(StoreError(SQLITE_BUSY, doing, "the disk takes too long")) },
            refused: { .failure(shared.overloaded(doing)) }
        ) { reply in
            shared.reads.offer(
                .slice { reader in
                    // Nobody waits any more for a slice whose reply has lapsed.
                    if reply.isGiven { return }
                    reply.resume(
                        returning: reader.slice(doing) { (connection) throws(StoreError) in
                            try body(reader, connection)
                        })
                })
        }
        return try answer.get()
    }

    /// Commits accepted entries first, so that they are seen. Not if the disk stands still.
    func settleAccepted() async {
        if !shared.waits.isLate { await commit() }
    }
}
