// A database of an earlier schema is upgraded in place, in a time that does not grow with its size.
import CSQLite
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct MigrationTests {
    private func entries(_ bench: Bench) -> [StoredResponse] {
        [SchemaFour.oldEntry] + [0, 100, 3000, 65_536].map { bench.entry("\($0)", size: $0) } + [
            bench.results("results", [resultJSON("1", "Better Together"), resultJSON("2", "Banana Pancakes")])
        ]
    }

    private func count(_ path: String, _ sql: String) throws -> Int64? {
        let connection = try DatabaseConnection(path: path)
        defer { connection.close() }
        return try connection.number(sql)
    }

    @Test func everyEntryOfSchemaFourIsFoundAfterTheUpgrade() async throws {
        try await withBench { (bench) async throws in
            let entries = entries(bench)
            try SchemaFour.make(bench.path, entries, now: bench.time.wall())
            let store = try bench.open()
            for entry in entries { #expect(try await sameEntry(store.read(entry.key), entry), "\(entry.label)") }
            #expect(try await store.titles("pancakes").count == 1)
            #expect(bench.count(StoreCounters.setAside, "cache") == 0 && bench.log.messages.isEmpty)
            let fresh = bench.entry("fresh")
            #expect(await store.write(fresh) == .stored)
            await store.close()
            #expect(try count(bench.path, "PRAGMA user_version") == CacheSchema.version)
            // Another start finds the same.
            let again = try bench.open()
            for entry in entries + [fresh] { #expect(try await sameEntry(again.read(entry.key), entry)) }
            await again.close()
            let connection = try CacheSchema.openWriter(bench.path)
            #expect(try connection.text("PRAGMA integrity_check") == "ok")
            connection.close()
        }
    }

    @Test func openingTouchesNoRowAndIdleTimeGivesThemTheirChecksums() async throws {
        try await withBench { (bench) async throws in
            let entries = entries(bench)
            try SchemaFour.make(bench.path, entries, now: bench.time.wall())
            _ = JournalFile(directory: bench.directory, faults: StoreFaults()).open()
            try CacheSchema.openWriter(bench.path).close()
            let rows = "SELECT count(*) FROM life WHERE sums IS NULL"
            #expect(try count(bench.path, rows) == Int64(entries.count))
            let store = try bench.open()
            await store.maintain()
            #expect(bench.count(StoreCounters.scrubbed, "summed") == entries.count)
            #expect(try count(bench.path, rows) == 0)
            #expect(try count(bench.path, "SELECT count(*) FROM result WHERE sum IS NULL") == 0)
            #expect(try count(bench.path, "SELECT lastID FROM step") == 0)
            for entry in entries { #expect(try await sameEntry(store.read(entry.key), entry)) }
            await store.maintain()
            #expect(bench.count(StoreCounters.scrubbed, "sound") >= entries.count)
            #expect(bench.count(StoreCounters.scrubbed, "damaged") == 0)
            await store.close()
        }
    }

    @Test func bodiesInPiecesAreMissesAfterTheUpgradeAndGoInIdleTime() async throws {
        try await withBench { (bench) async throws in
            let large = [65_537, 100_000, 400_000, 9_000_000].map { bench.entry("\($0)", size: $0) }
            let small = bench.entry("small")
            try SchemaFour.make(bench.path, large + [small], now: bench.time.wall())
            let store = try bench.open()
            for entry in large {
                #expect(try await store.read(entry.key) == nil)
                #expect(await !store.rewriteHead(entry, ifReceivedAt: entry.responseTime))
            }
            await store.maintain()
            #expect(try await store.statistics().entries == 1)
            #expect(try await store.statistics().liveBytes < 1 << 20)
            #expect(bench.count(StoreCounters.scrubbed, "damaged") == 0)
            #expect(bench.count(StoreCounters.setAside, "cache") == 0)
            #expect(await store.write(large[1]) == .stored)
            await store.close()
            #expect(try count(bench.path, "SELECT count(*) FROM sqlite_schema WHERE name = 'chunk'") == 0)
            // The schema equals the recorded one, without the old tables.
            let again = try bench.open()
            #expect(try await sameEntry(again.read(small.key), small))
            #expect(try await sameEntry(again.read(large[1].key), large[1]))
            #expect(bench.count(StoreCounters.setAside, "cache") == 0)
            await again.close()
        }
    }

    /// Bodies of up to 64 KiB lay in rows, on pages of 16 KiB. Both stay so.
    @Test func rowsWithMoreThanARowHoldsTodayAreReadAndRemovedWithoutAFile() async throws {
        try await withBench { (bench) async throws in
            let old = [16_385, 20_000, 65_536].map { bench.entry("\($0)", size: $0) }
            try SchemaFour.make(bench.path, old, now: bench.time.wall())
            let store = try bench.open()
            let stand = ReadyStand(store, bench)
            #expect(try await stand.keep(stand.row(old[1]), of: old[1]))
            #expect(try await stand.look()?.response.body == old[1].body)
            let new = bench.entry("new", size: 20_000)
            #expect(await store.write(new) == .stored)
            #expect(bench.bodyFiles().count == 1)
            #expect(await store.write(bench.entry("16385", size: 10)) == .stored)
            #expect(await store.write(bench.entry("65536", size: 70_000)) == .stored)
            await store.maintain()
            for entry in [old[1], new] { #expect(try await sameEntry(store.read(entry.key), entry)) }
            let live = try await store.statistics().liveBytes
            await store.close()
            #expect(try count(bench.path, "SELECT bytes FROM bodies") == 20_480 + 73_728)
            let pages = try count(bench.path, "PRAGMA page_count") ?? 0
            let free = try count(bench.path, "PRAGMA freelist_count") ?? 0
            #expect(live == (pages - free) * 16_384 + 20_480 + 73_728)
            #expect(bench.count(StoreCounters.scrubbed, "damaged") == 0)
        }
    }

    @Test func filesFromBeforeLieWhereTheyLay() async throws {
        try await withBench { (bench) async throws in
            let entries = ["old", "new"].map { bench.entry($0, size: 20_000) }
            let first = try bench.open()
            #expect(await first.write(entries[0]) == .stored)
            await first.close()
            // As the step to schema 9 leaves an entry of an earlier schema.
            let file = try bench.bodyFile()
            let folder = file.split(separator: "/").dropLast(2).joined(separator: "/")
            #expect(mkdir("/\(folder)/01", 0o700) == 0 && rename(file, "/\(folder)/01/1") == 0)
            let connection = try DatabaseConnection(path: bench.path)
            try connection.execute("UPDATE step SET lastID = 1 WHERE name = '\(CacheMigration.countedBodies)'")
            connection.close()
            // Left from a body that was never committed.
            #expect(mkdir("/\(folder)/07", 0o700) == 0)
            try writeFile("/\(folder)/07/7", [1])
            let store = try bench.open()
            for entry in entries[1...] { #expect(await store.write(entry) == .stored) }
            for entry in entries { #expect(try await sameEntry(store.read(entry.key), entry)) }
            await store.maintain()
            let names = bench.bodyFiles().map { $0.split(separator: "/").suffix(2).joined(separator: "/") }
            #expect(names.sorted() == ["00/2", "01/1"])
            _ = try await store.purge(.all, soft: false)
            #expect(bench.bodyFiles().isEmpty)
            await store.close()
        }
    }

    @Test func anOldEntryThatIsRewrittenIsProtectedFromThenOn() async throws {
        try await withBench { (bench) async throws in
            let old = bench.entry("a", size: 2000)
            try SchemaFour.make(bench.path, [old], now: bench.time.wall())
            let store = try bench.open()
            var new = old
            new.status = 299
            #expect(await store.rewriteHead(new, ifReceivedAt: old.responseTime))
            #expect(try await sameEntry(store.read(old.key), new))
            await store.close()
            let connection = try CacheSchema.openWriter(bench.path)
            try connection.execute("UPDATE entry SET body = zeroblob(2000)")
            connection.close()
            let again = try bench.open()
            #expect(try await again.read(old.key) == nil)
            #expect(bench.count(StoreCounters.checksumErrors, "body") == 1)
            await again.close()
        }
    }

    @Test(arguments: [3, 6])
    func aSchemaThatNoStepLeadsFromIsSetAside(version: Int) async throws {
        try await withBench { (bench) async throws in
            try SchemaFour.make(bench.path, [bench.entry("a")], now: bench.time.wall())
            let connection = try DatabaseConnection(path: bench.path)
            try connection.execute("PRAGMA user_version = \(version)")
            connection.close()
            let store = try bench.open()
            #expect(try await store.read(bench.entry("a").key) == nil)
            #expect(bench.count(StoreCounters.setAside, "cache") == 1)
            await store.close()
        }
    }

    @Test func aStepThatWasInterruptedIsTakenWhole() async throws {
        try await withBench { (bench) async throws in
            let entry = bench.entry("a")
            try SchemaFour.make(bench.path, [entry], now: bench.time.wall())
            // The new table has no room: the migration step fails and leaves no changes.
            let connection = try DatabaseConnection(path: bench.path)
            let pages = try connection.number("PRAGMA page_count") ?? 0
            try connection.execute("PRAGMA max_page_count = \(pages)")
            #expect(throws: StoreError.self) { try CacheMigration.run(connection) }
            #expect(try connection.number("PRAGMA user_version") == 4)
            connection.close()
            let store = try bench.open()
            #expect(try await sameEntry(store.read(entry.key), entry))
            await store.close()
        }
    }
}
