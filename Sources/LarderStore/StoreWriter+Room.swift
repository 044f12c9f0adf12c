// How the writer deals with room: on the disk, below `cache.maxSize`, and after failures. Storing may stop; serving
// does not.
import CSQLite
import LarderCore

/// A pause after a failure: nothing is stored until `until`.
struct WritePause {
    var until: MonotonicTime
    var length: Duration
    var reason: WriteRefusal
}

extension StoreWriter {
    /// Whether this many bytes fit below the high mark without evicting. Nothing is evicted for rows that only save a
    /// little time.
    private func hasRoom(_ cost: Int64, _ settings: StoreSettings, _ rows: EntryRows) throws(StoreError) -> Bool {
        if upkeep.isEvicting { return false }
        if upkeep.room.takes(cost, below: settings.highWaterBytes) { return true }
        let live = try rows.liveBytes()
        guard live + cost <= settings.highWaterBytes else { return false }
        upkeep.room = KnownRoom(live: live, cost: cost)
        return true
    }

    /// Decides whether an entry may be written now. Makes room for it. Inside a transaction.
    func refusal(of order: WriteOrder) throws(StoreError) -> WriteOutcome? {
        let cost = EntryRows.cost(of: order.entry)
        return try refusal(size: Int64(order.bodyBytes), whole: cost, cost: cost)
    }

    /// Writes a row to table `ready` if there is room for it. Inside a transaction.
    func keepReady(_ order: ReadyOrder, _ data: Bytes) throws(StoreError) -> WriteOutcome {
        let cost = Int64(data.count + data.count / 2)
        let settings = shared.settings.withLock { $0 }
        // When the disk becomes short, its room is for answers.
        let isRoomy = shared.files.freeDisk.map { DiskRoom.isRoomy($0, cost, settings.minFree) } ?? true
        let isPaused = upkeep.pause.map { shared.time.monotonic() < $0.until } ?? false
        guard order.isWanted() else { return .refused(.removed) }
        guard isRoomy, !isPaused, let rows = database?.rows, try hasRoom(cost, settings, rows) else {
            return .refused(.noRoom)
        }
        guard try rows.write(order, data) else { return .refused(.removed) }
        return .stored
    }

    /// - Parameters:
    ///   - size: the size of the body as far as it is known.
    ///   - whole: the cost of the whole entry; `cost` is that of what is written now.
    ///   - disk: the cost that the disk must have room for, if more than `cost`.
    func refusal(
        size: Int64, whole: EntryRows.Cost, cost: EntryRows.Cost, disk: EntryRows.Cost? = nil
    ) throws(StoreError) -> WriteOutcome? {
        let settings = shared.settings.withLock { $0 }
        guard let rows = database?.rows else { return .refused(.failed) }
        if let pause = upkeep.pause, shared.time.monotonic() < pause.until { return .refused(pause.reason) }
        guard size <= settings.maxObject else { return .refused(.tooLarge) }
        guard whole.all <= settings.highWaterBytes else { return .refused(.noRoom) }
        guard try leavesFreeDisk(disk ?? cost, settings, rows) else {
            upkeep.disk.refused(disk ?? cost, now: shared.time.monotonic())
            shared.degrade("the disk has less than \(Units.format(size: settings.minFree)) free (cache.minFree)")
            return .refused(.diskFull)
        }
        return try makeRoom(cost.all, settings, rows) ? nil : .refused(.noRoom)
    }

    /// Evicts until the cost fits below `maxSize`, and one slice more while above the marks.
    private func makeRoom(_ cost: Int64, _ settings: StoreSettings, _ rows: EntryRows) throws(StoreError) -> Bool {
        // Reading the live bytes takes two statements. They are skipped while the writes since then cannot have reached
        // the mark.
        if !upkeep.isEvicting, upkeep.room.takes(cost, below: settings.highWaterBytes) { return true }
        var live = try rows.liveBytes()
        defer { upkeep.room = KnownRoom(live: live, cost: cost) }
        if live + cost > settings.highWaterBytes { upkeep.isEvicting = true }
        if upkeep.isEvicting {
            try writeNotes(rows)
            var removed = 0
            repeat {
                removed = try evictSlice(rows)
                live = try rows.liveBytes()
            } while removed > 0 && live + cost > settings.maxSize
            if removed == 0 || live + cost <= settings.lowWaterBytes { upkeep.isEvicting = false }
        }
        shared.meters.liveBytes.set(Int(live))
        return live + cost <= settings.maxSize
    }

