// Room: the cap, the order in which entries are evicted, recency, free disk space, and giving pages back.
import CSQLite
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct RoomTests {
    /// A generator with a seed, to make a failure repeatable.
    struct Seeded: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func theStoreIsNeverAboveItsCapByMoreThanAnObject(seed: UInt64) async throws {
        let cap: Int64 = 6 << 20
        let largest: Int64 = 600_000
        try await withStore(StoreSettings(maxSize: cap, maxObject: largest, minFree: 0)) {
            (store, bench) async throws in
            var random = Seeded(state: seed)
            var stored = 0
            for number in 0..<400 {
                let size: Int =
                    switch Int.random(in: 0..<10, using: &random) {
                    case 0: .random(in: 100_000...Int(largest), using: &random)
                    case 1...3: .random(in: 10_000...100_000, using: &random)
                    default: .random(in: 0...5000, using: &random)
                    }
                bench.time.advance(by: .seconds(1))
                let name = "\(Int.random(in: 0..<max(1, number), using: &random))"
                if await store.write(bench.entry(name, size: size, seed: UInt8(truncatingIfNeeded: number))) == .stored
                {
                    stored += 1
                }
                #expect(try await store.statistics().liveBytes <= cap + largest)
            }
            #expect(stored == 400)
            #expect(bench.count(StoreCounters.evicted, "unused") > 0)
            #expect(bench.count(StoreCounters.evictedBytes) > 0)
            await store.maintain()
            #expect(try await store.statistics().liveBytes <= cap * 95 / 100)
        }
    }

    @Test func sumsByProviderStayTrueThroughEverything() async throws {
        try await withStore(StoreSettings(maxSize: 4 << 20, minFree: 0)) { (store, bench) async throws in
            for number in 0..<300 {
                let provider = ["itunes", "newsapi", "dnd5e"][number % 3]
                _ = await store.write(bench.entry("\(number % 120)", size: number * 97 % 90_000, provider: provider))
            }
            _ = try await store.purge(.term("term=7", provider: nil), soft: false)
            let statistics = try await store.statistics()
            await store.close()
            let connection = try CacheSchema.openWriter(bench.path)
            for (name, sum) in statistics.byProvider {
                let truth = try connection.statement(
                    """
                    SELECT count(*), coalesce(sum(size), 0) FROM entry
                    WHERE provider = (SELECT id FROM provider WHERE name = ?1)
                    """)
                truth.bind(1, name)
                #expect(try truth.step())
                #expect(truth.int(0) == sum.entries && truth.int(1) == sum.bytes)
                truth.reset()
            }
            // Each row of `life` has its entry.
            #expect(try connection.number("SELECT count(*) FROM life WHERE id NOT IN (SELECT id FROM entry)") == 0)
            let large = try connection.statement("SELECT id FROM entry WHERE size > 16384 ORDER BY id")
            var ids: [Int64] = []
            while try large.step() { ids.append(large.int(0)) }
            large.reset()
            #expect(
                bench.bodyFiles().compactMap { $0.split(separator: "/").last.flatMap { Int64($0) } }.sorted() == ids)
            let sum = try connection.number("SELECT sum((size + 4095) & ~4095) FROM entry WHERE size > 16384")
            #expect(try connection.number("SELECT bytes FROM bodies") == sum)
            #expect(try connection.text("PRAGMA integrity_check") == "ok")
            connection.close()
        }
    }

    @Test func aBodyThatWasLongUnderWayIsCountedOnce() async throws {
        try await withBench { (bench) async throws in
            let store = try bench.open()
            let slow = bench.entry("slow", size: 400_000)
            let writer = try await store.begin(expecting: 400_000).get()
            #expect(await writer.append(slow.body) == .stored)
            let count = EntryRows.countingBatch + 10
            for number in 0..<count { #expect(await store.write(bench.entry("\(number)")) == .stored) }
            #expect(await writer.complete(slow) == .stored)
            for round in 0..<2 {
                let sums = try await store.statistics().byProvider["itunes"]
                #expect(sums?.entries == Int64(count + 1) && sums?.bytes == Int64(400_000 + 100 * count))
                // Writes one entry again after all have been counted.
                if round == 0 { for _ in 0..<count { #expect(await store.write(bench.entry("0")) == .stored) } }
            }
            // A removed entry is subtracted, whether it was counted yet or not.
            _ = try await store.purge(.all, soft: false)
            #expect(try await store.statistics().byProvider["itunes"]?.bytes == 0)
            await store.close()
            // An id that was counted is not given to another entry, even after its entry is gone.
            let second = try bench.open()
            #expect(await second.write(bench.entry("new")) == .stored)
            #expect(try await second.statistics().entries == 1)
            await second.close()
        }
    }

    @Test func entriesOfOtherKeyVersionsGoFirstThenTheUselessThenTheUnused() async throws {
        try await withStore(StoreSettings(maxSize: 64 << 20, minFree: 0)) { (store, bench) async throws in
            // The first search for useless entries runs in the writer's first idle moment, which may come late on a
            // busy machine. The next search runs an hour later.
            await store.maintain()
            func write(_ entry: StoredResponse) async { #expect(await store.write(entry) == .stored) }
            var useless = bench.entry("useless", size: 50_000)
            useless.freshUntil = bench.time.wall()
            useless.staleUntil = bench.time.wall() + .seconds(1)
            let unused = bench.entry("unused", size: 50_000)
            let used = bench.entry("used", size: 50_000)
            let odd = bench.entry("odd", size: 50_000, version: 9)
            await write(unused)
            await write(used)
            bench.time.advance(by: .seconds(100))
            await write(useless)
            bench.time.advance(by: .seconds(100))
            await write(odd)
            store.touch(used.key.digest)
            bench.time.advance(by: .seconds(100))
            // Closing writes the uses. Upkeep would evict two of the entries at once.
            let order = try await evictionOrder(store, bench, [unused, used, useless, odd])
            #expect(order == ["odd", "useless", "unused", "used"])
        }
    }

    /// Evicts entries until none is left, and returns their order.
    private func evictionOrder(
        _ store: SQLiteStore, _ bench: Bench, _ entries: [StoredResponse]
    ) async throws -> [String] {
        await store.close()
        let connection = try CacheSchema.openWriter(bench.path)
        let rows = try EntryRows(connection)
        var gone: [String] = []
        // The evictor takes one row at a time, because the order is what the test examines.
        while gone.count < entries.count {
            var left = Set<String>()
            _ = try Evictor(rows: rows, rowsPerSlice: 1).slice(now: bench.time.wall())
            let labels = try connection.statement("SELECT label FROM entry")
            while try labels.step() { left.insert(labels.text(0)) }
            labels.reset()
            for entry in entries where !left.contains(entry.label) {
                let name = String(entry.label.split(separator: "=").last ?? "")
                if !gone.contains(name) { gone.append(name) }
            }
        }
        connection.close()
        return gone
    }

    @Test func usesAreWrittenInBatchesAndSkippedWhenRecent() async throws {
        try await withStore { (store, bench) async throws in
            let entry = bench.entry("a")
            #expect(await store.write(entry) == .stored)
            let before = bench.count(StoreCounters.transactions)
            for _ in 0..<50 { store.touch(entry.key.digest) }
            await store.maintain()
            #expect(bench.count(StoreCounters.touches, "written") == 0)
            bench.time.advance(by: .seconds(61))
            for _ in 0..<50 { store.touch(entry.key.digest) }
            await store.maintain()
            #expect(bench.count(StoreCounters.touches, "written") == 1)
            #expect(bench.count(StoreCounters.transactions) == before)
        }
    }

    @Test func usesAreWrittenAtClose() async throws {
        try await withBench { (bench) async throws in
            let store = try bench.open()
            let entry = bench.entry("a")
            #expect(await store.write(entry) == .stored)
            bench.time.advance(by: .seconds(100))
            store.touch(entry.key.digest)
            await store.close()
            let connection = try CacheSchema.openWriter(bench.path)
            #expect(try connection.number("SELECT lastUsed FROM life") == bench.time.wall().seconds)
            connection.close()
        }
    }

    @Test func notesOfUseAreBounded() {
        var notes = RecencyNotes()
        var dropped = 0
        var first = 0
        var full = 0
        for number in 0..<RecencyNotes.limit + 10 {
            switch notes.note(Digest(of: Bytes(text: "\(number)"))) {
            case .first: first += 1
            case .batchIsFull: full += 1
            case .dropped: dropped += 1
            case .more: break
            }
        }
        #expect(first == 1 && full == 1 && dropped == 10)
        #expect(notes.take().count == RecencyNotes.limit)
        #expect(notes.isEmpty)
    }

    @Test func whatIsUsedOftenLaterIsCountedAlthoughAllPlacesWereTaken() {
        var notes = RecencyNotes()
        for _ in 0..<3 {
            for number in 0..<RecencyNotes.mostCounted { _ = notes.note(Digest(of: Bytes(text: "old \(number)"))) }
        }
        let new = Digest(of: Bytes(text: "new"))
        for number in 0..<20 {
            _ = notes.note(new)
            _ = notes.note(Digest(of: Bytes(text: "other \(number)")))
        }
        #expect(notes.uses(of: new) ?? 0 >= 10)
        #expect(notes.counts.count <= RecencyNotes.mostCounted)
    }

    @Test func tooLittleFreeDiskStopsStoringAndNotServing() async throws {
        try await withStore { (store, bench) async throws in
            let entry = bench.entry("a")
            #expect(await store.write(entry) == .stored)
            store.apply(StoreSettings(minFree: 1 << 60))
            let other = bench.entry("b")
            #expect(await store.write(other) == .refused(.diskFull))
            #expect(try await store.statistics().degraded?.contains("cache.minFree") == true)
            #expect(bench.log.messages == ["store.degraded"])
            store.apply(StoreSettings(minFree: 0))
            // The store recovers when it stores something a while after the last refusal.
            bench.time.advance(by: DiskRoom.calm)
            #expect(await store.write(other) == .stored)
            #expect(try await sameEntry(store.read(other.key), other))
            #expect(try await store.statistics().degraded == nil)
        }
    }

    @Test func aFullDiskStopsStoringForAWhileAndNotServing() async throws {
        try await withStore { (store, bench) async throws in
            let kept = bench.entry("kept", size: 100_000)
            #expect(await store.write(kept) == .stored)
            await store.limitPages(160)
            let outcome = await store.write(bench.entry("large", size: 3_000_000))
            #expect(outcome == .refused(.diskFull))
            #expect(try await sameEntry(store.read(kept.key), kept))
            #expect(try await store.statistics().degraded == "the disk is full")
            #expect(bench.count(StoreCounters.failures, "diskFull") == 1)
            await store.limitPages(1_000_000)
            // Nothing is tried again before the pause is over.
            let small = bench.entry("small")
            #expect(await store.write(small) == .refused(.diskFull))
            #expect(bench.count(StoreCounters.failures, "diskFull") == 1)
            bench.time.advance(by: .seconds(6))
            #expect(await store.write(small) == .stored)
            #expect(try await store.statistics().degraded == nil)
            // The remains of the failed body are swept.
            await store.maintain()
            await store.close()
            let connection = try CacheSchema.openWriter(bench.path)
            #expect(try connection.number("SELECT count(*) FROM entry WHERE size > 65536") == 1)
            connection.close()
            #expect(bench.bodyFiles().count == 1)
        }
    }

    @Test func loweringTheCapGivesTheRoomBack() async throws {
        try await withStore { (store, bench) async throws in
            for number in 0..<720 { _ = await store.write(bench.entry("\(number)", size: 16_000)) }
            #expect(try await store.statistics().liveBytes > 11 << 20)
            store.apply(StoreSettings(maxSize: 4 << 20, minFree: 0))
            await store.maintain()
            let statistics = try await store.statistics()
            #expect(statistics.liveBytes <= 4 << 20)
            #expect(statistics.fileBytes <= 5 << 20)
            #expect(bench.count(StoreCounters.vacuumedPages) > 100)
        }
    }

    @Test func theLogStaysBoundedAndIsCutWhenIdle() async throws {
        try await withStore { (store, bench) async throws in
            var largest: Int64 = 0
            for number in 0..<120 {
                #expect(await store.write(bench.entry("\(number % 10)", size: 700_000, seed: UInt8(number))) == .stored)
                largest = max(largest, try await store.statistics().walBytes)
            }
            #expect(largest > 0 && largest <= 64 << 20)
            await store.maintain()
            #expect(try await store.statistics().walBytes == 0)
        }
    }
}
