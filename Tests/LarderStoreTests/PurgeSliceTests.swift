// A purge of many entries gives way: its slices are short, and what comes meanwhile is done before the next one.
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct PurgeSliceTests {
    private static let entries = 300

    /// Begins a purge of many entries and runs the body while the commit of its first slice is held.
    private func duringAPurge(
        _ settings: StoreSettings, _ body: @Sendable (SQLiteStore, Bench) async throws -> Void
    ) async throws {
        try await withStore(settings) { (store, bench) async throws in
            for number in 0..<Self.entries { _ = await store.write(bench.entry("\(number)")) }
            await store.commit()
            let faults = store.shared.faults
            faults.hold(true)
            defer { faults.hold(false) }
            async let purged = store.purge(.provider("itunes"), soft: false)
            while !faults.isHolding { await Task.yield() }
            try await body(store, bench)
            faults.hold(false)
            #expect(try await purged == Self.entries)
        }
    }

    @Test func aWriteThatArrivesDuringASliceIsDoneBeforeTheNext() async throws {
        try await duringAPurge(StoreSettings(minFree: 0, patience: .seconds(600))) { (store, bench) async throws in
            let purgedBefore = Lock<Int?>(nil)
            async let wrote = store.write(bench.entry("new", provider: "api"), supersedes: true) {
                purgedBefore.withLock { $0 = $0 ?? bench.count(StoreCounters.purged) }
                return true
            }
            while store.shared.writes.count < 1 { await Task.yield() }
            store.shared.faults.hold(false)
            #expect(await wrote == .stored)
            #expect(purgedBefore.withLock { $0 } == 64, "one slice")
        }
    }

    @Test func anAnswerDuringAPurgeIsAcceptedAtOnce() async throws {
        // A commit that took longer would leave the store late, and no answer would be accepted.
        let settings = StoreSettings(minFree: 0, patience: .seconds(600), commitWithin: .seconds(20))
        try await duringAPurge(settings) { (store, bench) async throws in
            let entry = bench.entry("new")
            #expect(await store.write(entry) == .accepted)
            #expect(try await sameEntry(store.read(entry.key), entry))
            store.shared.faults.hold(false)
            await store.commit()
            #expect(try await sameEntry(store.read(entry.key), entry), "the purge ends at what was stored before")
        }
    }

    // MARK: What was made from one key

    /// Writes children of a digest under which nothing is stored, as under a folder's.
    private static func folder(_ name: String, _ count: Int, _ bench: Bench, _ store: SQLiteStore) async -> Digest {
        let folder = Digest(of: Bytes(text: name))
        for number in 0..<count { _ = await store.write(bench.entry("\(name) \(number)", parents: [folder])) }
        await store.commit()
        return folder
    }

    @Test(arguments: [false, true])
    func whatWasMadeFromOneKeyGoesInSlices(soft: Bool) async throws {
        try await withStore { (store, bench) async throws in
            let folder = await Self.folder("f", Self.entries, bench, store)
            let before = bench.count(StoreCounters.transactions)
            #expect(try await store.purge(.digest(folder), soft: soft) == Self.entries)
            #expect(bench.count(StoreCounters.transactions) - before >= 3)
            #expect(store.pendingRemovals == 0)
        }
    }

    /// Each slice unlinks at most 4 MiB of files.
    @Test func slicesOfWhatWasMadeFromOneKeyAreBoundedInBytesOfFiles() async throws {
        try await withStore { (store, bench) async throws in
            let folder = Digest(of: Bytes(text: "f"))
            for number in 0..<20 {
                #expect(await store.write(bench.entry("\(number)", size: 1 << 20, parents: [folder])) == .stored)
            }
            let before = bench.count(StoreCounters.transactions)
            #expect(try await store.purge(.digest(folder), soft: false) == 20)
            #expect((5...6).contains(bench.count(StoreCounters.transactions) - before))
        }
    }

    /// Runs the body when the first slice of a key's removal is committed and the second is not. The key itself is
    /// stored, and gone with the first slice.
    private func betweenSlices(_ body: (StoreWriter, StoreShared, Bench, StoredResponse) throws -> Void) async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, shared) async throws in
                let parent = bench.entry("parent")
                try writer.database?.rows.write(parent, now: bench.time.wall())
                for number in 0..<Self.entries {
                    let child = bench.entry("\(number)", parents: [parent.key.digest])
                    try writer.database?.rows.write(child, now: bench.time.wall())
                }
                Self.remove(parent.key.digest, writer, shared, bench)
                #expect(bench.count(StoreCounters.purged) == 65)
                try body(writer, shared, bench, parent)
            }
        }
    }

    private static func remove(_ digest: Digest, _ writer: StoreWriter, _ shared: StoreShared, _ bench: Bench) {
        shared.removals.change { removals in
            let made = removals.add(.digest(digest), isSoft: false, provider: nil, at: bench.time.wall())
            removals.markDue(made.number)
        }
        writer.performRemovals()
    }

    private static func rows(_ writer: StoreWriter) throws -> Int64? {
        try writer.database?.connection.number("SELECT count(*) FROM entry")
    }

    @Test func theRestOfAKeysRemovalHidesWhatIsStoredAndNotWhatComes() async throws {
        try await betweenSlices { writer, shared, bench, parent in
            let newest = try #require(try writer.database?.connection.number("SELECT max(id) FROM entry"))
            let removals = try #require(shared.removals.snapshot())
            #expect(!removals.holdAnswers)
            for (id, isHidden) in [(newest, true), (newest + 1, false)] {
                var verdict = Removals.Verdict()
                removals.verdict(id: id, ofParent: parent.key.digest, into: &verdict)
                #expect(verdict.isRemoved == isHidden)
            }
        }
    }

    @Test func whatIsStoredAfterTheFirstSliceOfAKeysRemovalStays() async throws {
        try await betweenSlices { writer, shared, bench, parent in
            try writer.database?.rows.write(parent, now: bench.time.wall())
            let child = bench.entry("new", parents: [parent.key.digest])
            try writer.database?.rows.write(child, now: bench.time.wall())
            while !writer.purges.isEmpty { writer.stepPurges() }
            #expect(try Self.rows(writer) == 2 && shared.removals.count == 0)
        }
    }

    @Test func aKeyThatIsRemovedOnceMoreIsWalkedOnce() async throws {
        try await betweenSlices { writer, shared, bench, parent in
            try writer.database?.rows.write(bench.entry("new", parents: [parent.key.digest]), now: bench.time.wall())
            Self.remove(parent.key.digest, writer, shared, bench)
            #expect(writer.purges.count == 1 && shared.removals.count == 1)
            while !writer.purges.isEmpty { writer.stepPurges() }
            #expect(try Self.rows(writer) == 0 && shared.removals.count == 0)
        }
    }

    @Test func aKillBetweenSlicesOfAKeysRemovalBringsNothingBack() async throws {
        try await withStore(StoreSettings(minFree: 0, patience: .seconds(600))) { (store, bench) async throws in
            let folder = await Self.folder("f", Self.entries, bench, store)
            let faults = store.shared.faults
            defer { faults.hold(false) }
            faults.hold(true)
            async let purged = store.purge(.digest(folder), soft: false)
            while !faults.isHolding { await Task.yield() }
            try await eventually("the mark says so") { try bench.isPending() }
            // One slice is committed, and the next one held.
            faults.hold(false)
            while bench.count(StoreCounters.purged) == 0 { await Task.yield() }
            faults.hold(true)
            try await bench.afterAKill { (second, copy) async throws in
                for number in 0..<Self.entries {
                    #expect(try await second.read(bench.entry("f \(number)", parents: [folder]).key) == nil)
                }
                try await copy.eventually("nothing waits", in: second) { second.pendingRemovals == 0 }
                #expect(try await second.statistics().entries == 0)
            }
            faults.hold(false)
            #expect(try await purged == Self.entries)
            try await eventually("the mark says so") { try !bench.isPending() }
        }
    }

    // MARK: How long slices are

    @Test func slicesGetShorterWhileTheyTakeLong() {
        let tombstone = Tombstone(
            number: 1, selector: .all, isSoft: false, provider: nil, at: WallTime(seconds: 1_800_000_000))
        let purge = PurgeWork(tombstone, last: 1000)
        for _ in 0..<9 { purge.advance(after: .milliseconds(30)) }
        #expect(purge.rowsPerSlice == PurgeWork.fewestRows)
        purge.advance(after: .milliseconds(4))
        #expect(purge.rowsPerSlice == PurgeWork.fewestRows)
        for _ in 0..<9 { purge.advance(after: .milliseconds(1)) }
        #expect(purge.rowsPerSlice == PurgeWork.sliceRows)
    }

    @Test(arguments: [true, false])
    func aSlicePausesForAsLongAsItTookIfOthersUseTheStore(others: Bool) async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, shared) async throws in
                for number in 0..<200 {
                    try writer.database?.rows.write(bench.entry("\(number)"), now: bench.time.wall())
                }
                shared.removals.change { removals in
                    let made = removals.add(
                        .provider("itunes"), isSoft: false, provider: nil, at: bench.time.wall())
                    removals.markDue(made.number)
                }
                writer.performRemovals()
                // Each reading of the clock takes a while, and so does a slice.
                bench.time.leap(by: .milliseconds(1))
                writer.slicePurges(others: others)
                bench.time.leap(by: .zero)
                let purged = bench.count(StoreCounters.purged)
                #expect(purged == 64)
                writer.slicePurges(others: false)
                #expect((bench.count(StoreCounters.purged) == purged) == others)
                bench.time.advance(by: RemovalUpkeep.longestPause)
                writer.slicePurges(others: false)
                #expect(bench.count(StoreCounters.purged) > purged)
            }
        }
    }
}
