// Which responses the database keeps ready, so that a loop can send the next one without a task.
import LarderCache
import LarderCore
import LarderHTTP
import LarderStore
import Synchronization

extension EntryCache {
    /// Puts other settings in force. During the change no loop answers from the database, and nothing is kept ready.
    /// - Parameter change: makes the change, and returns the mark of the new settings (`Snapshot+Mark.swift`).
    func change(_ change: () -> UInt64) {
        store.mark = 0
        settingsEpoch.add(1, ordering: .acquiringAndReleasing)
        store.mark = change()
    }

    /// The number of the settings in force. It rises with each change, and is 0 during a change. Two requests with the
    /// same number saw the same settings. Settings that were changed and changed back have a new number.
    public var epoch: UInt64 {
        let epoch = settingsEpoch.load(ordering: .acquiring)
        return store.mark == 0 ? 0 : epoch
    }

    /// The row for which the database keeps a response ready: a row that was read, and without a memory tier also one
    /// that was just written. With a memory tier, the first hit that memory does not have keeps it soon enough.
    public func row(of served: Served) -> StoredResponse? {
        guard served.outcome == .hit || memory.isOff, served.tape == nil, served.entry.large == nil,
            served.ready != nil
        else { return nil }
        return served.entry
    }

    /// Makes the database keep a response ready for requests with exactly this scope and target.
    /// - Parameters:
    ///   - began: the epoch of the settings when the request arrived.
    ///   - stamp: the stamp from before the row was read.
    // More than six parameters: those of `ReadyRow`, without the store's own mark, and what the row depends on.
    public func keepReady(
        _ response: ReadyResponse, of row: StoredResponse, scope: UInt64, target: Bytes, takesGzip: Bool?,
        provider: String,
        under began: UInt64, _ stamp: ReadyStamp
    ) {
        // A response made under settings that have changed since may follow either. The mark is read before the epoch.
        let mark = store.mark
        guard began != 0, mark != 0, began == epoch, isCurrent(stamp) else { return }
        let ready = ReadyRow(
            scope: scope, target: target, takesGzip: takesGzip, response: response, provider: provider, mark: mark)
        store.keepReady(ready, of: row) { [memory] in memory.isCurrent(stamp) }
    }
}
