// Removes rows that failed their checksum. In idle time all other rows are checked too, since damage that nobody reads
// would otherwise be met when the row is needed. One slice runs a second at most, bounded in bytes and in time; if the
// store is never idle, one a minute. A pass begins at most once in 24 hours. It also gives checksums to rows from
// before the checksums. The scrub's own writes do not postpone other upkeep of idle time.
//
// The scrub also checks what a row's checksum cannot tell: the provider's name, the digest, and the notes of an entry's
// parents, without which a purge of a parent would leave the entry.
import LarderCore

/// The progress of the present pass.
struct ScrubUpkeep {
    /// Time from the opening to the first pass. Rows that are read earlier are checked when they are read.
    static let rest = Duration.seconds(600)
    /// Between two slices, and between a write and a slice.
    static let pause = Duration.seconds(1)
    /// The longest time that a slice waits for idle time.
    static let patience = Duration.seconds(59)
    /// The most bytes that one slice reads, plus one entry, and its longest time: half a percent of the time.
    static let bytesPerSlice = 1 << 20
    static let budget = Duration.milliseconds(5)
    static let rowsPerSlice = 64
    /// From the beginning of one pass to the beginning of the next.
    static let passInterval = Duration.seconds(24 * 3600)

    var at: MonotonicTime
    var began: MonotonicTime
    /// The last entry that was checked and whose checksums are committed.
    var cursor: Int64 = 0
    /// Whether a write of the present pass failed: rows without checksums may be left.
    var hasFailed = false
    /// Whether the present pass has written, so that the log has grown.
    var hasWritten = false
    /// The body file that is being checked, and how many of its bytes have been; nil between bodies.
    var body: Body?

    struct Body {
        var id: Int64
        var size: Int64
        var sums: Bytes
        var done: Int64 = 0
    }

    init(now: MonotonicTime) {
        at = now + Self.rest
        began = at
    }

    /// When the next slice is due: in idle time, or after `patience` at the latest.
    func due(lastWrite: MonotonicTime) -> MonotonicTime { min(max(at, lastWrite + Self.pause), at + Self.patience) }

    /// Whether the slice has waited for idle time long enough.
    func isOverdue(_ now: MonotonicTime) -> Bool { now >= at + Self.patience }
}

extension StoreWriter {
    // MARK: Removing

    /// Removes the rows that failed their checksum. Logs that once a minute at most.
    func removeDamaged() {
        guard let database else { return }
        let present = shared.gate.present
        let rows = shared.damaged.take().filter { $0.key.generation == present }
        guard !rows.isEmpty else { return }
        attempt { () throws(StoreError) in
            try transact(database.connection) { () throws(StoreError) in
                let index = ResultIndex(database.connection, for: database.rows)
                for (name, kind) in rows {
                    // Nil: the file of the body cannot be opened, which says nothing of the entry. The next check notes
                    // the entry again.
                    let isMended: Bool? = kind == .result ? try index.mend(name.id) : false
                    if isMended == false { try database.rows.remove(id: name.id) }
                }
            }
            // The trigger subtracted the row's size from the sum of the files. If the size was damaged, the sum is
            // wrong now.
            if rows.values.contains(.row) { (upkeep.doubtsFileBytes, upkeep.isRestating) = (true, false) }
            shared.meters.transactions.add()
            upkeep.wrote(at: shared.time.monotonic())
        }
        let now = shared.time.monotonic()
        guard upkeep.damageMutedUntil.map({ now >= $0 }) ?? true else { return }
        upkeep.damageMutedUntil = now + .seconds(60)
        let parts = Set(rows.values.map(\.rawValue)).sorted().joined(separator: ", ")
        shared.log.warning("store.row.damaged", ["entries": "\(rows.count)", "parts": parts])
    }

    // MARK: Scrubbing

    var scrubTime: MonotonicTime { upkeep.scrub.due(lastWrite: upkeep.lastWrite) }

    /// Runs a whole pass, for tests and on request.
    func scrubAll() {
        let now = shared.time.monotonic()
        upkeep.scrub = ScrubUpkeep(now: now)
        upkeep.scrub.at = now
        while upkeep.scrub.at <= now + ScrubUpkeep.pause * 2, database != nil, rest(at: now) == nil {
            scrubSlice(isHurried: true)
            if !shared.damaged.isEmpty { removeDamaged() }
        }
    }

    /// Checks some entries, or some pieces of a body.
    func scrubSlice(isHurried: Bool = false) {
        let start = shared.time.monotonic()
        var isDone = false
        attempt { () throws(StoreError) in
            var bytes = 0
            var isOver = false
            func hasTime() -> Bool { isHurried || shared.time.monotonic() - start < ScrubUpkeep.budget }
            repeat {
                isOver =
                    try upkeep.scrub.body == nil
                    ? scrubEntries(&bytes, while: hasTime) : scrubPieces(&bytes, while: hasTime)
            } while !isOver && bytes < ScrubUpkeep.bytesPerSlice && hasTime()
            upkeep.scrub.at = (isHurried ? start : shared.time.monotonic()) + ScrubUpkeep.pause
            if isOver { try passEnded(start) }
            isDone = true
        }
        if !isDone { upkeep.scrub.hasFailed = true }
        // After a failure upkeep rests. Then the same slice is checked again.
        if let rest = rest(at: start) { upkeep.scrub.at = start + rest + ScrubUpkeep.pause }
    }

