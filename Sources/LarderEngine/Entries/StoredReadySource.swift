// What the server asks before it starts a task for a request: memory, and if memory has nothing, the database. A
// response from the database goes into memory, as one that a task made does.
import LarderCache
import LarderCore
import LarderStore

/// Responses that are ready to be sent: from memory, and behind it the database.
public final class StoredReadySource: ReadySource {
    private let memory: MemoryTier
    private let store: SQLiteStore
    private let readers: ReadyReaders
    private let hits: @Sendable (String) -> CounterCell

    /// - Parameter hits: the cell that counts a provider's hits in memory.
    public init(
        memory: MemoryTier, store: SQLiteStore, readers: ReadyReaders, hits: @escaping @Sendable (String) -> CounterCell
    ) {
        self.memory = memory
        self.store = store
        self.readers = readers
        self.hits = hits
    }

    /// The response that is ready for a request, if there is one. Called on a connection's loop; never waits.
    public func ready(_ query: ReadyQuery) -> ReadyResponse? {
        if let response = memory.ready(query) { return response }
        guard let found = readers.look(query, wantsBytes: { memory.wants($0, for: query) }) else { return nil }
        store.touch(found.entry)
        if !memory.isOff, found.response.file == nil { keepInMemory(found, query) }
        return found.response
    }

    private func keepInMemory(_ found: ReadyFound, _ query: ReadyQuery) {
        let rows = [found.url, found.entry].compactMap { $0 }
        let stamp = memory.readyStamp(rows, of: [found.provider])
        // This check finds what was accepted or removed before the stamp. What comes later makes the stamp invalid.
        guard readers.isCurrent(found) else { return }
        let kept = ReadyResponse(found.response, hits: hits(found.provider))
        memory.insert(
            listener: query.listener, target: Bytes(query.target), takesGzip: found.takesGzip, response: kept,
            key: found.entry, rows: rows, stamp: stamp, now: query.now)
    }
}
