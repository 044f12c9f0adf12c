// Handles files that are gone or replaced: everything begins anew in their place. If only the write-ahead log has lost
// its name, its content is first written into the database: the open log is whole, but it goes with the process.
import LarderCore

extension StoreWriter {
    /// Pause between two tries to write back a log without a name.
    static let pauseOfSaving = Duration.seconds(1)

    /// Checks whether the open files still have their names, and acts if they have not.
    /// - Returns: true if each file has its name, so that the last commit stays, or if no database is open, so that
    ///   nothing can be missing. False if a file had lost its name: then nothing of the last commit counts as stored.
    ///   By then the database is opened anew, or could not be opened, or its log could not be written back yet
    ///   (`saveLogAt`).
    /// - Parameters:
    ///   - isBrief: checks only the database and its log, as after each commit.
    ///   - needsLog: false if the database is to be thrown away whole: then its log may have lost its name.
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
            shared.files.mark.check()
            database?.bodies.check()
        }
        return true
    }

    /// How long until the files are next checked, however idle the store is. A journal without its name must be made
    /// anew before a kill or a stop costs the database. A log without its name must be written back.
    func placeWait() -> Duration? {
        // The end of the thread checks by itself.
        guard database != nil, !shared.ending.hasBegun else { return nil }
        let now = shared.time.monotonic()
        let due = [upkeep.watchAt ?? now, removing.saveLogAt].compactMap { $0 }.min() ?? now
        return max(.zero, due - now)
    }

    func isPlaceDue(_ now: MonotonicTime) -> Bool {
        if let at = removing.saveLogAt, now >= at { return true }
        return upkeep.watchAt.map { now >= $0 } ?? true
    }

    /// Refuses work that would be committed into a log that goes with the process.
    func refusalOfPlace() -> WriteOutcome? {
        guard removing.saveLogAt != nil else { return nil }
        checkPlace(isBrief: true)
        return removing.saveLogAt == nil ? nil : .refused(.failed)
    }

    private func beginAnew() {
        purges = []
        shared.gate.shut { shared.letGo() }
        // Closing must remove no file by its name: the file may be another daemon's by now.
        database?.connection.close(keepsLog: true)
        shared.files.closeDescriptors()
        database = nil
        shareBodies()
        shared.files.opened.withLock { $0 = nil }
        shared.degrade("the cache directory was removed or replaced")
        reopen()
    }

    /// Writes the log back, which SQLite reads from the open file, and opens the database anew with another log. While
    /// that fails nothing is stored, and a crash costs the database (`hasLostLog`).
    private func saveLog() {
        let now = shared.time.monotonic()
        guard removing.saveLogAt.map({ now >= $0 }) ?? true else { return }
        purges = []
        shared.degrade("the write-ahead log was removed or replaced")
        shared.gate.shut { shared.letGo() }
        // A log that has the name now is another's. The next start must not take it for this database's.
        shared.files.removeForeignLog()
        // Everybody waits for the writer now, so it does not wait for another program that reads.
        let isWhole = try? shared.ending.locks.withoutWaiting { () throws(StoreError) in
            database?.connection.writeLogBack() == true
        }
        guard isWhole == true else {
            removing.saveLogAt = shared.time.monotonic() + Self.pauseOfSaving
            return shared.gate.reopen(isNew: false)
        }
        // The next opening makes the new log, and sets `isInUse` again.
        shared.files.isInUse = false
        database?.connection.close(keepsLog: true)
        shared.files.closeDescriptors()
        database = nil
        shareBodies()
        shared.files.opened.withLock { $0 = nil }
        reopen()
    }

    /// Closes the database at the end. Leaves a single file behind if it can.
    /// - Parameter writesBack: whether there is time, and no reader is left that would keep the log.
    func closeDatabase(writesBack: Bool) {
        guard let open = database else { return }
        var isWhole = false
        if writesBack, shared.files.lostFile != .database, shared.files.isDirectoryInPlace {
            isWhole = open.connection.writeLogBack()
            // Cleared before the log goes. If another program keeps the log, it may go later.
            if isWhole || open.connection.copyLogBack() { shared.files.isInUse = false }
        }
        // The last connection to close removes the log by its name, and that file may be another's.
        let lost = shared.files.lostFile
        open.connection.close(keepsLog: !isWhole || lost != nil)
        if lost == .log, shared.files.isDirectoryInPlace { shared.files.removeForeignLog() }
        database = nil
        shareBodies()
    }
}
