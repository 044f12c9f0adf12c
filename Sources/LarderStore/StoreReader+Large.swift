// A reader's part in large bodies: pinning one that was found, and reading a stretch of it. Each piece is held against its
// checksum before any of it is given: a body with a damaged one is cut there.
import LarderCore

extension StoreReader {
    func beginSnapshot() throws(StoreError) {
        epoch = shared.pins.epoch
        removals = shared.removals.snapshot()
        shared.faults.passRead()
        try connection?.statement("BEGIN").run()
    }

    /// What the writer has committed meanwhile is seen from now on.
    func renewSnapshot() throws(StoreError) {
        try connection?.statement("COMMIT").run()
        try beginSnapshot()
    }

    func pin(_ id: Int64) -> BodyPin? {
        BodyPin(shared, BodyName(generation: generation, id: id), since: epoch)
    }

    /// Whether the last piece is there and as long as it must be: what costs one look instead of the whole body.
    func isWhole(_ id: Int64, _ size: Int64) throws(StoreError) -> Bool {
        guard let lastPiece, size <= CacheSchema.chunksPerBody * Int64(CacheSchema.chunkSize) else { return false }
        defer { lastPiece.reset() }
        let number = (size - 1) / Int64(CacheSchema.chunkSize)
        lastPiece.bind(1, id * CacheSchema.chunksPerBody + number)
        guard try lastPiece.step() else { return false }
        return lastPiece.int(0) == size - number * Int64(CacheSchema.chunkSize)
    }

    /// Whether the first piece of a body of several is what was written.
    func isFirstSound(_ id: Int64) throws(StoreError) -> Bool {
        guard let stretch else { return false }
        defer { stretch.reset() }
        let first = id * CacheSchema.chunksPerBody
        stretch.bind(1, first)
        stretch.bind(2, first)
        guard try stretch.step(), stretch.raw(1).count == CacheSchema.chunkSize else {
            shared.meters.undecodable.add()
            return false
        }
        return isSound(stretch)
    }

    /// Exactly the stretch that was asked for, or why not.
    func answer(_ question: StretchQuestion) -> Result<Bytes, BodyFailure> {
        guard let stretch, question.name.generation == generation else { return .failure(.gone) }
        do throws(StoreError) {
            let bytes = try read(question, stretch)
            guard bytes.count == question.count else {
                shared.meters.undecodable.add()
                return .failure(.gone)
            }
            return .success(bytes)
        } catch {
            shared.meters.readFailed.add()
            if error.isDamage { damaged(error) }
            return .failure(BodyFailure(error.description))
        }
    }

    private func read(_ question: StretchQuestion, _ stretch: Statement) throws(StoreError) -> Bytes {
        let size = Int64(CacheSchema.chunkSize)
        let base = question.name.id * CacheSchema.chunksPerBody
        var next = base + question.offset / size
        var skip = Int(question.offset % size)
        stretch.bind(1, next)
        stretch.bind(2, base + (question.offset + Int64(question.count) - 1) / size)
        defer { stretch.reset() }
        var failure: StoreError?
        let bytes = Bytes(room: question.count) { buffer, count in
            let room = UnsafeMutableRawBufferPointer(buffer)
            do throws(StoreError) {
                while count < question.count, try stretch.step() {
                    let piece = stretch.raw(1)
                    guard stretch.int(0) == next, isSound(stretch), piece.count > skip else { return }
                    let slice = UnsafeRawBufferPointer(rebasing: piece[skip...].prefix(question.count - count))
                    UnsafeMutableRawBufferPointer(rebasing: room[count...]).copyMemory(from: slice)
                    count += slice.count
                    // A short piece in the middle of a body is damage: what follows must not close the gap.
                    if Int64(piece.count) != size { return }
                    next += 1
                    skip = 0
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Whether the present row of `id, data, sum` is the piece that was written.
    func isSound(_ row: Statement) -> Bool {
        let id = row.int(0)
        if RowSums.isSound(piece: id, row.raw(1), sum: row.int(2), lastWithoutSum: lastWithoutSum) { return true }
        damagedEntry(id / CacheSchema.chunksPerBody, .piece)
        return false
    }

    /// Has the writer remove an entry that is not what was written.
    func damagedEntry(_ id: Int64, _ kind: DamageKind) {
        if shared.damaged.note(BodyName(generation: generation, id: id), kind) { shared.writes.nudge() }
    }
}
