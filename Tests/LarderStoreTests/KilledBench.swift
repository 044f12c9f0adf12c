// The store's files as a killed process leaves them.
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

extension Bench {
    var mark: String { directory + "/cache.mark" }

    /// Whether a start would take removals for uncommitted.
    func isPending() throws -> Bool { try #require(MarkRecord(try readFile(mark))).isPending }

    /// Copies the files as a killed process leaves them, while the store has them open and has closed nothing. The next
    /// process to open the database rebuilds the index of the log.
    func copyAsKilled(to copy: Bench) throws {
        for name in ["/cache.db", "/cache.db-wal", "/cache.mark", "/cache.lock"]
        where access(directory + name, F_OK) == 0 {
            try writeFile(copy.directory + name, try readFile(directory + name))
        }
        try copyBodies(to: copy)
    }

    /// Simulates a kill of the open store, and runs the body with a store opened after the kill.
    func afterAKill(_ body: (SQLiteStore, Bench) async throws -> Void) async throws {
        try await withBench { (copy) async throws in
            try copyAsKilled(to: copy)
            // The machine runs on.
            copy.time.advance(by: max(.zero, time.monotonic() - copy.time.monotonic()))
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
