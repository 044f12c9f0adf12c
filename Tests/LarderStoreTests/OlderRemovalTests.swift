// What is older of a URL is removed by number: at once, whatever its key, and nothing that is newer.
import CSQLite
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct OlderRemovalTests {
    private func variant(_ bench: Bench, _ name: String, _ arrival: UInt64) -> StoredResponse {
        var entry = plain(bench, name, arrival)
        entry.variant = StoredVariant(
            url: bench.entry("url").key.digest, selection: entry.key.digest, date: entry.responseTime)
        return entry
    }

    private func plain(_ bench: Bench, _ name: String, _ arrival: UInt64) -> StoredResponse {
        var entry = bench.entry(name)
        entry.arrival = arrival
        return entry
    }

    private func removeOlder(
        _ store: SQLiteStore, _ bench: Bench, before arrival: UInt64,
        where selects: @escaping @Sendable (StoredResponse) -> Bool = { _ in true }
    ) {
        store.removeOlder(
            of: bench.entry("url").key.digest, provider: "itunes", before: arrival, where: selects)
    }

    private func found(_ store: SQLiteStore, _ bench: Bench) async throws -> [String] {
        let look = try await store.find(bench.entry("url").key)
        return (look.variants + [look.entry].compactMap { $0 }).map(\.label).sorted()
            .map { String($0.split(separator: "=").last ?? "") }
    }

    @Test(arguments: [true, false])
    func whatIsOlderIsNotFoundAtOnceAndNotAfterTheCommit(_ isCommitted: Bool) async throws {
        try await withStore(AcceptedTests.collecting) { (store, bench) async throws in
            for (number, name) in ["a", "b", "c"].enumerated() {
                #expect(await store.write(variant(bench, name, UInt64(number + 1))) == .accepted)
            }
            if isCommitted { await store.commit() }
            removeOlder(store, bench, before: 3)
            #expect(try await found(store, bench) == ["c"])
            await store.commit()
            try await bench.eventually("it is carried out", in: store) { store.pendingRemovals == 0 }
            #expect(try await found(store, bench) == ["c"])
            #expect(try await store.statistics().entries == 1)
        }
    }

    @Test func onlyWhatIsSelectedIsRemoved() async throws {
        try await withStore { (store, bench) async throws in
            for name in ["a", "b"] { #expect(await store.write(variant(bench, name, 1)) == .stored) }
            let key = bench.entry("a").key
            removeOlder(store, bench, before: 2) { $0.key == key }
            #expect(try await found(store, bench) == ["b"])
        }
    }

    /// The newer one is in the database before the removal is carried out.
    @Test func whatIsStoredBeforeItIsCarriedOutAndIsNewerStays() async throws {
        try await withStore { (store, bench) async throws in
            for (number, name) in ["a", "b"].enumerated() {
                #expect(await store.write(variant(bench, name, UInt64(number + 1))) == .stored)
            }
            store.shared.faults.hold(true)
            async let newer = store.write(variant(bench, "c", 5))
            try await bench.eventually("its commit is held", in: store, rate: 0) { store.shared.faults.isHolding }
            removeOlder(store, bench, before: 3)
            #expect(try await found(store, bench) == [])
            store.shared.faults.hold(false)
            _ = await newer
            try await bench.eventually("it is carried out", in: store) { store.pendingRemovals == 0 }
            #expect(try await found(store, bench) == ["c"])
        }
    }

    @Test func aRemovalThatTheDiskRefusesHoldsAndIsTriedAgain() async throws {
        try await withStore { (store, bench) async throws in
            #expect(await store.write(plain(bench, "url", 1)) == .stored)
            store.shared.faults.fail(with: SQLITE_FULL)
            removeOlder(store, bench, before: 2)
            try await bench.eventually("it was tried", in: store, rate: 0) {
                bench.count(StoreCounters.failures, "diskFull") > 0
            }
            #expect(try await found(store, bench) == [])
            store.shared.faults.fail(with: nil)
            try await bench.eventually("it is carried out", in: store) { store.pendingRemovals == 0 }
            #expect(try await store.statistics().entries == 0)
        }
    }

    /// An accepted response that no field selects has taken the place of the variants. It goes before its commit, in favour
    /// of a response for other requests.
    @Test func aVariantDoesNotComeBackAsItWasIfWhatReplacedItIsOvertakenBeforeItsCommit() async throws {
        try await withStore(AcceptedTests.collecting) { (store, bench) async throws in
            #expect(await store.write(variant(bench, "a", 1)) == .accepted)
            await store.commit()
            #expect(await store.write(plain(bench, "url", 2)) == .accepted)
            removeOlder(store, bench, before: 3) { $0.variant == nil }
            let url = bench.entry("url").key
            var look = try await store.find(url)
            #expect(look.entry == nil && look.missing == 2)
            await store.commit()
            try await bench.eventually("it is carried out", in: store) { store.pendingRemovals == 0 }
            look = try await store.find(url)
            #expect(look.entry == nil && look.variants.map(\.isUnverified) == [true])
        }
    }

    @Test func whatNoFieldSelectsDoesNotComeBackIfAVariantIsLeftOut() async throws {
        try await withStore(AcceptedTests.collecting) { (store, bench) async throws in
            #expect(await store.write(plain(bench, "url", 1)) == .accepted)
            await store.commit()
            let accepted = variant(bench, "a", 2)
            #expect(await store.write(accepted) == .accepted)
            store.hide(accepted)
            #expect(try await found(store, bench) == [])
            await store.commit()
            #expect(try await found(store, bench) == [])
        }
    }

    @Test func aVariantThatStaysIsInDoubtIfANewerOneWentThatItPrecedes() async throws {
        try await withStore { (store, bench) async throws in
            for (number, name) in ["a", "b"].enumerated() {
                #expect(await store.write(variant(bench, name, UInt64(number + 1))) == .stored)
            }
            let key = bench.entry("b").key
            store.shared.faults.hold(true)
            removeOlder(store, bench, before: 3) { $0.key == key }
            let look = try await store.find(bench.entry("url").key)
            #expect(look.variants.map(\.key) == [bench.entry("a").key] && look.missing == 2)
            store.shared.faults.hold(false)
            try await bench.eventually("it is carried out", in: store) { store.pendingRemovals == 0 }
            #expect(try await store.read(bench.entry("a").key)?.isUnverified == true)
        }
    }

    @Test func anAnswerThatIsKeptReadyIsNotGivenMeanwhile() async throws {
        try await withReady { (stand) async throws in
            let entry = stand.bench.entry("a")
            #expect(await stand.store.write(entry) == .stored)
            #expect(try await stand.keep(stand.row(entry), of: entry))
            #expect(try await stand.look() != nil)
            stand.store.shared.faults.hold(true)
            stand.store.removeOlder(of: entry.key.digest, provider: "itunes", before: 9) { _ in true }
            #expect(try await stand.look() == nil)
            stand.store.shared.faults.hold(false)
            try await stand.bench.eventually("it is carried out", in: stand.store) {
                stand.store.pendingRemovals == 0
            }
            #expect(try stand.bench.readyRows() == 0)
        }
    }

    @Test func ofAnUnknownURLNothingIsHeld() async throws {
        try await withStore { (store, bench) async throws in
            #expect(await store.write(plain(bench, "other", 1)) == .stored)
            await store.maintain()
            removeOlder(store, bench, before: 9)
            #expect(store.pendingRemovals == 0)
        }
    }

    @Test func manyOfOneURLAreHeldAsOneOfAll() {
        var removals = Removals()
        var entry = StoredResponse(
            key: CacheKey(layer: .raw, provider: "p", endpoint: "e", parameters: []), layer: .raw, provider: "p",
            endpoint: "e", requestTime: WallTime(seconds: 1), responseTime: WallTime(seconds: 1),
            freshUntil: WallTime(seconds: 1), staleUntil: WallTime(seconds: 1), label: "")
        entry.arrival = 7
        for number in 0..<Removals.mostOlderOfURL {
            _ = removals.addOlder(of: entry.key.digest, before: UInt64(number)) { _ in false }
        }
        #expect(!removals.meansAsOlder(entry))
        _ = removals.addOlder(of: entry.key.digest, before: 8) { _ in false }
        #expect(removals.count == 1 && removals.meansAsOlder(entry))
        entry.arrival = UInt64(Removals.mostOlderOfURL)
        #expect(!removals.meansAsOlder(entry))
    }

    @Test func beyondTheLimitEverythingOfTheURLIsRemoved() async throws {
        try await withStore { (store, bench) async throws in
            #expect(await store.write(variant(bench, "a", 9)) == .stored)
            store.shared.faults.hold(true)
            for number in 0..<Removals.mostExact {
                let other = Digest(of: Bytes(text: "\(number)"))
                _ = store.shared.removals.change { $0.addOlder(of: other, before: 1) { _ in true } }
            }
            removeOlder(store, bench, before: 2)
            #expect(try await found(store, bench) == [])
            store.shared.faults.hold(false)
            try await bench.eventually("it is carried out", in: store) { store.pendingRemovals == 0 }
        }
    }
}
