// What the writer does in idle time: it writes down uses, evicts to the low mark, gives pages back, shortens the log,
// sweeps what a crash left, and indexes results. Each task runs in slices within a time budget, so that a write never
// waits long.
import LarderCore

/// An upper bound on how full the database is, known without a query: the live bytes at the last look, plus what has
/// been written since, rather overestimated.
struct KnownRoom {
    /// After this many written bytes a new look is needed in any case.
    static let trust: Int64 = 4 << 20

    private var live: Int64
    private var limit: Int64

    /// - Parameter cost: bytes that are written right after the look.
    init(live: Int64, cost: Int64) {
        self.live = live + cost
        limit = live + Self.trust
    }

    /// Nothing is known: a look is needed.
    init() { (live, limit) = (0, 0) }

    /// Whether this many more bytes fit below the mark for certain. If so, they count as written.
    mutating func takes(_ cost: Int64, below mark: Int64) -> Bool {
        guard live + cost <= min(mark, limit) else { return false }
        live += cost
        return true
    }
}

/// The state of all upkeep: what is due, and when.
struct Upkeep {
    /// The longest time of one slice of idle work.
    static let budget = Duration.milliseconds(5)
    /// How often entries that nobody can use any more are removed, in slices of idle time.
    static let uselessInterval = Duration.seconds(3600)
    /// After this much idle time the log is written back and cut to nothing.
    static let settleTime = Duration.seconds(5)
    /// The most bytes of free pages that are kept for the next writes.
    static let slackBytes: Int64 = 64 << 20
    /// Bytes of free pages that go back at once.
    static let vacuumSlice: Int64 = 1 << 20
    /// How many rows one step of making the sum of the files anew looks at.
    static let restatedInSlice = 64

    /// When the first use that is not written yet was noted.
    var notedSince: MonotonicTime?
    var lastWrite: MonotonicTime
    var logIsLong = true
    var room = KnownRoom()
    /// How far the keys were read into the filter; nil while they are not being read.
    var keyReading: KeyReading?
    var readKeysAt: MonotonicTime?
    var isEvicting = false
    var disk = DiskRoom()
    /// How far `evictFiles` has come in the order of use.
    var filePlace: Evictor.Place?
    /// Whether the last file could not be made for lack of an inode.
    var lacksInodes = false
    /// Whether there is more to give back to the file system.
    var isRelieving = false
    /// The search for files that no row names; nil when it is done.
    var sweep: BodySweep? = BodySweep()
    /// The sum of the files may be wrong: a row was removed whose size may have been damaged, or it cannot be true.
    var doubtsFileBytes = false
    /// Whether that sum is being made anew, and covers some rows.
    var isRestating = false
    /// When entries that nobody can use any more are next looked for.
    var uselessAt: MonotonicTime
    var mayVacuum = true
    var pause: WritePause?
    var watchAt: MonotonicTime?
    /// When the names of the files are next checked.
    var placeAt: MonotonicTime?
    /// Failures of a kind that may come with every write are not logged again until then.
    var mutedUntil: MonotonicTime?
    /// The same for rows that failed their checksum.
    var damageMutedUntil: MonotonicTime?
    var retryOpenAt: MonotonicTime?
    /// Upkeep failed: nothing of it is done until then.
    var restUntil: MonotonicTime?
    var indexing = IndexingUpkeep()

    init(now: MonotonicTime) {
        lastWrite = now
        uselessAt = now
    }

    mutating func wrote(at now: MonotonicTime) {
        lastWrite = now
        logIsLong = true
        mayVacuum = true
        indexing.mayBeDue = true
    }
}

extension StoreWriter {
    /// How long the writer may sleep; nil until it is called.
    func waitingTime() -> Duration? {
        let now = shared.time.monotonic()
        if database == nil { return upkeep.retryOpenAt.map { max(.milliseconds(1), $0 - now) } }
        if let rest = rest(at: now) { return rest }
        if upkeep.sweep != nil || upkeep.doubtsFileBytes || upkeep.isEvicting || upkeep.isRelieving
            || isKeyReadingDue(now)
        {
            return .zero
        }
        var due: [MonotonicTime] = []
        if shared.keys.wantsReading, let at = upkeep.readKeysAt { due.append(at) }
        let notes = shared.notes.withLock { $0.count }
        if notes >= RecencyNotes.batch { return .zero }
        if notes > 0 {
            if upkeep.notedSince == nil { upkeep.notedSince = now }
            due.append((upkeep.notedSince ?? now) + shared.settings.withLock { $0.touchInterval })
        }
        due.append(upkeep.uselessAt)
        if let at = upkeep.disk.lookAgainAt, at > now { due.append(at) }
        if let at = indexingTime(now) { due.append(at) }
        if upkeep.logIsLong || upkeep.mayVacuum { due.append(upkeep.lastWrite + Upkeep.settleTime) }
        return due.min().map { max(.milliseconds(1), $0 - now) }
    }

