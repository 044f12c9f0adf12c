// Sets a damaged or foreign database aside and makes a new one while the daemon keeps serving. A database that the disk
// has no room for is opened later. In between, reads miss.
import CSQLite
import Glibc
import LarderCore

extension StoreWriter {
    /// Closes everything, moves the files out of the way and begins anew.
    func recover(from error: StoreError) {
        // The files under these names may be another process's by now. Then they are not set aside.
        guard checkPlace(), database != nil else { return }
        shared.gate.shut { shared.letGo() }
        dropDatabase()
        shared.setAside(error.description)
        reopen()
    }

    /// Closes the database once its readers are out. Removes no file by its name: the file may be another daemon's by
    /// now.
    func dropDatabase() {
        purges = []
        database?.connection.close(keepsLog: true)
        shared.files.closeDescriptors()
        database = nil
        shareBodies()
    }

    /// Removes the files and begins anew. A database on a full disk cannot be changed any more, but it can be removed.
    /// - Returns: how many entries were in it.
    /// - Throws: the error if files stay. The database is then opened again with all that it holds.
    func discard() throws(StoreError) -> Int {
        guard checkPlace(), let old = database else {
            throw StoreError(SQLITE_CANTOPEN, "discarding the cache", "its files are missing or were replaced")
        }
        // While the store closes, a reader held by the disk has the files open. Then the removal stays pending.
        let left = shared.ending.hasBegun ? shared.ending.left(at: shared.time.monotonic()) : nil
        guard shared.gate.shut(within: left, nudge: { shared.letGo() }) else {
            throw StoreError(SQLITE_BUSY, "discarding the cache", "it is still being read")
        }
        // Nothing in the database is served any more, so readers miss no entry while this counts.
        let entries = (try? old.connection.number("SELECT count(*) FROM entry")) ?? 0
        dropDatabase()
        do throws(StoreError) {
            try shared.files.remove()
            // The mark says next that nothing is pending. On the disk that must not come first.
            DatabaseFiles.sync(shared.files.directory)
        } catch {
            let before = removing
            reopen()
            // The same removal has failed once more: it keeps its longer rest and is not logged again.
            removing.rest = before.rest
            removing.isTold = before.isTold
            throw error
        }
        shared.log.warning("store.discarded", ["entries": String(entries)])
        reopen()
        return Int(clamping: entries)
    }

    /// Notes that the database could not be opened at the start. Readers stay out until it is.
    func beginWithoutDatabase(_ error: StoreError) {
        shared.gate.shut {}
        wasNotOpened(error)
    }

    /// Opens or makes the database. One that must not be used is set aside first. Those set aside go if the disk has no
    /// room beside them.
    /// - Parameter open: `openDatabase`.
    static func openOrSetAside(
        _ shared: StoreShared, _ open: () throws(StoreError) -> Database
    ) throws(StoreError) -> Database {
        for _ in 0..<2 {
            let isNew = !shared.files.isPresent
            do {
                return try open()
            } catch  where error.isDamage {
                shared.setAside(error.description)
            } catch  where error.isForWantOfRoom {
                guard makeRoom(shared, isNew: isNew, for: error) else { throw error }
            }
        }
        return try open()
    }

    /// Removes what the disk has no room for beside the database: those set aside, and if there was none, what is left of
    /// its making and bodies to which no row leads any more. There may be many bodies: each try removes some.
    /// - Returns: whether there was anything to remove.
    private static func makeRoom(_ shared: StoreShared, isNew: Bool, for error: StoreError) -> Bool {
        let hadAside = shared.files.removeAside(keeping: 0)
        if hadAside { shared.log.notice("store.setAside.removed", ["error": error.description]) }
        guard isNew, shared.files.isPresent || access(shared.files.bodies, F_OK) == 0 else { return hadAside }
        guard (try? shared.files.remove()) != nil else { return hadAside }
        _ = BodyFiles(shared.files, generation: "").removeForeign(atMost: 16 * BodySweep.names)
        return true
    }

    /// Opens or makes the database. If that fails, tries again after 5 s.
    func reopen() {
        // The next start opens it.
        if shared.ending.hasBegun { return }
        do throws(StoreError) {
            if !shared.files.isDirectoryInPlace {
                try shared.files.takePlace()
                shared.files.mark.close()
            }
            // Another program's lock is not waited for: the next try comes soon, and jobs must be answered meanwhile.
            let locks = shared.ending.locks
            let made = try locks.withoutWaiting { () throws(StoreError) in
                try Self.openOrSetAside(shared) { () throws(StoreError) in
                    try Self.openDatabase(shared.files, locks: locks)
                }
            }
            made.connection.adopt()
            made.connection.faults = shared.faults
            database = made
            shared.files.noteOpened()
            shared.removals.change { $0.beginAnew() }
            removing = RemovalUpkeep()
            shared.keys.forget()
            shareBodies()
            shared.gate.reopen()
            equip()
            upkeep = Upkeep(now: shared.time.monotonic())
            storingWorks()
            lookAtFileBytes()
            // Flushes a mark that is pending already: what waits for its commit concerns this database too.
            shared.flusher.note(shared.removals.snapshot()?.latest ?? 0)
        } catch {
            wasNotOpened(error)
        }
    }

    private func wasNotOpened(_ error: StoreError) {
        // Without an extended code it is the lock of the directory.
        let isLocked = error.code == SQLITE_BUSY && error.extendedCode != nil
        upkeep.retryOpenAt = shared.time.monotonic() + .seconds(isLocked ? 1 : 5)
        let reason = isLocked ? "another program has it open" : error.message
        shared.degrade("the cache database cannot be opened: \(reason)")
    }
}
