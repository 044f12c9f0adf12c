// Removals on the writer's thread. Single keys are removed at the beginning of the next transaction, whatever it is
// for, before anything else in it. While that fails nothing is stored, so no removal meets an answer that is newer than
// it. Purges of many entries walk, and end at the entry that was newest when they began. So does what is left of a
// single key from which many entries were made.
//
// A failed removal is tried again after 1 s, 2 s, then every 5 s, even if no request comes.
import CSQLite
import LarderCore

struct RemovalUpkeep {
    static let longestRest = Duration.seconds(5)
    /// Pause between two checks whether commits are quick again.
    static let probePause = Duration.seconds(1)
    /// The longest pause between two slices of a purge.
    static let longestPause = Duration.milliseconds(50)

    /// A single key that the present transaction removes.
    struct Applied {
        var tombstone: Tombstone
        /// How many entries were removed with it.
        var count = 0
        /// What more was made from it, and follows in slices.
        var rest: PurgeWork?
    }
    var applied: [Applied] = []
    /// The removals of what is older that the present transaction carries out: by URL, up to which number.
    var older: [Digest: UInt64] = [:]
    var olderCount = 0
    var retryAt: MonotonicTime?
    var rest = Duration.seconds(1)
    var error: StoreError?
    /// Whether the log says that removals wait.
    var isTold = false
    var probeAt: MonotonicTime?
    /// The next slice of a purge is not due before this instant.
    var sliceAt: MonotonicTime?
    /// How many reads the readers had taken before the last slice.
    var readsBefore = 0
}

extension StoreWriter {
    // MARK: Single keys

    /// Removes the single keys. Inside a transaction, before anything else.
    func applyRemovals() throws(StoreError) {
        (removing.applied, removing.older, removing.olderCount) = ([], [:], 0)
        guard let removals = shared.removals.snapshot(), let rows = database?.rows else { return }
        try applyOlder(removals, rows)
        guard !removals.exact.isEmpty else { return }
        let newest = try rows.connection.number("SELECT max(id) FROM entry") ?? 0
        var rowsLeft = PurgeWork.sliceRows
        var roomForWalks = removals.roomForWalks
        for tombstone in removals.exact.values {
            let work = PurgeWork(
                tombstone, last: newest, rows: min(max(rowsLeft, PurgeWork.fewestRows), PurgeWork.firstRows))
            var applied = RemovalUpkeep.Applied(tombstone: tombstone)
            while true {
                let (count, isLast) = try work.step(rows, now: tombstone.at)
                applied.count += count
                if isLast { break }
                work.advance(after: .zero)
                guard roomForWalks > 0 else { continue }
                roomForWalks -= 1
                applied.rest = work
                // Noted before the first part is gone.
                shared.flusher.note(tombstone.number)
                break
            }
            rowsLeft -= applied.count
            removing.applied.append(applied)
        }
    }

    /// Called when the transaction is committed.
    func settleRemovals() {
        let (older, applied) = (removing.older, removing.applied)
        if !older.isEmpty {
            shared.meters.purged.add(removing.olderCount)
            shared.removals.change { removals in
                for (url, number) in older { removals.settleOlder(of: url, upTo: number) }
            }
            // A commit that removed nothing needs no flush.
            settled(flushes: removing.olderCount > 0)
        }
        guard !applied.isEmpty else { return }
        removing.applied = []
        for removed in applied where removed.count > 0 {
            for ticket in removed.tombstone.tickets { ticket.advance(removed.count) }
            shared.meters.purged.add(removed.count)
        }
        for removed in applied {
            guard let rest = removed.rest,
                shared.removals.change({ $0.walk(removed.tombstone, to: rest.last) })
            else { continue }
            let left = shared.removals.now
            purges.removeAll { left[$0.number] == nil }
            purges.append(rest)
        }
        shared.removals.settle { removals in
            applied.filter { $0.rest == nil }.map { removals.settle($0.tombstone) }
        }
        settled()
    }

