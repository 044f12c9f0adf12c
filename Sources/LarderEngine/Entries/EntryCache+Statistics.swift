// The store's figures, and what can be told of a store that does not answer.
import LarderCore
import LarderStore

extension EntryCache {
    /// What a store that cannot be read tells of itself is that it is degraded, and the removals that wait.
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
