// Body files and directories that cannot be opened, read or removed, or that differ from what the store made.
import CSQLite
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

private let roomy = StoreSettings(maxObject: 512 << 20, minFree: 0)

@Suite struct BodyFileTroubleTests {
    /// Replaces a file or directory by a symbolic link to itself. Opening the link fails and says nothing about the
    /// original.
    private func block(_ path: String) throws {
        try #require(rename(path, path + ".kept") == 0)
        try #require(symlink(path, path) == 0)
    }

    private func unblock(_ path: String) throws {
        try #require(unlink(path) == 0)
        try #require(rename(path + ".kept", path) == 0)
    }

    private func change(_ bench: Bench, _ sql: String) throws {
        let connection = try DatabaseConnection(path: bench.path)
        defer { connection.close() }
        try connection.execute(sql)
    }

    @Test func aRowStaysWhereTheDirectoryOfItsFileCannotBeOpened() async throws {
        try await withBench { (bench) async throws in
            let entry = bench.entry("a", size: 100_000)
            let first = try bench.open(roomy)
            #expect(await first.write(entry) == .stored)
            await first.close()
            // The path is blocked before the store looks for files without a row and keeps the directory open.
            try block(bench.bodies)
            let store = try bench.open(roomy)
            await #expect(throws: StoreError.self) { try await store.read(entry.key) }
            await store.maintain()
            try unblock(bench.bodies)
            #expect(try await sameEntry(store.read(entry.key), entry))
            await store.close()
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func aPipeInPlaceOfAFileIsAMissAndNobodyWaitsForIt() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open(roomy)
            let entry = bench.entry("a", size: 100_000)
            #expect(await first.write(entry) == .stored)
            let file = try bench.bodyFile()
            await first.close()
            try #require(unlink(file) == 0 && mkfifo(file, 0o600) == 0)
            let store = try bench.open(roomy)
            #expect(try await store.read(entry.key) == nil)
            await store.close()
        }
    }

    @Test func whatTheDiskCannotReadIsNotWhatWasWritten() throws {
        // No memory is mapped at address 0, so reading there is an I/O error.
        let file = Glibc.open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        var byte: UInt8 = 0
        try #require(pread(file, &byte, 1, 0) < 0 && errno == EIO)
        let found = try Bytes(repeating: 0, count: 8).withUnsafeBytes {
            try BodyRead.stretch(file, 1, at: 0, count: 70_000, of: 70_000, sums: $0)
        }
        #expect(found == nil)
    }

    @Test func filesThatCannotBeRemovedDoNotHoldUpTheSweep() async throws {
        try await withBench { (bench) async throws in
            // This writer has no thread. A thread would sweep in the meantime.
            try await withWriter(bench) { (writer, _) async throws in
                let (stuck, other) = ("0123456789abcdef", "fedcba9876543210")
                mkdir(bench.bodies, 0o700)
                for name in [stuck, "\(stuck)/00", other, "\(other)/00"] { mkdir("\(bench.bodies)/\(name)", 0o700) }
                // These names are directories: unlink fails on them for every user.
                for number in 0..<(BodySweep.names + 40) { mkdir("\(bench.bodies)/\(stuck)/00/\(number)", 0o700) }
                try writeFile("\(bench.bodies)/\(other)/00/7", [1])
                let files = try #require(writer.database?.bodies)
                #expect(!files.removeForeign(atMost: BodySweep.names))
                #expect(access("\(bench.bodies)/\(other)", F_OK) != 0)
                #expect(bench.bodyFiles().count == BodySweep.names + 40)
            }
        }
    }

    @Test func aFileIsNotEmptiedUnderItsReaderWhereItsIdIsGivenAgain() async throws {
        try await withStore(roomy) { (store, bench) async throws in
            let files = try #require(store.shared.bodies.withLock { $0 })
            let body = Bench.body("x", 100_000, 1)
            let first = try files.create(77)
            defer { close(first) }
            _ = try files.put(body, in: first, of: 77, at: 0)
            let second = try files.create(77)
            defer { close(second) }
            #expect(try BodyRead.bytes(first, at: 0, count: 100_000) == body)
            #expect(NoWaitFiles.size(second) == 0)
        }
    }

