// Large bodies on the writer's thread. Parts of several bodies may interleave. Each part is written to its file outside
// of any transaction, at most 1 MiB at a time. The row that names the file comes last.
import LarderCore

extension StoreWriter {
    /// Runs a transaction. After its commit, removes the files of the rows that it removed; if it fails, the files that
    /// it wrote.
    func transact<Result>(
        _ connection: DatabaseConnection, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let bodies = database?.bodies
        do {
            let late = shared.waits.isLate ? (at: shared.time.monotonic(), changes: connection.allChanges) : nil
            var gone: [Int64] = []
            let result = try connection.transaction { () throws(StoreError) in
                written.removeAll(keepingCapacity: true)
                // Removals come first: a newer answer that is stored after a removal must not be lost to that removal.
                try applyRemovals()
                let result = try body()
                tellOfChangedURLs(connection, forgets: false)
                gone = try EntryRows.takeGone(connection)
                return result
            }
            bodies?.settle(committed: true, gone: gone)
            tellOfChangedURLs(connection)
            if shared.files.mark.hasFailed() {
                shared.log.error("store.mark.unkept", ["path": shared.files.directory])
            }
            settleRemovals()
            // A commit without changes does not reach the disk, so its duration tells nothing.
            if let late, connection.allChanges != late.changes,
                shared.time.monotonic() - late.at <= shared.waits.span(.read)
            {
                wasQuick()
            }
            return result
        } catch {
            bodies?.settle(committed: false, gone: [])
            connection.changedURLs = []
            throw error
        }
    }

    /// Has ready answers forgotten that were chosen among fewer variants: before the commit, and again after it, because
    /// one may have been made in between.
    private func tellOfChangedURLs(_ connection: DatabaseConnection, forgets: Bool = true) {
        guard !connection.changedURLs.isEmpty else { return }
        let tell = shared.variantsChanged.get()
        for url in connection.changedURLs { tell(url) }
        if forgets { connection.changedURLs = [] }
    }

    /// Gives a new body its id, if the body could be stored at all.
    func beginBody(_ length: Int64?) -> Result<BodyFile, WriteRefusal> {
        do throws(StoreError) {
            if isOver { return .failure(.closed) }
            guard let connection = database?.connection else { return .failure(.failed) }
            if case .refused(let reason) = refusalOfRemovals() { return .failure(reason) }
            // Checked before room is made. A short body needs no file, and one of unknown length might need none.
            guard let file = newFile() else { return .failure(.failed) }
            if length ?? 0 > CacheSchema.pieceSize, lacksDescriptor(file) {
                return .failure(.overloaded)
            }
            let whole = EntryRows.Cost(files: BodyFiles.blocks(length ?? 0))
            let first = EntryRows.Cost(files: min(whole.files, Int64(EntryRows.commitSize)))
            let refused = try transact(connection) { () throws(StoreError) -> WriteOutcome? in
                // A body that the disk has no room for is not begun.
                try refusal(size: length ?? 0, whole: whole, cost: first, disk: whole)
            }
            if case .refused(let reason) = refused { return .failure(reason) }
            return .success(file)
        } catch {
            guard case .refused(let reason) = failed(error) else { return .failure(.failed) }
            return .failure(reason)
        }
    }

    /// Whether the file of a body cannot be held open for lack of descriptors. Counts that as a refusal.
    private func lacksDescriptor(_ file: BodyFile) -> Bool {
        guard file.lacksDescriptor else { return false }
        // Descriptors that wait to be closed count as open. The job that closes them may be queued behind this one.
        file.files.closeUnused()
        guard file.lacksDescriptor else { return false }
        shared.meters.bodiesRefused.add()
        return true
    }

    private func newFile() -> BodyFile? {
        guard let id = database?.rows.newID(), let bodies = database?.bodies else { return nil }
        return BodyFile(shared, bodies, BodyName(generation: shared.gate.present, id: id))
    }

