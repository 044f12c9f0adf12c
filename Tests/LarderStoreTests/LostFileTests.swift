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

    // MARK: The log

    @Test(arguments: Vanishing.allCases)
    func whatIsRemovedAfterTheLogLostItsNameStaysRemovedAfterAKill(_ how: Vanishing) async throws {
        try await withStore { (store, bench) async throws in
            let old = bench.entry("a")
            let kept = bench.entry("kept")
            for entry in [old, kept] { #expect(await store.write(entry) == .stored) }
            await store.maintain()
            try how.happen(to: bench.path + "-wal")
            let outcome = await remove(old, store)
            guard case .done = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(bench.log.messages.contains("store.degraded"))
            try await bench.afterAKill { (second, copy) async throws in
                #expect(try await second.read(old.key) == nil)
                #expect(try await sameEntry(second.read(kept.key), kept))
                #expect(copy.count(StoreCounters.setAside, "cache") == 0)
            }
            #expect(try await store.read(old.key) == nil)
            #expect(try await sameEntry(store.read(kept.key), kept))
            #expect(await store.write(old) == .stored)
            #expect(try await store.statistics().degraded == nil)
        }
    }

    @Test func aPurgeOfManyAfterTheLogLostItsNameStaysAfterAKill() async throws {
        try await withStore { (store, bench) async throws in
            let old = bench.entry("a")
            let kept = bench.entry("kept", provider: "api")
            for entry in [old, kept] { #expect(await store.write(entry) == .stored) }
            await store.maintain()
            #expect(unlink(bench.path + "-wal") == 0)
            guard case .done = await store.remove(.provider("itunes"), soft: false, provider: nil) else {
                Issue.record("not done")
                return
            }
            try await bench.afterAKill { (second, _) async throws in
                #expect(try await second.read(old.key) == nil)
                #expect(try await sameEntry(second.read(kept.key), kept))
            }
        }
    }

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

    @Test func closingWritesALogWithoutANameBack() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            let entry = bench.entry("a")
            #expect(await first.write(entry) == .stored)
            #expect(unlink(bench.path + "-wal") == 0)
            await first.close()
            let second = try bench.open()
            #expect(try await sameEntry(second.read(entry.key), entry))
            #expect(bench.count(StoreCounters.setAside, "cache") == 0)
            await second.close()
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

    @Test func whileTheLogCannotBeWrittenBackAKillCostsTheDatabase() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, shared) async throws in
                shared.files.noteOpened()
                let connection = try #require(writer.database?.connection)
                try connection.execute("PRAGMA busy_timeout = 0")
                // A reader keeps an older snapshot open.
                let reader = try DatabaseConnection(path: bench.path)
                defer { reader.close(keepsLog: true) }
                try reader.execute("BEGIN; SELECT * FROM entry")
                try connection.execute("INSERT INTO unindexed VALUES (7)")
                try Vanishing.exchanged.happen(to: bench.path + "-wal")
                #expect(!writer.checkPlace())
                #expect(writer.database?.connection === connection, "it is tried again")
                #expect(shared.degraded.withLock { $0 } != nil)
                try await bench.afterAKill { (_, copy) async throws in
                    #expect(copy.count(StoreCounters.setAside, "cache") == 1)
                }
                try reader.execute("ROLLBACK")
                bench.time.advance(by: StoreWriter.pauseOfSaving)
                #expect(!writer.checkPlace())
                #expect(writer.checkPlace())
                #expect(try writer.database?.connection.number("SELECT max(id) FROM unindexed") == 7)
                #expect(shared.degraded.withLock { $0 } == nil)
            }
        }
    }

    @Test func whileTheLogCannotBeWrittenBackNothingIsCommitted() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, shared) async throws in
                shared.files.noteOpened()
                let connection = try #require(writer.database?.connection)
                let reader = try DatabaseConnection(path: bench.path)
                defer { reader.close(keepsLog: true) }
                try reader.execute("BEGIN; SELECT * FROM entry")
                try connection.execute("INSERT INTO unindexed VALUES (7)")
                #expect(unlink(bench.path + "-wal") == 0)
                #expect(!writer.checkPlace())
                let changes = connection.allChanges
                func write(_ entry: StoredResponse) async -> WriteOutcome {
                    let wrote = Task { await SQLiteStore.write(WriteOrder(entry: entry), to: shared) }
                    while shared.writes.count < 1 { await Task.yield() }
                    var seen = 0
                    while shared.writes.count > 0 {
                        if case .jobs(let jobs) = shared.writes.take(upTo: 9, seen: &seen) { writer.perform(jobs) }
                    }
                    return await wrote.value
                }
                for size in [100, 3_000_000] {
                    #expect(await write(bench.entry("a", size: size)) == .refused(.failed))
                }
                #expect(connection.allChanges == changes)
                try reader.execute("ROLLBACK")
                bench.time.advance(by: StoreWriter.pauseOfSaving)
                #expect(await write(bench.entry("a")) == .stored)
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
                shared.recall(JournalFile(directory: copy.directory, faults: shared.faults).open())
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

    @Test func aDatabaseWhoseLogWasWrittenBackMissesNone() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, shared) async throws in
                shared.files.noteOpened()
                try writer.database?.connection.execute("INSERT INTO unindexed VALUES (7)")
                #expect(unlink(bench.path + "-wal") == 0)
                // The database is not opened again.
                shared.ending.begin(at: bench.time.monotonic())
                #expect(!writer.checkPlace())
                #expect(writer.database == nil && !shared.files.hasLostLog)
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
            // The writer checks its directory once a second, and has just done so.
            await store.maintain()
            removeAll(bench.directory)
            var head = entry
            head.body = []
            #expect(await writer.complete(head, with: nil, when: nil) == .refused(.failed))
            let small = bench.entry("small")
            #expect(await store.write(small) == .stored)
            #expect(try await sameEntry(store.read(small.key), small))
        }
    }

    // MARK: The journal

    /// What may happen to the journal while it is open.
    enum Loss: CaseIterable, Sendable {
        case removed, exchanged, cut

        func happen(to path: String) throws {
            switch self {
            case .removed: try Vanishing.removed.happen(to: path)
            case .exchanged:
                try writeFile(path + ".other", Bytes(repeating: 0, count: JournalFile.capacity))
                #expect(rename(path + ".other", path) == 0)
            case .cut: #expect(truncate(path, 0) == 0)
            }
        }
    }

    @Test(arguments: Loss.allCases)
    func whatIsRemovedAroundTheLossOfTheJournalStaysRemovedAfterAKill(_ loss: Loss) async throws {
        try await withStore { (store, bench) async throws in
            let (before, after, kept) = (bench.entry("before"), bench.entry("after"), bench.entry("kept"))
            for entry in [before, after, kept] { #expect(await store.write(entry) == .stored) }
            store.shared.faults.fail(with: SQLITE_FULL)
            expectKept(await remove(before, store))
            try loss.happen(to: bench.journal)
            expectKept(await remove(after, store))
            #expect(bench.log.messages.contains("store.removals.renewed"))
            try await bench.afterAKill { (second, copy) async throws in
                #expect(try await second.read(before.key) == nil)
                #expect(try await second.read(after.key) == nil)
                #expect(try await sameEntry(second.read(kept.key), kept))
                #expect(copy.count(StoreCounters.setAside, "cache") == 0)
            }
            store.shared.faults.fail(with: nil)
        }
    }

    @Test func whatIsRemovedOnceMoreIsInTheNewJournal() async throws {
        try await withStore { (store, bench) async throws in
            let old = bench.entry("a")
            let kept = bench.entry("kept")
            for entry in [old, kept] { #expect(await store.write(entry) == .stored) }
            store.shared.faults.fail(with: SQLITE_FULL)
            expectKept(await remove(old, store))
            #expect(unlink(bench.journal) == 0)
            expectKept(await remove(old, store))
            try await bench.afterAKill { (second, _) async throws in
                #expect(try await second.read(old.key) == nil)
                #expect(try await sameEntry(second.read(kept.key), kept))
            }
            store.shared.faults.fail(with: nil)
        }
    }

    @Test func theLookAtThePlaceMakesTheJournalAnew() async throws {
        try await withStore { (store, bench) async throws in
            #expect(await store.write(bench.entry("a")) == .stored)
            #expect(unlink(bench.journal) == 0)
            try await bench.eventually("it is there again", in: store) { access(bench.journal, F_OK) == 0 }
            #expect(try readFile(bench.journal).count == JournalFile.capacity)
        }
    }

    @Test(arguments: [false, true])
    func whatWasWrittenIntoTheNewJournalIsClearedWhenItIsCommitted(_ isAnotherDirectory: Bool) async throws {
        try await withBench { (bench) async throws in
            let file = JournalFile(directory: bench.directory, faults: StoreFaults())
            _ = file.open()
            #expect(unlink(bench.journal) == 0)
            let waiting = Tombstone(
                number: 1, selector: .all, isSoft: false, provider: nil, at: bench.time.wall())
            let journal = RemovalJournal()
            journal.clear(upTo: 0)
            if isAnotherDirectory { journal.renew() } else { journal.check() }
            journal.run(
                file,
                RemovalJournal.Owner(
                    pending: {
                        // The removal is committed while the file is being made.
                        journal.clear(upTo: 1)
                        journal.end()
                        return [waiting]
                    }, kept: { _ in }, renewed: {}))
            #expect(JournalFile(directory: bench.directory, faults: StoreFaults()).open().isEmpty)
        }
    }

    @Test func aJournalThatCannotBeMadeAnewIsNoLossWhereNothingWaits() async throws {
        try await withBench { (bench) async throws in
            let isOurs = Lock(true)
            let file = JournalFile(directory: bench.directory, notes: bench.directory, faults: StoreFaults()) {
                isOurs.withLock { $0 }
            }
            _ = file.open()
            #expect(unlink(bench.journal) == 0)
            isOurs.withLock { $0 = false }
            #expect(file.renew([]))
            #expect(file.renewals == 0)
            #expect(access(bench.directory + "/cache.invalid", F_OK) != 0)
            isOurs.withLock { $0 = true }
            #expect(file.renew([]))
            #expect(file.renewals == 1 && file.isInPlace)
        }
    }

    @Test func aJournalThatCannotBeMadeAnewIsTriedLessAndLessOften() {
        var rest = JournalRest()
        var tries: [Int] = []
        for look in 0..<200 where rest.isDue() {
            tries.append(look)
            rest.tried(isMade: false)
        }
        #expect(tries == [0, 2, 5, 10, 19, 36, 69, 134, 199])
        rest.tried(isMade: true)
        let isDue = rest.isDue()
        #expect(isDue)
    }

    @Test(arguments: [Loss.removed, .cut])
    func aJournalThatIsLostBeforeTheStartCostsTheDatabase(_ loss: Loss) async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            let old = bench.entry("a")
            #expect(await first.write(old) == .stored)
            first.shared.faults.fail(with: SQLITE_FULL)
            expectKept(await remove(old, first))
            await first.close()
            try loss.happen(to: bench.journal)
            let second = try bench.open()
            #expect(try await second.read(old.key) == nil)
            #expect(bench.log.messages.contains("store.setAside"))
            #expect(bench.count(StoreCounters.setAside, "cache") == 1)
            #expect(await second.write(old) == .stored)
            await second.close()
            let third = try bench.open()
            #expect(try await sameEntry(third.read(old.key), old), "once is enough")
            await third.close()
        }
    }

    @Test func aLossThatWasFoundIsNotForgottenWhereTheStartIsCutShort() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            let old = bench.entry("a")
            #expect(await first.write(old) == .stored)
            await first.close()
            #expect(unlink(bench.journal) == 0)
            // Simulates a start that got no further than the journal.
            #expect(JournalFile(directory: bench.directory, faults: StoreFaults()).open().isLost)
            let second = try bench.open()
            #expect(try await second.read(old.key) == nil)
            await second.close()
        }
    }
}