    @Test func aFileThatCouldNotBeLookedAtIsSweptLater() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, _) async throws in
                let database = try #require(writer.database)
                for number in 1...3 as ClosedRange<Int64> { close(try database.bodies.create(7 * 256 + number)) }
                try database.connection.execute("ALTER TABLE entry RENAME COLUMN size TO lost")
                writer.sweepFiles()
                #expect(writer.upkeep.sweep?.ids.count == 3 && bench.bodyFiles().count == 3)
                try database.connection.execute("ALTER TABLE entry RENAME COLUMN lost TO size")
                writer.sweepFiles()
                #expect(writer.upkeep.sweep == nil && bench.bodyFiles().isEmpty)
                #expect(bench.count(StoreCounters.sweptFiles) == 3)
            }
        }
    }

    /// Unlinking large files may take longer than a slice is allowed to. Each slice then removes one file, and the
    /// writer goes on in between.
    @Test(arguments: [true, false])
    func aSliceOfTheSweepEndsWithItsTime(isForeign: Bool) async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, _) async throws in
                let other = "\(bench.bodies)/0123456789abcdef"
                if isForeign {
                    for name in [bench.bodies, other, "\(other)/07"] { mkdir(name, 0o700) }
                    for number in 1...4 { try writeFile("\(other)/07/\(number)", [1]) }
                } else {
                    let database = try #require(writer.database)
                    for number in 1...4 as ClosedRange<Int64> { close(try database.bodies.create(7 * 256 + number)) }
                    writer.upkeep.sweep?.hasForeign = false
                    writer.upkeep.sweep?.directory = 7
                }
                bench.time.leap(by: Upkeep.budget)
                // Listing the directory takes one slice.
                if !isForeign { writer.sweepFiles() }
                for remaining in [3, 2, 1, 0] {
                    writer.sweepFiles()
                    #expect(bench.bodyFiles().count == remaining)
                }
                bench.time.leap(by: .zero)
                writer.sweepFiles()
                #expect(writer.upkeep.sweep == nil)
            }
        }
    }

    /// Somebody deleted the database that was set aside, but not its bodies.
    @Test func bodiesSetAsideGoWhereTheirDatabaseHasGone() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open(roomy)
            #expect(await first.write(bench.entry("a", size: 100_000)) == .stored)
            await first.close()
            try writeFile(bench.path, Bytes(repeating: 0xAA, count: 100_000))
            let second = try bench.open(roomy)
            await second.maintain()
            await second.close()
            func aside(_ start: String) -> [String] {
                Bench.names(in: bench.directory).filter { $0.hasPrefix(start) }
            }
            #expect(aside("bodies.corrupt-").count == 1)
            for name in aside("cache.db.corrupt-") { unlink("\(bench.directory)/\(name)") }
            let third = try bench.open(roomy)
            await third.maintain()
            #expect(aside("bodies.corrupt-").isEmpty && bench.bodyFiles().isEmpty)
            #expect(Bench.names(in: bench.bodies).isEmpty)
            await third.close()
        }
    }

    @Test func aDirectoryOfBodiesThatWasRestoredOpenToAllIsPrivateAgain() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open(roomy)
            let entry = bench.entry("a", size: 100_000)
            #expect(await first.write(entry) == .stored)
            await first.close()
            let generation = bench.bodies + "/" + (Bench.names(in: bench.bodies).first ?? "")
            try #require(chmod(generation, 0o755) == 0)
            let store = try bench.open(roomy)
            #expect(try await sameEntry(store.read(entry.key), entry))
            var status = stat()
            #expect(stat(generation, &status) == 0 && status.st_mode & 0o7777 == 0o700)
            // The directory is replaced by a restored copy while it is in use.
            let restored = bench.directory + "/restored"
            try #require(mkdir(restored, 0o700) == 0 && chmod(restored, 0o755) == 0)
            // The store's own check may recreate the directory in between. The second rename replaces an empty
            // directory.
            try #require(rename(generation, bench.directory + "/old") == 0 && rename(restored, generation) == 0)
            let files = try #require(store.shared.bodies.withLock { $0 })
            files.check()
            #expect(stat(generation, &status) == 0 && status.st_mode & 0o7777 == 0o700)
            await store.close()
        }
    }

    @Test func aFileInPlaceOfADirectoryMakesWayForBodies() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open(roomy)
            let entry = bench.entry("a", size: 100_000)
            #expect(await first.write(entry) == .stored)
            await first.close()
            let path = try bench.bodyFile().split(separator: "/")
            let id = try #require(path.last.flatMap { Int64($0) })
            let directory = "/" + path.dropLast().joined(separator: "/")
            removeAll(directory)
            try writeFile(directory, [1])
            let store = try bench.open(roomy)
            #expect(try await store.read(entry.key) == nil)
            let files = try #require(store.shared.bodies.withLock { $0 })
            close(try files.create(id + 1))
            #expect(access("\(directory)/\(id + 1)", F_OK) == 0)
            await store.close()
        }
    }

    /// The file takes the place of `bodies`, or of the directory of the generation.
    @Test(arguments: [true, false])
    func aFileInPlaceOfTheWholeDirectoryMakesWayForBodies(isRoot: Bool) async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open(roomy)
            let entry = bench.entry("a", size: 100_000)
            #expect(await first.write(entry) == .stored)
            await first.close()
            let generation = bench.bodies + "/" + (Bench.names(in: bench.bodies).first ?? "")
            removeAll(isRoot ? bench.bodies : generation)
            try writeFile(isRoot ? bench.bodies : generation, [1])
            let store = try bench.open(roomy)
            #expect(try await store.read(entry.key) == nil)
            let new = bench.entry("b", size: 100_000)
            #expect(await store.write(new) == .stored)
            #expect(try await sameEntry(store.read(new.key), new))
            await store.close()
        }
    }

    @Test func aSearchPassesOverAResultWhoseBodyCannotBeOpened() async throws {
        try await withBench { (bench) async throws in
            let filler = String(repeating: "x", count: 80_000)
            let first = try bench.open(roomy)
            let large = resultJSON("1", "Blue in a file", more: #","url":"\#(filler)""#)
            #expect(await first.write(bench.results("a", [large])) == .stored)
            #expect(await first.write(bench.results("b", [resultJSON("2", "Blue in a row")])) == .stored)
            #expect(try await first.titles("blue").count == 2)
            await first.close()
            let store = try bench.open(roomy)
            let file = try bench.bodyFile()
            try block(file)
            #expect(try await store.titles("blue") == ["Blue in a row"])
            try unblock(file)
            #expect(try await store.titles("blue").count == 2)
            await store.close()
        }
    }

    @Test func aSearchShowsTheNextResultWhereTheFileOfTheFirstIsGoneAndRemovesItsRow() async throws {
        try await withBench { (bench) async throws in
            let filler = String(repeating: "x", count: 80_000)
            let first = try bench.open(roomy)
            let large = resultJSON("1", "Blue", more: #","url":"\#(filler)""#)
            #expect(await first.write(bench.results("a", [large])) == .stored)
            let longer = "Blue among many other words that make it match less well"
            #expect(await first.write(bench.results("b", [resultJSON("2", longer)])) == .stored)
            #expect(try await first.titles("blue", limit: 1) == ["Blue"])
            await first.close()
            try #require(unlink(try bench.bodyFile()) == 0)
            let store = try bench.open(roomy)
            #expect(try await store.titles("blue", limit: 1) == [longer])
            try await bench.eventually("its row is gone", in: store) {
                try await store.statistics().entries == 1
            }
            await store.close()
        }
    }

    @Test func resultsAreIndexedWhereNoMoreBodiesMayBeOpen() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, _) async throws in
                let filler = String(repeating: "x", count: 80_000)
                let large = resultJSON("1", "Blue in a file", more: #","url":"\#(filler)""#)
                let database = try #require(writer.database)
                try writer.transact(database.connection) { () throws(StoreError) in
                    try writer.database?.rows.write(bench.results("a", [large]), now: bench.time.wall())
                }
                let table = database.bodies.table
                table.permit(1)
                try #require(table.add(999, open("/dev/null", O_RDONLY | O_CLOEXEC), 0, keeps: false) != nil)
                try writer.transact(database.connection) { () throws(StoreError) in
                    let counts = try ResultIndex(database.rows).settle(1)
                    #expect(counts?.added == 1)
                }
                #expect(table.count == 1)
            }
        }
    }

    /// A body that cannot be opened says nothing about its results. Their note stays, and other notes do not wait for
    /// it.
    @Test func resultsWhoseBodyCannotBeOpenedAreIndexedLater() async throws {
        try await withBench { (bench) async throws in
            let filler = String(repeating: "x", count: 80_000)
            let large = resultJSON("1", "Blue in a file", more: #","url":"\#(filler)""#)
            let store = try bench.open(roomy)
            #expect(await store.write(bench.results("a", [large])) == .stored)
            await store.close()
            try change(
                bench,
                """
                INSERT INTO found (found) VALUES ('delete-all'); DELETE FROM result;
                INSERT OR IGNORE INTO unindexed (id) VALUES (1);
                """)
            let file = try bench.bodyFile()
            try block(file)
            let after = try bench.open(roomy)
            #expect(await after.write(bench.results("b", [resultJSON("2", "Blue in a row")])) == .stored)
            #expect(try await after.titles("blue") == ["Blue in a row"])
            try unblock(file)
            #expect(await after.write(bench.results("c", [resultJSON("3", "Blue in a row, too")])) == .stored)
            #expect(try await after.titles("blue").count == 2)
            bench.time.advance(by: IndexingUpkeep.pause)
            await after.maintain()
            #expect(try await after.titles("blue").count == 3)
            await after.close()
        }
    }

    @Test func anEntryWhoseResultsCannotBeMendedAtPresentStays() async throws {
        try await withBench { (bench) async throws in
            let filler = String(repeating: "x", count: 80_000)
            let large = resultJSON("1", "Blue in a file", more: #","url":"\#(filler)""#)
            let first = try bench.open(roomy)
            #expect(await first.write(bench.results("a", [large])) == .stored)
            #expect(try await first.titles("blue").count == 1)
            await first.close()
            try change(bench, "UPDATE result SET name = name + 1")
            let file = try bench.bodyFile()
            try block(file)
            let store = try bench.open(roomy)
            #expect(try await store.titles("blue").isEmpty)
            await store.maintain()
            #expect(bench.count(StoreCounters.checksumErrors, "result") == 1)
            #expect(try await store.statistics().entries == 1)
            try unblock(file)
            #expect(try await store.titles("blue").isEmpty)
            await store.maintain()
            #expect(try await store.titles("blue").count == 1)
            await store.close()
        }
    }
}
