// What becomes of an answer after its commit, or where there is none: who waits is told, what is older is overtaken or gets a
// tombstone, and what was accepted leaves the overlay. The same of its companion.
import LarderCore

extension StoreWriter {
    /// Tells what became of an entry. One that was not stored takes the older one of its key with it, where that is of
    /// no more use; one that counted as stored always does, and what was made from it or is listed by it goes along. The same
    /// holds for its companion, where that says of other entries what the older one does not.
    /// - Parameter reply: none where the answer was accepted before.
    func answer(_ order: WriteOrder, _ reply: Reply<WriteOutcome>?, _ outcome: WriteOutcome) {
        shared.meters.count(outcome)
        noteIfLeft(outcome)
        if outcome == .stored, let (timeline, began) = order.timeline {
            timeline.note(.commit, order.entry.provider, from: began, to: shared.time.monotonic())
        }
        let companion = order.ofCompanion.map { companion -> (order: WriteOrder, outcome: WriteOutcome) in
            // What removes or overtakes one of the two leaves the other. Who is left out at the commit is so still.
            if companion.isRefused { return (companion, .refused(.removed)) }
            return (companion, outcome == .refused(.removed) ? .stored : outcome)
        }
        overtake(order, outcome, misleads: reply == nil)
        if let companion {
            // The answer went out: it was accepted, or late.
            let misleads = reply?.isGiven ?? true && order.companion?.concernsOthers == true
            overtake(companion.order, companion.outcome, misleads: misleads)
        }
        // Told first: from then on nothing makes a tombstone for its being late.
        end(order, reply, outcome)
        guard shared.removals.isAny else { return }
        replaced(order, outcome)
        if let companion { replaced(companion.order, companion.outcome) }
    }

    /// One that is stored overtakes those before it. One that is not takes the older one with it, where that is of no more use.
    /// - Parameter misleads: the older one is of no more use now that this one has been answered.
    private func overtake(_ order: WriteOrder, _ outcome: WriteOutcome, misleads: Bool) {
        switch outcome {
        case .stored:
            // One that began before it, and comes behind it in the queue, is older.
            shared.orders.overtake(order.entry.key.digest, below: order.number)
            shared.overlay.stored(order.entry.key.digest)
        case .refused(let reason) where reason != .removed:
            // One that is removed or overtaken itself says nothing of others.
            guard order.supersedes || misleads, !order.isRefused else { return }
            // An older one that is still on its way is of no more use either, whether or not there is a row.
            shared.orders.overtake(order.entry.key.digest, below: order.number)
            var order = order
            order.supersedes = true
            if hasOlder(order.entry) { shared.supersedeAlone(order, byWriter: true) }
        default: break
        }
    }

    /// What a stored answer superseded is out of the database.
    private func replaced(_ order: WriteOrder, _ outcome: WriteOutcome) {
        guard outcome == .stored, let number = order.place?.number else { return }
        if let latest = shared.removals.replaced(order.entry.key.digest, by: number) { settled(latest) }
    }

    /// An accepted answer leaves the overlay now, and not before: either it is committed, or a tombstone stands for it.
    private func end(_ order: WriteOrder, _ reply: Reply<WriteOutcome>?, _ outcome: WriteOutcome) {
        if let reply {
            reply.resume(returning: outcome)
            return
        }
        let hasFailed = outcome != .stored && outcome != .refused(.removed)
        if let watch = shared.overlay.leave(order, failed: hasFailed) { shared.waits.add(watch, .commit) }
        switch outcome {
        case .stored: shared.meters.committed.add()
        case .refused(.removed): shared.meters.acceptedRemoved.add()
        case .refused(let reason):
            shared.meters.uncommitted.add()
            shared.log.debug(
                "store.accepted.failed",
                ["provider": order.entry.provider, "outcome": "refused(\"\(reason.rawValue)\")"])
        // No end of a write.
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
