// Entries that nobody can use any more are removed by time alone, even from a store that is far from full, because the
// terms of an API hold at any store size.
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct RetentionTests {
    @Test func whatIsPastItsLastUseGoesWithoutNeedOfRoom() async throws {
        try await withStore(StoreSettings(maxSize: 64 << 20, minFree: 0)) { (store, bench) async throws in
            for number in 0..<200 {
                var entry = bench.entry("short \(number)", size: 3000, provider: "tmdb")
                entry.staleUntil = bench.time.wall() + .seconds(700)
                #expect(await store.write(entry) == .stored)
            }
            let kept = bench.entry("kept", size: 300_000)
            #expect(await store.write(kept) == .stored)
            #expect(await store.write(bench.entry("odd", version: 9)) == .stored)
            bench.time.advance(by: .seconds(650))
            // The entries are stale but still usable.
            await store.maintain()
            #expect(try await store.statistics().byProvider["tmdb"]?.entries == 200)
            bench.time.advance(by: .seconds(100))
            await store.maintain()
            let statistics = try await store.statistics()
            #expect(statistics.byProvider["tmdb"]?.entries ?? 0 == 0)
            #expect(statistics.entries == 1)
            #expect(try await store.read(kept.key) != nil)
            #expect(bench.count(StoreCounters.evicted, "expired") == 200)
            #expect(bench.count(StoreCounters.evicted, "unused") == 0)
        }
    }

    @Test func itIsLookedForEveryHour() {
        var upkeep = Upkeep(now: MonotonicTime(nanoseconds: 5))
        #expect(upkeep.uselessAt == MonotonicTime(nanoseconds: 5), "a store that was opened may be old")
        upkeep.wrote(at: MonotonicTime(nanoseconds: 9))
        #expect(upkeep.uselessAt == MonotonicTime(nanoseconds: 5), "busy writing is no reason to wait")
        #expect(Upkeep.uselessInterval == .seconds(3600))
    }
}