    /// Removes one slice and counts it. Returns the number of rows. The files of evicted entries stop counting now and
    /// are removed after the commit.
    /// - Parameter bytes: bytes of bodies that suffice.
    func evictSlice(_ rows: EntryRows, bytes: Int64 = Evictor.bytesPerSlice) throws(StoreError) -> Int {
        let now = shared.time.wall()
        return try remove(rows) { evictor throws(StoreError) in try evictor.slice(now: now, bytes: bytes) }
    }

    /// Like `evictSlice`, but takes only entries whose bodies lie in files. Continues where the last call ended.
    func evictFiles(_ rows: EntryRows, bytes: Int64) throws(StoreError) -> Int {
        var place = upkeep.filePlace
        defer { upkeep.filePlace = place }
        return try remove(rows) { evictor throws(StoreError) in try evictor.files(bytes: bytes, after: &place) }
    }

    /// Like `evictSlice`, but takes only entries that nobody can use any more.
    func removeUselessSlice(_ rows: EntryRows) throws(StoreError) -> Int {
        let now = shared.time.wall()
        return try remove(rows) { evictor throws(StoreError) in try evictor.useless(now: now) }
    }

    private func remove(
        _ rows: EntryRows, _ take: (Evictor) throws(StoreError) -> Evictor.Slice
    ) throws(StoreError) -> Int {
        let before = try rows.liveBytes()
        let slice = try take(Evictor(rows: rows))
        if slice.rows > 0 {
            try ResultIndex(rows).removeOfGone(atMost: ResultIndex.goneInSlice)
        }
        let freed = max(0, before - (try rows.liveBytes()))
        let meters = shared.meters
        meters.evictedVersion.add(slice.byVersion)
        meters.evictedExpired.add(slice.expired)
        meters.evictedUnused.add(slice.unused)
        meters.evictedBytes.add(Int(freed))
        return slice.rows
    }

    /// Handles a failed write: decides its outcome, and whether the next writes must pause.
    func failed(_ error: StoreError) -> WriteOutcome {
        if error.isDamage {
            shared.meters.damage.add()
            recover(from: error)
            return .refused(.failed)
        }
        // Nothing follows from the error if the files are others by now.
        if !shared.ending.hasBegun, !checkPlace() { return .refused(.failed) }
        let reason: WriteRefusal = error.isDiskFull ? .diskFull : error.code == SQLITE_BUSY ? .busy : .failed
        switch error.code {
        case SQLITE_FULL: shared.meters.diskFull.add()
        case SQLITE_IOERR: shared.meters.inputOutput.add()
        default: shared.meters.otherFailure.add()
        }
        // Rows need no inode, so they are still stored.
        if error.isLackOfInodes {
            upkeep.lacksInodes = true
            shared.degrade(error.reason)
            giveInodes()
            return .refused(reason)
        }
        // SQLITE_BUSY is transient and says nothing about the next write.
        guard error.code == SQLITE_FULL || error.code == SQLITE_IOERR || error.code == SQLITE_READONLY else {
            let now = shared.time.monotonic()
            if upkeep.mutedUntil.map({ now >= $0 }) ?? true {
                shared.log.warning("store.write.failed", ["error": error.description])
                upkeep.mutedUntil = now + .seconds(60)
            }
            return .refused(reason)
        }
        let length = min(upkeep.pause.map { $0.length * 2 } ?? .seconds(5), .seconds(300))
        upkeep.pause = WritePause(until: shared.time.monotonic() + length, length: length, reason: reason)
        shared.degrade(error.reason)
        return .refused(reason)
    }

    /// Notes that a write was committed, which ends the pause and may end the degraded state.
    func storingWorks() {
        upkeep.pause = nil
        if shared.waits.isLate || !takesWhatWasRefused() { return }
        let was = shared.degraded.withLock { (present: inout String?) -> String? in
            defer { present = nil }
            return present
        }
        if was != nil { shared.log.notice("store.recovered") }
    }
}
