// A body on its way into the store. Whole pieces are written to its file, at most 1 MiB at a time; the beginning of the next
// piece waits here, so that small pieces cost no write each and a small body is written like any small entry.
import LarderCore

/// What the writer's thread writes of a body at once: whole pieces of the schema's size.
struct BodyPart: Sendable {
    /// Held until the part is written: one that is late goes with all the others, and not before it is there.
    var file: BodyFile
    /// Where it begins: a multiple of the piece size.
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

    /// One call at a time.
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
            // A body of exactly one piece lies in its row: the first piece waits until more has come.
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
            let outcome = await commit { .append(part, $0) }
            guard outcome == .stored else {
                // A part that is late may still be written, the body will not be: it waits for the store no more.
                _ = self.end(outcome == .pending ? .refused(.failed) : outcome)
                return outcome
            }
            body.committed(whole)
            offset = end
        }
        return .stored
    }

    func complete(
        _ entry: StoredResponse, with companion: Companion?, when isWanted: (@Sendable () -> Bool)?
    ) async -> WriteOutcome {
        let (body, ended) = state.withLock { ($0.body, $0.ended) }
        if let ended { return ended == .stored || ended == .accepted ? .refused(.failed) : ended }
        guard let body else { return .refused(.failed) }
        let (committed, tail) = body.parts
        var entry = entry
        entry.large = nil
        entry.body = committed == 0 ? tail : []
        let outcome: WriteOutcome
        let order = shared.orders.order(entry, with: companion, when: isWanted)
        if committed == 0 {
            outcome = await SQLiteStore.write(order, to: shared)
        } else {
            let last = BodyPart(file: body.file, offset: committed, bytes: tail)
            outcome = await handover { continuation in
                let reply = shared.writeReply(order, continuation)
                // The job holds the file: nothing of the body may go before it is done.
                if shared.writes.insist(.complete(last, order, reply)) {
                    return shared.waits.add(reply, .write)
                }
                shared.meters.count(.refused(.closed))
                reply.resume(returning: .refused(.closed))
            }
        }
        return end(outcome)
    }

    func abandon() {
        // Taken out under the lock and let go outside it: the file's end wakes the writer.
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

    /// Never refused for a crowd: a body has one part of at most 1 MiB in the queue, and the number of bodies is bounded.
    private func commit(
        _ job: @Sendable (Reply<WriteOutcome>) -> WriteJob
    ) async -> WriteOutcome {
        await handover { continuation in
            let reply = Reply(continuation, late: { WriteOutcome.pending })
            if shared.writes.insist(job(reply)) { return shared.waits.add(reply, .part) }
            shared.meters.count(.refused(.closed))
            reply.resume(returning: .refused(.closed))
        }
    }
}
