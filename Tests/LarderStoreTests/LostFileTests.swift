// Files that are removed while they are open. An entry that was reported as removed does not come back after a kill.
import CSQLite
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

/// How a file loses its name.
enum Vanishing: CaseIterable, Sendable {
    case removed, exchanged

    func happen(to path: String) throws {
        if self == .removed {
            #expect(unlink(path) == 0)
        } else {
            // This is how a restored copy replaces a file.
            try writeFile(path + ".other", try readFile(path))
            #expect(rename(path + ".other", path) == 0)
        }
    }
}

@Suite struct LostFileTests {
    private func remove(_ entry: StoredResponse, _ store: SQLiteStore) async -> RemovalOutcome {
        await store.remove(.digest(entry.key.digest), soft: false, provider: "itunes")
    }

    private func expectKept(_ outcome: RemovalOutcome) {
        if case .pending(_, isKept: true) = outcome {} else { Issue.record("\(outcome)") }
    }

    // MARK: While the store is open

    /// Which file is lost.
    enum Lost: String, CaseIterable, Sendable {
        case database = ""
        case log = "-wal"
    }

    @Test(arguments: Lost.allCases, Vanishing.allCases)
    func whatIsRemovedAfterAFileLostItsNameStaysRemovedAfterAKill(_ file: Lost, _ how: Vanishing) async throws {
        try await withStore { (store, bench) async throws in
            let old = bench.entry("a")
            #expect(await store.write(old) == .stored)
            await store.maintain()
            try how.happen(to: bench.path + file.rawValue)
            let outcome = await remove(old, store)
            guard case .done = outcome else {
                Issue.record("\(outcome)")
                return
            }
            // Before a look-up: a reader that connects has the writer look at the files.
            try await bench.afterAKill { (second, copy) async throws in
                #expect(try await second.read(old.key) == nil)
                #expect(copy.count(StoreCounters.setAside, "cache") == (file == .log ? 1 : 0))
                #expect(await second.write(old) == .stored)
            }
            #expect(try await store.read(old.key) == nil)
        }
    }

