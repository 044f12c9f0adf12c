// The sum of all body files, and the sum of a provider's bodies, when a size is damaged or a sum is wrong.
import CSQLite
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

private let roomy = StoreSettings(maxObject: 512 << 20, minFree: 0)

@Suite struct BodySumTests {
    private func change(_ bench: Bench, _ sql: String) throws {
        let connection = try DatabaseConnection(path: bench.path)
        defer { connection.close() }
        try connection.execute(sql)
    }

    @Test func aDamagedSizeDoesNotStayInTheSumOfTheFiles() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open(roomy)
            for name in ["a", "b"] { #expect(await first.write(bench.entry(name, size: 100_000)) == .stored) }
            await first.close()
            try change(bench, "UPDATE entry SET size = size + 1099511627776 WHERE id = 1")
            let store = try bench.open(roomy)
            #expect(try await store.open(bench.entry("a").key) == nil)
            await store.maintain()
            #expect(try await store.statistics().entries == 1)
            await store.close()
            let connection = try DatabaseConnection(path: bench.path)
            defer { connection.close() }
            #expect(try connection.number("SELECT bytes FROM bodies") == 102_400)
        }
    }

    @Test(arguments: [Int64(1) << 31, .max])
    func aSumAboveTheCapIsMadeAnew(by damage: Int64) async throws {
        try await withBench { (bench) async throws in
            let settings = StoreSettings(maxSize: 1 << 30, maxObject: 512 << 20, minFree: 0)
            let first = try bench.open(settings)
            #expect(await first.write(bench.entry("a", size: 100_000)) == .stored)
            await first.close()
            try change(bench, "UPDATE bodies SET bytes = \(damage)")
            let store = try bench.open(settings)
            try await bench.eventually("the sum is right", in: store) {
                try await store.statistics().liveBytes < 1 << 20
            }
            #expect(try await store.read(bench.entry("a").key) != nil)
            await store.close()
        }
    }

    /// The damage flips the last bit but one, or the sign. Neither size may be subtracted from a sum as it stands.
    @Test(arguments: [[Int64.max - 7, Int64.max], [Int64.min + 100_000, Int64.min]])
    func rowsWithSizesBeyondAllReasonAreRemovedAndTheSumsAreRight(sizes: [Int64]) async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open(roomy)
            for name in ["a", "b", "c"] { #expect(await first.write(bench.entry(name, size: 100_000)) == .stored) }
            await first.close()
            try change(
                bench,
                """
                UPDATE entry SET size = \(sizes[0]) WHERE id = 1; UPDATE entry SET size = \(sizes[1]) WHERE id = 2;
                UPDATE provider SET counted = 3, entries = 3, bytes = 300000;
                """)
            let store = try bench.open(roomy)
            for name in ["a", "b"] { #expect(try await store.open(bench.entry(name).key) == nil) }
            await store.maintain()
            let statistics = try await store.statistics()
            #expect(statistics.entries == 1)
            #expect((0...300_000).contains(statistics.byProvider["itunes"]?.bytes ?? -1))
            #expect(await store.write(bench.entry("d", size: 100_000)) == .stored)
            await store.close()
            let after = try DatabaseConnection(path: bench.path)
            defer { after.close() }
            #expect(try after.number("SELECT bytes FROM bodies") == 204_800)
            #expect(bench.count(StoreCounters.setAside, "cache") == 0)
        }
    }

    @Test func damagedSizesDoNotKeepNewEntriesFromBeingCounted() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open(roomy)
            for name in ["a", "b"] { #expect(await first.write(bench.entry(name)) == .stored) }
            await first.close()
            // Two such sizes overflow a sum.
            try change(bench, "UPDATE entry SET size = 7 << 60")
            let store = try bench.open(roomy)
            #expect(try await store.statistics().entries == 2)
            #expect(try await store.statistics().byProvider["itunes"]?.bytes == 0)
            for number in 0..<EntryRows.countingBatch {
                #expect(await store.write(bench.entry("\(number)")) == .stored)
            }
            for name in ["a", "b"] { #expect(try await store.read(bench.entry(name).key) == nil) }
            await store.maintain()
            let provider = try await store.statistics().byProvider["itunes"]
            #expect(provider?.entries == Int64(EntryRows.countingBatch))
            #expect(provider?.bytes == Int64(EntryRows.countingBatch) * 100)
            await store.close()
        }
    }

    @Test func aTransactionThatIsUndoneAddsNothingToTheSumOfTheFiles() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, _) async throws in
                let connection = try #require(writer.database?.connection)
                func write(_ name: String, failing code: Int32? = nil) throws {
                    try writer.transact(connection) { () throws(StoreError) in
                        try writer.database?.rows.write(bench.entry(name, size: 70_000), now: bench.time.wall())
                        try writer.database?.rows.remove(id: 1)
                        if let code {
                            throw StoreError(code: code, extendedCode: code, doing: "testing", message: "undone")
                        }
                    }
                }
                try write("a")
                #expect(throws: StoreError.self) { try write("b", failing: SQLITE_FULL) }
                try write("c")
                #expect(try connection.number("SELECT bytes FROM bodies") == BodyFiles.blocks(70_000))
                #expect(try writer.database?.rows.fileBytes() == BodyFiles.blocks(70_000))
            }
        }
    }

    /// Entries that are written or removed during the recount are counted.
    @Test func theSumOfTheFilesIsMadeAnewInSlices() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, _) async throws in
                let connection = try #require(writer.database?.connection)
                func write(_ name: String, _ size: Int) throws {
                    try writer.transact(connection) { () throws(StoreError) in
                        try writer.database?.rows.write(bench.entry(name, size: size), now: bench.time.wall())
                    }
                }
                func remove(_ id: Int64) throws {
                    try writer.transact(connection) { () throws(StoreError) in
                        _ = try writer.database?.rows.remove(id: id)
                    }
                }
                for number in 1...9 { try write("\(number)", number == 5 ? 100 : 70_000 + number * 4096) }
                let rows = try #require(writer.database?.rows)
                try connection.execute("UPDATE bodies SET bytes = -7")
                try rows.beginRestating()
                #expect(try rows.restateSlice(rows: 4))
                try remove(2)
                try remove(8)
                try write("later", 200_000)
                #expect(try rows.restateSlice(rows: 4))
                try remove(1)
                while try rows.restateSlice(rows: 4) {}
                try write("last", 300_000)
                try remove(9)
                #expect(throws: StoreError.self) {
                    try writer.transact(connection) { () throws(StoreError) in
                        try rows.remove(id: 3)
                        throw StoreError(code: SQLITE_FULL, extendedCode: SQLITE_FULL, doing: "a test", message: "")
                    }
                }
                try writer.transact(connection) { () throws(StoreError) in _ = try rows.endRestating() }
                let blocks: [Int] = [3, 4, 6, 7].map { 70_000 + $0 * 4096 } + [200_000, 300_000]
                let sum = blocks.reduce(0) { $0 + BodyFiles.blocks(Int64($1)) }
                #expect(try connection.number("SELECT bytes FROM bodies") == sum)
                try remove(3)
                #expect(try connection.number("SELECT bytes FROM bodies") == sum - BodyFiles.blocks(82_288))
            }
        }
    }

    /// Each slice continues after the last one. A restart begins the recount anew; a commit that fails does not.
    @Test func theSumIsMadeAnewOverSeveralSlicesAfterARestartAndAFailure() async throws {
        try await withBench { (bench) async throws in
            let large: Set = [1, 100, 200]
            let sum = 2 * BodyFiles.blocks(70_000)
            try await withWriter(bench) { (writer, _) async throws in
                let connection = try #require(writer.database?.connection)
                try writer.transact(connection) { () throws(StoreError) in
                    for number in 1...200 {
                        let entry = bench.entry("\(number)", size: large.contains(number) ? 70_000 : 10)
                        try writer.database?.rows.write(entry, now: bench.time.wall())
                    }
                }
                try connection.execute("UPDATE bodies SET bytes = -7")
                writer.upkeep.doubtsFileBytes = true
                bench.time.leap(by: Upkeep.budget)
                for _ in 0..<2 { writer.restateFileBytes() }
                #expect(writer.upkeep.isRestating && writer.upkeep.doubtsFileBytes)
                #expect(try connection.number("SELECT cursor FROM restated") == 128)
                #expect(try connection.number("SELECT bytes FROM bodies") == -7)
                bench.time.leap(by: .zero)
            }
            try await withWriter(bench) { (writer, shared) async throws in
                let connection = try #require(writer.database?.connection)
                // A sum below zero is noticed once a second.
                bench.time.advance(by: .seconds(2))
                writer.work(isIdle: false, afterJobs: true)
                #expect(writer.upkeep.doubtsFileBytes && !writer.upkeep.isRestating)
                bench.time.leap(by: Upkeep.budget)
                writer.restateFileBytes()
                bench.time.leap(by: .zero)
                #expect(try connection.number("SELECT cursor FROM restated") == 64)
                try writer.transact(connection) { () throws(StoreError) in _ = try writer.database?.rows.remove(id: 1) }
                shared.faults.fail(with: SQLITE_FULL)
                writer.restateFileBytes()
                #expect(writer.upkeep.isRestating && writer.upkeep.doubtsFileBytes)
                shared.faults.fail(with: nil)
                writer.restateFileBytes()
                #expect(!writer.upkeep.isRestating && !writer.upkeep.doubtsFileBytes)
                #expect(try connection.number("SELECT bytes FROM bodies") == sum)
                #expect(try connection.number("SELECT cursor FROM restated") == 0)
            }
        }
    }
}
