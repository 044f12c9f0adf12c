// Accepted responses. A response counts as stored before its commit: reads find it at once, and the commit follows
// soon. If the commit fails, neither the response nor its predecessor is found.
import CSQLite
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct AcceptedTests {
    /// The writer collects responses for longer than a test takes, unless a test asks for the commit.
    static let collecting = StoreSettings(minFree: 0, patience: .seconds(30), commitWithin: .seconds(600))

    private func rows(_ bench: Bench) throws -> Int64? {
        let connection = try DatabaseConnection(path: bench.path)
        defer { connection.close() }
        return try connection.number("SELECT count(*) FROM entry")
    }

    // MARK: Visible at once, committed soon

    @Test func anAcceptedAnswerIsFoundBeforeItsCommitAndAfterIt() async throws {
        try await withStore(Self.collecting) { (store, bench) async throws in
            let entry = bench.entry("a")
            #expect(await store.write(entry) == .accepted)
            #expect(try rows(bench) == 0)
            #expect(try await sameEntry(store.read(entry.key), entry))
            await store.commit()
            #expect(try rows(bench) == 1)
            #expect(store.shared.overlay.isEmpty)
            #expect(try await sameEntry(store.read(entry.key), entry))
            #expect(bench.count(StoreCounters.accepted, "done") == 1)
        }
    }

    @Test func whatIsAcceptedIsCommittedThoughNobodyAsksForIt() async throws {
        try await withStore(StoreSettings(minFree: 0, commitWithin: .milliseconds(20))) { (store, bench) async throws in
            #expect(await store.write(bench.entry("a")) == .accepted)
            try await bench.eventually("it is committed", in: store) { store.shared.overlay.isEmpty }
            #expect(try rows(bench) == 1)
        }
    }

    @Test func manyAcceptedAnswersShareATransaction() async throws {
        try await withStore(Self.collecting) { (store, bench) async throws in
            let before = bench.count(StoreCounters.transactions)
            for number in 0..<100 { #expect(await store.write(bench.entry("a\(number)")) == .accepted) }
            await store.commit()
            #expect(bench.count(StoreCounters.transactions) == before + 1)
            #expect(try rows(bench) == 100)
        }
    }

    @Test func withoutCommitWithinAnAnswerIsStoredByItsCommit() async throws {
        try await withStore { (store, bench) async throws in
            #expect(await store.write(bench.entry("a")) == .stored)
            #expect(try rows(bench) == 1)
        }
    }

    @Test func aClosingStoreWritesOutWhatIsAccepted() async throws {
        try await withBench { (bench) async throws in
            let entry = bench.entry("a")
            let first = try bench.open(Self.collecting)
            #expect(await first.write(entry) == .accepted)
            await first.close()
            let second = try bench.open()
            #expect(try await sameEntry(second.read(entry.key), entry))
            await second.close()
        }
    }

    @Test func theNewestOfTwoAcceptedAnswersIsFoundAndStays() async throws {
        try await withStore(Self.collecting) { (store, bench) async throws in
            let newer = bench.entry("a", seed: 2)
            #expect(await store.write(bench.entry("a", seed: 1)) == .accepted)
            #expect(await store.write(newer) == .accepted)
            #expect(try await store.read(newer.key)?.body == newer.body)
            await store.commit()
            #expect(store.shared.overlay.isEmpty)
            #expect(try await store.read(newer.key)?.body == newer.body)
        }
    }

    @Test func whatIsAcceptedIsCounted() async throws {
        try await withStore(Self.collecting) { (store, bench) async throws in
            #expect(await store.write(bench.entry("a")) == .accepted)
            #expect(try await store.statistics().entries == 1)
        }
    }

    // MARK: A change that waits for its commit

    @Test func aValidationOfAnAcceptedAnswerIsDone() async throws {
        try await withStore(Self.collecting) { (store, bench) async throws in
            let entry = bench.entry("a")
            #expect(await store.write(entry) == .accepted)
            var fresh = entry
            fresh.freshUntil = entry.freshUntil + .seconds(60)
            #expect(await store.rewriteHead(fresh, inPlaceOf: entry, when: nil))
            #expect(try await store.read(entry.key)?.freshUntil == fresh.freshUntil)
        }
    }

    // MARK: Commits that fail

    @Test func whereTheCommitFailsNeitherTheAnswerNorTheOneBeforeItIsFound() async throws {
        try await withBench { (bench) async throws in
            let older = bench.entry("a", seed: 1)
            let first = try bench.open(Self.collecting)
            #expect(await first.write(older) == .accepted)
            await first.commit()
            #expect(await first.write(bench.entry("a", seed: 2), supersedes: false, when: nil) == .accepted)
            first.shared.faults.fail(with: SQLITE_FULL)
            await first.commit()
            #expect(first.shared.overlay.isEmpty)
            #expect(try await first.read(older.key) == nil)
            #expect(bench.count(StoreCounters.accepted, "failed") == 1)
            await first.close()
            // The disk kept refusing the removal, so the mark tells the next start.
            let second = try bench.open()
            #expect(try await second.read(older.key) == nil)
            await second.close()
        }
    }

    @Test func whereAListOfVariantsFailsWhatItListedIsNotFoundEither() async throws {
        try await withStore(Self.collecting) { (store, bench) async throws in
            let list = bench.entry("list")
            let variant = bench.entry("variant", parents: [list.key.digest])
            #expect(await store.write(list) == .accepted)
            #expect(await store.write(variant) == .accepted)
            await store.commit()
            #expect(await store.write(bench.entry("list", seed: 3), supersedes: false, when: nil) == .accepted)
            store.shared.faults.fail(with: SQLITE_FULL)
            await store.commit()
            #expect(try await store.read(variant.key) == nil)
            store.shared.faults.fail(with: nil)
        }
    }

    @Test func aStoreThatCannotCommitAcceptsNothing() async throws {
        try await withStore(Self.collecting) { (store, bench) async throws in
            // The fault is set after the write is accepted, because the writer's own checks might notice the fault at
            // any moment.
            #expect(await store.write(bench.entry("a")) == .accepted)
            store.shared.faults.fail(with: SQLITE_FULL)
            await store.commit()
            #expect(await store.write(bench.entry("b")) == .refused(.diskFull))
            store.shared.faults.fail(with: nil)
        }
    }

    @Test func whatDoesNotFitTheQueueIsNotAccepted() async throws {
        try await withStore(Self.collecting) { (store, bench) async throws in
            store.shared.faults.hold(true)
            for number in 0..<3 {
                #expect(await store.write(bench.entry("a\(number)", size: 20 << 20)) == .accepted)
            }
            #expect(await store.write(bench.entry("b", size: 20 << 20)) == .refused(.overloaded))
            #expect(store.shared.overlay.count == 3)
            store.shared.faults.hold(false)
        }
    }

    @Test func lateCommitsAreNoticedThoughNobodyWaitsForThem() async throws {
        let settings = StoreSettings(minFree: 0, patience: .milliseconds(50), commitWithin: .milliseconds(20))
        try await withStore(settings) { (store, bench) async throws in
            store.shared.faults.hold(true)
            #expect(await store.write(bench.entry("a")) == .accepted)
            try await bench.eventually("commits are late", in: store) { store.shared.waits.isLate }
            let outcome = try await bench.passing([.write], of: store) { await store.write(bench.entry("b")) }
            #expect(outcome == .pending)
            #expect(try await store.read(bench.entry("a").key) != nil)
            store.shared.faults.hold(false)
        }
    }

    // MARK: Removals

    static let selectors: [PurgeSelector] = [
        .all, .provider("itunes"), .term("a", provider: nil), .digest(CacheKey.ofTest("a").digest),
    ]

    @Test(arguments: selectors)
    func aPurgeCountsWhatIsAccepted(_ selector: PurgeSelector) async throws {
        try await withStore(Self.collecting) { (store, bench) async throws in
            let entry = bench.entry("a")
            #expect(await store.write(entry) == .accepted)
            #expect(await store.remove(selector, soft: false, provider: nil).count == 1)
            #expect(try await store.read(entry.key) == nil)
        }
    }

    @Test func aSoftPurgeExpiresWhatIsAccepted() async throws {
        try await withStore(Self.collecting) { (store, bench) async throws in
            let entry = bench.entry("a")
            #expect(await store.write(entry) == .accepted)
            #expect(await store.remove(.all, soft: true, provider: nil).count == 1)
            let found = try #require(try await store.read(entry.key))
            #expect(found.freshUntil <= bench.time.wall())
        }
    }

    @Test func whatWasMadeFromARemovedEntryGoesWithItThoughBothAreOnlyAccepted() async throws {
        try await withStore(Self.collecting) { (store, bench) async throws in
            let parent = bench.entry("a")
            let child = bench.entry("b", parents: [parent.key.digest])
            #expect(await store.write(parent) == .accepted)
            #expect(await store.write(child) == .accepted)
            #expect(await store.remove(.digest(parent.key.digest), soft: false, provider: nil).count == 2)
            #expect(try await store.read(child.key) == nil)
        }
    }

    @Test(arguments: [true, false])
    func whatWasMadeFromARemovedEntryGoesWithItThoughOnlyTheEntryIsCommitted(_ isOfTerm: Bool) async throws {
        try await withStore(Self.collecting) { (store, bench) async throws in
            let parent = bench.entry("a", label: "the parent")
            let child = bench.entry("b", parents: [parent.key.digest], label: "made of it")
            #expect(await store.write(parent) == .accepted)
            await store.commit()
            #expect(await store.write(child) == .accepted)
            let selector: PurgeSelector =
                isOfTerm ? .term("the parent", provider: nil) : .digest(parent.key.digest)
            #expect(await store.remove(selector, soft: false, provider: nil).count == 2)
            #expect(try await store.read(child.key) == nil)
        }
    }

    @Test(arguments: selectors, [true, false])
    func aRemovalHoldsThoughTheDiskStandsStill(_ selector: PurgeSelector, isSoft: Bool) async throws {
        let settings = StoreSettings(minFree: 0, patience: .milliseconds(50), commitWithin: .seconds(600))
        try await withStore(settings) { (store, bench) async throws in
            let entry = bench.entry("a")
            let child = bench.entry("child of a", parents: [entry.key.digest])
            #expect(await store.write(entry) == .accepted)
            #expect(await store.write(child) == .accepted)
            store.shared.faults.hold(true)
            let outcome = try await bench.passing([.write, .removal], of: store) {
                await store.remove(selector, soft: isSoft, provider: nil)
            }
            if case .pending = outcome {} else { Issue.record("\(outcome)") }
            for key in [entry.key, child.key] { #expect(try await store.read(key) == nil) }
            store.shared.faults.hold(false)
            try await bench.eventually("everything is written", in: store) {
                store.shared.overlay.isEmpty && store.pendingRemovals == 0
            }
            // A soft removal expires the response that was being committed; another removal removes it.
            for key in [entry.key, child.key] {
                let found = try await store.read(key)
                let now = bench.time.wall()
                #expect(isSoft ? found?.freshUntil ?? now <= now : found == nil)
            }
        }
    }

    @Test func anAnswerThatIsNoLongerWantedIsNotAccepted() async throws {
        try await withStore(Self.collecting) { (store, bench) async throws in
            let entry = bench.entry("a")
            #expect(await store.write(entry, supersedes: true, when: { false }) == .refused(.removed))
            #expect(store.shared.overlay.isEmpty)
            #expect(try await store.read(entry.key) == nil)
        }
    }

    @Test func anOlderAnswerIsNotWrittenOverANewerOneThatCameBeforeItIntoTheQueue() async throws {
        try await withStore(Self.collecting) { (store, bench) async throws in
            let (older, newer) = (bench.entry("a", seed: 1), bench.entry("a", seed: 2))
            let places = [older, newer].map { store.shared.orders.enter($0.key.digest) }
            for (entry, place) in zip([newer, older], places.reversed()) {
                let order = WriteOrder(entry: entry, place: place)
                #expect(await SQLiteStore.write(order, to: store.shared) == .accepted)
                #expect(try await store.read(entry.key)?.body == newer.body)
            }
            await store.commit()
            #expect(store.shared.overlay.isEmpty)
            #expect(try await store.read(newer.key)?.body == newer.body)
        }
    }

    @Test func anAnswerThatIsNotTakenInLeavesTheOneBeforeItInItsPlace() async throws {
        try await withStore(Self.collecting) { (store, bench) async throws in
            let entry = bench.entry("a", seed: 1)
            #expect(await store.write(entry) == .accepted)
            let other = bench.entry("a", seed: 2)
            #expect(await store.write(other, supersedes: false, when: { false }) == .refused(.removed))
            #expect(try await store.read(entry.key)?.body == entry.body)
            await store.commit()
            #expect(store.shared.overlay.isEmpty)
        }
    }

    @Test func aSoftRemovalBringsNoOlderAnswerBackThoughTheDiskStandsStill() async throws {
        let settings = StoreSettings(minFree: 0, patience: .milliseconds(50), commitWithin: .seconds(600))
        try await withStore(settings) { (store, bench) async throws in
            let older = bench.entry("a", seed: 1)
            #expect(await store.write(older) == .accepted)
            await store.commit()
            store.shared.faults.hold(true)
            // Another response holds the writer, which leaves this response in the queue.
            #expect(await store.write(bench.entry("other", provider: "tmdb")) == .accepted)
            _ = store.shared.writes.insist(.closeBodies)
            try await bench.eventually("the writer is held", in: store, rate: 0) { store.shared.faults.isHolding }
            #expect(await store.write(bench.entry("a", seed: 2)) == .accepted)
            _ = try await bench.passing([.write, .removal], of: store) {
                await store.remove(.provider("itunes"), soft: true, provider: nil)
            }
            #expect(try await store.read(older.key) == nil)
            store.shared.faults.hold(false)
            try await bench.eventually("everything is written", in: store) {
                store.shared.overlay.isEmpty && store.pendingRemovals == 0
            }
            #expect(try await store.read(older.key) == nil)
        }
    }

    @Test func whatWasMadeFromAHiddenEntryIsNotFoundEither() async throws {
        try await withStore(Self.collecting) { (store, bench) async throws in
            let parent = bench.entry("a")
            let child = bench.entry("b", parents: [parent.key.digest])
            #expect(await store.write(parent) == .accepted)
            #expect(await store.write(child) == .accepted)
            store.hide(parent)
            for key in [parent.key, child.key] { #expect(try await store.read(key) == nil) }
            await store.commit()
            try await bench.eventually("the tombstone is written", in: store) { store.pendingRemovals == 0 }
            for key in [parent.key, child.key] { #expect(try await store.read(key) == nil) }
        }
    }

    @Test func anAnswerThatComesAfterARemovalStays() async throws {
        try await withStore(Self.collecting) { (store, bench) async throws in
            let entry = bench.entry("a", seed: 2)
            #expect(await store.write(bench.entry("a", seed: 1)) == .accepted)
            _ = await store.remove(.digest(entry.key.digest), soft: false, provider: nil)
            #expect(await store.write(entry) == .accepted)
            await store.commit()
            #expect(try await store.read(entry.key)?.body == entry.body)
        }
    }
}

extension CacheKey {
    /// The key of the `Bench.entry` of this name.
    static func ofTest(_ name: String) -> CacheKey {
        CacheKey(layer: .raw, provider: "itunes", endpoint: "search", parameters: [KeyParameter("term", name)])
    }
}