    /// How long upkeep must still leave the disk alone: after a failure, or because the store closes.
    func rest(at now: MonotonicTime) -> Duration? {
        // Upkeep that the closing store leaves is done at the next start.
        if shared.ending.hasBegun { return StoreEnding.span }
        let until = max(upkeep.pause?.until ?? now, upkeep.restUntil ?? now)
        return until > now ? max(.milliseconds(1), until - now) : nil
    }

    /// Does the upkeep that is due. `isIdle` says that nobody waits. After jobs only what they made due is evicted: the
    /// jobs have checked the room themselves.
    func work(isIdle: Bool, afterJobs: Bool) {
        let now = shared.time.monotonic()
        if database == nil {
            if let at = upkeep.retryOpenAt, now >= at { reopen() }
            return
        }
        if placeWait() == .zero { checkPlace() }
        if upkeep.watchAt.map({ now >= $0 }) ?? true { watch(now) }
        if rest(at: now) != nil { return }
        if !shared.damaged.isEmpty { removeDamaged() }
        let notes = shared.notes.withLock { $0.count }
        let isDue = upkeep.notedSince.map { now >= $0 + shared.settings.withLock { $0.touchInterval } } ?? false
        if notes >= RecencyNotes.batch || notes > 0 && isDue { flushNotes() }
        if let sweep = upkeep.sweep, isIdle || now >= sweep.overdueAt { sweepFiles() }
        upkeep.isRelieving = relieveDisk()
        if isIndexingDue(now, isIdle: isIdle) { indexSlice() }
        guard isIdle else { return }
        if upkeep.isEvicting || !afterJobs { evictToLowMark() }
        if isKeyReadingDue(now) { readKeys() }
        if now >= upkeep.uselessAt { removeUseless() }
        if upkeep.doubtsFileBytes { restateFileBytes() }
        if now >= upkeep.lastWrite + Upkeep.settleTime { settle() }
    }

    /// Does all upkeep, due or not: for tests and on request.
    func maintainNow() {
        flushNotes()
        let now = shared.time.monotonic()
        upkeep.sweep = BodySweep()
        repeat { sweepFiles() } while upkeep.sweep != nil && rest(at: now) == nil && database != nil
        upkeep.uselessAt = now
        repeat { removeUseless() } while upkeep.uselessAt <= now && rest(at: now) == nil && database != nil
        repeat { evictToLowMark() } while upkeep.isEvicting && rest(at: now) == nil && database != nil
        repeat { readKeys() } while shared.keys.wantsReading && rest(at: now) == nil && database != nil
        if !shared.damaged.isEmpty { removeDamaged() }
        while upkeep.doubtsFileBytes && rest(at: now) == nil && database != nil { restateFileBytes() }
        (upkeep.indexing.notBefore, upkeep.indexing.passed) = (nil, nil)
        upkeep.indexing.mayBeDue = true
        indexAll(within: .seconds(60))
        upkeep.mayVacuum = true
        repeat { settle() } while upkeep.mayVacuum && rest(at: now) == nil && database != nil
        checkPlace()
        watch(now)
    }

    // MARK: Uses

    /// Writes the noted uses. Returns false if that failed.
    @discardableResult
    func flushNotes() -> Bool {
        upkeep.notedSince = nil
        if shared.notes.withLock({ $0.isEmpty }) { return true }
        guard let database else { return false }
        return attempt { () throws(StoreError) in
            try database.connection.transaction { () throws(StoreError) in try writeNotes(database.rows) }
        }
    }

    /// Writes the noted uses, inside a transaction. A roll-back loses them, which only makes the order of eviction
    /// imperfect.
    func writeNotes(_ rows: EntryRows) throws(StoreError) {
        let digests = shared.notes.withLock { $0.take() }
        upkeep.notedSince = nil
        guard !digests.isEmpty else { return }
        let changed = try rows.touch(digests, now: shared.time.wall())
        shared.meters.touchesWritten.add(changed)
        if changed > 0 { upkeep.wrote(at: shared.time.monotonic()) }
    }

