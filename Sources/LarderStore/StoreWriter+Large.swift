// Large bodies on the writer's thread: pieces of several of them may interleave, each part in a transaction of its own
// of at most 1 MiB, and no transaction stays open between two parts.
import LarderCore

extension StoreWriter {
    /// Bytes of bodies between two looks at the write-ahead log, and the length above which it is begun anew.
    static let logCheckBytes = 16 << 20
    static let logLimit: Int64 = 32 << 20

    /// A transaction in which bodies may be swept: what it condemned holds only if it was committed.
    func transact<Result>(
        _ connection: Connection, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        do {
            let late = shared.waits.isLate ? (at: shared.time.monotonic(), changes: connection.allChanges) : nil
            let result = try connection.transaction { () throws(StoreError) in
                // Before anything else: who stores a newer answer after a removal must not lose it to that removal.
                try applyRemovals()
                return try body()
            }
            shared.pins.settle(committed: true)
            // What is committed into a log without a name is gone with the process: the tombstones stay.
            settleRemovals(committed: removing.applied.isEmpty || shared.files.isDatabaseInPlace)
            // A commit of nothing does not reach the disk, and tells nothing.
            if let late, connection.allChanges != late.changes,
                shared.time.monotonic() - late.at <= shared.waits.span(.read)
            {
                wasQuick()
            }
            return result
        } catch {
            shared.pins.settle(committed: false)
            settleRemovals(committed: false)
            throw error
        }
    }

    /// Gives the body its id, where it could be stored at all.
    func beginBody(_ length: Int64?) -> Result<BodyPin, WriteRefusal> {
        do throws(StoreError) {
            if isOver { return .failure(WriteRefusal("closed")) }
            if case .refused(let word) = refusalOfPlace() { return .failure(WriteRefusal(word)) }
            guard let connection = database?.connection else { return .failure(WriteRefusal("failed")) }
            if case .refused(let word) = refusalOfRemovals() { return .failure(WriteRefusal(word)) }
            let whole = EntryRows.cost(ofPieces: length ?? 0)
            let first = min(whole, Int64(EntryRows.commitSize))
            let refused = try transact(connection) { () throws(StoreError) -> WriteOutcome? in
                // A body that the disk has no room for is not begun.
                try refusal(size: length ?? 0, whole: whole, cost: first, disk: whole)
            }
            if case .refused(let word) = refused { return .failure(WriteRefusal(word)) }
            guard let id = database?.rows.newID(),
                let pin = BodyPin(shared, BodyName(generation: shared.gate.present, id: id), since: nil)
            else { return .failure(WriteRefusal("failed")) }
            return .success(pin)
        } catch {
            guard case .refused(let word) = failed(error) else { return .failure(WriteRefusal("failed")) }
            return .failure(WriteRefusal(word))
        }
    }

    /// Commits whole pieces of a body.
    func append(_ part: BodyPart) -> WriteOutcome {
        do throws(StoreError) {
            if isOver { return .refused("closed") }
            if let refused = refusalOfPlace() { return refused }
            guard let database, part.name.generation == shared.gate.present else { return .refused("failed") }
            shared.pins.owe(part.name)
            let end = part.offset + Int64(part.bytes.count)
            let refused = try transact(database.connection) { () throws(StoreError) -> WriteOutcome? in
                if let refusal = try refusal(
                    size: end, whole: EntryRows.cost(ofPieces: end),
                    cost: EntryRows.cost(ofPieces: Int64(part.bytes.count)))
                {
                    return refusal
                }
                if part.offset == 0 { try database.rows.begin(part.name.id) }
                try database.rows.append(part.name.id, part.bytes, at: part.offset)
                return nil
            }
            if let refused { return refused }
            didWrite()
            sinceLogCheck += part.bytes.count
            if sinceLogCheck >= Self.logCheckBytes { checkLog() }
            return .stored
        } catch {
            upkeep.mustSweep = true
            return failed(error)
        }
    }