    /// Called when removals are committed.
    func settled(flushes: Bool = true) {
        removing.retryAt = nil
        removing.rest = .seconds(1)
        let left = shared.removals.now
        shared.files.mark.settle(upTo: left.settledUpTo)
        if flushes { shared.flusher.flush() }
        if left.isEmpty, removing.isTold {
            removing.isTold = false
            shared.log.notice("store.removals.written")
        }
    }

    /// Refuses writes while single keys wait to be tried again.
    func refusalOfRemovals() -> WriteOutcome? {
        guard let at = removing.retryAt, shared.removals.now.isAnyOfKeys, shared.time.monotonic() < at else {
            return nil
        }
        return .refused(upkeep.pause?.reason ?? .failed)
    }

    // MARK: All removals

    /// Does what is due: removes single keys at once, and begins walks.
    /// - Parameter mayRepeat: whether to try once more in a new database if this one proves damaged.
    func performRemovals(mayRepeat: Bool = true) {
        let now = shared.time.monotonic()
        if let error = removing.error, let at = removing.retryAt, now < at { return shared.removals.failed(error) }
        guard let connection = database?.connection else {
            return removalsFailed(StoreError(SQLITE_CANTOPEN, "removing", "there is no database"))
        }
        removing.retryAt = nil
        do throws(StoreError) {
            let removals = shared.removals.now
            let areKeys = !removals.exact.isEmpty
            if areKeys || !removals.older.isEmpty {
                try transact(connection) { () throws(StoreError) in }
                // Without a change nothing reached the disk, so this says nothing about the next write.
                if areKeys || removing.olderCount > 0 {
                    shared.meters.transactions.add()
                    upkeep.wrote(at: shared.time.monotonic())
                    if upkeep.pause != nil { storingWorks() }
                }
            }
            for tombstone in shared.removals.now.walks where !purges.contains(where: { $0.number == tombstone.number })
            {
                var last = tombstone.last
                if last == .max {
                    last = try connection.number("SELECT max(id) FROM entry") ?? 0
                    shared.removals.change { $0.begin(tombstone.number, last: last) }
                }
                purges.append(PurgeWork(tombstone, last: last))
            }
        } catch {
            if error.isLackOfDisk, discardsAll() { return }
            failedToRemove(error, mayRepeat)
        }
    }

    private func failedToRemove(_ error: StoreError, _ mayRepeat: Bool) {
        _ = failed(error)
        if error.isDamage, database != nil, mayRepeat { return performRemovals(mayRepeat: false) }
        removalsFailed(error)
    }

    /// How long until the next slice is due.
    func purgeWait() -> Duration? {
        guard !purges.isEmpty else { return nil }
        return removing.sliceAt.map { max(.zero, $0 - shared.time.monotonic()) } ?? .zero
    }

    /// Does one slice if it is due. If somebody else used the store since the last one, the next slice comes after a
    /// pause as long as this one: half of the time is theirs.
    /// - Parameter others: whether jobs were done since the last slice.
    func slicePurges(others: Bool) {
        guard purgeWait() == .zero else { return }
        let start = shared.time.monotonic()
        let reads = shared.reads.given
        stepPurges()
        let isUsed = others || reads != removing.readsBefore
        removing.readsBefore = reads
        let end = shared.time.monotonic()
        removing.sliceAt = isUsed ? end + min(end - start, RemovalUpkeep.longestPause) : nil
    }

    /// Does one slice of the first purge.
    func stepPurges() {
        guard let purge = purges.first, let database else { return purges = [] }
        do throws(StoreError) {
            let start = shared.time.monotonic()
            let (purged, isLast) = try transact(database.connection) { () throws(StoreError) in
                try purge.step(database.rows, now: purge.at)
            }
            purge.advance(after: shared.time.monotonic() - start)
            shared.removals.advance(purge.number, purged)
            shared.meters.purged.add(purged)
            shared.meters.transactions.add()
            upkeep.wrote(at: shared.time.monotonic())
            if isLast { finish(purge.number) }
        } catch {
            purges.removeAll { $0 === purge }
            if error.isLackOfDisk, purge.isOfEverything {
                discardAll(for: purge.number)
            } else {
                failedToRemove(error, true)
            }
        }
    }

