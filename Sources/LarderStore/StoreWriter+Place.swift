// The database's files are gone, or others are in their place: everything begins anew where they were. Where only the log
// has lost its name, what is in it is written into the database first: the open log is whole, but it goes with the process.
import LarderCore

extension StoreWriter {
    /// Between two tries to write a log without a name back.
    static let pauseOfSaving = Duration.seconds(1)

    /// Looks whether the open files have their names, and does something about it where they have not.
    /// - Returns: true where each has its own, so that what was just written stays, and where no database is open, so that none
    ///   can be missing. False where one had not, and then nothing of what was just written counts as stored: the database is
    ///   opened anew by then, or could not be opened, or its log could not be written back yet (`saveLogAt`).
    /// - Parameters:
    ///   - isBrief: the database and its log alone are looked at, after each commit.
    ///   - needsLog: false where the database is to be thrown away whole: the log may have lost its name.
    @discardableResult
    func checkPlace(isBrief: Bool = false, needsLog: Bool = true) -> Bool {
        guard database != nil else { return true }
        let lost = shared.files.lostFile
        if lost == .database || !isBrief && !shared.files.isDirectoryInPlace {
            beginAnew()
            return false
        }
        if lost == .log, needsLog {
            saveLog()
            return false
        }
        if lost == nil { removing.saveLogAt = nil }
        if !isBrief {
            shared.journal.check()
            database?.bodies.check()
        }
        return true
    }

    /// When the files are next looked at, however idle the store is: a journal without its name is to be made anew before a
    /// kill or a stop costs the database, and a log without one is to be written back.
    func placeWait() -> Duration? {
        // The end looks itself.
        guard database != nil, !shared.ending.hasBegun else { return nil }
        let now = shared.time.monotonic()
        let due = [upkeep.watchAt ?? now, removing.saveLogAt].compactMap { $0 }.min() ?? now
        return max(.zero, due - now)
    }

    func isPlaceDue(_ now: MonotonicTime) -> Bool {
        if let at = removing.saveLogAt, now >= at { return true }
        return upkeep.watchAt.map { now >= $0 } ?? true
    }

    /// Nothing is begun that would be committed into a log that goes with the process.
    func refusalOfPlace() -> WriteOutcome? {
        guard removing.saveLogAt != nil else { return nil }
        checkPlace(isBrief: true)
        return removing.saveLogAt == nil ? nil : .refused(.failed)
    }

    private func beginAnew() {
        purges = []
        shared.gate.shut { shared.letGo() }
        // Closing must remove no file by its name, which may be another daemon's by now.
        database?.connection.close(keepsLog: true)
        shared.files.closeDescriptors()
        database = nil
        shareBodies()
        shared.files.opened.withLock { $0 = nil }
        shared.degrade("the cache directory was removed or replaced")
        reopen()
    }

    /// Writes the log back, which SQLite does from the file that it has open, and opens the database anew with another log.
    /// While that fails nothing is stored, and a crash costs the database (`hasLostLog`).
    private func saveLog() {
        let now = shared.time.monotonic()
        guard removing.saveLogAt.map({ now >= $0 }) ?? true else { return }
        purges = []
        shared.degrade("the write-ahead log was removed or replaced")
        shared.gate.shut { shared.letGo() }
        // One that has the name is another's, and must not be taken for this database's at the next start.
        shared.files.removeForeignLog()
        // Everybody waits for the writer: it does not wait for another program that reads.
        let isWhole = try? shared.ending.locks.withoutWaiting { () throws(StoreError) in
            database?.connection.writeLogBack() == true
        }
        guard isWhole == true else {
            removing.saveLogAt = shared.time.monotonic() + Self.pauseOfSaving
            return shared.gate.reopen(isNew: false)
        }
        // The index stays where it has its name. Nobody else has it open: then the next opening cuts it to nothing (os_unix.c,
        // unixLockSharedMemory). Another program has: then its marks and ours must stay in one file. With two, neither would see
        // what the other reads (sqlite.org/walformat.html, WAL_READ_LOCK), and a checkpoint would change pages under that program's
        // snapshot. With one it reads no frame from the log that it still has, and is told of an error.
        //
        // The log that comes is made by the next opening, which says so again.
        shared.files.isInUse = false
        database?.connection.close(keepsLog: true)
        shared.files.closeDescriptors()
        database = nil
        shareBodies()
        shared.files.opened.withLock { $0 = nil }
        reopen()
    }

    /// Closes the database at the end. Leaves one file behind where it can.
    /// - Parameter writesBack: there is time, and no reader is left that would keep the log.
    func closeDatabase(writesBack: Bool) {
        guard let open = database else { return }
        var isWhole = false
        if writesBack, shared.files.lostFile != .database, shared.files.isDirectoryInPlace {
            isWhole = open.connection.writeLogBack()
            // Before the log goes. Where another program keeps it, it may go later.
            if isWhole || open.connection.copyLogBack() { shared.files.isInUse = false }
        }
        // The last to close removes the log by its name, which may be another's.
        let lost = shared.files.lostFile
        open.connection.close(keepsLog: !isWhole || lost != nil)
        if lost == .log, shared.files.isDirectoryInPlace { shared.files.removeForeignLog() }
        database = nil
        shareBodies()
    }
}
