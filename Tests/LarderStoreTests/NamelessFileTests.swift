// What the writer does about files that lost their names, in idle time and when everything is removed; databases that
// cannot be set aside; and what is left when the store closes.
import CSQLite
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct NamelessFileTests {
    private func ask(
        _ selector: PurgeSelector, isSoft: Bool = false, _ shared: StoreShared, _ bench: Bench
    ) -> RemovalTicket {
        let ticket = RemovalTicket()
        shared.removals.change { removals in
            let made = removals.add(selector, isSoft: isSoft, provider: nil, at: bench.time.wall(), ticket)
            removals.markDue(made.number)
        }
        return ticket
    }

    // MARK: In idle time

    @Test func theWriterLooksAtItsFilesEachMinuteThoughNobodyAsks() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, _) async throws in
                // Nothing else is left to do.
                writer.maintainNow()
                #expect(writer.sleepTime() == .seconds(60))
                bench.time.advance(by: .seconds(60))
                #expect(writer.sleepTime() == .zero)
            }
        }
    }

    // MARK: Databases discarded whole

    @Test func everythingIsPurgedThoughTheLogLostItsName() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, shared) async throws in
                shared.files.noteOpened()
                let entry = bench.entry("a")
                let rows = try #require(writer.database?.rows)
                try writer.database?.connection.transaction { () throws(StoreError) in
                    try rows.write(entry, now: bench.time.wall())
                }
                #expect(unlink(bench.path + "-wal") == 0)
                let ticket = ask(.all, shared, bench)
                shared.faults.fail(with: SQLITE_FULL)
                writer.performRemovals()
                writer.stepPurges()
                #expect(!ticket.isDone && shared.removals.count == 1)
                #expect(try writer.database?.rows.has(entry.key.digest) == false)
                shared.faults.fail(with: nil)
                bench.time.advance(by: RemovalUpkeep.longestRest)
                writer.retryRemovals(isIdle: true)
                writer.stepPurges()
                #expect(shared.removals.count == 0)
            }
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
                let rows = try #require(writer.database?.rows)
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

    // MARK: Closing

    /// Does the flusher's work without its thread.
    private func flush(_ shared: StoreShared) {
        shared.flusher.end()
        shared.flusher.run(shared.files, shared.faults) { Issue.record("it may not survive a kill") }
    }

    /// The disk has no room for a commit, so all files must be removed; and a reader is held that has them open.
    @Test(.timeLimit(.minutes(10))) func whatCannotBeRemovedAtTheEndIsMarkedThoughAReaderIsHeld() async throws {
        try await withBench { (bench) async throws in
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
                flush(shared)
                #expect(try bench.isPending())
                shared.faults.fail(with: nil)
            }
        }
    }

    @Test func whatTheEndRemovesIsNotMarked() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, shared) async throws in
                shared.files.noteOpened()
                let ticket = ask(.digest(bench.entry("a").key.digest), shared, bench)
                shared.ending.begin(at: bench.time.monotonic())
                writer.endRemovals()
                #expect(ticket.isDone)
                flush(shared)
                #expect(try !bench.isPending())
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

    // MARK: The mark

    @Test func aMarkThatIsMissingWhenTheStoreClosesCostsNothing() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            let entry = bench.entry("a")
            #expect(await first.write(entry) == .stored)
            #expect(unlink(bench.mark) == 0)
            await first.close()
            let second = try bench.open()
            #expect(try await sameEntry(second.read(entry.key), entry))
            #expect(bench.count(StoreCounters.setAside, "cache") == 0)
            await second.close()
        }
    }
}
