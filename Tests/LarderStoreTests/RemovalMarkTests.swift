// A database that lost commits of removals is set aside at the next start, whatever took them; one that lost nothing of
// that kind stays.
import CSQLite
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct RemovalMarkTests {
    /// What happens to the files of a killed store.
    enum Damage: CaseIterable, Sendable {
        case flippedBit, flippedHeader, truncated, halved, zeroed, emptied, olderLog, olderLogAndDatabase, olderDatabase

        /// - Parameter older: a copy of the files from before the removal.
        func happen(to copy: Bench, older: Bench) throws {
            let log = copy.path + "-wal"
            let bytes = try readFile(log)
            switch self {
            case .flippedBit: try Bench.flip(log, at: bytes.count - 100)
            case .flippedHeader: try Bench.flip(log, at: 8)
            case .truncated: #expect(truncate(log, off_t(bytes.count - 1)) == 0)
            case .halved: #expect(truncate(log, off_t(bytes.count / 2)) == 0)
            case .zeroed: try writeFile(log, Bytes(repeating: 0, count: bytes.count))
            case .emptied: #expect(truncate(log, 0) == 0)
            case .olderLog:
                #expect(unlink(log) == 0)
                try writeFile(log, try readFile(older.path + "-wal"))
            case .olderLogAndDatabase:
                #expect(unlink(log) == 0 && unlink(copy.path) == 0)
                try writeFile(log, try readFile(older.path + "-wal"))
                try writeFile(copy.path, try readFile(older.path))
            case .olderDatabase:
                #expect(unlink(log) == 0 && unlink(copy.path) == 0)
                #expect(truncate(copy.directory + "/cache.lock", 0) == 0)
                try writeFile(copy.path, try readFile(older.path))
            }
        }
    }

    /// Opens a copy of the killed store's files after the damage.
    private func afterAKill(
        of bench: Bench, _ damage: (Bench) throws -> Void, _ body: (SQLiteStore, Bench) async throws -> Void
    ) async throws {
        try await withBench { (copy) async throws in
            try bench.copyAsKilled(to: copy)
            copy.time.advance(by: bench.time.monotonic() - copy.time.monotonic())
            try damage(copy)
            let store = try copy.open()
            do { try await body(store, copy) } catch {
                await store.close()
                throw error
            }
            await store.close()
        }
    }

    @Test(arguments: Damage.allCases, [false, true])
    func whatWasRemovedDoesNotComeBackWithADamagedLog(_ damage: Damage, replaces: Bool) async throws {
        try await withStore { (store, bench) async throws in
            let old = bench.entry("a")
            #expect(await store.write(old) == .stored)
            await store.maintain()
            #expect(await store.write(bench.entry("b")) == .stored)
            try await withBench { (older) async throws in
                try bench.copyAsKilled(to: older)
                if replaces {
                    #expect(await store.write(bench.entry("a", seed: 7)) == .stored)
                } else {
                    guard case .done(1) = await store.remove(.digest(old.key.digest), soft: false, provider: "itunes")
                    else { throw CancellationError() }
                }
                try await afterAKill(of: bench) { (copy) throws in
                    try damage.happen(to: copy, older: older)
                } _: { (second, copy) async throws in
                    #expect(try await second.read(old.key) == nil)
                    #expect(copy.count(StoreCounters.setAside, "cache") == 1)
                    #expect(copy.log.messages.contains("store.setAside"))
                    #expect(try await second.statistics().setAside?.contains("lacks the commits") == true)
                    #expect(await second.write(old) == .stored)
                }
            }
        }
    }

    @Test func anOlderLogFromBeforeItsLastRestartIsNoticed() async throws {
        try await withStore { (store, bench) async throws in
            let old = bench.entry("a")
            #expect(await store.write(old) == .stored)
            try await withBench { (older) async throws in
                try bench.copyAsKilled(to: older)
                await store.maintain()
                guard case .done = await store.remove(.provider("itunes"), soft: false, provider: nil) else {
                    throw CancellationError()
                }
                await store.maintain()
                #expect(await store.write(bench.entry("b")) == .stored)
                try await afterAKill(of: bench) { (copy) throws in
                    #expect(unlink(copy.path + "-wal") == 0)
                    try writeFile(copy.path + "-wal", try readFile(older.path + "-wal"))
                } _: { (second, copy) async throws in
                    #expect(try await second.read(old.key) == nil)
                    #expect(copy.count(StoreCounters.setAside, "cache") == 1)
                }
            }
        }
    }

    @Test func aLogThatLostOnlyNewEntriesCostsOnlyThese() async throws {
        try await withStore { (store, bench) async throws in
            let kept = bench.entry("a")
            #expect(await store.write(kept) == .stored)
            guard case .done = await store.remove(.provider("none"), soft: false, provider: nil) else {
                throw CancellationError()
            }
            await store.maintain()
            let lost = bench.entry("b")
            #expect(await store.write(lost) == .stored)
            try await afterAKill(of: bench) { (copy) throws in
                #expect(truncate(copy.path + "-wal", 100) == 0)
            } _: { (second, copy) async throws in
                #expect(try await sameEntry(second.read(kept.key), kept))
                #expect(try await second.read(lost.key) == nil)
                #expect(copy.count(StoreCounters.setAside, "cache") == 0)
            }
        }
    }

    @Test func aKillBetweenTheCommitAndTheMarkCostsNothing() async throws {
        try await withStore { (store, bench) async throws in
            let old = bench.entry("a")
            let kept = bench.entry("b")
            for entry in [old, kept] { #expect(await store.write(entry) == .stored) }
            let before = try readFile(bench.directory + "/cache.mark")
            guard case .done = await store.remove(.digest(old.key.digest), soft: false, provider: nil) else {
                throw CancellationError()
            }
            try await afterAKill(of: bench) { (copy) throws in
                try writeFile(copy.directory + "/cache.mark", before)
            } _: { (second, copy) async throws in
                #expect(try await second.read(old.key) == nil)
                #expect(try await sameEntry(second.read(kept.key), kept))
                #expect(copy.count(StoreCounters.setAside, "cache") == 0)
            }
        }
    }

    @Test(arguments: [true, false])
    func aMarkThatIsMissingOrDamagedCostsTheDatabase(isMissing: Bool) async throws {
        try await withStore { (store, bench) async throws in
            let entry = bench.entry("a")
            #expect(await store.write(entry) == .stored)
            try await afterAKill(of: bench) { (copy) throws in
                let mark = copy.directory + "/cache.mark"
                if isMissing { #expect(unlink(mark) == 0) } else { try Bench.flip(mark, at: 9) }
            } _: { (second, copy) async throws in
                #expect(try await second.read(entry.key) == nil)
                #expect(copy.count(StoreCounters.setAside, "cache") == 1)
            }
        }
    }

    @Test func aMarkThatIsDeletedWhileTheStoreIsOpenIsMadeAnew() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            let entry = bench.entry("a")
            #expect(await first.write(entry) == .stored)
            #expect(unlink(bench.directory + "/cache.mark") == 0)
            try await bench.eventually("it is there", in: first) {
                access(bench.directory + "/cache.mark", F_OK) == 0
            }
            await first.close()
            let second = try bench.open()
            #expect(try await sameEntry(second.read(entry.key), entry))
            await second.close()
        }
    }

    /// After a power cut only what was flushed must be there: a replacement is not.
    @Test(arguments: [true, false])
    func afterAPowerCutOnlyRemovalsAreAskedFor(removes: Bool) async throws {
        try await withStore { (store, bench) async throws in
            let old = bench.entry("a")
            let kept = bench.entry("b")
            for entry in [old, kept] { #expect(await store.write(entry) == .stored) }
            await store.maintain()
            bench.time.boot(as: 1)
            if removes {
                guard case .done = await store.remove(.digest(old.key.digest), soft: false, provider: nil) else {
                    throw CancellationError()
                }
            } else {
                #expect(await store.write(bench.entry("a", seed: 7)) == .stored)
            }
            try await withBench { (copy) async throws in
                try bench.copyAsKilled(to: copy)
                #expect(truncate(copy.path + "-wal", 0) == 0)
                copy.time.boot(as: 2)
                let second = try copy.open()
                #expect(copy.count(StoreCounters.setAside, "cache") == (removes ? 1 : 0))
                #expect(try await (second.read(kept.key) == nil) == removes)
                await second.close()
            }
        }
    }

    @Test(arguments: [true, false])
    func whatWasNotFlushedIsAskedForUnlessTheMachineWasStartedAnew(isSameStart: Bool) async throws {
        try await withStore { (store, bench) async throws in
            bench.time.boot(as: 1)
            let kept = bench.entry("b")
            for entry in [bench.entry("a"), kept] { #expect(await store.write(entry) == .stored) }
            await store.maintain()
            #expect(await store.write(bench.entry("a", seed: 7)) == .stored)
            try await withBench { (copy) async throws in
                try bench.copyAsKilled(to: copy)
                #expect(truncate(copy.path + "-wal", 0) == 0)
                copy.time.boot(as: isSameStart ? 1 : 2)
                let second = try copy.open()
                #expect(copy.count(StoreCounters.setAside, "cache") == (isSameStart ? 1 : 0))
                #expect(try await (second.read(kept.key) == nil) == isSameStart)
                await second.close()
            }
        }
    }

    @Test(arguments: [(1, 1, 9), (1, 2, 4), (0, 2, 9), (1, 0, 9)] as [(UInt32, UInt32, Int64)])
    func aStartOfTheMachineThatIsNotKnownCountsAsTheSame(_ before: UInt32, _ now: UInt32, _ least: Int64) {
        let record = MarkRecord(count: 9, flushed: 4, boot: before)
        #expect(record.least(in: now) == least)
        #expect(MarkRecord(record.bytes) == record)
    }

    @Test func aMarkSaysWhetherRemovalsArePending() {
        var record = MarkRecord(count: 9, flushed: 4, boot: 3)
        #expect(MarkRecord(record.bytes)?.isPending == false)
        record.isPending = true
        #expect(record.bytes.count == MarkRecord.size)
        #expect(MarkRecord(record.bytes) == record)
        for at in record.bytes.indices {
            var bytes = record.bytes
            bytes[at] ^= 2
            #expect(MarkRecord(bytes) == nil)
        }
    }

    @Test func purelyNewEntriesLeaveTheMarkAlone() async throws {
        try await withStore { (store, bench) async throws in
            let mark = bench.directory + "/cache.mark"
            let before = try readFile(mark)
            for number in 0..<20 { #expect(await store.write(bench.entry("\(number)")) == .stored) }
            #expect(try readFile(mark) == before)
            #expect(await store.write(bench.entry("3", seed: 1)) == .stored)
            #expect(try readFile(mark) != before)
        }
    }

    // MARK: Pending removals

    /// A mark of an open database, without the store's threads.
    private func withMark(_ body: (RemovalMark, StoreWriter, StoreShared, Bench) async throws -> Void) async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, shared) async throws in
                shared.files.noteOpened()
                try await body(shared.files.mark, writer, shared, bench)
            }
        }
    }

    @Test func theMarkIsPendingUntilTheLastRemovalIsCommitted() async throws {
        try await withMark { (mark, _, _, bench) async throws in
            #expect(try !bench.isPending())
            #expect(mark.hold(3))
            #expect(try bench.isPending())
            mark.settle(upTo: 2)
            #expect(try bench.isPending(), "the third is not committed")
            mark.settle(upTo: 3)
            #expect(try !bench.isPending())
        }
    }

    @Test func aRemovalThatIsCommittedBeforeItIsHeldLeavesNoTrace() async throws {
        try await withMark { (mark, _, _, bench) async throws in
            mark.settle(upTo: 3)
            #expect(mark.hold(3))
            #expect(try !bench.isPending(), "nothing would end that")
            #expect(mark.hold(4))
            #expect(try bench.isPending())
        }
    }

    @Test func aCommitMeanwhileLeavesThePendingMark() async throws {
        try await withMark { (mark, writer, _, bench) async throws in
            #expect(mark.hold(1))
            mark.committed(mark.next(), .removal)
            #expect(try bench.isPending())
            mark.settle(upTo: 1)
            mark.committed(mark.next(), .removal)
            #expect(try !bench.isPending())
        }
    }

    @Test(arguments: Vanishing.allCases)
    func aPendingMarkThatLosesItsNameIsPendingInItsNewFile(_ how: Vanishing) async throws {
        try await withMark { (mark, _, _, bench) async throws in
            #expect(mark.hold(1))
            try how.happen(to: bench.mark)
            mark.check()
            #expect(try bench.isPending())
            try how.happen(to: bench.mark)
            #expect(mark.hold(2))
            #expect(try bench.isPending())
            mark.settle(upTo: 2)
            #expect(try !bench.isPending(), "the new file is the one that is written")
        }
    }

    @Test func aMarkThatCannotBeMadeAnewKeepsNothing() async throws {
        try await withMark { (mark, _, _, bench) async throws in
            #expect(unlink(bench.mark) == 0)
            #expect(mkdir(bench.mark, 0o700) == 0)
            try writeFile(bench.mark + "/other", [])
            #expect(!mark.hold(1))
            removeAll(bench.mark)
            #expect(mark.hold(1))
            #expect(try bench.isPending())
        }
    }

    @Test func inADirectoryThatWasReplacedNothingIsKeptAndNothingMade() async throws {
        try await withMark { (_, _, shared, bench) async throws in
            removeAll(bench.directory)
            #expect(mkdir(bench.directory, 0o700) == 0)
            shared.flusher.note(1)
            shared.flusher.end()
            var hasFailed = false
            shared.flusher.run(shared.files, shared.faults) { hasFailed = true }
            #expect(hasFailed)
            #expect(access(bench.mark, F_OK) != 0)
        }
    }

    @Test func whatIsPendingConcernsTheDatabaseOfANewDirectoryToo() async throws {
        try await withMark { (mark, _, _, bench) async throws in
            #expect(mark.hold(1))
            mark.close()
            #expect(unlink(bench.mark) == 0 && unlink(bench.path) == 0)
            let connection = try CacheSchema.openWriter(bench.path, first: mark.first)
            defer { connection.close() }
            try mark.adopt(connection, first: 0)
            #expect(try bench.isPending())
        }
    }

    @Test func aPendingDatabaseThatCannotBeSetAsideIsNotOpened() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, shared) async throws in
                shared.files.noteOpened()
                #expect(shared.files.mark.hold(1))
                writer.database?.connection.close()
                writer.database = nil
                // As the next start finds it.
                shared.files.mark.close()
                shared.files.mark.settle(upTo: 1)
                shared.files.refusesChanges.withLock { $0 = true }
                for _ in 0..<3 { writer.reopen() }
                #expect(writer.database == nil)
                #expect(bench.log.messages == ["store.degraded"])
                #expect(bench.count(StoreCounters.setAside, "cache") <= 0)
                shared.files.refusesChanges.withLock { $0 = false }
                writer.reopen()
                #expect(writer.database != nil)
                #expect(bench.count(StoreCounters.setAside, "cache") == 1)
                #expect(try !bench.isPending())
            }
        }
    }

    @Test func aKillWhilePendingCostsTheDatabase() async throws {
        try await withStore { (store, bench) async throws in
            let (old, kept) = (bench.entry("a"), bench.entry("b"))
            for entry in [old, kept] { #expect(await store.write(entry) == .stored) }
            store.shared.faults.fail(with: SQLITE_FULL)
            let outcome = await store.remove(.digest(old.key.digest), soft: false, provider: "itunes")
            if case .pending(_, isKept: true) = outcome {} else { Issue.record("\(outcome)") }
            #expect(try await sameEntry(store.read(kept.key), kept), "until then the others are used")
            try await bench.afterAKill { (second, copy) async throws in
                for entry in [old, kept] { #expect(try await second.read(entry.key) == nil) }
                #expect(copy.count(StoreCounters.setAside, "cache") == 1)
                #expect(await second.write(old) == .stored)
            }
            store.shared.faults.fail(with: nil)
            try await bench.eventually("it is written", in: store) {
                try store.pendingRemovals == 0 && !bench.isPending()
            }
            try await bench.afterAKill { (second, copy) async throws in
                #expect(try await second.read(old.key) == nil)
                #expect(try await sameEntry(second.read(kept.key), kept))
                #expect(copy.count(StoreCounters.setAside, "cache") == 0)
            }
        }
    }
}
