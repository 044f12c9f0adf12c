// The database's files are gone, or others are in their place: everything begins anew where they were.
import LarderCore

extension StoreWriter {
    /// False where they were gone; then nothing of what was just written is stored.
    /// - Parameter isBrief: the database alone is looked at, after each commit.
    @discardableResult
    func checkPlace(isBrief: Bool = false) -> Bool {
        guard database != nil else { return true }
        if isBrief ? shared.files.isDatabaseInPlace : shared.files.isInPlace { return true }
        purges = []
        shared.gate.shut { shared.reads.nudge() }
        // Closing must remove no file by its name, which may be another daemon's by now.
        database?.connection.close(keepsLog: true)
        database = nil
        shared.files.opened.withLock { $0 = nil }
        shared.degrade("the cache directory was removed or replaced")
        reopen()
        return false
    }
}
