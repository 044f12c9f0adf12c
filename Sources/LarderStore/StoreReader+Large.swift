// A reader's part in large bodies: it opens the file of a body that was found, and reads stretches of it. Each piece is
// checked against its checksum before any of it is returned: a body with a damaged piece is cut there.
import Glibc
import LarderCore

extension StoreReader {
    func beginSnapshot() throws(StoreError) {
        removals = shared.removals.snapshot()
        shared.faults.passRead()
        try connection?.statement("BEGIN").run()
    }

    /// Takes a new snapshot, which shows what the writer has committed meanwhile.
    func renewSnapshot() throws(StoreError) {
        try connection?.statement("COMMIT").run()
        try beginSnapshot()
    }

    /// What was found of a body that lies in a file.
    enum InFile {
        case none, damaged
        /// The file is open, and the body is read in stretches.
        case body(StoredBody)
        case whole(Bytes)
    }

    /// Opens the file of the present row, or reads all of it.
    func file(of row: SummedRow, _ opens: Bool) throws(StoreError) -> InFile {
        // A body above `maxObject` is from before the limit was lowered. No memory is spent on it.
        guard let bodies, opens || row.size <= shared.settings.withLock({ $0.maxObject }) else { return .damaged }
        let keeps = row.size <= Int64(SQLiteStore.openSize)
        if opens, !keeps { return try held(row, bodies) }
        guard let file = try borrow(row.id, from: bodies, keeps: keeps) else { return .none }
        defer { bodies.leave(row.id) }
        let isLong = row.size > Int64(Self.batchBytes)
        if isLong { shared.reads.stepAside() }
        defer { if isLong { shared.reads.stepBack() } }
        let bytes = try BodyRead.stretch(file, row.id, at: 0, count: Int(row.size), of: row.size, sums: row.body)
        guard let bytes, NoWaitFiles.size(file) == row.size else { return damagedFile(row.id) }
        return .whole(bytes)
    }

    /// Opens a body that is sent in stretches. Its file stays open meanwhile; if too many are open, it is opened for
    /// each stretch.
    private func held(_ row: SummedRow, _ bodies: BodyFiles) throws(StoreError) -> InFile {
        var content = BodyFile.Content(length: row.size, sums: Bytes(row.body))
        let file: Int32
        switch bodies.borrow(row.id, keeps: false, waits: true) {
        case .file(let found): (file, content.descriptor) = (found, found)
        case .tooMany:
            shared.meters.bodiesRefused.add()
            guard let found = try borrow(row.id, from: bodies, keeps: false) else { return .none }
            file = found
        case .absent, .wouldWait: return .none
        case .failed(let number): throw BodyFiles.failure("opening the file of a body", number)
        }
        defer { if content.descriptor < 0 { bodies.leave(row.id) } }
        let body = BodyFile(shared, bodies, BodyName(generation: generation, id: row.id), content)
        // Checked before a head goes out: a damaged body is then a miss, and not an answer that is cut.
        guard NoWaitFiles.size(file) == row.size, try isSound(row, file, CacheSchema.pieceSize) else {
            return damagedFile(row.id)
        }
        return .body(StoredBody(file: body, length: row.size))
    }

    /// Whether the beginning of a file is as it was written.
    private func isSound(_ row: SummedRow, _ file: Int32, _ count: Int) throws(StoreError) -> Bool {
        try BodyRead.stretch(file, row.id, at: 0, count: count, of: row.size, sums: row.body) != nil
    }

    private func damagedFile(_ id: Int64) -> InFile {
        damagedEntry(id, .piece)
        return .damaged
    }

    /// A descriptor of a body's file for one read, to be given back with `leave`; nil if there is no such file. It is
    /// given however many files are open.
    func borrow(_ id: Int64, from bodies: BodyFiles, keeps: Bool) throws(StoreError) -> Int32? {
        switch bodies.borrow(id, keeps: keeps, waits: true, holds: false) {
        case .file(let file): return file
        case .absent, .wouldWait: return nil
        // Never happens with `holds: false`.
        case .tooMany: throw BodyFiles.failure("opening the file of a body", EMFILE)
        case .failed(let number): throw BodyFiles.failure("opening the file of a body", number)
        }
    }

    /// Answers a request for a stretch. It needs no database. If the file is open, it is answered whatever became of
    /// the row.
    func serve(_ question: StretchQuestion, _ reply: Reply<Result<Bytes, BodyFailure>>) {
        // Nobody waits for the answer any more.
        if reply.isGiven { return }
        shared.faults.passRead()
        reply.resume(returning: answer(question))
    }

    /// Exactly the requested stretch, or why it cannot be read.
    private func answer(_ question: StretchQuestion) -> Result<Bytes, BodyFailure> {
        let (file, content) = (question.file, question.file.content)
        do throws(StoreError) {
            let isHeld = content.descriptor >= 0
            let held = isHeld ? content.descriptor : try borrow(file.name.id, from: file.files, keeps: false)
            // The body was removed since it was found, and nobody has its file open.
            guard let held else { return .failure(.gone) }
            defer { if !isHeld { file.files.leave(file.name.id) } }
            let bytes = try content.sums.withUnsafeBytes { sums in
                attempt { () throws(StoreError) in
                    try BodyRead.stretch(
                        held, file.name.id, at: question.offset, count: question.count,
                        of: content.length, sums: sums)
                }
            }.get()
            if let bytes { return .success(bytes) }
            // Noted in any case, though a body under way has no row.
            shared.meters.undecodable.add()
            if shared.damaged.note(file.name, .piece) { shared.writes.nudge() }
            return .failure(.gone)
        } catch {
            shared.meters.readFailed.add()
            return .failure(BodyFailure(error.description))
        }
    }

    private func attempt(_ body: () throws(StoreError) -> Bytes?) -> Result<Bytes?, StoreError> {
        do throws(StoreError) { return .success(try body()) } catch { return .failure(error) }
    }

    /// Makes the writer remove a damaged entry.
    func damagedEntry(_ id: Int64, _ kind: DamageKind) {
        if shared.damaged.note(BodyName(generation: generation, id: id), kind) { shared.writes.nudge() }
    }
}
