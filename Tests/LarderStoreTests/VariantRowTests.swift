// The variants of a URL in the store: how they are found, what they replace, and what is left if one of them goes.
import CSQLite
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct VariantRowTests {
    /// How an entry is written: in a transaction with others, whole but too large for that, or in pieces.
    enum Way: CaseIterable, Sendable {
        case small, large, streamed

        var size: Int { self == .small ? 100 : self == .large ? 1_200_000 : 300_000 }
    }

    /// Each write returns after its commit.
    private static let strict = StoreSettings(maxObject: 64 << 20, minFree: 0, patience: .seconds(30))

    /// A variant of the URL "url".
    private func variant(
        _ bench: Bench, _ name: String, _ arrival: UInt64, _ way: Way = .small, isOfAbsence: Bool = false
    ) -> StoredResponse {
        var entry = bench.entry(name, size: way.size)
        entry.arrival = arrival
        entry.variant = StoredVariant(
            url: bench.entry("url").key.digest, selection: entry.key.digest, date: entry.responseTime,
            putsOthersInDoubt: isOfAbsence, language: "de-at", rest: Digest(of: [7]))
        return entry
    }

    /// The response of that URL that no field selects.
    private func plain(_ bench: Bench, _ arrival: UInt64) -> StoredResponse {
        var entry = bench.entry("url")
        entry.arrival = arrival
        return entry
    }

    private func write(
        _ entry: StoredResponse, _ way: Way, to store: SQLiteStore, supersedes: Superseded = .entry,
        when isWanted: (@Sendable () -> Bool)? = nil
    ) async throws -> WriteOutcome {
        guard way == .streamed else {
            return await store.write(entry, supersedes: supersedes, when: isWanted)
        }
        let writer = try await store.begin(expecting: nil).get()
        try #require(await writer.append(entry.body) == .stored)
        return await writer.complete(entry, supersedes: supersedes, when: isWanted)
    }

    /// The names of what is found of the URL, those in doubt with a mark.
    private func found(_ store: SQLiteStore, _ bench: Bench) async throws -> [String] {
        let look = try await store.find(bench.entry("url").key)
        let plain = look.entry.map { _ in "plain" }
        let names = look.variants.map { entry in
            let isInDoubt = entry.isUnverified || entry.arrival < look.missing
            return (entry.label.split(separator: "=").last.map(String.init) ?? "") + (isInDoubt ? "?" : "")
        }
        return ([plain].compactMap { $0 } + names).sorted()
    }

    // MARK: Finding

    @Test(arguments: Way.allCases)
    func theVariantsOfAURLAreFoundByItsKey(_ way: Way) async throws {
        try await withStore(Self.strict) { (store, bench) async throws in
            #expect(try await write(variant(bench, "a", 1, way), way, to: store) == .stored)
            #expect(try await write(variant(bench, "b", 2, way), way, to: store) == .stored)
            let look = try await store.find(bench.entry("url").key)
            #expect(Set(look.variants.map(\.key)) == [bench.entry("a").key, bench.entry("b").key])
            #expect(look.entry == nil && look.missing == 0)
            #expect(try await store.read(bench.entry("a").key)?.body == variant(bench, "a", 1, way).body)
        }
    }

    @Test func acceptedVariantsAreFoundBeforeTheirCommitAndAfterIt() async throws {
        try await withStore(AcceptedTests.collecting) { (store, bench) async throws in
            #expect(await store.write(variant(bench, "a", 1)) == .accepted)
            #expect(try await found(store, bench) == ["a"])
            await store.commit()
            #expect(await store.write(variant(bench, "b", 2)) == .accepted)
            #expect(try await found(store, bench) == ["a", "b"])
            await store.commit()
            #expect(store.shared.overlay.isEmpty)
            #expect(try await found(store, bench) == ["a", "b"])
        }
    }

    @Test func whatAVariantIsIsReadBackAsItWasWritten() async throws {
        try await withStore { (store, bench) async throws in
            let written = variant(bench, "a", 1, isOfAbsence: true)
            #expect(await store.write(written) == .stored)
            let read = try #require(try await store.read(written.key)?.variant)
            let whole = try #require(written.variant)
            #expect(read.url == whole.url && read.selection == whole.selection && read.rest == whole.rest)
            #expect(read.date == whole.date && read.putsOthersInDoubt && read.language == "de-at")
        }
    }

    @Test func theVariantsOfAnEarlierRunAreFound() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            #expect(await first.write(variant(bench, "a", 1)) == .stored)
            await first.close()
            let store = try bench.open()
            #expect(try await found(store, bench) == ["a"])
            await store.maintain()
            #expect(!store.lacks(bench.entry("url").key.digest))
            #expect(try await found(store, bench) == ["a"])
            await store.close()
        }
    }

    // MARK: Replacing

    @Test(arguments: Way.allCases)
    func aVariantReplacesWhatNoFieldSelects(_ way: Way) async throws {
        try await withStore(Self.strict) { (store, bench) async throws in
            #expect(await store.write(plain(bench, 1)) == .stored)
            #expect(try await write(variant(bench, "a", 2, way), way, to: store) == .stored)
            #expect(try await found(store, bench) == ["a"])
            #expect(try await store.statistics().entries == 1)
        }
    }

    @Test func whatNoFieldSelectsReplacesTheVariants() async throws {
        try await withStore { (store, bench) async throws in
            for (number, name) in ["a", "b"].enumerated() {
                #expect(await store.write(variant(bench, name, UInt64(number + 1))) == .stored)
            }
            #expect(await store.write(plain(bench, 3)) == .stored)
            #expect(try await found(store, bench) == ["plain"])
            #expect(try await store.statistics().entries == 1)
        }
    }

    @Test func anAcceptedVariantReplacesWhatNoFieldSelectsAtOnce() async throws {
        try await withStore(AcceptedTests.collecting) { (store, bench) async throws in
            #expect(await store.write(plain(bench, 1)) == .accepted)
            await store.commit()
            #expect(await store.write(variant(bench, "a", 2)) == .accepted)
            #expect(try await found(store, bench) == ["a"])
        }
    }

    @Test func ofAcceptedResponsesTheOneThatArrivedLaterIsFound() async throws {
        try await withStore(AcceptedTests.collecting) { (store, bench) async throws in
            #expect(await store.write(plain(bench, 1)) == .accepted)
            #expect(await store.write(variant(bench, "a", 2)) == .accepted)
            #expect(try await found(store, bench) == ["a"])
            #expect(await store.write(plain(bench, 3)) == .accepted)
            #expect(try await found(store, bench) == ["plain"])
            await store.commit()
            #expect(try await found(store, bench) == ["plain"])
        }
    }

    /// Neither of the two accepted ones is committed, so the first variant is still in the database.
    @Test func aVariantBeforeAnAcceptedResponseThatAnotherVariantReplacedIsInDoubt() async throws {
        try await withStore(AcceptedTests.collecting) { (store, bench) async throws in
            #expect(await store.write(variant(bench, "a", 1)) == .accepted)
            await store.commit()
            #expect(await store.write(plain(bench, 2)) == .accepted)
            #expect(await store.write(variant(bench, "b", 3)) == .accepted)
            #expect(try await found(store, bench) == ["a?", "b"])
            await store.commit()
            #expect(try await found(store, bench) == ["b"])
        }
    }

    @Test func whoIsToldOfAVariantIsToldBeforeItsCommitAndAfterIt() async throws {
        try await withStore { (store, bench) async throws in
            let told = Lock<[Digest]>([])
            store.tellOfVariants { url in told.withLock { $0.append(url) } }
            #expect(await store.write(variant(bench, "a", 1)) == .stored)
            let url = bench.entry("url").key.digest
            #expect(told.withLock { $0 } == [url, url])
        }
    }

    @Test func theVariantReceivedFirstLeavesBeyondTheLimit() async throws {
        try await withStore { (store, bench) async throws in
            for number in 0..<EntryRows.mostVariants + 1 {
                #expect(await store.write(variant(bench, "\(number)", UInt64(number + 2))) == .stored)
            }
            #expect(await store.write(variant(bench, "first", 1)) == .refused(.removed))
            let look = try await store.find(bench.entry("url").key)
            #expect(look.variants.count == EntryRows.mostVariants)
            #expect(try await store.read(bench.entry("0").key) == nil)
        }
    }

    // MARK: Removing

    @Test(arguments: [true, false])
    func theRemovalOfAURLTakesItsVariantsAlong(_ isCommitted: Bool) async throws {
        try await withStore(AcceptedTests.collecting) { (store, bench) async throws in
            for name in ["a", "b"] { #expect(await store.write(variant(bench, name, 1)) == .accepted) }
            if isCommitted { await store.commit() }
            let removed = await store.remove(.digest(bench.entry("url").key.digest), soft: false, provider: nil)
            #expect(removed.count == 2)
            #expect(try await found(store, bench) == [])
        }
    }

    @Test func aRemovalThatTheDiskRefusesHidesTheVariants() async throws {
        try await withStore { (store, bench) async throws in
            for name in ["a", "b"] { #expect(await store.write(variant(bench, name, 1)) == .stored) }
            store.shared.faults.fail(with: SQLITE_FULL)
            _ = await store.remove(.digest(bench.entry("url").key.digest), soft: false, provider: nil)
            #expect(try await found(store, bench) == [])
            store.shared.faults.fail(with: nil)
        }
    }

    /// Some requests may have got the newer one in place of an older one.
    @Test func aVariantThatGoesPutsThoseBeforeItInDoubt() async throws {
        try await withStore { (store, bench) async throws in
            for (number, name) in ["a", "b", "c"].enumerated() {
                #expect(await store.write(variant(bench, name, UInt64(number + 1))) == .stored)
            }
            store.shared.faults.hold(true)
            store.hide(variant(bench, "b", 4))
            #expect(try await found(store, bench) == ["a?", "c"])
            store.shared.faults.hold(false)
            try await bench.eventually("it is removed", in: store) { store.pendingRemovals == 0 }
            #expect(try await found(store, bench) == ["a?", "c"])
        }
    }

    @Test func anAbsencePutsThoseBeforeItInDoubtAlsoAfterItWasReplaced() async throws {
        try await withStore { (store, bench) async throws in
            #expect(await store.write(variant(bench, "a", 1)) == .stored)
            #expect(await store.write(variant(bench, "b", 2, isOfAbsence: true)) == .stored)
            #expect(await store.write(variant(bench, "b", 3)) == .stored)
            #expect(try await found(store, bench) == ["a?", "b"])
        }
    }

    @Test(arguments: Way.allCases)
    func aVariantThatIsLeftOutPutsThoseBeforeItInDoubt(_ way: Way) async throws {
        try await withStore(Self.strict) { (store, bench) async throws in
            #expect(await store.write(variant(bench, "a", 1)) == .stored)
            let asked = Lock(0)
            let outcome = try await write(variant(bench, "b", 2, way), way, to: store) {
                // It is wanted when the write begins, and not any more within the transaction.
                asked.withLock { $0 += 1 }
                return false
            }
            #expect(outcome == .refused(.removed))
            #expect(asked.withLock { $0 } > 0)
            #expect(try await found(store, bench) == ["a?"])
        }
    }

    // MARK: Failing

    @Test(arguments: Way.allCases)
    func aCommitThatFailsLosesWhatTheVariantWouldHaveReplaced(_ way: Way) async throws {
        try await withStore(Self.strict) { (store, bench) async throws in
            #expect(await store.write(plain(bench, 1)) == .stored)
            // Only the commit of the row fails. Writing a body before it changes nothing in the database.
            store.shared.faults.fail(with: SQLITE_FULL, changesOnly: true)
            let outcome = try await write(variant(bench, "a", 2, way), way, to: store, supersedes: .url)
            #expect(outcome == .refused(.diskFull))
            #expect(try await found(store, bench) == [])
            store.shared.faults.fail(with: nil)
            try await bench.eventually("the tombstones are written", in: store) { store.pendingRemovals == 0 }
            #expect(try await store.statistics().entries == 0)
        }
    }

    @Test func aCommitThatFailsLeavesTheVariantsThatItSaysNothingOf() async throws {
        try await withStore(AcceptedTests.collecting) { (store, bench) async throws in
            for (number, name) in ["a", "b"].enumerated() {
                #expect(await store.write(variant(bench, name, UInt64(number + 1))) == .accepted)
            }
            await store.commit()
            #expect(await store.write(variant(bench, "a", 3)) == .accepted)
            store.shared.faults.fail(with: SQLITE_FULL)
            await store.commit()
            store.shared.faults.fail(with: nil)
            #expect(try await store.read(bench.entry("a").key) == nil)
            #expect(try await store.read(bench.entry("b").key) != nil)
        }
    }

    @Test func aVariantThatIsLateLeavesNothingOlderAndIsStored() async throws {
        try await withStore { (store, bench) async throws in
            #expect(await store.write(plain(bench, 1)) == .stored)
            store.shared.faults.hold(true)
            let outcome = try await bench.passing([.write], of: store) {
                await store.write(variant(bench, "a", 2), supersedes: .url, when: nil)
            }
            #expect(outcome == .pending)
            #expect(try await found(store, bench) == [])
            store.shared.faults.hold(false)
            try await bench.eventually("it is stored", in: store) { try await found(store, bench) == ["a"] }
            #expect(store.pendingRemovals == 0)
        }
    }

    // MARK: Order

    @Test func noPlaceIsLeftBehind() async throws {
        try await withStore(AcceptedTests.collecting) { (store, bench) async throws in
            #expect(await store.write(variant(bench, "a", 1)) == .accepted)
            await store.commit()
            try await bench.eventually("it has ended", in: store) { store.shared.orders.count == 0 }
        }
    }

    /// The newer response was accepted. If it is lost, the older response waiting behind it is of no use, although no
    /// row exists.
    @Test func anOlderAnswerIsNotStoredAfterANewerOneThatCameBeforeItIntoTheQueueAndFailed() async throws {
        try await withStore(Self.strict) { (store, bench) async throws in
            let faults = store.shared.faults
            let asked = Lock(0)
            let older = store.shared.orders.order(bench.entry("a", seed: 1), supersedes: .entry) {
                // The first call is for the transaction shared with the newer response, the second for a try alone. The
                // disk works again then.
                asked.withLock { $0 += 1 }
                if asked.withLock({ $0 }) > 1 { faults.fail(with: nil) }
                return true
            }
            let newer = store.shared.orders.order(bench.entry("a", seed: 2), supersedes: .entry) {
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
}