    /// Removes the files if everything is to be removed and entries cannot be removed one by one.
    /// - Returns: whether everything is to be removed.
    private func discardsAll() -> Bool {
        guard let everything = shared.removals.now.walks.first(where: \.isOfEverything) else { return false }
        discardAll(for: everything.number)
        return true
    }

    /// Removes all files, because the disk has no room to remove entries one by one. If the files stay, so does the
    /// tombstone.
    private func discardAll(for number: UInt64) {
        do throws(StoreError) {
            let discarded = try discard()
            shared.removals.advance(number, discarded)
            shared.meters.purged.add(discarded)
            finish(number)
        } catch {
            removalsFailed(error)
        }
    }

    private func finish(_ number: UInt64) {
        purges.removeAll { $0.number == number }
        if let tombstone = shared.removals.now.walks.first(where: { $0.number == number }) {
            shared.removals.settle { [$0.settle(tombstone)] }
            settled()
        }
    }

    private func removalsFailed(_ error: StoreError) {
        removing.error = error
        removing.retryAt = shared.time.monotonic() + removing.rest
        removing.rest = min(removing.rest * 2, RemovalUpkeep.longestRest)
        if !removing.isTold {
            removing.isTold = true
            shared.log.warning(
                "store.removals.pending", ["error": error.description, "count": String(shared.removals.count)])
        }
        shared.removals.failed(error)
    }

    // MARK: Retries

    /// How long until removals, or a check whether commits are quick, are due.
    func removalWait() -> Duration? {
        guard database != nil else { return nil }
        let now = shared.time.monotonic()
        var due: [MonotonicTime] = []
        if shared.removals.snapshot()?.hasDue == true { due.append(removing.retryAt ?? now) }
        if shared.waits.isLate { due.append(removing.probeAt ?? now) }
        return due.min().map { max(.zero, $0 - now) }
    }

    /// - Parameter isIdle: whether nobody waits. Then nothing else shows whether commits are quick.
    func retryRemovals(isIdle: Bool) {
        guard database != nil else { return }
        let now = shared.time.monotonic()
        if shared.removals.snapshot()?.hasDue == true, removing.retryAt.map({ now >= $0 }) ?? true {
            performRemovals()
        }
        // Read only now: the removals may have closed the database and opened another.
        guard isIdle, shared.waits.isLate, removing.probeAt.map({ now >= $0 }) ?? true, let database else { return }
        removing.probeAt = now + RemovalUpkeep.probePause
        attempt { () throws(StoreError) in
            try transact(database.connection) { () throws(StoreError) in
                // A row comes and goes. SQLite writes nothing without a change, nor for a value that stays the same.
                try database.connection.run("INSERT OR IGNORE INTO unindexed (id) VALUES (-1)")
                try database.connection.run("DELETE FROM unindexed WHERE id = -1")
            }
        }
    }

    /// Notes that a commit was quick.
    func wasQuick() {
        shared.waits.wasQuick()
        removing.probeAt = nil
        if upkeep.pause == nil { storingWorks() }
    }

    /// Tries the removals once more while the store closes. If some are left, the next start sets the database aside.
    func endRemovals() {
        guard shared.removals.isAny else { return }
        // Noted first: the disk may hold up what follows for longer than the stop waits.
        shared.flusher.note(shared.removals.now.latest)
        // The queue has ended: a removal that found no place in it is due too.
        shared.removals.change { $0.markAllDue() }
        removing.retryAt = nil
        if !isOver { performRemovals() }
        while !purges.isEmpty, !isOver { stepPurges() }
        purges = []
        shared.removals.closed()
    }
}
