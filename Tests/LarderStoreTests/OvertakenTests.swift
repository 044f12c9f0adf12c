// Late work displaces nothing newer: an older response that waits for the disk, a purge that was not carried out, a
// reply that was already given.
import CSQLite
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct OvertakenTests {
    /// Two answers to one URL arrive in one millisecond, and then a validation of the first.
    @Test func aHeadIsNotPutOnTheBodyOfAnotherRowOfTheSameMillisecond() async throws {
        try await withStore { (store, bench) async throws in
            var first = bench.entry("a", size: 500)
            first.arrival = 1
            first.fields.set(.etag, "1")
            #expect(await store.write(first) == .stored)
            #expect(await store.rewriteHead(first, inPlaceOf: first))
            var second = bench.entry("a", size: 500)
            second.arrival = 2
            #expect(await store.write(second) == .stored)
            #expect(await !store.rewriteHead(first, inPlaceOf: first))
            #expect(try await store.read(second.key)?.fields.first(.etag) == second.fields.first(.etag))
        }
    }

    @Test func aStartGoesOnAboveTheNumbersThatWereGivenOut() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            var entry = bench.entry("a")
            for _ in 0..<3 { entry.arrival = first.arrivals.next() }
            #expect(await first.write(entry) == .stored)
            await first.close()
            let store = try bench.open()
            #expect(try await store.read(entry.key)?.arrival == 3)
            #expect(store.arrivals.next() > 3)
            await store.close()
        }
    }

    // MARK: Purges of everything

    @Test func aPurgeOfEverythingHoldsThoughTheFilesCannotBeRemoved() async throws {
        try await withStore { (store, bench) async throws in
            let entry = bench.entry("a")
            #expect(await store.write(entry) == .stored)
            store.shared.files.refusedRemoval.withLock { $0 = EACCES }
            store.shared.faults.fail(with: SQLITE_FULL)
            let outcome = await store.remove(.all, soft: false, provider: nil)
            if case .pending(_, isKept: true) = outcome {} else { Issue.record("\(outcome)") }
            #expect(try await store.read(entry.key) == nil)
            #expect(store.pendingRemovals == 1)
            store.shared.files.refusedRemoval.withLock { $0 = nil }
            store.shared.faults.fail(with: nil)
            try await bench.eventually("it is written", in: store) { store.pendingRemovals == 0 }
            #expect(try await store.read(entry.key) == nil)
            #expect(try await store.statistics().entries == 0)
        }
    }

    @Test func aPurgeOfEverythingRemovesNoFilesOfAnotherDaemon() async throws {
        try await withStore { (store, bench) async throws in
            #expect(await store.write(bench.entry("a")) == .stored)
            // The writer has just checked its files. Until the next failed write it does not notice that the directory
            // is gone.
            await store.maintain()
            removeAll(bench.directory)
            mkdir(bench.directory, 0o700)
            let other = try bench.open()
            let theirs = bench.entry("theirs")
            #expect(await other.write(theirs) == .stored)
            store.shared.faults.fail(with: SQLITE_FULL)
            _ = await store.remove(.all, soft: false, provider: nil)
            #expect(access(bench.path, F_OK) == 0)
            #expect(try await sameEntry(other.read(theirs.key), theirs))
            store.shared.faults.fail(with: nil)
            await other.close()
        }
    }

    // MARK: Late answers

    /// The newer response comes while the older waits in the queue, or while the older's transaction is under way.
    @Test(arguments: [true, false])
    func aLateAnswerIsNotStoredAfterANewerOneThatIsNot(_ waitsInQueue: Bool) async throws {
        try await withStore { (store, bench) async throws in
            let first = bench.entry("a")
            #expect(await store.write(first) == .stored)
            store.shared.faults.hold(true)
            if waitsInQueue {
                #expect(
                    try await bench.passing([.write], of: store) { await store.write(bench.entry("b")) } == .pending)
            }
            let late = bench.entry("a", seed: 1)
            #expect(try await bench.passing([.write], of: store) { await store.write(late) } == .pending)
            store.hide(bench.entry("a", seed: 2))
            store.shared.faults.hold(false)
            try await bench.eventually("it is written", in: store) { store.pendingRemovals == 0 }
            try await bench.eventually("all before is done", in: store) {
                await store.write(bench.entry("c")) == .stored
            }
            #expect(try await store.read(late.key) == nil)
        }
    }

    @Test func theNewestOfSeveralLateAnswersIsStored() async throws {
        try await withStore { (store, bench) async throws in
            #expect(await store.write(bench.entry("a")) == .stored)
            store.shared.faults.hold(true)
            let newest = bench.entry("a", seed: 2)
            for entry in [bench.entry("a", seed: 1), newest] {
                #expect(try await bench.passing([.write], of: store) { await store.write(entry) } == .pending)
            }
            store.shared.faults.hold(false)
            try await bench.eventually("it is written", in: store) { store.pendingRemovals == 0 }
            try await bench.eventually("it is stored", in: store) {
                try await sameEntry(store.read(newest.key), newest)
            }
        }
    }

    @Test func onlyOlderAnswersAreOvertaken() {
        let orders = WriteOrders()
        let digest = Digest(of: [1])
        let older = orders.enter(digest)
        let newer = orders.enter(digest)
        let other = orders.enter(Digest(of: [2]))
        orders.overtake(digest, below: newer.number)
        #expect(older.isOvertaken && !newer.isOvertaken && !other.isOvertaken)
        orders.overtake(digest, below: orders.bound())
        #expect(newer.isOvertaken)
        #expect(!orders.enter(digest).isOvertaken)
    }

    @Test func whatIsDoneTakesNoRoom() {
        let orders = WriteOrders()
        do {
            let place = orders.enter(Digest(of: [1]))
            #expect(orders.count == 1 && !place.isOvertaken)
        }
        #expect(orders.count == 0)
        orders.overtake(Digest(of: [1]), below: orders.bound())
        #expect(orders.count == 0)
    }

    @Test func aTombstoneOfANewerAnswerStaysWhenAnOlderOneIsStored() {
        var removals = Removals()
        let digest = Digest(of: [1])
        _ = removals.supersede(digest, of: "api", by: 5, at: WallTime(seconds: 1))
        removals.replaced(digest, by: 4)
        #expect(!removals.isEmpty)
        removals.replaced(digest, by: 5)
        #expect(removals.isEmpty)
    }

    // MARK: Heads and replies

    @Test func aHeadThatIsNoMoreWantedIsNotReplaced() async throws {
        try await withStore { (store, bench) async throws in
            let entry = bench.entry("a")
            #expect(await store.write(entry) == .stored)
            var changed = entry
            changed.freshUntil = entry.freshUntil + .seconds(60)
            #expect(await !store.rewriteHead(changed, inPlaceOf: entry) { false })
            #expect(try await sameEntry(store.read(entry.key), entry))
        }
    }

    @Test func aChangeOfFreshnessTellsWhetherItWasWritten() async throws {
        try await withStore { (store, bench) async throws in
            let entry = bench.entry("a")
            #expect(await store.write(entry) == .stored)
            let end = bench.time.wall()
            store.shared.faults.fail(with: SQLITE_FULL)
            #expect(await !store.updateFreshness(entry.key.digest, freshUntil: end, staleUntil: end))
            store.shared.faults.fail(with: nil)
            #expect(await store.updateFreshness(entry.key.digest, freshUntil: end, staleUntil: end))
        }
    }

    @Test func aReplyThatIsLateIsTakenBeforeWhatLatenessBringsAbout() async {
        let wasTaken = Lock(false)
        let value: Int = await handover { continuation in
            let held = Lock<Reply<Int>?>(nil)
            let reply = Reply(
                continuation,
                late: {
                    let isTaken = held.withLock { $0 }?.resume(returning: 1) ?? false
                    wasTaken.withLock { $0 = isTaken }
                    return 2
                })
            held.withLock { $0 = reply }
            reply.lapse()
            held.withLock { $0 = nil }
        }
        #expect(value == 2)
        #expect(!wasTaken.withLock { $0 })
    }
}
