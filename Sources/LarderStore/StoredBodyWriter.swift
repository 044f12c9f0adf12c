// A body on its way into the store. Whole pieces are written to its file, at most 1 MiB at a time. The beginning of the
// next piece waits in memory, so that small appends cost no write each, and a small body is written like any small
// entry.
import LarderCore

/// What the writer's thread writes of a body at once: whole pieces of the schema's size, but for the last part.
struct BodyPart: Sendable {
    /// Held until the part is written: the file of a body that was given up must not be removed before a late part is
    /// in it.
    var file: BodyFile
    /// Where the part begins, in bytes: a multiple of the piece size.
    var offset: Int64
    var bytes: Bytes
}

final class StoredBodyWriter: BodyWriter {
    private struct State {
        var body: GrowingBody?
        var ended: WriteOutcome?
    }
    private let shared: StoreShared
    private let state: Lock<State>

    init(_ file: BodyFile) {
        shared = file.shared
        state = Lock(State(body: GrowingBody(file)))
    }

    deinit {
        shared.bodyWriters.withLock { $0 -= 1 }
    }

    var written: any LargeBody { state.withLock { $0.body } ?? AbandonedBody() }

    /// Only one call at a time.
    func append(_ piece: Bytes) async -> WriteOutcome {
        let (body, ended) = state.withLock { ($0.body, $0.ended) }
        if let ended { return ended == .stored || ended == .accepted ? .refused(.failed) : ended }
        guard let body else { return .refused(.failed) }
        guard body.length + Int64(piece.count) <= shared.settings.withLock({ $0.maxObject }) else {
            shared.meters.count(.refused(.tooLarge))
            return end(.refused(.tooLarge))
        }
        var offset = 0
        while offset < piece.count {
            let (committed, tail) = body.parts
            let available = tail.count + piece.count - offset
            // A short body comes whole, in one write, so the first piece waits until more has come.
            guard available > CacheSchema.pieceSize || committed > 0 && available == CacheSchema.pieceSize else {
                body.extend(piece[offset...])
                break
            }
            let whole = min(available, EntryRows.commitSize) / CacheSchema.pieceSize * CacheSchema.pieceSize
            let end = offset + whole - tail.count
            var bytes = tail
            if tail.isEmpty && offset == 0 && end == piece.count {
                bytes = piece
            } else {
                bytes.reserveCapacity(whole)
                bytes.append(contentsOf: piece[offset..<end])
            }
            let part = BodyPart(file: body.file, offset: committed, bytes: bytes)
            let outcome = await commit(.part, late: { .pending }) { .append(part, $0) }
            guard outcome == .stored else {
                // A late part may still be written, but the body will not be stored. It does not wait for the store any
                // more.
                _ = self.end(outcome == .pending ? .refused(.failed) : outcome)
                return outcome
            }
            body.committed(whole)
            offset = end
        }
        return .stored
    }

    func complete(
        _ entry: StoredResponse, supersedes superseded: Superseded, when isWanted: (@Sendable () -> Bool)?
    ) async -> WriteOutcome {
        let (body, ended) = state.withLock { ($0.body, $0.ended) }
        if let ended { return ended == .stored || ended == .accepted ? .refused(.failed) : ended }
        guard let body else { return .refused(.failed) }
        let (committed, tail) = body.parts
        var entry = entry
        entry.large = nil
        entry.body = committed == 0 ? tail : []
        let outcome: WriteOutcome
        let order = shared.orders.order(entry, supersedes: superseded, when: isWanted)
        if committed == 0 {
            outcome = await SQLiteStore.write(order, to: shared)
        } else {
            let last = BodyPart(file: body.file, offset: committed, bytes: tail)
            // The job holds the file, which must not be removed before the job is done.
            outcome = await commit(.write, late: { [shared] in shared.lateWrite(order) }) { .complete(last, order, $0) }
        }
        return end(outcome)
    }

    func abandon() {
        // Taken out under the lock and released outside it: releasing the file wakes the writer.
        let body = state.withLock { state -> GrowingBody? in
            if state.ended == nil { state.ended = .refused(.failed) }
            return state.body.take()
        }
        _ = body
    }

    private func end(_ outcome: WriteOutcome) -> WriteOutcome {
        state.withLock { $0.ended = outcome }
        return outcome
    }

    /// Queues a part. Never refused for overload: a body has one part of at most 1 MiB in the queue, and the number of
    /// bodies is bounded.
    private func commit(
        _ length: BoundedWaits.Length, late: @escaping @Sendable () -> WriteOutcome,
        _ job: (Reply<WriteOutcome>) -> WriteJob
    ) async -> WriteOutcome {
        await shared.waits.ask(
            length, late: late,
            refused: {
                shared.meters.count(.refused(.closed))
                return .refused(.closed)
            }
        ) { shared.writes.insist(job($0)) }
    }
}
