// The writer's part in keeping the file system above `cache.minFree`. It looks at the disk and gives room back in
// slices, even while writes wait, because nothing can be stored before.
import LarderCore

extension StoreWriter {
    /// Whether the file system stays above `cache.minFree` when the entry is written. Evicts other entries if that is
    /// necessary and enough; to make room for a file, entries that have files. Inside a transaction.
    func leavesFreeDisk(
        _ cost: EntryRows.Cost, _ settings: StoreSettings, _ rows: EntryRows
    ) throws(StoreError) -> Bool {
        guard let free = shared.files.freeDisk else { return true }
        if DiskRoom.isPlenty(free, cost.all, settings.minFree) { return true }
        let look = try look(free, rows)
        switch upkeep.disk.verdict(cost.pages, files: cost.files, look, minFree: settings.minFree) {
        case .fits: return true
        case .refused: return false
        case .fitsIn(let missing):
            try writeNotes(rows)
            var (pages, files): (Int64, Int64) = (0, 0)
            for _ in 0..<8 where !missing.isMet(pages: pages, files: files) {
                if files < missing.files {
                    // There are enough files, here or further on. The next try continues where this one ends.
                    _ = try evictFiles(rows, bytes: missing.files - files)
                } else {
                    let bytes = max(missing.all - pages - files, 4 * CacheSchema.reckonedPages)
                    guard try evictSlice(rows, bytes: bytes) > 0 else { return false }
                }
                // Evicted files are removed after the commit, and the new file is written before. Free disk may fall
                // below `minFree` meanwhile.
                pages = try rows.freePageBytes() - look.reusable
                files = max(0, look.bodies - (try rows.fileBytes()))
            }
            return missing.isMet(pages: pages, files: files)
        }
    }

    /// Whether the disk has room for the writes that it refused before.
    func takesWhatWasRefused() -> Bool {
        if upkeep.lacksInodes {
            if shared.files.lacksInodes { return false }
            upkeep.lacksInodes = false
        }
        guard upkeep.disk.hasRefused, let rows = database?.rows, let free = shared.files.freeDisk else { return true }
        let minFree = shared.settings.withLock { $0.minFree }
        guard let look = try? look(free, rows) else { return false }
        return upkeep.disk.wouldTakeRefused(look, minFree: minFree, now: shared.time.monotonic())
    }

    /// Evicts entries whose bodies lie in files, each of which has an inode, for the bodies that come.
    func giveInodes() {
        guard let database else { return }
        attempt { () throws(StoreError) in
            // One call looks at a bounded number of entries.
            for _ in 0..<8 {
                let removed = try transact(database.connection) { () throws(StoreError) in
                    try writeNotes(database.rows)
                    return try evictFiles(database.rows, bytes: Evictor.bytesPerSlice)
                }
                if removed > 0 || upkeep.filePlace == nil { return }
            }
        }
    }

    private func look(_ free: Int64, _ rows: EntryRows) throws(StoreError) -> DiskLook {
        let sizes = shared.files.sizes
        let reusable = try rows.freePageBytes()
        return DiskLook(
            free: free, reusable: reusable, live: try rows.pageBytes(), bodies: try rows.fileBytes(),
            file: sizes.file, log: sizes.log)
    }

    /// Relieves a shortage of disk for a few milliseconds. Returns whether there is more to do.
    func relieveDisk() -> Bool {
        guard upkeep.disk.isShort, let database else { return false }
        let start = shared.time.monotonic()
        var hasMore = false
        attempt { () throws(StoreError) in
            repeat {
                guard let free = shared.files.freeDisk else { return }
                let minFree = shared.settings.withLock { $0.minFree }
                let look = try look(free, database.rows)
                hasMore = try relieve(
                    upkeep.disk.relief(look, minFree: minFree, now: shared.time.monotonic()), database)
            } while hasMore && shared.time.monotonic() - start < Upkeep.budget
        }
        shared.meters.walBytes.set(Int(shared.files.sizes.log))
        return hasMore
    }

    /// Takes one step of relief. Returns whether the step did anything.
    private func relieve(_ relief: DiskRoom.Relief, _ database: Database) throws(StoreError) -> Bool {
        switch relief {
        case .nothing: return false
        case .cutLog:
            // Reads are short, so a reader that blocks the checkpoint is waited for once. After that the next look
            // tries again.
            return try database.connection.number("PRAGMA wal_checkpoint(TRUNCATE)") == 0
        case .giveBack(let bytes):
            let before = try database.rows.freePages()
            let pages = max(1, min(Upkeep.vacuumSlice, bytes) / database.connection.pageSize)
            try database.connection.run("PRAGMA incremental_vacuum(\(pages))")
            let given = before - (try database.rows.freePages())
            shared.meters.vacuumedPages.add(Int(given))
            // The file becomes shorter only when the log is written back.
            _ = try database.connection.number("PRAGMA wal_checkpoint(TRUNCATE)")
            return given > 0
        case .evict(let bytes):
            let before = try database.rows.liveBytes()
            let removed = try transact(database.connection) { () throws(StoreError) in
                try writeNotes(database.rows)
                return try evictSlice(database.rows, bytes: bytes)
            }
            let freed = before - (try database.rows.liveBytes())
            upkeep.disk.evicted(removed > 0 ? freed : nil)
            upkeep.mayVacuum = true
            return true
        }
    }
}
