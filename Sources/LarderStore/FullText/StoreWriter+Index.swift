// When the writer indexes: a moment after the last write, a slice at a time, so that a write seldom meets it; without
// waiting for idle time once many entries are noted, so that it cannot fall behind for ever; and at once for a search.
import LarderCore

/// What the writer knows about the index.
struct IndexingUpkeep {
    /// So long after a write nothing is indexed: the next one is probably on its way.
    static let rest = Duration.milliseconds(50)
    /// No slice takes longer, save for one entry.
    static let budget = Duration.milliseconds(5)
    /// Noted entries from which on it does not wait for idle time.
    static let backlog = 2048
    /// How long somebody who searches waits for it, and how many entries are indexed for him however long they take: on a
    /// busy machine too he must find what has just been stored.
    static let patience = Duration.milliseconds(100)
    static let leastForSearch = 16
    /// After it found no room, or could not open a body.
    static let pause = Duration.seconds(60)

    /// There may be notes.
    var mayBeDue = true
    /// A slice left some over.
    var hasMore = false
    /// Entries noted since all were done.
    var noted = 0
    var notBefore: MonotonicTime?
    /// Among the notes up to this one are some of entries whose bodies could not be opened: they are left until an instant, and
    /// keep no others waiting.
    var passed: (id: Int64, until: MonotonicTime)?
}

extension StoreWriter {
    /// When to index next, while nobody asks for anything else.
    func indexingTime(_ now: MonotonicTime) -> MonotonicTime? {
        guard upkeep.indexing.mayBeDue else { return upkeep.indexing.passed?.until }
        let at = upkeep.indexing.hasMore ? now : upkeep.lastWrite + IndexingUpkeep.rest
        return max(at, upkeep.indexing.notBefore ?? at)
    }

    func isIndexingDue(_ now: MonotonicTime, isIdle: Bool) -> Bool {
        if upkeep.indexing.notBefore.map({ now < $0 }) ?? false { return false }
        if upkeep.indexing.noted >= IndexingUpkeep.backlog { return true }
        return isIdle && indexingTime(now).map { now >= $0 } ?? false
    }

    /// These were committed.
    func noteUnindexed(_ steps: [Step]) {
        for case .write(let order, _) in steps.lazy.map(\.job)
        where order.entry.hasResults(size: order.entry.bodyLength) {
            upkeep.indexing.noted += 1
        }
        if upkeep.indexing.noted > 0 { shared.lacksIndex.withLock { $0 = true } }
    }

    /// Indexes for a few milliseconds.
    func indexSlice() { _ = index(for: IndexingUpkeep.budget) }

    /// Indexes all there is, within so much time; nothing while it rests after it found no room or failed, however many
    /// search meanwhile.
    func indexAll(within patience: Duration) {
        let start = shared.time.monotonic()
        if rest(at: start) != nil || upkeep.indexing.notBefore.map({ start < $0 }) ?? false { return }
        var done = 0
        var isFirst = true
        while upkeep.indexing.mayBeDue, database != nil, isFirst || upkeep.indexing.hasMore,
            done < IndexingUpkeep.leastForSearch || shared.time.monotonic() - start < patience
        {
            isFirst = false
            done += index(for: IndexingUpkeep.budget)
        }
    }

    /// Returns how many entries were indexed.
    private func index(for budget: Duration) -> Int {
        guard let database else { return 0 }
        var done = 0
        let start = shared.time.monotonic()
        upkeep.indexing.hasMore = false
        if let until = upkeep.indexing.passed?.until, start >= until { upkeep.indexing.passed = nil }
        attempt { () throws(StoreError) in
            let index = ResultIndex(database.connection, for: database.rows)
            func next() throws(StoreError) -> (id: Int64, size: Int64?)? {
                try index.next(after: upkeep.indexing.passed?.id ?? .min)
            }
            guard try next() != nil else { return indexingEnded() }
            var hasRoom = true
            try transact(database.connection) { () throws(StoreError) in
                if try index.clearIfNothingIsStored() { return }
                repeat {
                    guard let (id, size) = try next() else { return }
                    let cost = ResultIndex.cost(ofBody: min(size ?? 0, ResultIndex.largestBody))
                    // What is gone only makes room. Making room may remove the very entry. No answer goes for the index
                    // where the disk itself is short: that would make none.
                    if size != nil, try lacksRoom(cost) {
                        hasRoom = false
                        return
                    }
                    done += 1
                    guard let (added, removed) = try index.settle(id) else {
                        upkeep.indexing.passed = (id, start + IndexingUpkeep.pause)
                        continue
                    }
                    shared.meters.indexed.add(added)
                    shared.meters.unindexed.add(removed)
                } while shared.time.monotonic() - start < budget && done < 64
            }
            shared.meters.transactions.add()
            upkeep.wrote(at: shared.time.monotonic())
            upkeep.indexing.noted = max(0, upkeep.indexing.noted - done)
            upkeep.indexing.notBefore = nil
            if !hasRoom {
                upkeep.indexing.notBefore = shared.time.monotonic() + IndexingUpkeep.pause
            } else if try next() == nil {
                indexingEnded()
            } else {
                upkeep.indexing.hasMore = true
            }
        }
        return done
    }

    private func lacksRoom(_ cost: Int64) throws(StoreError) -> Bool {
        if let free = shared.files.freeDisk, free < shared.settings.withLock({ $0.minFree }) { return true }
        return try refusal(size: 0, whole: EntryRows.Cost(pages: cost), cost: EntryRows.Cost(pages: cost)) != nil
    }

    private func indexingEnded() {
        let passed = upkeep.indexing.passed
        upkeep.indexing = IndexingUpkeep()
        upkeep.indexing.passed = passed
        upkeep.indexing.mayBeDue = false
        shared.lacksIndex.withLock { $0 = false }
    }
}
