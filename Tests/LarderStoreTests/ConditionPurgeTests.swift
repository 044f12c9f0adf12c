// Purges by several conditions at once. They are as exact, as fast to count and as durable as other purges.
import CSQLite
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct ConditionPurgeTests {
    private func entry(
        _ bench: Bench, _ path: String, provider: String = "itunes", size: Int = 100, parents: [Digest] = []
    ) -> StoredResponse {
        bench.entry(
            path, size: size, provider: provider, parents: parents, label: "GET https://\(provider).example/\(path)")
    }

    @Test func aPrefixTakesWhatBeginsSoAndWhatWasMadeOfIt() async throws {
        try await withStore { (store, bench) async throws in
            let (one, two) = (entry(bench, "a/1"), entry(bench, "a/2"))
            let made = entry(bench, "made", provider: "other", parents: [one.key.digest])
            let kept = [entry(bench, "b/a/1"), entry(bench, "A/1"), entry(bench, "a/1", provider: "newsapi")]
            for entry in [one, two, made] + kept { #expect(await store.write(entry) == .stored) }
            let selector = PurgeSelector.matching(PurgeCondition(prefix: "https://itunes.example/a/"))
            #expect(try await store.purge(selector, soft: false) == 3)
            for gone in [one, two, made] { #expect(try await store.read(gone.key) == nil) }
            for entry in kept { #expect(try await sameEntry(store.read(entry.key), entry)) }
        }
    }

    @Test func allMarksMustHold() async throws {
        try await withStore { (store, bench) async throws in
            let old = entry(bench, "old")
            let oldResults = entry(bench, "results", parents: [Digest(of: [1])])
            let oldOther = entry(bench, "old", provider: "newsapi")
            for entry in [old, oldResults, oldOther] { #expect(await store.write(entry) == .stored) }
            bench.time.advance(by: .seconds(60))
            let new = entry(bench, "new")
            #expect(await store.write(new) == .stored)
            let condition = PurgeCondition(provider: "itunes", layer: .raw, receivedBefore: bench.time.wall())
            #expect(try await store.purge(.matching(condition), soft: false) == 1)
            #expect(try await store.read(old.key) == nil)
            for kept in [oldResults, oldOther, new] { #expect(try await sameEntry(store.read(kept.key), kept)) }
        }
    }

    @Test func aConditionThatTheDatabaseDidNotTakeHoldsOverARestart() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            let (gone, raw) = (entry(bench, "p/gone"), entry(bench, "q"))
            let picture = bench.entry("pic", provider: "itunes", label: "GET https://i.example/x")
            for entry in [gone, raw, picture] { #expect(await first.write(entry) == .stored) }
            bench.time.advance(by: .seconds(10))
            let late = entry(bench, "p/late")
            #expect(await first.write(late) == .stored)
            first.shared.faults.fail(with: SQLITE_FULL)
            let before = late.responseTime
            let conditions = [
                PurgeCondition(prefix: "https://itunes.example/p/", receivedBefore: before),
                PurgeCondition(provider: "itunes", layer: .artwork),
            ]
            for condition in conditions {
                let outcome = await first.remove(.matching(condition), soft: false, provider: nil)
                if case .pending(_, isKept: true) = outcome {} else { Issue.record("\(outcome)") }
            }
            #expect(try await first.read(gone.key) == nil, "it counts at once")
            #expect(try await sameEntry(first.read(late.key), late))
            await first.close()
            let second = try bench.open()
            #expect(try await second.read(gone.key) == nil)
            #expect(try await second.read(picture.key) == nil)
            #expect(bench.count(StoreCounters.setAside, "cache") == 1)
            await second.close()
        }
    }

    @Test(arguments: [
        PurgeCondition(), PurgeCondition(provider: "itunes"), PurgeCondition(layer: .normalised),
        PurgeCondition(prefix: "https://ü.example/"), PurgeCondition(receivedBefore: WallTime(milliseconds: -5)),
        PurgeCondition(provider: "", layer: .raw, prefix: "", receivedBefore: WallTime(milliseconds: .max)),
    ])
    func aConditionIsToldToAnotherHost(_ condition: PurgeCondition) throws {
        let order = RemovalOrder(selector: .matching(condition), isSoft: true)
        let read = try #require(RemovalOrder(encoded: order.encoded))
        #expect(read.selector == .matching(condition))
        #expect(read.isSoft)
    }

    @Test func anUnknownLayerFromAnotherHostIsNoWiderCondition() {
        var bytes = RemovalOrder(selector: .matching(PurgeCondition(layer: .artwork)), isSoft: false).encoded
        #expect(RemovalOrder(encoded: bytes) != nil)
        bytes[15] = 99
        #expect(RemovalOrder(encoded: bytes) == nil)
    }
}
