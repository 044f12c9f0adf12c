// Which answers the database keeps ready, so that a loop gives the next one without a task.
import LarderCache
import LarderCore
import LarderHTTP
import LarderStore
import Synchronization

extension EntryCache {
    /// Puts other settings in force. Meanwhile no loop answers from the database, and nothing is kept ready there.
    /// - Parameter change: does it, and returns the settings' mark (`SettingsMark.swift`).
    func change(_ change: () -> UInt64) {
        store.mark = 0
        settingsEpoch.add(1, ordering: .acquiringAndReleasing)
        store.mark = change()
    }

    /// The settings in force, as a number that rises with each change; 0 while they change. Of two requests with the same one neither
    /// saw other settings than the other, also where settings were changed and changed back.
    public var epoch: UInt64 {
        let epoch = settingsEpoch.load(ordering: .acquiring)
        return store.mark == 0 ? 0 : epoch
    }

    /// The row that an answer is made of, where the database is to keep it ready: what was read from a row, and without a
    /// memory tier what was just written, too. With one, the first hit that memory does not have comes soon enough.
    public func row(of served: Served) -> StoredRow? {
        guard served.outcome == .hit || memory.isOff, served.tape == nil, served.entry.large == nil,
            served.ready != nil
        else { return nil }
        return StoredRow(served.entry, list: served.list)
    }

    /// Has the database keep an answer ready for requests of exactly that scope and target.
    /// - Parameters:
    ///   - began: the epoch of the settings when the request came.
    ///   - stamp: from before the row was read.
    // More than six parameters: the parts of a row (`ReadyRow`), but for the mark that only the store knows, and what it hangs on.
    public func keepReady(
        _ response: ReadyResponse, of row: StoredRow, scope: UInt64, target: Bytes, takesGzip: Bool?, provider: String,
        under began: UInt64, _ stamp: ReadyStamp
    ) {
        // What was made under settings that have changed since may be of either. The mark is read before the epoch.
        let mark = store.mark
        guard began != 0, mark != 0, began == epoch, isCurrent(stamp) else { return }
        let ready = ReadyRow(
            scope: scope, target: target, takesGzip: takesGzip, response: response, provider: provider, mark: mark)
        store.keepReady(ready, of: row.entry, list: row.list?.entry) { [memory] in memory.isCurrent(stamp) }
    }
}
