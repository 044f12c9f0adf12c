// Entries as an administrator sees them: in each order, by each filter, without removed entries; and one entry with its
// relatives.
import CSQLite
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct ListingTests {
    private func names(_ listing: EntryListing) -> [String] {
        listing.entries.map { String($0.label.split(separator: "/").last ?? "") }
    }

    private func entry(
        _ bench: Bench, _ name: String, size: Int = 100, fresh: Int64 = 600, provider: String = "itunes",
        parents: [Digest] = []
    ) -> StoredResponse {
        var entry = bench.entry(
            name, size: size, provider: provider, parents: parents, label: "GET https://\(provider).example/\(name)")
        entry.freshUntil = bench.time.wall() + .seconds(fresh)
        return entry
    }

    /// Three entries that differ in every property that an order uses.
    private func withThree(_ body: (SQLiteStore, Bench, [StoredResponse]) async throws -> Void) async throws {
        try await withStore { (store, bench) async throws in
            var entries: [StoredResponse] = []
            for (name, size, fresh) in [("a", 300, 900), ("b", 100_000, 300), ("c", 200, 600)] {
                entries.append(entry(bench, name, size: size, fresh: Int64(fresh)))
                #expect(await store.write(entries[entries.count - 1]) == .stored)
                bench.time.advance(by: .seconds(100))
            }
            try await body(store, bench, entries)
        }
    }

    @Test(arguments: [(EntryOrder.largest, ["b", "a", "c"]), (.recentlyUsed, ["c", "b", "a"])])
    func eachOrderIsKept(_ order: EntryOrder, _ expected: [String]) async throws {
        try await withThree { (store, _, _) async throws in
            let listing = try await store.entries(EntryQuestion(order: order))
            #expect(names(listing) == expected)
            #expect(listing.isComplete)
            #expect(try await names(store.entries(EntryQuestion(order: order, limit: 2))) == Array(expected.prefix(2)))
        }
    }

    /// A look that must end soon says where it ended, and the looks after it find each further entry once.
    @Test(arguments: EntryOrder.allCases)
    func aLookThatEndsSoonIsContinued(_ order: EntryOrder) async throws {
        try await withStore { (store, bench) async throws in
            for number in 0..<300 {
                let entry = entry(bench, "\(number)", size: 100 + number, fresh: Int64(600 + number))
                #expect(await store.write(entry) == .stored)
                store.touch(entry.key.digest)
            }
            var question = EntryQuestion(order: order, limit: 200)
            // The test's clock stands still, so a look without any time ends after its first slice.
            question.time = .zero - .milliseconds(1)
            var (found, looks): ([String], Int) = ([], 0)
            repeat {
                let listing = try await store.entries(question)
                #expect(listing.entries.count <= 64)
                #expect(listing.isComplete == (listing.next == nil))
                found += names(listing)
                question.after = listing.next.flatMap { EntryPlace(text: $0.text) }
                looks += 1
            } while question.after != nil && looks < 20
            #expect(found.count == 300 && Set(found).count == 300)
            #expect(looks > 4)
        }
    }

    @Test(arguments: ["", "x", "1.x", "1.2.3", "."])
    func whatIsNoPlaceInAnOrderIsNone(_ text: String) { #expect(EntryPlace(text: text) == nil) }

    @Test func usesAreCounted() async throws {
        try await withThree { (store, _, entries) async throws in
            for (entry, uses) in zip(entries, [2, 0, 3]) {
                for _ in 0..<uses { store.touch(entry.key.digest) }
            }
            let listing = try await store.entries(EntryQuestion(order: .largest))
            #expect(names(listing) == ["b", "a", "c"])
            #expect(listing.entries.map(\.uses) == [nil, 2, 3], "of the others nothing is known")
        }
    }

    @Test func theLastUseOrdersTheRecentlyUsed() async throws {
        try await withThree { (store, bench, entries) async throws in
            bench.time.advance(by: .seconds(100))
            store.touch(entries[1].key.digest)
            await store.maintain()
            #expect(try await names(store.entries(EntryQuestion(order: .recentlyUsed))) == ["b", "c", "a"])
        }
    }

    @Test func figuresAreThoseOfTheEntry() async throws {
        try await withThree { (store, _, entries) async throws in
            let shown = try #require(try await store.entries(EntryQuestion()).entries.last)
            #expect(shown.digest == entries[0].key.digest && shown.provider == "itunes" && shown.layer == .raw)
            #expect(shown.status == 200 && shown.size == 300)
            #expect(shown.receivedAt == entries[0].responseTime && shown.freshUntil == entries[0].freshUntil)
            #expect(shown.staleUntil == entries[0].staleUntil)
        }
    }

    @Test func marksChooseAndAllMustHold() async throws {
        try await withThree { (store, bench, entries) async throws in
            let results = entry(bench, "r", size: 250, parents: [entries[0].key.digest])
            let other = entry(bench, "x", provider: "newsapi")
            for entry in [results, other] { #expect(await store.write(entry) == .stored) }
            func found(_ condition: PurgeCondition, _ order: EntryOrder = .recentlyUsed) async throws -> [String] {
                try await names(store.entries(EntryQuestion(order: order, conditions: [condition])))
            }
            #expect(try await found(PurgeCondition(provider: "newsapi")) == ["x"])
            #expect(try await found(PurgeCondition(layer: .normalised)) == ["r"])
            #expect(try await found(PurgeCondition(prefix: "https://itunes.example/")) == ["r", "c", "b", "a"])
            let before = entries[2].responseTime
            #expect(try await found(PurgeCondition(receivedBefore: before)) == ["b", "a"])
            #expect(try await found(PurgeCondition(provider: "newsapi", receivedBefore: before)).isEmpty)
            #expect(try await found(PurgeCondition(provider: "itunes"), .largest) == ["b", "a", "r", "c"])
            #expect(try await found(PurgeCondition(layer: .normalised), .largest) == ["r"])
        }
    }

    @Test(arguments: [(EntryOrder.largest, ["b", "a", "c"]), (.recentlyUsed, ["c", "b", "a"])])
    func theOrderIsKeptOverSeveralConditionsAndNothingComesTwice(_ order: EntryOrder, _ expected: [String]) async throws
    {
        try await withThree { (store, bench, _) async throws in
            #expect(await store.write(entry(bench, "x", provider: "newsapi")) == .stored)
            let conditions = ["b", "a", "c", ""].map { PurgeCondition(prefix: "https://itunes.example/\($0)") }
            let question = EntryQuestion(order: order, conditions: conditions)
            #expect(try await names(store.entries(question)) == expected)
        }
    }

    @Test func whatIsRemovedAndNotYetWrittenIsNotShown() async throws {
        try await withThree { (store, bench, entries) async throws in
            store.shared.faults.fail(with: SQLITE_FULL)
            _ = await store.remove(.digest(entries[1].key.digest), soft: false, provider: "itunes")
            for order in EntryOrder.allCases {
                #expect(try await !names(store.entries(EntryQuestion(order: order))).contains("b"), "\(order)")
            }
            #expect(try await store.detail(of: entries[1].key.digest) == nil)
            store.shared.faults.fail(with: nil)
            try await bench.eventually("it is written", in: store) { store.pendingRemovals == 0 }
        }
    }

    @Test func aWalkGoesOnOverManySlices() async throws {
        try await withStore { (store, bench) async throws in
            #expect(await store.write(entry(bench, "first", provider: "newsapi")) == .stored)
            for number in 0..<2500 { #expect(await store.write(entry(bench, "\(number)", size: 10)) == .stored) }
            let rare = EntryQuestion(conditions: [PurgeCondition(provider: "newsapi")])
            #expect(try await names(store.entries(rare)) == ["first"])
            for order in EntryOrder.allCases {
                let all = try await store.entries(EntryQuestion(order: order, limit: 10_000))
                #expect(all.entries.count == 2501, "\(order)")
                #expect(Set(all.entries.map(\.digest)).count == 2501, "\(order)")
            }
        }
    }

    @Test func oneEntryHasItsRelatives() async throws {
        try await withStore { (store, bench) async throws in
            // list ← variant, variant; variant ← results
            let list = bench.entry("list", label: "GET https://h.example/p")
            var variants: [StoredResponse] = []
            for name in ["gzip", "plain"] {
                var variant = bench.entry(name, parents: [list.key.digest], label: list.label)
                variant.layer = .raw
                variants.append(variant)
            }
            let results = bench.entry("results", parents: [variants[0].key.digest], label: list.label)
            for entry in [list] + variants + [results] { #expect(await store.write(entry) == .stored) }
            let detail = try #require(try await store.detail(of: variants[0].key.digest))
            #expect(detail.key == variants[0].key)
            #expect(detail.parents.map(\.digest) == [list.key.digest])
            #expect(detail.children.map(\.digest) == [results.key.digest])
            #expect(detail.variants.map(\.digest) == [variants[1].key.digest])
            #expect(try await store.detail(of: Digest(of: [1])) == nil)
        }
    }
}