    private func passEnded(_ now: MonotonicTime) throws(StoreError) {
        // From now on a row without checksums counts as damaged. Only a pass without failures has given checksums to
        // all rows.
        if !upkeep.scrub.hasFailed, database?.rows.lastWithoutSum ?? 0 > 0 {
            let mark = try database?.connection.statement("UPDATE step SET lastID = 0 WHERE name = ?1")
            mark?.bind(1, CacheMigration.checksums)
            try mark?.run()
            database?.rows.lastWithoutSum = 0
            upkeep.scrub.hasWritten = true
        }
        // The log is written back and cut once a pass. Before that, SQLite writes it back as it grows.
        if upkeep.scrub.hasWritten { upkeep.logIsLong = true }
        upkeep.scrub.hasWritten = false
        upkeep.scrub.cursor = 0
        upkeep.scrub.hasFailed = false
        upkeep.scrub.at = max(upkeep.scrub.began + ScrubUpkeep.passInterval, now + ScrubUpkeep.pause * 10)
        upkeep.scrub.began = upkeep.scrub.at
        // A pass checks rows, and not the sum of their files, which may be damaged itself.
        upkeep.doubtsFileBytes = true
    }

    /// Returns whether there are no more entries.
    private func scrubEntries(_ bytes: inout Int, while hasTime: () -> Bool) throws(StoreError) -> Bool {
        guard let rows = database?.rows else { return true }
        let statement = try rows.connection.statement(
            """
            SELECT \(RowSums.columns), e.digest, l.version, p.name
            FROM entry e LEFT JOIN life l ON l.id = e.id LEFT JOIN provider p ON p.id = e.provider
            WHERE e.id > ?1 ORDER BY e.id LIMIT ?2
            """)
        var seen = 0
        var old: [OldRow] = []
        var made: [(id: Int64, parents: [Digest])] = []
        var sound = 0
        var cursor = upkeep.scrub.cursor
        var body: ScrubUpkeep.Body?
        do {
            defer { statement.reset() }
            statement.bind(1, cursor)
            statement.bind(2, Int64(ScrubUpkeep.rowsPerSlice))
            while body == nil, bytes < ScrubUpkeep.bytesPerSlice, seen == 0 || hasTime(), try statement.step() {
                seen += 1
                let id = statement.int(0)
                cursor = id
                bytes += 1024 + statement.raw(7).count
                guard let entry = soundEntry(statement, rows) else { continue }
                let isOld = statement.int(10) == 0
                if isOld { old.append(OldRow(statement, entry)) } else { sound += 1 }
                if !entry.parents.isEmpty { made.append((id, entry.parents)) }
                let row = SummedRow(statement)
                if row.isLarge, !row.isFromBeforeFiles {
                    body = ScrubUpkeep.Body(id: id, size: row.size, sums: Bytes(row.body))
                }
            }
        }
        try seal(old, rows)
        // Set only now: a slice that could not be written must be checked again.
        upkeep.scrub.cursor = cursor
        upkeep.scrub.body = body
        shared.meters.scrubbedSound.add(sound)
        for (id, parents) in made { try scrubResults(of: id, parents, rows) }
        return seen == 0
    }

    /// The entry of the present row if all of it is as it was written. Otherwise notes the row as damaged and returns
    /// nil.
    private func soundEntry(_ row: Statement, _ rows: EntryRows) -> StoredResponse? {
        let id = row.int(0)
        let key = CacheKey(bytes: row.bytes(4))
        guard let digest = Digest(bytes: row.bytes(12)), digest == key.digest else { return damaged(id, .row, rows) }
        if let kind = RowSums.fault(row, digest: digest, lastWithoutSum: rows.lastWithoutSum) {
            return damaged(id, kind, rows)
        }
        // Without its row in `life` no look-up finds the entry.
        guard !row.isNull(13), row.int(13) == Int64(key.bytes.first ?? 0) else { return damaged(id, .life, rows) }
        let entry = EntryCodec.decode(
            row.raw(6), key: key, body: [], freshUntil: row.int(2), staleUntil: row.int(3), label: row.text(5))
        guard let entry, entry.provider == row.text(14) else { return damaged(id, .row, rows) }
        return entry
    }

    private func damaged(_ id: Int64, _ kind: DamageKind, _ rows: EntryRows) -> StoredResponse? {
        rows.note(id, kind)
        shared.meters.scrubbedDamaged.add()
        return nil
    }

    // MARK: Rows without checksums

    /// An entry without checksums, and the checksums that it gets.
    private struct OldRow {
        var life: EntryRows.Life
        var sums: Int64

