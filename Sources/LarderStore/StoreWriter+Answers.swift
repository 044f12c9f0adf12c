// What happens to an answer after its commit or its failure. The waiting caller gets the outcome, older answers of the
// key are overtaken or get a tombstone, and an accepted answer leaves the overlay.
import LarderCore

extension StoreWriter {
    /// Reports the outcome of a write. An entry that was not stored takes the older entry of its key with it if that is
    /// of no more use. An accepted entry that was not stored always does, together with what was made from the older
    /// entry.
    /// - Parameter reply: nil if the answer was accepted before.
    func answer(_ order: WriteOrder, _ reply: Reply<WriteOutcome>?, _ outcome: WriteOutcome) {
        shared.meters.count(outcome)
        noteIfLeft(outcome)
        if outcome == .stored, let (timeline, began) = order.timeline {
            timeline.note(.commit, order.entry.provider, from: began, to: shared.time.monotonic())
        }
        overtake(reply == nil ? order.misleading : order, outcome)
        // The reply comes first: once it is given, lateness cannot make another tombstone.
        end(order, reply, outcome)
        // Settles tombstones that a stored answer made unnecessary: the rows that they cover are gone.
        guard shared.removals.isAny, outcome == .stored, let number = order.place?.number else { return }
        shared.removals.settle { removals in
            [order.entry.key.digest, order.superseded].map { removals.replaced($0, by: number) }
        }
        if !shared.removals.isAny { settled() }
    }

    /// Overtakes the earlier answers of the key if this one is stored. If it is not, removes the older entry if that is
    /// of no use.
    private func overtake(_ order: WriteOrder, _ outcome: WriteOutcome) {
        switch outcome {
        case .stored:
            // An answer that began before this one is older, even if it comes later in the queue.
            shared.orders.overtake(order.entry.key.digest, below: order.number)
            shared.overlay.stored(order.entry.key.digest)
        case .refused(let reason) where reason != .removed:
            // An order that was itself removed or overtaken says nothing about others.
            guard order.supersedes != .nothing, !order.isRefused else { return }
            // An older answer that is still on its way is of no more use either, whether or not there is a row.
            shared.orders.overtake(order.entry.key.digest, below: order.number)
            if hasOlder(order) { shared.supersede(order, byWriter: true) }
        default: break
        }
    }

    /// Ends a write. An accepted answer leaves the overlay now and not before: it is committed, or a tombstone stands
    /// for it.
    private func end(_ order: WriteOrder, _ reply: Reply<WriteOutcome>?, _ outcome: WriteOutcome) {
        if let reply {
            reply.resume(returning: outcome)
            return
        }
        let hasFailed = outcome != .stored && outcome != .refused(.removed)
        if let watch = shared.overlay.leave(order, failed: hasFailed) { shared.add(watch) }
        switch outcome {
        case .stored: shared.meters.committed.add()
        case .refused(.removed): shared.meters.acceptedRemoved.add()
        case .refused(let reason):
            shared.meters.uncommitted.add()
            shared.log.debug(
                "store.accepted.failed",
                ["provider": order.entry.provider, "outcome": "refused(\"\(reason.rawValue)\")"])
        // Neither is the end of a write.
        case .accepted, .pending: break
        }
    }

    private func hasOlder(_ order: WriteOrder) -> Bool {
        if shared.keys.lacks(order.superseded) { return false }
        guard let rows = database?.rows else { return true }
        return (try? rows.has(order.superseded)) ?? true
    }
}

extension EntryRows {
    /// Whether there is an entry with that digest, or a variant of the URL with it.
    func has(_ digest: Digest) throws(StoreError) -> Bool {
        let found = try connection.number(
            "SELECT 1 FROM entry WHERE digest = ?1 UNION ALL SELECT 1 FROM entry WHERE url = ?1 LIMIT 1", digest)
        return found != nil
    }
}
