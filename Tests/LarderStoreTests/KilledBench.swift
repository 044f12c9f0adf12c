// The store's files as a killed process leaves them.
import Glibc
import Testing

@testable import LarderStore

extension Bench {
    var journal: String { directory + "/cache.removals" }

    /// The files as a killed process leaves them: copied while the store has them open and has not closed anything. The index
    /// of the log is made anew by whoever opens it next.
    func copyAsKilled(to copy: Bench) throws {
        for name in ["/cache.db", "/cache.db-wal", "/cache.removals", "/cache.lock"]
        where access(directory + name, F_OK) == 0 {
            try writeFile(copy.directory + name, try readFile(directory + name))
        }
        try copyBodies(to: copy)
    }

    /// Kills the store that is open and looks at what a start after it finds.
    func afterAKill(_ body: (SQLiteStore, Bench) async throws -> Void) async throws {
        try await withBench { (copy) async throws in
            try copyAsKilled(to: copy)
            let store = try copy.open()
            do {
                try await body(store, copy)
            } catch {
                await store.close()
                throw error
            }
            await store.close()
        }
    }
}