    /// Writes whole pieces of a body to its file.
    func append(_ part: BodyPart) -> WriteOutcome {
        do throws(StoreError) {
            if isOver { return .refused(.closed) }
            guard let database, part.file.files === database.bodies else { return .refused(.failed) }
            if lacksDescriptor(part.file) { return .refused(.overloaded) }
            let end = part.offset + Int64(part.bytes.count)
            let refused = try transact(database.connection) { () throws(StoreError) -> WriteOutcome? in
                try refusal(
                    size: end, whole: EntryRows.Cost(files: BodyFiles.blocks(end)),
                    cost: EntryRows.Cost(files: BodyFiles.blocks(Int64(part.bytes.count))))
            }
            if let refused { return refused }
            try part.file.append(part.bytes, at: part.offset)
            upkeep.lastWrite = shared.time.monotonic()
            return .stored
        } catch {
            return failed(error)
        }
    }

    /// Writes the last bytes of a body, then the row that makes the body visible.
    func complete(_ part: BodyPart, _ order: WriteOrder) -> WriteOutcome {
        do throws(StoreError) {
            if isOver { return .refused(.closed) }
            guard let database, part.file.files === database.bodies else { return .refused(.failed) }
            if let refused = refusalOfRemovals() { return refused }
            let size = part.offset + Int64(part.bytes.count)
            let whole = EntryRows.cost(of: order.entry, size: size)
            // The earlier parts of the body are on the disk already.
            let written = BodyFiles.blocks(size) - BodyFiles.blocks(Int64(part.bytes.count))
            let cost = EntryRows.Cost(pages: whole.pages, files: whole.files - written)
            let refused = try transact(database.connection) { () throws(StoreError) -> WriteOutcome? in
                if order.isRefused { return try leaveOut(order) }
                return try refusal(size: size, whole: whole, cost: cost)
            }
            if let refused { return refused }
            if !part.bytes.isEmpty { try part.file.append(part.bytes, at: part.offset) }
            return try commit(part.file, order, size: size)
        } catch {
            database?.rows.forgetProviders()
            return failed(error)
        }
    }

    /// Commits the row that names the complete file.
    private func commit(_ file: BodyFile, _ order: WriteOrder, size: Int64) throws(StoreError) -> WriteOutcome {
        guard let rows = database?.rows else { return .refused(.failed) }
        let isComplete = try transact(rows.connection) { () throws(StoreError) -> Bool in
            let announced = rows.announce(order.entry)
            if order.isRefused {
                _ = try leaveOut(order)
                return false
            }
            if try rows.isFull(for: order.entry) { return false }
            try rows.complete(
                file.name.id, order.entry, size: size, content: file.content.sums, announced,
                now: shared.time.wall())
            return true
        }
        guard isComplete else { return .refused(.removed) }
        file.files.table.completed(file.name.id)
        shared.meters.transactions.add()
        upkeep.wrote(at: shared.time.monotonic())
        storingWorks()
        return .stored
    }

    /// Writes a body that came whole and is larger than a shared transaction.
    func writeLarge(_ order: WriteOrder, _ job: WriteJob) {
        let outcome = storeLarge(order)
        if outcome == .stored { noteUnindexed([Step(job: job)]) }
        answer(job, outcome)
    }

    private func storeLarge(_ order: WriteOrder) -> WriteOutcome {
        let body = order.entry.body
        let file: BodyFile
        switch beginBody(Int64(body.count)) {
        case .success(let begun): file = begun
        case .failure(let reason): return .refused(reason)
        }
        var start = 0
        // If it is not wanted any more, `complete` leaves it out.
        while body.count - start > EntryRows.commitSize, !order.isRefused {
            let end = start + EntryRows.commitSize
            let outcome = append(BodyPart(file: file, offset: Int64(start), bytes: Bytes(body[start..<end])))
            guard outcome == .stored else { return outcome }
            start = end
        }
        return complete(BodyPart(file: file, offset: Int64(start), bytes: Bytes(body[start...])), order)
    }
}
