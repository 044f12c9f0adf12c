// A damaged or foreign database is set aside and a new one made while the daemon keeps serving; one that the disk has
// no room for is opened later. In between, reads miss.
import CSQLite
import LarderCore

extension StoreWriter {
    /// Closes everything, moves the files out of the way and begins anew.
    func recover(from error: StoreError) {
        // What lies under the names may be another's by now, and is then not set aside.
        guard checkPlace(needsLog: false), let old = database else { return }
        purges = []
        shared.gate.shut { shared.letGo() }
        shared.files.removeForeignLog()
        old.connection.close(keepsLog: true)
        shared.files.closeDescriptors()
        database = nil
        shareBodies()
        let path = shared.files.setAside(at: shared.time.wall())
        shared.meters.setAside.add()
        shared.log.warning("store.setAside", ["error": error.description, "path": path])
        reopen()
    }

    /// Begins anew without what there was: where the disk is full, a database cannot be changed any more, but it can go.
    /// - Returns: how many entries went with it.
    /// - Throws: where files stay; they are then opened again with all that they hold.
    func discard() throws(StoreError) -> Int {
        guard checkPlace(needsLog: false), let old = database else {
            throw StoreError(
                code: SQLITE_CANTOPEN, extendedCode: SQLITE_CANTOPEN, doing: "discarding the cache",
                message: "its files are not in place")
        }
        purges = []
        if shared.ending.hasBegun {
            // A reader that the disk holds has the files open. The removal is in the journal.
            let left = shared.ending.left(at: shared.time.monotonic())
            guard shared.gate.shut(within: left, nudge: { shared.letGo() }) else {
                throw StoreError(
                    code: SQLITE_BUSY, extendedCode: SQLITE_BUSY, doing: "discarding the cache",
                    message: "it is still being read")
            }
        } else {
            shared.gate.shut { shared.letGo() }
        }
        // Nothing in it is answered any more, so that readers miss no entry while this counts.
        let entries = (try? old.connection.number("SELECT count(*) FROM entry")) ?? 0
        shared.files.removeForeignLog()
        old.connection.close(keepsLog: true)
        shared.files.closeDescriptors()
        database = nil
        shareBodies()
        do throws(StoreError) {
            try shared.files.remove()
        } catch {
            // Not without a log that had lost its name: what was removed before is in it (`setAsideWithoutLog`).
            let before = removing
            reopen()
            // The same removal has failed once more: it rests for longer and is not told again.
            removing.rest = before.rest
            removing.isTold = before.isTold
            throw error
        }
        shared.log.warning("store.discarded", ["entries": String(entries)])
        reopen()
        return Int(clamping: entries)
    }

    /// The database could not be opened at the start: readers stay out until it is.
    func beginWithoutDatabase(_ error: StoreError) {
        shared.gate.shut {}
        wasNotOpened(error)
    }

    /// Opens or makes the database; where that fails, tries again after a while.
    func reopen() {
        // The next start does it.
        if shared.ending.hasBegun { return }
        do throws(StoreError) {
            if !shared.files.isDirectoryInPlace {
                try shared.files.takePlace()
                // What was left there by whoever had the directory before.
                shared.recall(JournalFile(directory: shared.files.directory, faults: shared.faults).open(makes: false))
                shared.journal.renew()
            }
            shared.setAsideWithoutLog()
            let made = try Self.openDatabase(shared.files)
            made.connection.adopt()
            made.connection.faults = shared.faults
            made.connection.wait(as: shared.ending.locks)
            database = made
            shared.files.noteOpened()
            shared.removals.beginAnew()
            removing = RemovalUpkeep()
            shared.keys.forget()
            shareBodies()
            shared.gate.reopen(isNew: true)
            equip()
            upkeep = Upkeep(now: shared.time.monotonic())
            storingWorks()
            lookAtFileBytes()
        } catch {
            if error.isDamage { _ = shared.files.setAside(at: shared.time.wall()) }
            wasNotOpened(error)
        }
    }

    private func wasNotOpened(_ error: StoreError) {
        upkeep.retryOpenAt = shared.time.monotonic() + .seconds(5)
        degrade("the cache database cannot be opened: \(error.message)")
    }
}