    // MARK: Slices

    /// Evicts within one time budget if the store is above its high mark, because it has grown or its cap was lowered.
    private func evictToLowMark() {
        guard let database else { return }
        let settings = shared.settings.withLock { $0 }
        let start = shared.time.monotonic()
        attempt { () throws(StoreError) in
            var live = try database.rows.liveBytes()
            if live > settings.highWaterBytes { upkeep.isEvicting = true }
            while upkeep.isEvicting {
                guard live > settings.lowWaterBytes else {
                    upkeep.isEvicting = false
                    break
                }
                let removed = try transact(database.connection) { () throws(StoreError) in
                    try writeNotes(database.rows)
                    return try evictSlice(database.rows)
                }
                upkeep.wrote(at: shared.time.monotonic())
                live = try database.rows.liveBytes()
                if removed == 0 { upkeep.isEvicting = false }
                if shared.time.monotonic() - start >= Upkeep.budget { break }
            }
            shared.meters.liveBytes.set(Int(live))
        }
    }

    /// Removes entries that nobody can use any more, whether room is needed or not: an API's terms may forbid keeping
    /// them, and `staleUntil` is never later than the terms allow.
    private func removeUseless() {
        guard let database else { return }
        let start = shared.time.monotonic()
        attempt { () throws(StoreError) in
            while true {
                let removed = try transact(database.connection) { () throws(StoreError) in
                    try removeUselessSlice(database.rows)
                }
                if removed == 0 {
                    upkeep.uselessAt = shared.time.monotonic() + Upkeep.uselessInterval
                    break
                }
                upkeep.wrote(at: shared.time.monotonic())
                if shared.time.monotonic() - start >= Upkeep.budget { break }
            }
            shared.meters.liveBytes.set(Int(try database.rows.liveBytes()))
        }
    }

    /// Gives back the free pages that the next writes will not need. Then writes the log back and cuts it.
    private func settle() {
        guard let database else { return }
        let settings = shared.settings.withLock { $0 }
        let start = shared.time.monotonic()
        attempt { () throws(StoreError) in
            let slack =
                upkeep.disk.isShort
                ? 0 : min(Upkeep.slackBytes, settings.highWaterBytes - settings.lowWaterBytes)
            while upkeep.mayVacuum {
                let free = try database.rows.freePages()
                guard free * database.connection.pageSize > slack else {
                    upkeep.mayVacuum = false
                    break
                }
                // sqlite.org/pragma.html#pragma_incremental_vacuum
                let pages = Upkeep.vacuumSlice / database.connection.pageSize
                try database.connection.run("PRAGMA incremental_vacuum(\(pages))")
                upkeep.logIsLong = true
                shared.meters.vacuumedPages.add(Int(free - (try database.rows.freePages())))
                if shared.time.monotonic() - start >= Upkeep.budget { break }
            }
            // A reader may block the checkpoint. Then the next idle time does the rest.
            if upkeep.logIsLong && !upkeep.mayVacuum {
                if try database.connection.number("PRAGMA wal_checkpoint(TRUNCATE)") == 0 {
                    upkeep.logIsLong = false
                } else {
                    upkeep.lastWrite = shared.time.monotonic()
                }
            }
        }
        shared.meters.walBytes.set(Int(shared.files.sizes.log))
    }

    /// Sets the figures of what the cache takes, once a second at most.
    private func watch(_ now: MonotonicTime) {
        upkeep.watchAt = now + .seconds(1)
        guard let rows = database?.rows else { return }
        let sizes = shared.files.sizes
        shared.renew(sizes)
        shared.meters.walBytes.set(Int(sizes.log))
        attempt { () throws(StoreError) in
            if try rows.isFileSumOdd(most: .max) { upkeep.doubtsFileBytes = true }
            shared.meters.liveBytes.set(Int(try rows.liveBytes()))
        }
    }

    /// Runs upkeep. A failure is handled like that of a write, and upkeep rests for 5 s. Nobody waits for it. Returns
    /// whether it was done.
    @discardableResult
    func attempt(_ body: () throws(StoreError) -> Void) -> Bool {
        do throws(StoreError) {
            try body()
            return true
        } catch {
            _ = failed(error)
            upkeep.restUntil = shared.time.monotonic() + .seconds(5)
            return false
        }
    }
}
