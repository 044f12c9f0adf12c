// Damage: the database is set aside and recreated, service goes on, and the remains of a crash are swept.
import CSQLite
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct RecoveryTests {
    @Test func aFileThatIsNoDatabaseIsSetAsideAtOpen() async throws {
        try await withBench { (bench) async throws in
            try writeFile(bench.path, Bytes(repeating: 0xAA, count: 100_000))
            let store = try bench.open()
            let entry = bench.entry("a")
            #expect(try await store.read(entry.key) == nil)
            #expect(await store.write(entry) == .stored)
            #expect(try await sameEntry(store.read(entry.key), entry))
            #expect(bench.log.messages == ["store.setAside"])
            #expect(bench.count(StoreCounters.setAside, "cache") == 1)
            await store.close()
            #expect(try DatabaseFiles(directory: bench.directory, name: "cache").aside.count == 1)
        }
    }

    @Test func anotherSchemaIsSetAsideAtOpen() async throws {
        try await withBench { (bench) async throws in
            let foreign = try DatabaseConnection(path: bench.path)
            try foreign.execute("CREATE TABLE theirs (a); PRAGMA user_version = 7")
            foreign.close()
            let store = try bench.open()
            #expect(await store.write(bench.entry("a")) == .stored)
            #expect(bench.count(StoreCounters.setAside, "cache") == 1)
            await store.close()
        }
    }

    @Test(arguments: [CacheSchema.version - 1, CacheSchema.version + 1])
    func aDatabaseOfAnotherVersionIsSetAside(_ version: Int64) async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            #expect(await first.write(bench.entry("a")) == .stored)
            await first.close()
            try bench.change("PRAGMA user_version = \(version)")
            let store = try bench.open()
            #expect(try await store.read(bench.entry("a").key) == nil)
            #expect(bench.count(StoreCounters.setAside, "cache") == 1)
            await store.close()
        }
    }

    @Test func whatWasSetAsideMakesRoomForANewDatabase() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, shared) async throws in
                let aside = bench.path + ".corrupt-1"
                for suffix in ["", "-wal"] { try writeFile(aside + suffix, [1]) }
                let full = StoreError(code: SQLITE_FULL, extendedCode: SQLITE_FULL, doing: "opening", message: "full")
                var tries = 0
                func open() throws(StoreError) -> StoreWriter.Database {
                    tries += 1
                    guard access(aside, F_OK) != 0, let database = writer.database else { throw full }
                    return database
                }
                #expect(try StoreWriter.openOrSetAside(shared, open).connection === writer.database?.connection)
                #expect(tries == 2)
                #expect(access(aside + "-wal", F_OK) != 0)
                #expect(bench.log.messages == ["store.setAside.removed"])
                tries = 0
                #expect(throws: StoreError.self) {
                    try StoreWriter.openOrSetAside(shared) { () throws(StoreError) in
                        tries += 1
                        throw full
                    }
                }
                #expect(tries == 1, "there is nothing more to remove")
            }
        }
    }

    /// A purge of everything on a full disk removes the database, and no row leads to its bodies any more.
    @Test func bodiesOfADatabaseThatIsGoneMakeRoomForANewOne() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, shared) async throws in
                var directory = bench.directory
                for name in ["bodies", "0123456789abcdef", "00"] {
                    directory += "/" + name
                    mkdir(directory, 0o700)
                }
                try writeFile(directory + "/1", [1])
                for suffix in ["", "-wal", "-shm"] { unlink(bench.path + suffix) }
                let full = StoreError(code: SQLITE_FULL, extendedCode: SQLITE_FULL, doing: "opening", message: "full")
                func open() throws(StoreError) -> StoreWriter.Database {
                    guard access(directory + "/1", F_OK) != 0, let database = writer.database else { throw full }
                    return database
                }
                #expect(try StoreWriter.openOrSetAside(shared, open).connection === writer.database?.connection)
            }
        }
    }

    @Test func aDatabaseWhoseSchemaWasChangedIsSetAside() async throws {
        try await withBench { (bench) async throws in
            await (try bench.open()).close()
            try bench.change("CREATE TABLE odd (id INTEGER PRIMARY KEY)")
            let store = try bench.open()
            #expect(bench.count(StoreCounters.setAside, "cache") == 1)
            await store.close()
        }
    }

    @Test(arguments: [0, 1])
    func bytesOverwrittenWhileRunningCostTheCacheAndNotTheService(firstMetByWriter: Int) async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            let entries = (0..<200).map { bench.entry("\($0)", size: 20_000) }
            for entry in entries { #expect(await first.write(entry) == .stored) }
            await first.close()
            // Opened anew, the store has few pages in memory. Then the file is destroyed while it is open.
            let store = try bench.open()
            let size = Int(try await store.statistics().fileBytes)
            try writeFile(bench.path, Bytes(repeating: 0xAA, count: size))
            if firstMetByWriter == 1 { _ = try? await store.purge(.all, soft: false) }
            for entry in entries {
                let found = try await store.read(entry.key)
                #expect(found == nil || found?.body == entry.body)
            }
            let fresh = bench.entry("fresh", size: 300_000)
            // The write is stored even if it is the one that meets the damage.
            #expect(await store.write(fresh) == .stored)
            #expect(try await sameEntry(store.read(fresh.key), fresh))
            #expect(bench.count(StoreCounters.setAside, "cache") == 1)
            #expect(bench.log.messages.filter { $0 == "store.setAside" }.count == 1)
            #expect(try await store.statistics().entries == 1)
            await store.close()
        }
    }

    @Test func onlyTheNewestTwoDatabasesSetAsideAreKept() async throws {
        try await withBench { (bench) async throws in
            for _ in 0..<4 {
                try writeFile(bench.path, Bytes(repeating: 0xAA, count: 5000))
                let store = try bench.open()
                await store.close()
                bench.time.advance(by: .seconds(1))
            }
            #expect(try DatabaseFiles(directory: bench.directory, name: "cache").aside.count == 2)
        }
    }

    @Test func aSecondDaemonIsRefusedClearly() async throws {
        try await withBench { (bench) async throws in
            let store = try bench.open()
            let error = #expect(throws: StoreError.self) { try bench.open() }
            #expect(error?.code == SQLITE_BUSY)
            #expect(error?.message == "another larder is using this directory")
            await store.close()
            let again = try bench.open()
            await again.close()
        }
    }

    @Test func whatABrokenWriteLeftIsSweptAtStart() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            let kept = bench.entry("kept", size: 200_000)
            #expect(await first.write(kept) == .stored)
            await first.close()
            // A crash before the commit of a large body leaves such a file.
            let half = bench.entry("half", size: 10_000_000)
            try await withWriter(bench) { (writer, _) async throws in
                let body = try #require(writer.database?.bodies)
                _ = try body.write(2, Bytes(half.body[..<9_000_000]))
            }
            #expect(bench.bodyFiles().count == 2)
            let second = try bench.open()
            #expect(try await second.read(half.key) == nil)
            await second.maintain()
            #expect(bench.bodyFiles().count == 1)
            #expect(try await second.statistics().liveBytes < 1 << 20)
            #expect(try await sameEntry(second.read(kept.key), kept))
            await second.close()
        }
    }

    @Test func whatWasAcknowledgedIsInTheFilesWhenTheProcessDies() async throws {
        // The files as a killed process leaves them: copied while the store has them open and has not closed anything.
        try await withBench { (bench) async throws in
            let store = try bench.open()
            var written: [StoredResponse] = []
            for round in 0..<6 {
                for number in 0..<20 {
                    let entry = bench.entry("\(number)", size: number * number * 1500, seed: UInt8(round))
                    #expect(await store.write(entry) == .stored)
                    written.removeAll { $0.key == entry.key }
                    written.append(entry)
                }
                try await withBench { (copy) async throws in
                    try bench.copyAsKilled(to: copy)
                    let after = try copy.open()
                    for entry in written { #expect(try await sameEntry(after.read(entry.key), entry)) }
                    #expect(try await after.statistics().entries == 20)
                    #expect(copy.count(StoreCounters.setAside, "cache") == 0)
                    await after.close()
                }
            }
            await store.close()
        }
    }

    @Test func networkMountsAreKnownByTheLongestMountPoint() {
        let table = """
            22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda rw
            40 22 0:40 / /home rw,relatime shared:2 - nfs4 server:/home rw
            41 40 254:2 / /home/local\\040disk rw - ext4 /dev/vdb rw
            """
        #expect(MountTable.networkType(of: "/home/me/.cache", in: table) == "nfs4")
        #expect(MountTable.networkType(of: "/home/local disk/x", in: table) == nil)
        #expect(MountTable.networkType(of: "/var/cache/larder", in: table) == nil)
        #expect(MountTable.networkType(of: "/homework", in: table) == nil)
        #expect(!MountTable.read().isEmpty)
    }
}
