// Bodies that are written and read piece by piece.
import LarderCore

extension SQLiteStore {
    public func open(_ key: CacheKey) async throws(StoreError) -> StoredResponse? {
        try await read(key)
    }

    public func begin(expecting length: Int64?) async -> Result<any BodyWriter, WriteRefusal> {
        .failure(WriteRefusal("tooLarge"))
    }

    public func rewriteHead(_ entry: StoredResponse, ifReceivedAt responseTime: WallTime) async -> Bool {
        guard let stored = try? await read(entry.key), stored.responseTime == responseTime else { return false }
        var changed = entry
        changed.body = stored.body
        return await write(changed) == .stored
    }
}