    /// A writer whose database holds an entry, and a file of which is lost.
    private func withLost(
        _ file: Lost, _ how: Vanishing,
        _ body: (StoreWriter, StoreShared, Bench, StoredResponse) async throws -> Void
    ) async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, shared) async throws in
                shared.files.noteOpened()
                let entry = bench.entry("a")
                let rows = try #require(writer.database?.rows)
                try writer.database?.connection.transaction { () throws(StoreError) in
                    try rows.write(entry, now: bench.time.wall())
                }
                #expect(writer.checkPlace())
                try how.happen(to: bench.path + file.rawValue)
                try await body(writer, shared, bench, entry)
                #expect(try writer.database?.rows.has(entry.key.digest) == false)
                let isNothingLeft = file == .database && how == .removed
                #expect(bench.count(StoreCounters.setAside, "cache") == (isNothingLeft ? 0 : 1))
                #expect(bench.log.messages.contains("store.degraded"))
                #expect(shared.degraded.withLock { $0 } == nil)
                #expect(writer.checkPlace())
            }
        }
    }

    @Test(arguments: Lost.allCases, Vanishing.allCases)
    func aLostFileIsNoticedAfterAMinute(_ file: Lost, _ how: Vanishing) async throws {
        try await withLost(file, how) { (writer, _, bench, _) async throws in
            let connection = writer.database?.connection
            bench.time.advance(by: .seconds(59))
            writer.work(isIdle: true, afterJobs: false)
            #expect(writer.database?.connection === connection)
            bench.time.advance(by: .seconds(1))
            writer.work(isIdle: true, afterJobs: false)
            #expect(writer.database?.connection !== connection)
        }
    }

    @Test(arguments: Lost.allCases, Vanishing.allCases)
    func aLostFileIsNoticedAtAFailedWrite(_ file: Lost, _ how: Vanishing) async throws {
        try await withLost(file, how) { (writer, _, _, _) async throws in
            let outcome = writer.failed(
                StoreError(code: SQLITE_FULL, extendedCode: SQLITE_FULL, doing: "writing", message: "made to fail"))
            #expect(outcome == .refused(.failed))
            #expect(writer.upkeep.pause == nil, "the new files may be in order")
        }
    }

    @Test(arguments: Lost.allCases, Vanishing.allCases)
    func aDamagedDatabaseThatLostAFileIsSetAsideOnce(_ file: Lost, _ how: Vanishing) async throws {
        try await withLost(file, how) { (writer, _, _, _) async throws in
            writer.recover(
                from: StoreError(
                    code: SQLITE_CORRUPT, extendedCode: SQLITE_CORRUPT, doing: "reading", message: "made to fail"))
        }
    }

    @Test(arguments: Lost.allCases, Vanishing.allCases)
    func askingForTheStateOfTheStoreFindsALostFile(_ file: Lost, _ how: Vanishing) async throws {
        try await withStore { (store, bench) async throws in
            let old = bench.entry("a")
            #expect(await store.write(old) == .stored)
            await store.maintain()
            try how.happen(to: bench.path + file.rawValue)
            _ = try await store.statistics()
            let new = bench.entry("b")
            #expect(await store.write(new) == .stored)
            #expect(store.shared.files.isInPlace)
            #expect(try await store.read(old.key) == nil)
            #expect(try await sameEntry(store.read(new.key), new))
        }
    }

    @Test(arguments: Lost.allCases, Vanishing.allCases)
    func closingThoughAFileWasLostLeavesNothingThatIsUsed(_ file: Lost, _ how: Vanishing) async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            let entry = bench.entry("a")
            #expect(await first.write(entry) == .stored)
            try how.happen(to: bench.path + file.rawValue)
            await first.close()
            let second = try bench.open()
            #expect(try await second.read(entry.key) == nil)
            #expect(await second.write(entry) == .stored)
            await second.close()
            let third = try bench.open()
            #expect(try await sameEntry(third.read(entry.key), entry), "once is enough")
            await third.close()
        }
    }

    // MARK: The log

    @Test func whatWasRemovedBeforeTheLogLostItsNameStaysRemovedAfterAKill() async throws {
        try await withStore { (store, bench) async throws in
            let old = bench.entry("a")
            #expect(await store.write(old) == .stored)
            await store.maintain()
            guard case .done = await remove(old, store) else { throw CancellationError() }
            // A commit holds the writer. It cannot check its files and write the log back before the kill.
            let faults = store.shared.faults
            faults.hold(true)
            async let held = store.write(bench.entry("b"))
            defer { faults.hold(false) }
            while !faults.isHolding { await Task.yield() }
            #expect(unlink(bench.path + "-wal") == 0)
            try await bench.afterAKill { (second, copy) async throws in
                #expect(try await second.read(old.key) == nil)
                #expect(copy.log.messages.contains("store.setAside"))
                #expect(copy.count(StoreCounters.setAside, "cache") == 1)
            }
            faults.hold(false)
            _ = await held
        }
    }

    @Test func aReaderThatComesAfterTheLogLostItsNameMakesNone() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, shared) async throws in
                shared.files.noteOpened()
                #expect(unlink(bench.path + "-wal") == 0)
                let isConnected = try StoreReader(shared).connect()
                #expect(!isConnected)
                #expect(access(bench.path + "-wal", F_OK) != 0)
                #expect(try !StoreReader(shared).connect())
                #expect(shared.writes.count == 1, "one look is enough")
                #expect(!writer.checkPlace())
                #expect(access(bench.path + "-wal", F_OK) == 0)
            }
        }
    }

    @Test func aLogThatAnotherProgramKeepsAfterTheEndMayGo() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, shared) async throws in
                shared.files.noteOpened()
                let connection = try #require(writer.database?.connection)
                try connection.execute("PRAGMA busy_timeout = 0; INSERT INTO unindexed VALUES (7)")
                let reader = try DatabaseConnection(path: bench.path)
                defer { reader.close(keepsLog: true) }
                try reader.execute("BEGIN; SELECT * FROM unindexed")
                writer.closeDatabase(writesBack: true)
                #expect(access(bench.path + "-wal", F_OK) == 0)
                #expect(unlink(bench.path + "-wal") == 0)
                #expect(!shared.files.hasLostLog)
            }
        }
    }

    @Test func aLogThatGoesWhileTheDatabaseWaitsToBeOpenedCostsTheDatabase() async throws {
        try await withStore { (store, bench) async throws in
            let old = bench.entry("a")
            #expect(await store.write(old) == .stored)
            await store.maintain()
            guard case .done = await remove(old, store) else {
                Issue.record("not done")
                return
            }
            try await withBench { (copy) async throws in
                try bench.copyAsKilled(to: copy)
                let shared = StoreShared(
                    files: try DatabaseFiles(directory: copy.directory, name: "cache"),
                    settings: StoreSettings(minFree: 0), counters: copy.counters,
                    log: Logger(label: "test", sink: copy.log, time: copy.time), time: copy.time)
                let writer = StoreWriter(shared, nil)
                writer.beginWithoutDatabase(
                    StoreError(code: SQLITE_FULL, extendedCode: SQLITE_FULL, doing: "opening", message: "made to fail"))
                #expect(unlink(copy.path + "-wal") == 0)
                writer.reopen()
                #expect(copy.count(StoreCounters.setAside, "cache") == 1)
                #expect(try writer.database?.rows.has(old.key.digest) == false)
                writer.database?.connection.close()
                shared.files.unlock()
            }
        }
    }

    @Test func aReaderThatConnectsLeavesTheLocksOfTheOthers() async throws {
        try await withStore { (store, bench) async throws in
            let entry = bench.entry("a")
            #expect(await store.write(entry) == .stored)
            #expect(try await sameEntry(store.read(entry.key), entry))
            let descriptor = open(bench.path, O_RDWR | O_CLOEXEC)
            defer { close(descriptor) }
            // The bytes of SQLite's shared lock, queried as another process would. Without this lock another program
            // would open the database with an index of its own, and change pages that are in use here.
            var look = flock()
            look.l_type = Int16(F_WRLCK)
            look.l_whence = Int16(SEEK_SET)
            look.l_start = 0x4000_0002
            look.l_len = 510
            // 36 is F_OFD_GETLK, which Glibc does not import.
            let isAsked = withUnsafeMutablePointer(to: &look) { fcntl(descriptor, 36, $0) } == 0
            #expect(isAsked)
            #expect(look.l_type == Int16(F_WRLCK))
        }
    }

    @Test func aLargeBodyThatIsCompletedInARemovedDirectoryLeavesTheNewDatabaseAlone() async throws {
        try await withStore { (store, bench) async throws in
            let entry = bench.entry("large", size: 400_000)
            let writer = try await store.begin(expecting: nil).get()
            #expect(await writer.append(entry.body) == .stored)
            removeAll(bench.directory)
            _ = try await store.statistics()
            var head = entry
            head.body = []
            #expect(await writer.complete(head, supersedes: .entry, when: nil) == .refused(.failed))
            let small = bench.entry("small")
            #expect(await store.write(small) == .stored)
            #expect(try await sameEntry(store.read(small.key), small))
        }
    }

    // MARK: The mark

    @Test(arguments: Vanishing.allCases)
    func whatIsRemovedAroundTheLossOfTheMarkStaysRemovedAfterAKill(_ how: Vanishing) async throws {
        try await withStore { (store, bench) async throws in
            let (before, after) = (bench.entry("before"), bench.entry("after"))
            for entry in [before, after] { #expect(await store.write(entry) == .stored) }
            store.shared.faults.fail(with: SQLITE_FULL)
            expectKept(await remove(before, store))
            try how.happen(to: bench.mark)
            expectKept(await remove(after, store))
            try await bench.afterAKill { (second, copy) async throws in
                #expect(try await second.read(before.key) == nil)
                #expect(try await second.read(after.key) == nil)
                #expect(copy.count(StoreCounters.setAside, "cache") == 1)
            }
            store.shared.faults.fail(with: nil)
        }
    }
}
