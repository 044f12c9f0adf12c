// The store's figures, and what can be said of a store that does not answer.
import LarderCore
import LarderStore

extension EntryCache {
    /// The store's statistics. If it cannot be read, they say only that it is degraded, and what removals are pending.
    public func storeStatistics() async -> StoreStatistics {
        do {
            return try await store.statistics()
        } catch {
            var statistics = StoreStatistics()
            statistics.pendingRemovals = store.pendingRemovals
            statistics.degraded = "the store cannot be read (SQLite \(error.extendedCode ?? error.code))"
            return statistics
        }
    }
}
