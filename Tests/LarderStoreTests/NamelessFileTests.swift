// What the writer does about files that lost their names: in idle time, when the database cannot be kept, and when the
// store closes.
import CSQLite
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct NamelessFileTests {
    /// A writer whose log lost its name and cannot be written back, because a reader holds an older snapshot. The
    /// database holds an entry.
    private func withUnwrittenLog(
        _ body: (StoreWriter, StoreShared, Bench, StoredResponse) async throws -> Void
    ) async throws {
        try await withBench { (bench) async throws in
            _ = JournalFile(directory: bench.directory, faults: StoreFaults()).open()
            try await withWriter(bench) { (writer, shared) async throws in
                shared.files.noteOpened()
                let connection = try #require(writer.database?.connection)
                try connection.execute("PRAGMA busy_timeout = 0")
                let reader = try DatabaseConnection(path: bench.path)
                defer { reader.close(keepsLog: true) }
                try reader.execute("BEGIN; SELECT * FROM entry")
                let entry = bench.entry("a")
                var rows = try #require(writer.database?.rows)
                try connection.transaction { () throws(StoreError) in try rows.write(entry, now: bench.time.wall()) }
                #expect(unlink(bench.path + "-wal") == 0)
                #expect(!writer.checkPlace())
                #expect(writer.removing.saveLogAt != nil)
                try await body(writer, shared, bench, entry)
            }
        }
    }

    private func ask(
        _ selector: PurgeSelector, isSoft: Bool = false, _ shared: StoreShared, _ bench: Bench
    ) -> RemovalTicket {
        let ticket = RemovalTicket()
        let made = shared.removals.add(selector, isSoft: isSoft, provider: nil, at: bench.time.wall(), ticket)
        shared.removals.markDue(made.number)
        return ticket
    }

    // MARK: In idle time

    @Test func theWriterLooksAtItsFilesEachSecondThoughNobodyAsks() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, _) async throws in
                // Nothing else is left to do.
                writer.maintainNow()
                #expect(writer.sleepTime() == .seconds(1))
                bench.time.advance(by: .seconds(1))
                #expect(writer.isPlaceDue(bench.time.monotonic()))
            }
        }
    }

    @Test func theWriterWakesToWriteTheLogBackThoughStoringPauses() async throws {
        try await withUnwrittenLog { (writer, _, bench, _) async throws in
            _ = writer.failed(
                StoreError(code: SQLITE_FULL, extendedCode: SQLITE_FULL, doing: "writing", message: "made to fail"))
            writer.upkeep.watchAt = bench.time.monotonic() + .seconds(60)
            #expect(writer.sleepTime() == StoreWriter.pauseOfSaving)
            bench.time.advance(by: StoreWriter.pauseOfSaving)
            #expect(writer.isPlaceDue(bench.time.monotonic()))
        }
    }

    /// - Parameter isSoft: Whether the purge is soft. The entries that it expires are not stored anew.
    @Test(arguments: [false, true])
    func aPurgeOfSomeRestsWhileTheLogCannotBeWrittenBack(_ isSoft: Bool) async throws {
        try await withUnwrittenLog { (writer, shared, bench, _) async throws in
            writer.upkeep.watchAt = bench.time.monotonic() + .seconds(60)
            _ = ask(.provider("itunes"), isSoft: isSoft, shared, bench)
            writer.performRemovals()
            writer.stepPurges()
            let changes = writer.database?.connection.allChanges
            let rest = writer.removing.rest
            for _ in 0..<3 {
                #expect(writer.sleepTime().map { $0 > .zero } == true)
                writer.stepPurges()
                writer.retryRemovals(isIdle: true)
            }
            #expect(writer.database?.connection.allChanges == changes)
            #expect(writer.removing.rest == rest && rest < RemovalUpkeep.longestRest)
            #expect(shared.removals.count == 1)
        }
    }

    @Test func upkeepCutsNoLogThatCannotBeWrittenBack() async throws {
        try await withUnwrittenLog { (writer, _, bench, _) async throws in
            let connection = try #require(writer.database?.connection)
            let changes = connection.allChanges
            let before = bench.time.monotonic()
            bench.time.advance(by: .milliseconds(500))
            writer.upkeep.lastWrite = before + .seconds(-60)
            writer.upkeep.mayVacuum = false
            writer.work(isIdle: true, afterJobs: false)
            writer.maintainNow()
            // A checkpoint that was tried and failed would set `lastWrite`, which postpones the next one.
            #expect(writer.upkeep.lastWrite < before)
            #expect(connection.allChanges == changes)
        }
    }

    // MARK: Databases discarded whole

    @Test func aDamagedDatabaseIsSetAsideThoughItsLogCannotBeWrittenBack() async throws {
        try await withUnwrittenLog { (writer, shared, bench, entry) async throws in
            writer.recover(
                from: StoreError(
                    code: SQLITE_CORRUPT, extendedCode: SQLITE_CORRUPT, doing: "reading", message: "made to fail"))
            #expect(bench.count(StoreCounters.setAside, "cache") == 1)
            #expect(try writer.database?.rows.has(entry.key.digest) == false)
            #expect(writer.checkPlace())
            #expect(shared.degraded.withLock { $0 } == nil)
        }
    }

    @Test(arguments: [false, true])
    func everythingIsPurgedThoughTheLogCannotBeWrittenBack(_ isKeyRemovedToo: Bool) async throws {
        try await withUnwrittenLog { (writer, shared, bench, entry) async throws in
            let key = isKeyRemovedToo ? ask(.digest(bench.entry("b").key.digest), shared, bench) : nil
            let ticket = ask(.all, shared, bench)
            writer.performRemovals()
            writer.stepPurges()
            #expect(ticket.isDone && ticket.count == 1)
            #expect(try writer.database?.rows.has(entry.key.digest) == false)
            #expect(bench.log.messages.contains("store.discarded"))
            #expect(writer.checkPlace())
            writer.performRemovals()
            #expect(key?.isDone != false)
            try await bench.afterAKill { (second, copy) async throws in
                #expect(try await second.read(entry.key) == nil)
                #expect(copy.count(StoreCounters.setAside, "cache") == 0)
            }
        }
    }

    @Test func everythingStaysRemovedWhereTheFilesStay() async throws {
        try await withUnwrittenLog { (writer, shared, bench, entry) async throws in
            let ticket = ask(.all, shared, bench)
            shared.files.refusedRemoval.withLock { $0 = EACCES }
            writer.performRemovals()
            writer.stepPurges()
            #expect(!ticket.isDone && shared.removals.count == 1)
            // The database has lost its log by then.
            #expect(try writer.database?.rows.has(entry.key.digest) == false)
            shared.files.refusedRemoval.withLock { $0 = nil }
            bench.time.advance(by: RemovalUpkeep.longestRest)
            writer.retryRemovals(isIdle: true)
            writer.stepPurges()
            #expect(shared.removals.count == 0)
        }
    }

    @Test func everythingIsPurgedFromAFullDiskThoughAKeyWaitsToo() async throws {
        try await withStore { (store, bench) async throws in
            let entries = [bench.entry("a"), bench.entry("b")]
            for entry in entries { #expect(await store.write(entry) == .stored) }
            store.shared.faults.fail(with: SQLITE_FULL)
            for selector in [PurgeSelector.digest(entries[0].key.digest), .all] {
                _ = await store.remove(selector, soft: false, provider: nil)
            }
            try await bench.eventually("the files are gone", in: store) {
                bench.log.messages.contains("store.discarded")
            }
            store.shared.faults.fail(with: nil)
        }
    }

    /// The waits between attempts to remove everything, when the disk takes no commit and the directory lets no file be
    /// removed.
    @Test func aPurgeOfEverythingWhoseFilesStayIsTriedLessOftenAndToldOnce() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, shared) async throws in
                shared.files.noteOpened()
                var rows = try #require(writer.database?.rows)
                try writer.database?.connection.transaction { () throws(StoreError) in
                    try rows.write(bench.entry("a"), now: bench.time.wall())
                }
                shared.faults.fail(with: SQLITE_FULL)
                shared.files.refusedRemoval.withLock { $0 = EACCES }
                _ = ask(.all, shared, bench)
                var rests: [Duration] = []
                for _ in 0..<5 {
                    writer.retryRemovals(isIdle: false)
                    writer.stepPurges()
                    let rest = try #require(writer.removalWait())
                    rests.append(rest)
                    bench.time.advance(by: rest)
                }
                #expect(rests == [1, 2, 4, 5, 5].map { .seconds($0) })
                #expect(bench.log.messages.filter { $0 == "store.removals.pending" }.count == 1)
                shared.faults.fail(with: nil)
            }
        }
    }

    // MARK: Databases that cannot be set aside

    @Test func aDatabaseWithoutItsLogThatCannotBeSetAsideIsToldOnceAndCountedNever() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, shared) async throws in
                shared.files.noteOpened()
                try writer.database?.connection.execute("INSERT INTO unindexed VALUES (7)")
                #expect(unlink(bench.path + "-wal") == 0)
                writer.database?.connection.close(keepsLog: true)
                writer.database = nil
                shared.files.refusesChanges.withLock { $0 = true }
                for _ in 0..<3 { writer.reopen() }
                #expect(writer.database == nil)
                #expect(bench.log.messages == ["store.degraded"])
                #expect(bench.count(StoreCounters.setAside, "cache") <= 0)
                shared.files.refusesChanges.withLock { $0 = false }
                writer.reopen()
                #expect(writer.database != nil)
                #expect(bench.count(StoreCounters.setAside, "cache") == 1)
            }
        }
    }

    @Test func aDatabaseThatCannotBeSetAsideThoughRemovalsWereLostAnswersNothing() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (_, shared) async throws in
                shared.files.refusesChanges.withLock { $0 = true }
                shared.recall(JournalFile.Content(isLost: true))
                #expect(shared.removals.walks.map(\.isOfEverything) == [true])
                #expect(bench.count(StoreCounters.setAside, "cache") <= 0)
            }
        }
    }

    // MARK: Closing

    /// Does the journal's work without its thread.
    /// - Returns: The number of removals that the journal kept.
    private func keep(_ shared: StoreShared, _ file: JournalFile) -> Int {
        var kept = 0
        shared.journal.end()
        shared.journal.run(
            file,
            RemovalJournal.Owner(
                pending: { shared.removals.pending }, kept: { if $0 != nil { kept += 1 } }, renewed: {}))
        return kept
    }

    /// The disk has no room for a commit, so all files must be removed; and a reader is held that has them open.
    @Test(.timeLimit(.minutes(10))) func whatCannotBeRemovedAtTheEndIsInTheJournalThoughAReaderIsHeld() async throws {
        try await withBench { (bench) async throws in
            let file = JournalFile(directory: bench.directory, faults: StoreFaults())
            _ = file.open()
            try await withWriter(bench) { (writer, shared) async throws in
                shared.files.noteOpened()
                _ = shared.gate.enter()
                shared.faults.fail(with: SQLITE_FULL)
                let ticket = ask(.all, shared, bench)
                shared.ending.begin(at: bench.time.monotonic())
                // Hardly any time is left.
                bench.time.advance(by: StoreEnding.span + .milliseconds(-1))
                writer.endRemovals()
                #expect(!ticket.isDone)
                #expect(access(bench.path, F_OK) == 0, "it is still open")
                #expect(keep(shared, file) == 1)
                shared.faults.fail(with: nil)
            }
        }
    }

    @Test func removalsAreNotedBeforeTheEndTriesThemAndClearedWhereThatWorks() async throws {
        try await withBench { (bench) async throws in
            let file = JournalFile(directory: bench.directory, faults: StoreFaults())
            _ = file.open()
            try await withWriter(bench) { (writer, shared) async throws in
                shared.files.noteOpened()
                let ticket = ask(.digest(bench.entry("a").key.digest), shared, bench)
                shared.ending.begin(at: bench.time.monotonic())
                writer.endRemovals()
                #expect(ticket.isDone)
                #expect(keep(shared, file) == 1)
                #expect(JournalFile(directory: bench.directory, faults: StoreFaults()).open().isEmpty)
            }
        }
    }

    @Test func aDatabaseWhoseLogIsMissingIsNotOpened() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, shared) async throws in
                shared.files.noteOpened()
                try writer.database?.connection.execute("INSERT INTO unindexed VALUES (7)")
                #expect(unlink(bench.path + "-wal") == 0)
                writer.database?.connection.close(keepsLog: true)
                writer.database = nil
                #expect(throws: StoreError.self) {
                    try StoreWriter.openDatabase(shared.files).connection.close(keepsLog: true)
                }
            }
        }
    }

    // MARK: The journal

    @Test func aJournalThatIsMissingWhenTheStoreClosesCostsNothing() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            let entry = bench.entry("a")
            #expect(await first.write(entry) == .stored)
            #expect(unlink(bench.journal) == 0)
            await first.close()
            let second = try bench.open()
            #expect(try await sameEntry(second.read(entry.key), entry))
            #expect(bench.count(StoreCounters.setAside, "cache") == 0)
            await second.close()
        }
    }

    @Test func whatIsAskedWhileTheJournalIsClearedIsToBeClearedToo() {
        var use = JournalUse()
        use.ask()
        // The record is not in the file yet.
        use.clear(1)
        #expect(use.mayHoldRecords)
        use.clear(2)
        #expect(!use.mayHoldRecords)
    }
}
