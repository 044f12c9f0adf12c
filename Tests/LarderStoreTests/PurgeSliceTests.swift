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
            async let wrote = store.write(bench.entry("new", provider: "api"), with: nil, supersedes: true) {
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
        let settings = StoreSettings(minFree: 0, patience: .seconds(600), commitWithin: .milliseconds(20))
        try await duringAPurge(settings) { (store, bench) async throws in
            let entry = bench.entry("new")
            #expect(await store.write(entry) == .accepted)
            #expect(try await sameEntry(store.read(entry.key), entry))
            store.shared.faults.hold(false)
            await store.commit()
            #expect(try await sameEntry(store.read(entry.key), entry), "the purge ends at what was stored before")
        }
    }

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
                let tombstone = shared.removals.add(
                    .provider("itunes"), isSoft: false, provider: nil, at: bench.time.wall(), nil)
                shared.removals.markDue(tombstone.number)
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