    /// The last piece and the row that makes it all visible.
    func complete(_ part: BodyPart, _ order: WriteOrder) -> WriteOutcome {
        let entry = order.entry
        do throws(StoreError) {
            if isOver { return .refused("closed") }
            if let refused = refusalOfPlace() { return refused }
            guard let connection = database?.connection, var rows = database?.rows,
                part.name.generation == shared.gate.present
            else { return .refused("failed") }
            if let refused = refusalOfRemovals() { return refused }
            // Not where the database is another one by then.
            defer { if database?.connection === connection { database?.rows = rows } }
            let size = part.offset + Int64(part.bytes.count)
            let refused = try transact(connection) { () throws(StoreError) -> WriteOutcome? in
                if order.isRefused { return .refused("removed") }
                if let refusal = try refusal(
                    size: size, whole: EntryRows.cost(ofPieces: size),
                    cost: EntryRows.cost(of: entry) + EntryRows.cost(ofPieces: Int64(part.bytes.count)))
                {
                    return refusal
                }
                try rows.append(part.name.id, part.bytes, at: part.offset)
                try rows.complete(part.name.id, entry, size: size, now: shared.time.wall())
                return nil
            }
            if let refused { return refused }
            guard checkPlace() else { return .refused("failed") }
            shared.pins.completed(part.name)
            didWrite()
            upkeep.mustSweep = true
            return .stored
        } catch {
            database?.rows.forgetProviders()
            upkeep.mustSweep = true
            return failed(error)
        }
    }

    private func didWrite() {
        shared.meters.transactions.add()
        upkeep.wrote(at: shared.time.monotonic())
        storingWorks()
    }

    /// SQLite begins the log anew only when it was written back whole and no reader uses it, which need not happen
    /// while bodies are read all the time. Reads are short, so waiting for them once is short too
    /// (sqlite.org/pragma.html#pragma_wal_checkpoint, RESTART).
    private func checkLog() {
        sinceLogCheck = 0
        guard shared.files.sizes.log > Self.logLimit else { return }
        attempt { () throws(StoreError) in
            _ = try database?.connection.number("PRAGMA wal_checkpoint(RESTART)")
        }
    }

    /// A body above the size of a transaction that came whole: piece by piece, visible at the end.
    func writeLarge(_ order: WriteOrder, _ job: WriteJob) {
        let entry = order.entry
        do throws(StoreError) {
            if isOver { return answer(job, .refused("closed")) }
            if let refused = refusalOfPlace() { return answer(job, refused) }
            guard let connection = database?.connection, var rows = database?.rows else {
                return answer(job, .refused("failed"))
            }
            if let refused = refusalOfRemovals() { return answer(job, refused) }
            // Not where the database is another one by then.
            defer { if database?.connection === connection { database?.rows = rows } }
            let id = rows.newID()
            let refused = try transact(connection) { () throws(StoreError) -> WriteOutcome? in
                if let refusal = try refusal(of: entry) { return refusal }
                try rows.begin(id)
                return nil
            }
            if let refused { return answer(job, refused) }
            for start in stride(from: 0, to: entry.body.count, by: EntryRows.commitSize) {
                if isOver { return answer(job, .refused("closed")) }
                let end = min(start + EntryRows.commitSize, entry.body.count)
                let isRefused = try transact(connection) { () throws(StoreError) in
                    if order.isRefused { return true }
                    try rows.append(id, entry.body, start..<end)
                    if end == entry.body.count {
                        try rows.complete(id, entry, size: Int64(end), now: shared.time.wall())
                    }
                    return false
                }
                if isRefused {
                    upkeep.mustSweep = true
                    return answer(job, .refused("removed"))
                }
                didWrite()
            }
            guard checkPlace() else { return answer(job, .refused("failed")) }
            upkeep.mustSweep = true
            noteUnindexed([Step(job: job)])
            answer(job, .stored)
        } catch {
            database?.rows.forgetProviders()
            upkeep.mustSweep = true
            answer(job, failed(error))
        }
    }

    // MARK: Sweeping

    /// Removes some pieces of a body that nobody needs, inside a transaction. False where there is none.
    func sweepSlice(_ rows: EntryRows) throws(StoreError) -> Bool {
        let generation = shared.gate.present
        let id = try rows.firstPending { shared.pins.condemn(BodyName(generation: generation, id: $0)) }
        guard let id else { return false }
        if try rows.sweep(id, limit: 64) { shared.pins.finished(BodyName(generation: generation, id: id)) }
        return true
    }

    /// One slice in a transaction of its own.
    func sweep() {
        guard upkeep.mustSweep, let database else { return }
        attempt { () throws(StoreError) in
            guard (try database.connection.number("SELECT min(id) FROM pending") ?? 0) > 0 else {
                upkeep.mustSweep = false
                return
            }
            let hasMore = try transact(database.connection) { () throws(StoreError) in
                try sweepSlice(database.rows)
            }
            upkeep.mustSweep = hasMore
            if hasMore { upkeep.wrote(at: shared.time.monotonic()) }
        }
    }
}
