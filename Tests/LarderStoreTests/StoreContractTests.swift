// The promises of the store: what is written is read back, replaced, removed and counted.
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct StoreContract {
    @Test(arguments: [0, 1, 100, 16_000, 65_535, 65_536, 65_537, 131_072, 1 << 20, (1 << 20) + 1, 5_000_001])
    func whatIsWrittenIsReadBackWhole(size: Int) async throws {
        try await withStore { (store, bench) async throws in
            let entry = bench.entry("a", size: size)
            #expect(await store.write(entry) == .stored)
            #expect(try await sameEntry(store.read(entry.key), entry))
        }
    }

    @Test func whatWasNeverWrittenIsAMiss() async throws {
        try await withStore { (store, bench) async throws in
            #expect(try await store.read(bench.entry("a").key) == nil)
            #expect(bench.count(StoreCounters.reads, "absent") == 1)
        }
    }

    @Test func aSecondWriteReplacesTheFirstWithAllItsPieces() async throws {
        try await withStore { (store, bench) async throws in
            for (seed, size) in [(1, 300_000), (2, 10), (3, 2_000_000), (4, 70_000)] {
                let entry = bench.entry("a", size: size, seed: UInt8(seed))
                #expect(await store.write(entry) == .stored)
                #expect(try await sameEntry(store.read(entry.key), entry))
            }
            // The body before is removed in the background.
            await store.maintain()
            let statistics = try await store.statistics()
            #expect(statistics.entries == 1)
            #expect(statistics.byProvider["itunes"]?.bytes == 70_000)
            #expect(statistics.liveBytes < 500_000)
        }
    }

    @Test func everythingIsThereAfterReopening() async throws {
        try await withBench { (bench) async throws in
            let small = bench.entry("small")
            let large = bench.entry("large", size: 1_500_000, provider: "newsapi")
            let first = try bench.open()
            #expect(await first.write(small) == .stored)
            #expect(await first.write(large) == .stored)
            await first.close()
            let second = try bench.open()
            #expect(try await sameEntry(second.read(small.key), small))
            #expect(try await sameEntry(second.read(large.key), large))
            let more = bench.entry("more")
            #expect(await second.write(more) == .stored)
            #expect(try await second.statistics().entries == 3)
            await second.close()
        }
    }

    @Test func freshnessMovesWithoutTouchingTheBody() async throws {
        try await withStore { (store, bench) async throws in
            let entry = bench.entry("a", size: 200_000)
            #expect(await store.write(entry) == .stored)
            let later = bench.time.wall() + .seconds(9999)
            await store.updateFreshness(entry.key.digest, freshUntil: later, staleUntil: later + .seconds(1))
            var wanted = entry
            wanted.freshUntil = later
            wanted.staleUntil = later + .seconds(1)
            #expect(try await sameEntry(store.read(entry.key), wanted))
            await store.updateFreshness(bench.entry("absent").key.digest, freshUntil: later, staleUntil: later)
        }
    }

    @Test func anEntryOfTheSameDigestButAnotherKeyIsAMissAndCounted() async throws {
        try await withBench { (bench) async throws in
            let entry = bench.entry("a")
            let first = try bench.open()
            #expect(await first.write(entry) == .stored)
            await first.close()
            let connection = try CacheSchema.openWriter(bench.path)
            try connection.execute("UPDATE entry SET key = x'0102'")
            connection.close()
            let second = try bench.open()
            #expect(try await second.read(entry.key) == nil)
            #expect(bench.count(StoreCounters.keyMismatches) == 1)
            await second.close()
        }
    }

    @Test func aDamagedHeadOrALostPieceIsAMissAndReplaceable() async throws {
        try await withBench { (bench) async throws in
            let small = bench.entry("small")
            let large = bench.entry("large", size: 200_000)
            let first = try bench.open()
            #expect(await first.write(small) == .stored)
            #expect(await first.write(large) == .stored)
            await first.close()
            let connection = try CacheSchema.openWriter(bench.path)
            try connection.execute("UPDATE entry SET head = x'01ff' WHERE size < 65536")
            connection.close()
            try Bench.flip(bench.bodyFile(), at: 70_000)
            let second = try bench.open()
            #expect(try await second.read(small.key) == nil)
            #expect(try await second.read(large.key) == nil)
            #expect(bench.count(StoreCounters.checksumErrors, "piece") == 1)
            #expect(bench.count(StoreCounters.checksumErrors, "row") == 1)
            #expect(await second.write(large) == .stored)
            #expect(try await sameEntry(second.read(large.key), large))
            await second.close()
        }
    }

    @Test func tooLargeABodyIsRefused() async throws {
        try await withStore(StoreSettings(maxObject: 1000, minFree: 0)) { (store, bench) async throws in
            #expect(await store.write(bench.entry("a", size: 1001)) == .refused(.tooLarge))
            #expect(await store.write(bench.entry("a", size: 1000)) == .stored)
            #expect(bench.count(StoreCounters.writes, "tooLarge") == 1)
        }
    }

    @Test func aClosedStoreMissesAndRefuses() async throws {
        try await withBench { (bench) async throws in
            let store = try bench.open()
            let entry = bench.entry("a")
            #expect(await store.write(entry) == .stored)
            await store.close()
            await store.close()
            #expect(try await store.read(entry.key) == nil)
            #expect(await store.write(entry) == .refused(.closed))
            store.touch(entry.key.digest)
            await #expect(throws: StoreError.self) { try await store.purge(.all, soft: false) }
        }
    }

    @Test func readersSeeWholeEntriesWhileTheyAreBeingReplaced() async throws {
        // writer: replace a, replace a, replace a, …     each a different body of its own length
        // reader:     read a        read a      …        must be one of them, whole
        try await withStore { (store, bench) async throws in
            let versions = (0..<8).map { bench.entry("a", size: 40_000 + $0 * 30_000, seed: UInt8($0)) }
            #expect(await store.write(versions[0]) == .stored)
            let bodies = Set(versions.map(\.body))
            await withTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var wrong = 0
                        for _ in 0..<100 {
                            guard let found = try? await store.read(versions[0].key), bodies.contains(found.body) else {
                                wrong += 1
                                continue
                            }
                        }
                        return wrong
                    }
                }
                group.addTask {
                    var refused = 0
                    for round in 0..<60 where await store.write(versions[round % 8]) != .stored { refused += 1 }
                    return refused
                }
                for await wrong in group { #expect(wrong == 0) }
            }
        }
    }

    @Test func manyWritesThatWaitTogetherShareTransactions() async throws {
        try await withStore { (store, bench) async throws in
            await withTaskGroup(of: WriteOutcome.self) { group in
                for number in 0..<500 {
                    let entry = bench.entry("\(number)", size: 500)
                    group.addTask { await store.write(entry) }
                }
                for await outcome in group { #expect(outcome == .stored) }
            }
            #expect(try await store.statistics().entries == 500)
            #expect(bench.count(StoreCounters.transactions) < 500)
        }
    }
}