        init(_ row: Statement, _ entry: StoredResponse) {
            life = EntryRows.Life(of: entry, id: row.int(0))
            let constant = RowSums.constant(
                id: row.int(0), digest: entry.key.digest, provider: row.int(8), size: row.int(1),
                format: RowSums.format, key: row.raw(4), label: row.raw(5), head: row.raw(6))
            sums = RowSums.pack(constant, body: Checksum.of(row.raw(7)))
        }
    }

    private func seal(_ old: [OldRow], _ rows: EntryRows) throws(StoreError) {
        guard !old.isEmpty else { return }
        try rows.connection.transaction { () throws(StoreError) in
            for row in old { try rows.seal(row.life, sums: row.sums) }
        }
        shared.meters.scrubbedSummed.add(old.count)
        shared.meters.transactions.add()
        upkeep.scrub.hasWritten = true
    }

    // MARK: Bodies in files

    /// Checks pieces of the present body. Returns false, since more entries may follow; true only if there is no
    /// database.
    private func scrubPieces(_ bytes: inout Int, while hasTime: () -> Bool) throws(StoreError) -> Bool {
        guard let database, var body = upkeep.scrub.body else { return true }
        let size = Int64(CacheSchema.pieceSize)
        var isSound = true
        // The entry may have been removed between two slices.
        guard try database.rows.hasFile(body.id) else {
            upkeep.scrub.body = nil
            return false
        }
        switch database.bodies.borrow(body.id, keeps: false, waits: true, holds: false) {
        case .failed, .tooMany:
            // This says nothing of the body and may last. The body is skipped, so that nothing else waits for it.
            upkeep.scrub.body = nil
            return false
        case .absent, .wouldWait: isSound = false
        case .file(let file):
            defer { database.bodies.leave(body.id) }
            let before = body.done
            isSound = NoWaitFiles.size(file) == body.size
            while isSound, body.done < body.size, body.done == before || hasTime(),
                bytes < ScrubUpkeep.bytesPerSlice
            {
                let count = Int(min(size, body.size - body.done))
                let piece = try BodyRead.bytes(file, at: body.done, count: count)
                isSound =
                    piece.count == count
                    && piece.withUnsafeBytes { piece in
                        body.sums.withUnsafeBytes { PieceSums.fit($0, piece, id: body.id, from: body.done) }
                    }
                body.done += Int64(count)
                bytes += count
            }
        }
        upkeep.scrub.body = isSound && body.done < body.size ? body : nil
        if !isSound { _ = damaged(body.id, .piece, database.rows) }
        return false
    }

    /// Checks the sum of what files take, at the opening. A sum that no earlier run can have left is damaged. It is
    /// made anew before anything is written: otherwise sound entries would be evicted for room.
    func lookAtFileBytes() {
        guard let rows = database?.rows else { return }
        let most = shared.settings.withLock { $0.maxSize }
        attempt { () throws(StoreError) in upkeep.doubtsFileBytes = try rows.isFileSumOdd(most: most) }
        let start = shared.time.monotonic()
        while upkeep.doubtsFileBytes, rest(at: start) == nil, !shared.ending.hasBegun { restateFileBytes() }
    }

    /// Makes the sum of what files take anew, within one time budget. It visits every row, in as many slices of idle
    /// time as that takes.
    func restateFileBytes() {
        guard let database else { return }
        let start = shared.time.monotonic()
        attempt { () throws(StoreError) in
            if !upkeep.isRestating { try database.rows.beginRestating() }
            upkeep.isRestating = true
            while try database.rows.restateSlice(rows: ScrubUpkeep.rowsPerSlice) {
                if shared.time.monotonic() - start >= Upkeep.budget { return }
            }
            let wasWrong = try transact(database.connection) { () throws(StoreError) in
                try database.rows.endRestating()
            }
            (upkeep.doubtsFileBytes, upkeep.isRestating) = (false, false)
            if wasWrong { upkeep.wrote(at: shared.time.monotonic()) }
        }
    }

    // MARK: Parents and results

    /// Restores missing notes of an entry's parents, and checks the entry's searchable results.
    private func scrubResults(of id: Int64, _ parents: [Digest], _ rows: EntryRows) throws(StoreError) {
        for parent in parents {
            let look = try rows.connection.statement("SELECT 1 FROM parent WHERE digest = ?1 AND child = ?2")
            defer { look.reset() }
            look.bind(1, parent)
            look.bind(2, id)
            guard try !look.step() else { continue }
            look.reset()
            try rows.note([parent], of: id)
            shared.damaged.count(.parent)
            upkeep.scrub.hasWritten = true
        }
        let index = ResultIndex(rows.connection, for: rows)
        switch try index.state(of: id) {
        case .sound: break
        case .withoutSum:
            // Notes the entry, so that it is indexed anew with checksums.
            try index.note(id)
            upkeep.indexing.mayBeDue = true
            upkeep.indexing.noted += 1
            upkeep.scrub.hasWritten = true
        case .damaged: rows.note(id, .result)
        }
    }
}
