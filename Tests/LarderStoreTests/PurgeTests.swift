// Purging removes what the selector names and everything made from it, and nothing else.
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct PurgeTests {
    @Test func aParentTakesItsChildrenAlong() async throws {
        try await withStore { (store, bench) async throws in
            let parent = bench.entry("raw", size: 100_000)
            let other = bench.entry("other")
            let child = bench.entry("child", parents: [parent.key.digest])
            let merged = bench.entry("merged", provider: "newsapi", parents: [other.key.digest, parent.key.digest])
            let apart = bench.entry("apart", parents: [other.key.digest])
            for entry in [parent, other, child, merged, apart] { #expect(await store.write(entry) == .stored) }
            #expect(try await store.purge(.digest(parent.key.digest), soft: false) == 3)
            for gone in [parent, child, merged] { #expect(try await store.read(gone.key) == nil) }
            for kept in [other, apart] { #expect(try await sameEntry(store.read(kept.key), kept)) }
            #expect(bench.count(StoreCounters.purged) == 3)
        }
    }

    @Test func childrenGoAlsoWhenTheParentWasEvicted() async throws {
        try await withStore { (store, bench) async throws in
            let parent = bench.entry("raw")
            let child = bench.entry("child", parents: [parent.key.digest])
            #expect(await store.write(child) == .stored)
            #expect(try await store.purge(.digest(parent.key.digest), soft: false) == 1)
            #expect(try await store.read(child.key) == nil)
        }
    }

    @Test func aSoftPurgeExpiresAndKeepsForStale() async throws {
        try await withStore { (store, bench) async throws in
            let parent = bench.entry("raw")
            let child = bench.entry("child", parents: [parent.key.digest])
            for entry in [parent, child] { #expect(await store.write(entry) == .stored) }
            #expect(try await store.purge(.digest(parent.key.digest), soft: true) == 2)
            for entry in [parent, child] {
                let found = try #require(try await store.read(entry.key))
                #expect(found.freshUntil == bench.time.wall())
                #expect(found.staleUntil == entry.staleUntil)
                #expect(found.body == entry.body)
            }
        }
    }

    @Test func whatIsStoredWhenItsProviderIsDistrustedIsUnverified() async throws {
        try await withStore { (store, bench) async throws in
            let (old, other) = (bench.entry("old"), bench.entry("other", provider: "newsapi"))
            for entry in [old, other] { #expect(await store.write(entry) == .stored) }
            #expect(await store.distrust(provider: old.provider))
            #expect(try await store.read(old.key)?.isUnverified == true, "at once, whatever the writer does")
            await store.maintain()
            #expect(await store.write(bench.entry("new")) == .stored)
            let found = try #require(try await store.read(old.key))
            #expect(found.isUnverified && found.staleUntil == old.staleUntil && found.body == old.body)
            #expect(try await store.read(bench.entry("new").key)?.isUnverified == false)
            #expect(try await store.read(other.key)?.isUnverified == false)
        }
    }

    /// Body files are unlinked after the commit, while other writes wait. A slice takes at most 4 MiB of them.
    @Test(arguments: [(false, 5), (true, 1)])
    func aSliceOfAPurgeIsBoundedInBytesOfFiles(soft: Bool, slices: Int) async throws {
        try await withStore { (store, bench) async throws in
            for number in 0..<20 { #expect(await store.write(bench.entry("\(number)", size: 1 << 20)) == .stored) }
            let before = bench.count(StoreCounters.transactions)
            #expect(try await store.purge(.provider("itunes"), soft: soft) == 20)
            // The last transaction may find that nothing is left.
            #expect((slices...slices + 1).contains(bench.count(StoreCounters.transactions) - before))
        }
    }

    /// Entries made from a purged entry are removed with it, and their files count.
    @Test func filesOfWhatWasMadeCountInTheSliceOfAPurge() async throws {
        try await withStore { (store, bench) async throws in
            var parents: [StoredResponse] = []
            for number in 0..<6 {
                parents.append(bench.entry("\(number)", size: 100))
                #expect(await store.write(parents[number]) == .stored)
            }
            for number in 0..<6 {
                let child = bench.entry(
                    "child \(number)", size: 3 << 20, provider: "newsapi", parents: [parents[number].key.digest])
                #expect(await store.write(child) == .stored)
            }
            let before = bench.count(StoreCounters.transactions)
            #expect(try await store.purge(.provider("itunes"), soft: false) == 12)
            #expect((3...4).contains(bench.count(StoreCounters.transactions) - before))
            #expect(bench.bodyFiles().isEmpty)
        }
    }

    @Test func oneProviderGoesInSlicesAndTheOthersStay() async throws {
        try await withStore { (store, bench) async throws in
            for number in 0..<700 {
                let provider = number % 2 == 0 ? "itunes" : "newsapi"
                #expect(await store.write(bench.entry("\(number)", size: 10, provider: provider)) == .stored)
            }
            #expect(try await store.purge(.provider("itunes"), soft: false) == 350)
            let statistics = try await store.statistics()
            #expect(statistics.byProvider["itunes"]?.entries == 0)
            #expect(statistics.byProvider["newsapi"]?.entries == 350)
            #expect(try await store.purge(.all, soft: false) == 350)
            #expect(try await store.statistics().entries == 0)
        }
    }

    @Test func aTermIsFoundWhateverItsCase() async throws {
        try await withStore { (store, bench) async throws in
            let labels = ["itunes search term=Jack Johnson", "itunes search term=ÄRZTE", "newsapi q=jack"]
            for (number, label) in labels.enumerated() {
                let provider = String(label.split(separator: " ")[0])
                #expect(await store.write(bench.entry("\(number)", provider: provider, label: label)) == .stored)
            }
            #expect(try await store.purge(.term("JACK", provider: "itunes"), soft: false) == 1)
            #expect(try await store.purge(.term("ärzte", provider: nil), soft: false) == 1)
            #expect(try await store.purge(.term("nobody", provider: nil), soft: false) == 0)
            #expect(try await store.statistics().entries == 1)
        }
    }

    @Test func aURLIsExactlyThatOneHoweverOftenItIsPurged() async throws {
        try await withStore { (store, bench) async throws in
            let urls = [
                "a?q=jack", "a?q=jack", "a?q=jackson", "a?q=jack+b", "a?q=Jack", "b?x=https://h.example/a?q=jack",
            ]
            for (number, url) in urls.enumerated() {
                let label = "GET https://h.example/\(url)"
                #expect(await store.write(bench.entry("\(number)", provider: "itunes", label: label)) == .stored)
            }
            let url = "https://h.example/a?q=jack"
            #expect(try await store.purge(.url(url, provider: "newsapi"), soft: false) == 0)
            #expect(try await store.purge(.url(url, provider: nil), soft: false) == 2, "in every variant")
            #expect(try await store.purge(.url(url, provider: nil), soft: false) == 0)
            #expect(try await store.statistics().entries == 4)
        }
    }

    @Test func aURLTakesTheAnswersToQuestionsWithContentToo() async throws {
        try await withStore { (store, bench) async throws in
            let url = "https://h.example/a?q=jack"
            let labels = [
                "GET \(url)", "QUERY \(url) (17 bytes, 3q2-7w)", "POST \(url) (3 bytes, AAAAAA)",
                "POST \(url)son (3 bytes, AAAAAA)", "POST https://h.example/a (3 bytes, AAAAAA)",
            ]
            for (number, label) in labels.enumerated() {
                #expect(await store.write(bench.entry("\(number)", provider: "itunes", label: label)) == .stored)
            }
            #expect(try await store.purge(.url(url, provider: nil), soft: false) == 3)
            #expect(try await store.statistics().entries == 2)
        }
    }

    @Test func whatIsStoredAfterAPurgeBeganStays() async throws {
        // purge: begin, slice        slice … slice, end
        // write:              late                         stays, though the purge is of everything
        try await withBench { (bench) async throws in
            let connection = try CacheSchema.openWriter(bench.path)
            let rows = try EntryRows(connection)
            for number in 0..<600 { try rows.write(bench.entry("\(number)", size: 10), now: bench.time.wall()) }
            let tombstone = Tombstone(
                number: 1, selector: .all, isSoft: false, provider: nil, at: bench.time.wall())
            let work = PurgeWork(tombstone, last: 600)
            var isLast = false
            var purged = 0
            var slices = 0
            while !isLast {
                let step = try work.step(rows, now: bench.time.wall())
                work.advance(after: .zero)
                purged += step.purged
                isLast = step.isLast
                slices += 1
                if slices == 1 { try rows.write(bench.entry("late", size: 10), now: bench.time.wall()) }
            }
            let left = try connection.number("SELECT count(*) FROM entry WHERE label LIKE '%late'")
            #expect(purged == 600)
            #expect(left == 1)
            connection.close()
        }
    }
}
