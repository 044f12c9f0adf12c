// Tells what a purge would remove, without changing anything. It walks like the purge, on a reader's thread and in
// slices.
import LarderCore

/// A set of ids that lie close together: one word holds 64 of them.
struct RowSet: Sendable {
    private var words: [Int64: UInt64] = [:]

    /// Returns false if the id is in the set already.
    mutating func insert(_ id: Int64) -> Bool {
        let bit: UInt64 = 1 << UInt64(truncatingIfNeeded: id & 63)
        let word = words[id >> 6] ?? 0
        words[id >> 6] = word | bit
        return word & bit == 0
    }
}

extension SQLiteStore {
    /// Rows that one slice looks at.
    private static let previewRows: Int64 = 1024
    /// The longest time of a preview. After it the result is what was seen until then.
    static let previewTime = Duration.seconds(10)

    /// What these purges together would remove now, with everything made from it. Each entry counts once.
    /// - Parameter soft: whether the purge only expires: then stale entries do not count.
    public func preview(_ selectors: [PurgeSelector], soft: Bool) async throws(StoreError) -> PurgePreview {
        await settleAccepted()
        let now = shared.time.wall()
        let end = shared.time.monotonic() + Self.previewTime
        let digests = selectors.compactMap { if case .digest(let digest) = $0 { digest } else { nil } }
        let wide = selectors.filter { if case .digest = $0 { false } else { true } }
            .map { (selector: $0, folded: PurgeWork.folded($0)) }
        var preview = PurgePreview()
        var known = RowSet()
        func count(_ rows: [StoreReader.Row]) {
            for row in rows where known.insert(row.id) {
                if soft, row.summary.freshUntil <= now { continue }
                preview.entries += 1
                preview.bytes &+= row.summary.size
                if preview.labels.count < PurgePreview.mostLabels { preview.labels.append(row.summary.label) }
            }
        }
        for digest in digests {
            count(
                try await slice("previewing a purge") { (reader, connection) throws(StoreError) in
                    try Self.family(of: digest, reader, connection)
                })
        }
        var cursor: Int64? = wide.isEmpty ? nil : .min
        while let from = cursor {
            let (rows, next) = try await slice("previewing a purge") { (reader, connection) throws(StoreError) in
                try Self.step(from, reader, connection) { facts in
                    wide.contains { PurgeWork.isMeant(facts, by: $0.selector, folded: $0.folded) }
                }
            }
            count(rows)
            cursor = next
            if next != nil, shared.time.monotonic() > end {
                preview.isComplete = false
                break
            }
        }
        return preview
    }

    /// The next rows that are meant, each with those made from it.
    private static func step(
        _ from: Int64, _ reader: StoreReader, _ connection: DatabaseConnection, _ isMeant: (EntryFacts) -> Bool
    ) throws(StoreError) -> (rows: [StoreReader.Row], next: Int64?) {
        let statement = try connection.statement(
            """
            SELECT \(StoreReader.summaryColumns) FROM entry e CROSS JOIN life l WHERE e.id > ?1 AND l.id = e.id
            ORDER BY e.id LIMIT ?2
            """)
        statement.bind(1, from)
        statement.bind(2, previewRows)
        var seen: Int64 = 0
        var last = from
        var meant: [StoreReader.Row] = []
        do {
            defer { statement.reset() }
            while try statement.step() {
                seen += 1
                last = statement.int(0)
                if let row = reader.row(statement), isMeant(row.facts) { meant.append(row) }
            }
        }
        var rows = try reader.present(meant)
        for row in rows { rows += try children(of: row.summary.digest, reader, connection, depth: 0) }
        return (rows, seen < previewRows ? nil : last)
    }

    private static func family(
        of digest: Digest, _ reader: StoreReader, _ connection: DatabaseConnection
    ) throws(StoreError) -> [StoreReader.Row] {
        let statement = try connection.statement(
            """
            SELECT \(StoreReader.summaryColumns) FROM entry e CROSS JOIN life l WHERE e.digest = ?1 AND l.id = e.id
            """)
        statement.bind(1, digest)
        return try reader.rows(statement) + children(of: digest, reader, connection, depth: 0)
    }

    /// The entries made from an entry, as a purge takes them: they go with it, even if the entry itself is gone.
    private static func children(
        of digest: Digest, _ reader: StoreReader, _ connection: DatabaseConnection, depth: Int
    ) throws(StoreError) -> [StoreReader.Row] {
        guard depth < 8 else { return [] }
        let statement = try connection.statement(
            """
            SELECT \(StoreReader.summaryColumns) FROM parent p CROSS JOIN entry e CROSS JOIN life l
            WHERE p.digest = ?1 AND e.id = p.child AND l.id = e.id
            """)
        statement.bind(1, digest)
        let own = try reader.rows(statement)
        var rows = own
        for child in own where child.summary.digest != digest {
            rows += try children(of: child.summary.digest, reader, connection, depth: depth + 1)
        }
        return rows
    }
}
