// What happens to an answer after its commit or its failure. The waiting caller gets the outcome, older answers of the
// key are overtaken or get a tombstone, and an accepted answer leaves the overlay. The same happens to the companion.
import LarderCore

extension StoreWriter {
    /// Reports the outcome of a write. An entry that was not stored takes the older entry of its key with it if that is
    /// of no more use. An accepted entry that was not stored always does, together with what was made from the older
    /// entry or is listed by it. The same holds for the companion if it says of other entries what the older one does
    /// not.
    /// - Parameter reply: nil if the answer was accepted before.
    func answer(_ order: WriteOrder, _ reply: Reply<WriteOutcome>?, _ outcome: WriteOutcome) {
        shared.meters.count(outcome)
        noteIfLeft(outcome)
        if outcome == .stored, let (timeline, began) = order.timeline {
            timeline.note(.commit, order.entry.provider, from: began, to: shared.time.monotonic())
        }
        let companion = order.ofCompanion.map { companion -> (order: WriteOrder, outcome: WriteOutcome) in
            // A removal or a newer answer concerns each of the two alone. A companion left out at the commit is still
            // refused now.
            if companion.isRefused { return (companion, .refused(.removed)) }
            return (companion, outcome == .refused(.removed) ? .stored : outcome)
        }
        overtake(order, outcome, misleads: reply == nil)
        if let companion {
            // The answer went out: it was accepted, or its reply came too late.
            let misleads = reply?.isGiven ?? true && order.companion?.concernsOthers == true
            overtake(companion.order, companion.outcome, misleads: misleads)
        }
        // The reply comes first: once it is given, lateness cannot make another tombstone.
        end(order, reply, outcome)
        guard shared.removals.isAny else { return }
        replaced(order, outcome)
        if let companion { replaced(companion.order, companion.outcome) }
    }

    /// Overtakes the earlier answers of the key if this one is stored. If it is not, removes the older entry if that is
    /// of no use.
    /// - Parameter misleads: whether this answer has gone out, which makes the older entry useless.
    private func overtake(_ order: WriteOrder, _ outcome: WriteOutcome, misleads: Bool) {
        switch outcome {
        case .stored:
            // An answer that began before this one is older, even if it comes later in the queue.
            shared.orders.overtake(order.entry.key.digest, below: order.number)
            shared.overlay.stored(order.entry.key.digest)
        case .refused(let reason) where reason != .removed:
            // An order that was itself removed or overtaken says nothing about others.
            guard order.supersedes || misleads, !order.isRefused else { return }
            // An older answer that is still on its way is of no more use either, whether or not there is a row.
            shared.orders.overtake(order.entry.key.digest, below: order.number)
            var order = order
            order.supersedes = true
            if hasOlder(order.entry) { shared.supersedeAlone(order, byWriter: true) }
        default: break
        }
    }

    /// Settles tombstones that a stored answer made unnecessary: the row that they cover is gone.
    private func replaced(_ order: WriteOrder, _ outcome: WriteOutcome) {
        guard outcome == .stored, let number = order.place?.number else { return }
        if let latest = shared.removals.replaced(order.entry.key.digest, by: number) { settled(latest) }
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

    private func hasOlder(_ entry: StoredResponse) -> Bool {
        if shared.keys.lacks(entry.key.digest) { return false }
        guard let rows = database?.rows else { return true }
        return (try? rows.has(entry.key.digest)) ?? true
    }
}

extension EntryRows {
    func has(_ digest: Digest) throws(StoreError) -> Bool {
        let statement = try connection.statement("SELECT 1 FROM entry WHERE digest = ?1")
        defer { statement.reset() }
        statement.bind(1, digest)
        return try statement.step()
    }
}
