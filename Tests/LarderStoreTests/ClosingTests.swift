// A store closes within a stated time, even if another process has its database or its disk is slow. The store reports
// what it could not write, and no removal is lost.
import CSQLite
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct ClosingTests {
    // MARK: Locks of other processes, by value

    private func wait(_ patience: inout LockPatience, isClosing: Bool, from turn: Int = 0) -> Duration {
        var turn = turn
        var waited = Duration.zero
        while let pause = patience.pause(turn: turn, isClosing: isClosing) {
            waited += pause
            turn += 1
        }
        return waited
    }

    @Test func aLockIsWaitedForFiveSecondsAndOnceTheStoreClosesAQuarterOfOne() {
        var patience = LockPatience()
        #expect(wait(&patience, isClosing: false) == .seconds(5))
        #expect(wait(&patience, isClosing: true) == .milliseconds(250))
    }

    @Test func allLocksTogetherAreWaitedForASecondOnceTheStoreCloses() {
        var patience = LockPatience()
        #expect((0..<9).map { _ in wait(&patience, isClosing: true) }.reduce(.zero, +) == .seconds(1))
    }

    @Test func aWaitUnderWayEndsWhenTheStoreCloses() {
        var patience = LockPatience()
        for turn in 0..<20 { _ = patience.pause(turn: turn, isClosing: false) }
        #expect(patience.pause(turn: 20, isClosing: true) == nil)
    }

    // MARK: Stores

    @Test func aStoreClosesThoughAnotherHasItsDatabaseAndNoRemovalIsLost() async throws {
        try await withBench { (bench) async throws in
            let store = try bench.open()
            let (removed, used) = (bench.entry("removed"), bench.entry("used"))
            for entry in [removed, used] { #expect(await store.write(entry) == .stored) }
            // Upkeep runs first: idle work would meet the lock too, and the set of stored keys is complete afterwards.
            await store.maintain()
            // The late response waits for the lock until the store closes, however long the machine takes until then.
            let ending = store.shared.ending
            ending.locks.hold { [weak ending] in ending?.hasBegun == false }
            let lock = try ForeignLock(bench)
            store.touch(used.key.digest)
            let late = try await bench.passing([.write, .removal], of: store) {
                await store.write(bench.entry("late"))
            }
            #expect(late == .pending)
            _ = try await bench.passing([.write, .removal], of: store) {
                await store.remove(.digest(removed.key.digest), soft: false, provider: nil)
            }
            await store.close()
            let waited = ending.locks.waitedClosing
            #expect(waited > .zero && waited <= LockPatience.closingInAll)
            #expect(bench.count(StoreCounters.leftAtClose, "answer") == 1)
            #expect(bench.count(StoreCounters.leftAtClose, "use") == 1)
            // The late response adds no removal, because it has no predecessor.
            #expect(bench.count(StoreCounters.leftAtClose, "removal") == 1)
            #expect(bench.log.messages.contains("store.close.left"))
            lock.release()
            let next = try bench.open()
            #expect(try await next.read(removed.key) == nil)
            #expect(bench.count(StoreCounters.setAside, "cache") == 1)
            await next.close()
        }
    }

    @Test func aStoreThatClosesInPeaceLeavesNothing() async throws {
        try await withBench { (bench) async throws in
            let store = try bench.open()
            let entry = bench.entry("a")
            #expect(await store.write(entry) == .stored)
            store.touch(entry.key.digest)
            #expect(try await store.purge(.digest(bench.entry("b").key.digest), soft: false) == 0)
            await store.close()
            #expect(!bench.log.messages.contains("store.close.left"))
            #expect(store.shared.ending.locks.waitedClosing == .zero)
        }
    }

    @Test func whatThereIsNoTimeForIsRefusedAndTheOlderAnswerIsAnsweredNoMore() async throws {
        try await withBench { (bench) async throws in
            let store = try bench.open(StoreSettings(minFree: 0, patience: .seconds(3600)))
            let old = bench.entry("a")
            #expect(await store.write(old) == .stored)
            // Upkeep runs first: otherwise the commit of idle work would be held instead.
            await store.maintain()
            store.shared.faults.hold(true)
            let held = Task { await store.write(bench.entry("held")) }
            while !store.shared.faults.isHolding { await Task.yield() }
            let late = Task { await store.write(bench.entry("a", seed: 1)) }
            while store.shared.writes.count < 1 { await Task.yield() }
            let closing = Task { await store.close() }
            while !store.shared.ending.hasBegun { await Task.yield() }
            bench.time.advance(by: StoreEnding.span)
            store.shared.faults.hold(false)
            await closing.value
            #expect(await held.value == .stored)
            #expect(await late.value == .refused(.closed))
            #expect(bench.count(StoreCounters.leftAtClose, "answer") == 1)
            let next = try bench.open()
            #expect(try await next.read(old.key) == nil)
            #expect(bench.count(StoreCounters.setAside, "cache") == 1)
            await next.close()
        }
    }

    @Test func answersInPartsThatAreLeftAreCounted() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, shared) async throws in
                let (ended, going) = (try writer.beginBody(nil).get(), try writer.beginBody(nil).get())
                shared.ending.begin(at: bench.time.monotonic())
                bench.time.advance(by: StoreEnding.span)
                func part(_ file: BodyFile) -> BodyPart { BodyPart(file: file, offset: 0, bytes: [1]) }
                let order = WriteOrder(entry: bench.entry("a"), supersedes: false)
                let completed: WriteOutcome = await handover { continuation in
                    writer.perform([
                        .complete(part(ended), order, Reply(continuation, late: { .pending }))
                    ])
                }
                let appended: WriteOutcome = await handover { continuation in
                    writer.perform([.append(part(going), Reply(continuation, late: { .pending }))])
                }
                let begun: Result<BodyFile, WriteRefusal> = await handover { continuation in
                    writer.perform([
                        .begin(nil, Reply(continuation, late: { .failure(.overloaded) }))
                    ])
                }
                #expect(completed == .refused(.closed) && appended == .refused(.closed))
                #expect(throws: WriteRefusal.self) { try begun.get() }
                #expect(writer.left.writes == 3)
            }
        }
    }

    @Test func whatWasRemovedMeanwhileIsNotLeft() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, shared) async throws in
                shared.ending.begin(at: bench.time.monotonic())
                var order = WriteOrder(entry: bench.entry("a"))
                order.isWanted = { false }
                let outcome: WriteOutcome = await handover { [order] continuation in
                    writer.perform([.write(order, Reply(continuation, late: { .pending }))])
                }
                #expect(outcome == .refused(.removed))
                #expect(writer.left.writes == 0)
            }
        }
    }

    @Test func usesAreLeftWhereThereIsNoDatabase() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, shared) async throws in
                for name in ["a", "b"] { _ = shared.notes.withLock { $0.note(bench.entry(name).key.digest) } }
                writer.database?.connection.close()
                writer.database = nil
                writer.endUses()
                #expect(writer.left.uses == 2)
            }
        }
    }

    // MARK: Failures of the state database

    @Test func aStateDatabaseThatIsLockedIsDegradedUntilItCanBeWritten() async throws {
        try await withBench { (bench) async throws in
            let store = try bench.openState()
            let other = try DatabaseConnection(path: bench.directory + "/state.db")
            try other.execute("BEGIN IMMEDIATE")
            let set = Task { try await store.setValue("a", [1]) }
            while store.degraded == nil {
                bench.time.advance(by: .milliseconds(100))
                await Task.yield()
            }
            store.expectClose()
            await #expect(throws: StoreError.self) { try await set.value }
            #expect(store.degraded != nil, "it has failed")
            try other.execute("ROLLBACK")
            other.close()
            // No job writes. The store itself checks the database again.
            while store.degraded != nil { await Task.yield() }
            await store.close()
        }
    }

    @Test func whatAJobDoesWrongIsNoTroubleOfTheDatabase() {
        var trouble = StateTrouble()
        let now = MonotonicTime(nanoseconds: 0)
        trouble.began(at: now)
        trouble.failed(.stateIsClosed, isOfAJob: true)
        #expect(trouble.reason(at: now + .seconds(9)) == nil)
    }

    @Test func aCommitThatTakesLongIsTroubleBeforeItFails() {
        var trouble = StateTrouble()
        let now = MonotonicTime(nanoseconds: 0)
        trouble.began(at: now)
        #expect(trouble.reason(at: now + .milliseconds(999)) == nil)
        #expect(trouble.reason(at: now + .seconds(1)) != nil)
        trouble.committed(hasWritten: false)
        #expect(trouble.reason(at: now + .seconds(9)) == nil)
    }

    @Test func aFailureIsOverWithACommitThatWroteSomethingOnly() {
        var trouble = StateTrouble()
        let now = MonotonicTime(nanoseconds: 0)
        trouble.began(at: now)
        trouble.failed(.stateIsClosed, isOfAJob: false)
        trouble.began(at: now)
        trouble.committed(hasWritten: false)
        #expect(trouble.failure != nil)
        trouble.committed(hasWritten: true)
        #expect(trouble.failure == nil)
    }

    // MARK: The state database

    @Test func aCallThatWaitsForTheLockIsRefusedSoonAfterTheStopBegan() async throws {
        try await withBench { (bench) async throws in
            let store = try bench.openState()
            let other = try DatabaseConnection(path: bench.directory + "/state.db")
            try other.execute("BEGIN IMMEDIATE")
            store.expectClose()
            let refused = await #expect(throws: StoreError.self) { try await store.setValue("a", [1]) }
            #expect(refused?.code == SQLITE_BUSY)
            #expect(store.ending.locks.waitedClosing == LockPatience.closing)
            try other.execute("ROLLBACK")
            try await store.setValue("a", [1])
            #expect(try await store.value("a") == [1], "it is not closed yet")
            other.close()
            await store.close()
        }
    }
}
