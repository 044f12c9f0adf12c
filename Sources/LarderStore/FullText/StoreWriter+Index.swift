// Decides when the writer indexes: a moment after the last write, one slice at a time, so that a write seldom meets it.
// If many entries are noted it does not wait for idle time, so that it cannot fall behind for ever. For a search it
// indexes at once.
import LarderCore

/// The state of the writer's indexing.
struct IndexingUpkeep {
    /// Nothing is indexed for this long after a write: the next write is probably on its way.
    static let rest = Duration.milliseconds(50)
    /// The longest time of one slice, save for one entry.
    static let budget = Duration.milliseconds(5)
    /// From this many noted entries on, indexing does not wait for idle time.
    static let backlog = 2048
    /// How long a search waits for indexing, and how many entries are indexed for it however long they take: even on a
    /// busy machine a search must find what has just been stored.
    static let patience = Duration.milliseconds(100)
    static let leastForSearch = 16
    /// How long indexing rests after it found no room, or could not open a body.
    static let pause = Duration.seconds(60)

    /// Whether there may be notes.
    var mayBeDue = true
    /// Whether a slice left some over.
    var hasMore = false
    /// Number of entries noted since all were done.
    var noted = 0
    var notBefore: MonotonicTime?
    /// Notes up to this id include entries whose bodies could not be opened. They are passed over until this instant,
    /// and keep no others waiting.
    var passed: (id: Int64, until: MonotonicTime)?
}

extension StoreWriter {
    /// When to index next, while no job comes.
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

    /// Counts the notes that these committed steps left.
    func noteUnindexed(_ steps: [Step]) {
        for case .write(let order, _) in steps.lazy.map(\.job)
        where order.entry.hasResults(size: order.entry.bodyLength) {
            upkeep.indexing.noted += 1
        }
        if upkeep.indexing.noted > 0 { shared.lacksIndex.withLock { $0 = true } }
    }

    /// Indexes for a few milliseconds.
    func indexSlice() { _ = index(for: IndexingUpkeep.budget) }

    /// Indexes all noted entries, within `patience`. Does nothing while indexing rests after it found no room or
    /// failed, however many searches come meanwhile.
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

    /// Indexes one slice. Returns how many entries were indexed.
    private func index(for budget: Duration) -> Int {
        guard let database else { return 0 }
        var done = 0
        let start = shared.time.monotonic()
        upkeep.indexing.hasMore = false
        if let until = upkeep.indexing.passed?.until, start >= until { upkeep.indexing.passed = nil }
        attempt { () throws(StoreError) in
            let index = ResultIndex(database.rows)
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
                    // An entry that is gone only makes room. Making room may remove this very entry. If the disk itself
                    // is short no answer is evicted for the index: that would free no disk.
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
