// An entry and its companion, for example a variant and the list that names it. The database holds both or neither, at
// every instant.
import CSQLite
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct CompanionTests {
    /// How an entry is written: in a transaction with others, whole but too large for that, or in pieces.
    enum Way: CaseIterable, Sendable {
        case small, large, streamed

        var size: Int { self == .small ? 100 : self == .large ? 1_200_000 : 300_000 }
    }

    /// Each write returns after its commit.
    private static let strict = StoreSettings(maxObject: 64 << 20, minFree: 0, patience: .seconds(30))

    /// A variant and its list. The list is the variant's parent.
    private func pair(
        _ bench: Bench, _ name: String, _ way: Way, seed: UInt8 = 0, supersedes: Bool = true,
        concernsOthers: Bool = false
    ) -> (variant: StoredResponse, list: Companion) {
        let list = bench.entry("list of \(name)", seed: seed)
        var variant = bench.entry(name, size: way.size, seed: seed)
        variant.parents = [list.key.digest]
        return (variant, Companion(list, supersedes: supersedes, concernsOthers: concernsOthers))
    }

    private func write(
        _ variant: StoredResponse, with list: Companion?, _ way: Way, to store: SQLiteStore,
        when isWanted: (@Sendable () -> Bool)? = nil
    ) async throws -> WriteOutcome {
        guard way == .streamed else {
            return await store.write(variant, with: list, supersedes: true, when: isWanted)
        }
        let writer = try await store.begin(expecting: nil).get()
        try #require(await writer.append(variant.body) == .stored)
        return await writer.complete(variant, with: list, when: isWanted)
    }

    /// The number of entries that another connection sees.
    private func rows(_ bench: Bench) throws -> Int64? {
        let connection = try DatabaseConnection(path: bench.path)
        defer { connection.close() }
        return try connection.number("SELECT count(*) FROM entry")
    }

    private func areThere(_ store: SQLiteStore, _ entries: StoredResponse...) async throws -> Bool {
        for entry in entries where try await store.read(entry.key)?.body != entry.body { return false }
        return true
    }

    // MARK: Both or neither

    @Test(arguments: Way.allCases)
    func noInstantHasOneWithoutTheOther(_ way: Way) async throws {
        try await withStore(Self.strict) { (store, bench) async throws in
            let isOver = Lock(false)
            async let odd = {
                let connection = try DatabaseConnection(path: bench.path)
                defer { connection.close() }
                var odd = 0
                while !isOver.withLock({ $0 }) {
                    let count = try connection.number("SELECT count(*) FROM entry") ?? 0
                    if count % 2 != 0 { odd += 1 }
                    await Task.yield()
                }
                return odd
            }()
            for number in 0..<(way == .small ? 200 : 30) {
                let (variant, list) = pair(bench, "\(number)", way)
                #expect(try await write(variant, with: list, way, to: store) == .stored)
                #expect(try await store.read(list.entry.key) != nil)
                #expect(try await store.read(variant.key) != nil)
            }
            isOver.withLock { $0 = true }
            #expect(try await odd == 0)
        }
    }

    @Test func bothShareATransaction() async throws {
        try await withStore(Self.strict) { (store, bench) async throws in
            let before = bench.count(StoreCounters.transactions)
            let (variant, list) = pair(bench, "a", .small)
            #expect(try await write(variant, with: list, .small, to: store) == .stored)
            #expect(bench.count(StoreCounters.transactions) == before + 1)
            #expect(try rows(bench) == 2)
        }
    }

    @Test(arguments: Way.allCases)
    func aCommitThatFailsLosesBothAndTheOlderOnes(_ way: Way) async throws {
        try await withStore(Self.strict) { (store, bench) async throws in
            let (older, olderList) = pair(bench, "a", way, seed: 1)
            #expect(try await write(older, with: olderList, way, to: store) == .stored)
            let (variant, list) = pair(bench, "a", way, seed: 2)
            // Only the commit of the rows fails. Writing a body before it changes nothing in the database.
            store.shared.faults.fail(with: SQLITE_FULL, changesOnly: true)
            #expect(try await write(variant, with: list, way, to: store) == .refused(.diskFull))
            #expect(try await store.read(variant.key) == nil)
            #expect(try await store.read(list.entry.key) == nil)
            store.shared.faults.fail(with: nil)
            try await bench.eventually("the tombstones are written", in: store) { store.pendingRemovals == 0 }
            #expect(try rows(bench) == 0)
        }
    }

    @Test(arguments: [Way.small, .large])
    func anAcceptedPairWhoseCommitFailsIsNotFound(_ way: Way) async throws {
        var settings = AcceptedTests.collecting
        settings.maxObject = 64 << 20
        try await withStore(settings) { (store, bench) async throws in
            let (older, olderList) = pair(bench, "a", way, seed: 1)
            #expect(try await write(older, with: olderList, way, to: store) == .accepted)
            await store.commit()
            // An accepted pair counts as stored. The older list is removed too, although a refused pair would have left
            // it.
            let (variant, list) = pair(bench, "a", way, seed: 2, supersedes: false, concernsOthers: true)
            #expect(try await write(variant, with: list, way, to: store) == .accepted)
            store.shared.faults.fail(with: SQLITE_FULL)
            await store.commit()
            #expect(store.shared.overlay.isEmpty)
            #expect(try await store.read(variant.key) == nil)
            #expect(try await store.read(list.entry.key) == nil)
            store.shared.faults.fail(with: nil)
        }
    }

    @Test(arguments: [Way.small, .large])
    func anAcceptedPairWhoseCommitFailsLeavesTheOlderListWhereItSaysNothingOfOthers(_ way: Way) async throws {
        var settings = AcceptedTests.collecting
        settings.maxObject = 64 << 20
        try await withStore(settings) { (store, bench) async throws in
            let (older, olderList) = pair(bench, "a", way, seed: 1)
            #expect(try await write(older, with: olderList, way, to: store) == .accepted)
            await store.commit()
            var other = bench.entry("b", size: way.size)
            other.parents = older.parents
            let list = Companion(bench.entry("list of a", seed: 2), supersedes: false)
            #expect(try await write(other, with: list, way, to: store) == .accepted)
            store.shared.faults.fail(with: SQLITE_FULL)
            await store.commit()
            store.shared.faults.fail(with: nil)
            #expect(try await store.read(other.key) == nil)
            #expect(try await areThere(store, older, olderList.entry))
        }
    }

    @Test func aRefusedPairLeavesTheOlderListWhereThatIsStillOfUse() async throws {
        try await withStore(Self.strict) { (store, bench) async throws in
            let (older, olderList) = pair(bench, "a", .small, seed: 1)
            #expect(try await write(older, with: olderList, .small, to: store) == .stored)
            let (variant, list) = pair(bench, "a", .small, seed: 2, supersedes: false)
            store.shared.faults.fail(with: SQLITE_FULL)
            #expect(try await write(variant, with: list, .small, to: store) == .refused(.diskFull))
            store.shared.faults.fail(with: nil)
            #expect(try await store.read(variant.key) == nil)
            #expect(try await areThere(store, olderList.entry))
        }
    }

    @Test(arguments: Way.allCases)
    func aListThatIsTooLargeRefusesBoth(_ way: Way) async throws {
        try await withStore(StoreSettings(maxObject: 2 << 20, minFree: 0)) { (store, bench) async throws in
            let (variant, _) = pair(bench, "a", way)
            let list = Companion(bench.entry("list of a", size: 3 << 20), supersedes: true)
            #expect(try await write(variant, with: list, way, to: store) == .refused(.tooLarge))
            #expect(try rows(bench) == 0)
        }
    }

    // MARK: Accepted together

    @Test func bothAreFoundBeforeTheirCommitAndAfterIt() async throws {
        try await withStore(AcceptedTests.collecting) { (store, bench) async throws in
            let (variant, list) = pair(bench, "a", .small)
            #expect(try await write(variant, with: list, .small, to: store) == .accepted)
            #expect(try rows(bench) == 0)
            #expect(try await areThere(store, variant, list.entry))
            await store.commit()
            #expect(store.shared.overlay.isEmpty)
            #expect(try rows(bench) == 2)
            #expect(try await areThere(store, variant, list.entry))
        }
    }

    @Test func neitherIsAcceptedWhereTheyAreNotWanted() async throws {
        try await withStore(AcceptedTests.collecting) { (store, bench) async throws in
            let (variant, list) = pair(bench, "a", .small)
            let outcome = try await write(variant, with: list, .small, to: store, when: { false })
            #expect(outcome == .refused(.removed))
            #expect(store.shared.overlay.isEmpty)
            #expect(store.shared.orders.count == 0)
        }
    }

    @Test func noPlaceIsLeftBehind() async throws {
        try await withStore(AcceptedTests.collecting) { (store, bench) async throws in
            let (variant, list) = pair(bench, "a", .small)
            #expect(try await write(variant, with: list, .small, to: store) == .accepted)
            await store.commit()
            try await bench.eventually("both have ended", in: store) { store.shared.orders.count == 0 }
        }
    }

    @Test func aRemovedListTakesItsAcceptedVariantAlong() async throws {
        try await withStore(AcceptedTests.collecting) { (store, bench) async throws in
            let (variant, list) = pair(bench, "a", .small)
            #expect(try await write(variant, with: list, .small, to: store) == .accepted)
            let removed = await store.remove(.digest(list.entry.key.digest), soft: false, provider: nil)
            #expect(removed.count == 2)
            #expect(try await store.read(variant.key) == nil)
        }
    }

    // MARK: Late

    @Test func aPairThatIsLateLeavesNoOlderOneAndIsStoredWhole() async throws {
        try await withStore { (store, bench) async throws in
            let plain = bench.entry("list of a", seed: 1)
            #expect(await store.write(plain) == .stored)
            let (variant, list) = pair(bench, "a", .small, seed: 2)
            store.shared.faults.hold(true)
            let outcome = try await bench.passing([.write], of: store) {
                await store.write(variant, with: list, supersedes: true, when: nil)
            }
            #expect(outcome == .pending)
            #expect(try await store.read(plain.key) == nil)
            store.shared.faults.hold(false)
            try await bench.eventually("both are stored", in: store) {
                try await areThere(store, variant, list.entry)
            }
            #expect(store.pendingRemovals == 0)
        }
    }

    // MARK: One of a pair overtaken

    /// The list describes other variants too. What it says of them is not lost.
    @Test(arguments: [Way.small, .large])
    func aVariantThatIsHiddenBeforeTheCommitLeavesItsList(_ way: Way) async throws {
        var settings = AcceptedTests.collecting
        settings.maxObject = 64 << 20
        try await withStore(settings) { (store, bench) async throws in
            let (variant, list) = pair(bench, "a", way)
            #expect(try await write(variant, with: list, way, to: store) == .accepted)
            store.hide(variant)
            #expect(try await store.read(variant.key) == nil)
            await store.commit()
            #expect(store.shared.overlay.isEmpty)
            #expect(try await store.read(variant.key) == nil)
            #expect(try await areThere(store, list.entry))
        }
    }

    @Test func aStreamedVariantThatIsHiddenBeforeTheCommitLeavesItsList() async throws {
        try await withStore(Self.strict) { (store, bench) async throws in
            let (variant, list) = pair(bench, "a", .streamed)
            let writer = try await store.begin(expecting: nil).get()
            #expect(await writer.append(variant.body) == .stored)
            // Upkeep runs first: otherwise its commit may be the one that is held.
            await store.maintain()
            store.shared.faults.hold(true)
            async let other = store.write(bench.entry("other"))
            try await bench.eventually("the writer is held", in: store, rate: 0) { store.shared.faults.isHolding }
            async let outcome = writer.complete(variant, with: list, when: nil)
            try await bench.eventually("it is under way", in: store, rate: 0) {
                store.shared.orders.count == 3 && store.shared.writes.count == 1
            }
            store.hide(variant)
            store.shared.faults.hold(false)
            #expect(await other == .stored)
            #expect(await outcome == .refused(.removed))
            #expect(try await store.read(variant.key) == nil)
            #expect(try await areThere(store, list.entry))
        }
    }

    @Test func anOlderListIsNotWrittenOverANewerOneThatCameBeforeItIntoTheQueue() async throws {
        try await withStore(AcceptedTests.collecting) { (store, bench) async throws in
            let (first, older) = pair(bench, "a", .small, seed: 1)
            var second = bench.entry("b")
            second.parents = [older.entry.key.digest]
            let newer = Companion(bench.entry("list of a", seed: 2), supersedes: true)
            let orders = [(first, older), (second, newer)].map {
                store.shared.orders.order($0.0, with: $0.1, when: nil)
            }
            for order in orders.reversed() {
                #expect(await SQLiteStore.write(order, to: store.shared) == .accepted)
            }
            await store.commit()
            #expect(store.shared.overlay.isEmpty)
            #expect(try await areThere(store, newer.entry))
            #expect(try await areThere(store, first, second))
        }
    }

    /// The newer response was accepted. If it is lost, the older response waiting behind it is of no use, although no
    /// row exists.
    @Test func anOlderAnswerIsNotStoredAfterANewerOneThatCameBeforeItIntoTheQueueAndFailed() async throws {
        try await withStore(Self.strict) { (store, bench) async throws in
            let faults = store.shared.faults
            let asked = Lock(0)
            let older = store.shared.orders.order(bench.entry("a", seed: 1), with: nil) {
                // The first call is for the transaction shared with the newer response, the second for a try alone. The
                // disk works again then.
                asked.withLock { $0 += 1 }
                if asked.withLock({ $0 }) > 1 { faults.fail(with: nil) }
                return true
            }
            let newer = store.shared.orders.order(bench.entry("a", seed: 2), with: nil) {
                faults.fail(with: SQLITE_BUSY)
                return true
            }
            // Upkeep runs first: otherwise its commit may be the one that is held.
            await store.maintain()
            faults.hold(true)
            async let other = store.write(bench.entry("other"))
            try await bench.eventually("the writer is held", in: store, rate: 0) { faults.isHolding }
            for order in [newer, older] { #expect(store.shared.writes.insist(.write(order, nil))) }
            faults.hold(false)
            // The other write may share the transaction that fails.
            _ = await other
            await store.maintain()
            faults.fail(with: nil)
            #expect(try await store.read(older.entry.key) == nil)
        }
    }

    /// Two lists of one URL wait together, and their transaction fails. When they are tried alone, the first list goes
    /// with its own variant.
    @Test func eachOfTwoVariantsThatAreTriedAloneComesWithItsList() async throws {
        try await withStore(Self.strict) { (store, bench) async throws in
            let (first, older) = pair(bench, "a", .small, seed: 1)
            let second = bench.entry("b")
            let newer = Companion(bench.entry("list of a", seed: 2), supersedes: false)
            let faults = store.shared.faults
            // The first transaction with both fails at its commit, after both were written.
            let hasFailed = Lock(false)
            let seen = Lock<[Int64?]>([])
            let endsFailing: @Sendable () -> Bool = {
                if hasFailed.withLock({ $0 }) { faults.fail(with: nil) }
                return true
            }
            // Upkeep runs first: otherwise its commit may be the one that is held.
            await store.maintain()
            faults.hold(true)
            async let other = store.write(bench.entry("other"), supersedes: true, when: endsFailing)
            try await bench.eventually("the writer is held", in: store, rate: 0) { faults.isHolding }
            let one = store.shared.orders.order(first, with: older, when: endsFailing)
            let two = store.shared.orders.order(second, with: newer) {
                if !hasFailed.withLock({ $0 }) {
                    hasFailed.withLock { $0 = true }
                    faults.fail(with: SQLITE_BUSY)
                } else if let count = try? rows(bench) {
                    seen.withLock { $0.append(count) }
                }
                return true
            }
            for order in [one, two] { #expect(store.shared.writes.insist(.write(order, nil))) }
            faults.hold(false)
            #expect(await other == .stored)
            await store.maintain()
            // The rows are the other entry, the first variant, and its list.
            #expect(seen.withLock { $0.contains(3) })
            #expect(try await areThere(store, first, second, newer.entry))
        }
    }
}
