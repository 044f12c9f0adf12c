// What the log says if look-ups fail.
import Glibc
import LarderCache
import LarderCore
import LarderStore
import LarderTestSupport
import Testing

@testable import LarderEngine

@Suite struct UnreadableStoreTests {
    private final class Warnings: LogSink {
        private let lines = Lock(0)
        var count: Int { lines.withLock { $0 } }
        func write(_ line: LogLine) { if line.level == .warning { lines.withLock { $0 += 1 } } }
    }

    private func open(_ directory: TemporaryDirectory, _ counters: CounterRegistry) throws -> SQLiteStore {
        try SQLiteStore.open(
            directory: directory.path, settings: StoreSettings(minFree: 0), log: .silent, counters: counters,
            time: SystemTime())
    }

    /// A warning for each failed look-up of a busy daemon would fill the disk.
    @Test func lookUpsThatFailAreLoggedOnceAMinute() async throws {
        let directory = TemporaryDirectory()
        let counters = CounterRegistry()
        let now = SystemTime().wall()
        let key = CacheKey(layer: .raw, provider: "p", endpoint: "e", parameters: [])
        let entry = StoredResponse(
            key: key, layer: .raw, provider: "p", endpoint: "e", status: 200, reason: "OK", fields: [:],
            body: Bytes(repeating: 1, count: 100_000), requestTime: now, responseTime: now, initialAge: 0,
            freshUntil: now + .seconds(600), staleUntil: now + .seconds(600), parents: [], normaliserVersion: 0,
            label: "")
        let first = try open(directory, counters)
        _ = await first.write(entry)
        await first.close()
        // The directory becomes a link to itself. Opening it fails without telling what was there.
        let bodies = directory.path + "/bodies"
        try #require(rename(bodies, bodies + ".kept") == 0 && symlink(bodies, bodies) == 0)
        let store = try open(directory, counters)
        let (warnings, time) = (Warnings(), ManualTime())
        let cache = EntryCache(
            store: store, memory: MemoryTier(budget: 1 << 20), log: Logger(label: "test", sink: warnings, time: time),
            time: time)
        for _ in 0..<5 {
            #expect(await cache.read(key) == nil)
            #expect(await cache.open(key) == nil)
        }
        #expect(warnings.count == 1)
        time.advance(by: .seconds(60))
        #expect(await cache.read(key) == nil)
        #expect(warnings.count == 2)
        await store.close()
    }
}
