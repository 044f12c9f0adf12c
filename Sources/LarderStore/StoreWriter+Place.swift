// Handles a directory or files that are gone or were replaced while they were open: everything is set aside and begins
// anew in their place. This is noticed once a minute, at each failed write and when somebody asks for the state of the
// store. What was committed in between is lost.
import LarderCore

extension StoreWriter {
    /// Pause between two checks of the files' names.
    static let pauseOfPlace = Duration.seconds(60)

    /// Checks whether the open files still have their names. If they have not, begins anew.
    /// - Returns: false if so. By then the database is opened anew, or could not be opened.
    @discardableResult
    func checkPlace() -> Bool {
        guard database != nil else { return true }
        upkeep.placeAt = shared.time.monotonic() + Self.pauseOfPlace
        guard shared.files.isInPlace else {
            beginAnew()
            return false
        }
        shared.files.mark.check()
        database?.bodies.check()
        return true
    }

    /// How long until the files are next checked, however idle the store is.
    func placeWait() -> Duration? {
        // The end of the thread checks by itself.
        guard database != nil, !shared.ending.hasBegun else { return nil }
        let now = shared.time.monotonic()
        return max(.zero, (upkeep.placeAt ?? now) - now)
    }

    private func beginAnew() {
        shared.gate.shut { shared.letGo() }
        dropDatabase()
        shared.degrade("the cache directory, or a file in it, was removed or replaced")
        setAsideReplaced()
        shared.files.opened.withLock { $0 = nil }
        reopen()
    }

    /// Sets aside what has the names of files that were lost, but not in another process's directory.
    private func setAsideReplaced() {
        guard !shared.files.isDatabaseInPlace, shared.files.isDirectoryInPlace, shared.files.isPresent else { return }
        shared.setAside("a file of it was removed or replaced while it was open")
    }

    /// Closes the database at the end. Leaves a single file behind if it can.
    /// - Parameter writesBack: whether there is time, and no reader is left that would keep the log.
    func closeDatabase(writesBack: Bool) {
        guard let open = database else { return }
        let isInPlace = shared.files.isInPlace
        var isWhole = false
        if writesBack, isInPlace {
            isWhole = open.connection.writeLogBack()
            // Cleared before the log goes. If another program keeps the log, it may go later.
            if isWhole || open.connection.copyLogBack() { shared.files.isInUse = false }
        }
        // The last connection to close removes the log by its name, and that file may be another's.
        open.connection.close(keepsLog: !isWhole)
        if !isInPlace { setAsideReplaced() }
        database = nil
        shareBodies()
    }
}
