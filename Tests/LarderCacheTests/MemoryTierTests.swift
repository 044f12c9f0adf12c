// The memory tier: hits and misses, invalidation, the budget as a property, SIEVE, and several threads.
import LarderCache
import LarderCore
import Testing

/// Short helpers to fill and query a tier.
struct TierCase {
    let tier: MemoryTier
    let hits = CounterCell()

    init(budget: Int, shards: Int = 4) {
        tier = MemoryTier(budget: budget, shards: shards, seed: 1)
    }

    func response(_ body: Bytes, head: Int = 100, life: Int64 = 100, born: WallTime = Sample.now) -> ReadyResponse {
        ReadyResponse(
            head: Bytes(repeating: 0x48, count: head), body: body, bornAt: born,
            freshUntil: Sample.now + .seconds(life),
            hits: hits)
    }

    @discardableResult
    func insert(
        _ target: String, body: Bytes = [1], key: String? = nil, listener: UInt16 = 0, takesGzip: Bool? = nil,
        life: Int64 = 100
    ) -> Bool {
        let key = Sample.key(key ?? target).digest
        return tier.insert(
            listener: listener, target: Bytes(text: target), takesGzip: takesGzip,
            response: response(body, life: life), key: key, stamp: tier.readyStamp([key], of: ["p"]), now: Sample.now)
    }

    /// Inserts the target a second time if the first attempt is refused. A full tier takes a target requested twice.
    func wanted(_ target: String) {
        if !insert(target) { insert(target) }
    }

    func ready(
        _ target: String, listener: UInt16 = 0, encoding: String = "", at now: WallTime = Sample.now
    ) -> ReadyResponse? {
        Bytes(text: target).withUnsafeBufferPointer { target in
            Bytes(text: encoding).withUnsafeBufferPointer { encoding in
                tier.ready(ReadyQuery(listener: listener, target: target, acceptEncoding: encoding, now: now))
            }
        }
    }

    /// The bytes that one entry with this target and body is charged.
    static func charge(_ target: String, body: Int) -> Int {
        MemoryTier.entryOverhead + 100 + target.utf8.count + body
    }
}

@Suite struct MemoryTierTests {
    @Test func hitsAreToldOnceSoThatTheStoreSparesTheirRows() {
        let tier = TierCase(budget: 1 << 20)
        tier.insert("/a")
        tier.insert("/b")
        #expect(tier.tier.takeUsed().isEmpty, "being put in is no use")
        for _ in 0..<3 { _ = tier.ready("/a") }
        #expect(tier.tier.takeUsed() == [Sample.key("/a").digest])
        #expect(tier.tier.takeUsed().isEmpty)
        _ = tier.ready("/a")
        #expect(tier.tier.takeUsed() == [Sample.key("/a").digest])
    }

    @Test func hitNeedsTheSameListenerAndTarget() {
        let tier = TierCase(budget: 1 << 20)
        tier.insert("/v1/search?q=a", body: [1])
        tier.insert("/", body: [4], listener: 7)
        #expect(tier.ready("/v1/search?q=a")?.body == [1])
        #expect(tier.ready("/v1/search?q=a", encoding: "anything")?.body == [1])
        #expect(tier.ready("/v1/search?q=a ") == nil)
        #expect(tier.ready("/V1/search?q=a") == nil)
        #expect(tier.ready("/v1/search?q=a", listener: 1) == nil)
        #expect(tier.ready("/", listener: 7)?.body == [4])
        #expect(tier.ready("") == nil)
    }

    /// There is one form for all clients that accept gzip and one for all others, whatever their spelling.
    @Test func formIsChosenByWhetherTheClientTakesGzip() {
        let tier = TierCase(budget: 1 << 20)
        tier.insert("/b", body: [2], takesGzip: true)
        #expect(tier.ready("/b") == nil, "there is no plain form yet")
        tier.insert("/b", body: [3], takesGzip: false)
        for taking in ["gzip", "gzip, deflate, br", "br;q=1.0, GZIP;q=0.5", "*", "x-gzip"] {
            #expect(tier.ready("/b", encoding: taking)?.body == [2], "\(taking)")
        }
        for other in ["", "br", "identity", "gzip;q=0", "*;q=0", "gzip;q=0, *"] {
            #expect(tier.ready("/b", encoding: other)?.body == [3], "\(other)")
        }
        #expect(tier.tier.statistics().entries == 2)
        tier.insert("/b", body: [4], takesGzip: false)
        #expect(tier.tier.statistics().entries == 2)
        #expect(tier.ready("/b", encoding: "gzip")?.body == [2])
        #expect(tier.ready("/b")?.body == [4])
    }

    @Test func conditionsAreChargedAndKeptWithASharedBody() throws {
        let tier = TierCase(budget: 1 << 20)
        let conditions = ReadyConditions(
            notModified: Bytes(repeating: 0x4E, count: 50), tag: Bytes(text: "\"t\""), isTagWeak: true, lastModified: 7,
            lastModifiedText: [1, 2], partialFields: 3..<90)
        for target in ["/a", "/b"] {
            let ready = ReadyResponse(
                head: Bytes(repeating: 0x48, count: 100), body: Bytes(repeating: 1, count: 500), bornAt: Sample.now,
                freshUntil: Sample.now + .seconds(9), hits: tier.hits, digest: Sample.key("k").digest,
                conditions: conditions)
            tier.tier.insert(
                listener: 0, target: Bytes(text: target), takesGzip: nil, response: ready, key: Sample.key("k").digest,
                stamp: tier.tier.readyStamp([Sample.key("k").digest], of: ["p"]), now: Sample.now)
        }
        #expect(tier.tier.statistics().bytes == 2 * (TierCase.charge("/a", body: 0) + conditions.byteCount) + 500)
        let shared = try #require(tier.ready("/b"))
        #expect(shared.notModified == conditions.notModified && shared.tag == conditions.tag && shared.isTagWeak)
        #expect(shared.lastModified == 7 && shared.lastModifiedText == [1, 2] && shared.hasConditions)
        #expect(shared.partialStart == 3 && shared.partialEnd == 90)
        #expect(shared.digest == Sample.key("k").digest)
    }

    @Test func laterEntryReplacesTheEarlier() {
        let tier = TierCase(budget: 1 << 20)
        tier.insert("/a", body: [1])
        tier.insert("/a", body: [2, 2])
        #expect(tier.ready("/a")?.body == [2, 2])
        #expect(tier.tier.statistics().entries == 1)
        #expect(tier.tier.statistics().bytes == TierCase.charge("/a", body: 2))
        #expect(tier.tier.statistics().bodies == 1)
    }

    @Test func expiredEntryIsNoHitAndGoes() {
        let tier = TierCase(budget: 1 << 20)
        tier.insert("/a", life: 10)
        #expect(tier.ready("/a", at: Sample.now + .milliseconds(9999)) != nil)
        #expect(tier.ready("/a", at: Sample.now + .seconds(10)) == nil)
        #expect(tier.tier.statistics() == figures(budget: 1 << 20))
        #expect(!tier.insert("/b", life: 0))
        #expect(!tier.insert("/b", life: -5))
    }

    @Test func entryFromTheFutureIsNoHit() {
        let tier = TierCase(budget: 1 << 20)
        tier.insert("/a")
        #expect(tier.ready("/a", at: Sample.now + .seconds(-30)) != nil)
        #expect(tier.ready("/a", at: Sample.now + .seconds(-31)) == nil)
        #expect(tier.tier.statistics().entries == 0)
    }

    func figures(budget: Int) -> MemoryStatistics {
        var figures = MemoryStatistics()
        figures.budget = budget
        return figures
    }

    // MARK: Invalidation

    @Test func invalidationByKeyAndOfAllIsSeenByTheNextRequest() {
        let tier = TierCase(budget: 1 << 20)
        func fill() {
            tier.insert("/a", key: "a")
            tier.insert("/A", key: "a")
            tier.insert("/b", key: "b")
            tier.insert("/c", key: "c")
        }
        func held() -> [String] { ["/a", "/A", "/b", "/c"].filter { tier.ready($0) != nil } }
        fill()
        tier.tier.invalidate(Sample.key("a").digest)
        #expect(held() == ["/b", "/c"])
        fill()
        tier.tier.removeAll()
        #expect(held() == [])
        #expect(tier.tier.statistics() == figures(budget: 1 << 20))
        fill()
        #expect(held().count == 4)
    }

    @Test func answerReadBeforeAnInvalidationIsNotTakenAfterIt() {
        let tier = TierCase(budget: 1 << 20)
        let key = Sample.key("a").digest
        let stamp = tier.tier.readyStamp([key], of: ["p"])
        tier.tier.invalidate(key)
        let taken = tier.tier.insert(
            listener: 0, target: Bytes(text: "/a"), takesGzip: nil, response: tier.response([1]), key: key,
            stamp: stamp, now: Sample.now)
        #expect(!taken)
        #expect(tier.ready("/a") == nil)
    }

    @Test func mergedAnswerGoesWithAnyOfItsSources() {
        for number in 0..<3 {
            let tier = TierCase(budget: 1 << 20)
            let keys = [Sample.key("a").digest, Sample.key("b").digest]
            tier.tier.insert(
                listener: 0, target: Bytes(text: "/m"), takesGzip: nil, response: tier.response([1]), key: keys[0],
                stamp: tier.tier.readyStamp(keys, of: ["p", "q"]), now: Sample.now)
            #expect(tier.ready("/m") != nil)
            switch number {
            case 0: tier.tier.invalidate(keys[0])
            case 1: tier.tier.invalidate(keys[1])
            default: tier.tier.removeAll()
            }
            #expect(tier.ready("/m") == nil)
        }
    }

    @Test(arguments: ["p", "q"])
    func whatIsForgottenOfAProviderStaysOfOthers(_ name: String) {
        let tier = TierCase(budget: 1 << 20)
        let keys = ["a", "b"].map { Sample.key($0).digest }
        for (target, names) in [("/p", ["p"]), ("/q", ["q"]), ("/both", ["p", "q"])] {
            tier.tier.insert(
                listener: 0, target: Bytes(text: target), takesGzip: nil, response: tier.response([1]), key: keys[0],
                stamp: tier.tier.readyStamp(keys, of: names), now: Sample.now)
        }
        tier.tier.forgetReady(of: name)
        #expect(["/p", "/q", "/both"].filter { tier.ready($0) != nil } == [name == "p" ? "/q" : "/p"])
    }

    // MARK: The budget

    @Test func spellingsOfOneKeyShareOneBody() throws {
        let tier = TierCase(budget: 1 << 20)
        let body = Bytes(repeating: 7, count: 10_000)
        tier.insert("/a", body: body, key: "k")
        // A different array with the same bytes.
        tier.insert("/b", body: Bytes(repeating: 7, count: 10_000), key: "k")
        tier.insert("/c", body: Bytes(repeating: 8, count: 10_000), key: "k")
        let one = TierCase.charge("/a", body: 0)
        #expect(tier.tier.statistics().bytes == 3 * one + 20_000)
        let first = try #require(tier.ready("/a")).body.withUnsafeBufferPointer { $0.baseAddress }
        let second = try #require(tier.ready("/b")).body.withUnsafeBufferPointer { $0.baseAddress }
        #expect(first == second)
        #expect(tier.ready("/c")?.body.first == 8)
        // The body stays while at least one entry holds it and is freed with the last one.
        tier.insert("/a", body: [1], key: "other")
        #expect(tier.tier.statistics().bytes == 3 * one + 20_001)
        #expect(tier.ready("/b")?.body == body)
        tier.insert("/b", body: [1], key: "other")
        #expect(tier.tier.statistics().bytes == 3 * one + 10_001)
    }

    @Test func emptyingGivesEveryByteBackAndKeepsNothingOut() {
        let tier = TierCase(budget: 1 << 20)
        for number in 0..<100 { tier.insert("/\(number)", key: "\(number / 2)") }
        _ = tier.ready("/1")
        let removals = tier.tier.removalStamp(Sample.key("1").digest)
        let stamp = tier.tier.readyStamp([Sample.key("1").digest], of: ["p"])
        #expect(tier.tier.empty() == 100)
        #expect(tier.ready("/1") == nil)
        let figures = tier.tier.statistics()
        #expect(figures.entries == 0 && figures.bytes == 0 && figures.bodies == 0)
        // Nothing was removed from the store, so what is under way is stored and kept ready.
        #expect(tier.tier.isCurrent(removals) && tier.tier.isCurrent(stamp))
        #expect(tier.insert("/1"))
        #expect(tier.ready("/1") != nil)
        #expect(tier.tier.empty() == 1)
        #expect(tier.tier.empty() == 0)
    }

    @Test func budgetOfZeroIsOff() {
        let tier = TierCase(budget: 0)
        #expect(!tier.insert("/a"))
        #expect(tier.ready("/a") == nil)
        tier.tier.setBudget(1 << 20)
        #expect(tier.insert("/a"))
        tier.tier.setBudget(0)
        #expect(tier.ready("/a") == nil)
        #expect(tier.tier.statistics() == figures(budget: 0))
        tier.tier.setBudget(-5)
        #expect(tier.tier.statistics().budget == 0)
    }

    @Test func entryTooLargeForTheBudgetIsNotTaken() {
        let tier = TierCase(budget: 80_000)
        let room = 80_000 / MemoryTier.largestShare
        #expect(tier.insert("/a", body: Bytes(repeating: 0, count: room - TierCase.charge("/a", body: 0))))
        #expect(!tier.insert("/b", body: Bytes(repeating: 0, count: room - TierCase.charge("/b", body: 0) + 1)))
        #expect(tier.ready("/a") != nil)
    }

    @Test func smallerBudgetIsKeptToAtOnce() {
        let tier = TierCase(budget: 1 << 20)
        for number in 0..<500 { tier.insert("/\(number)", body: Bytes(repeating: 1, count: 1000)) }
        #expect(tier.tier.statistics().bytes > 500_000)
        tier.tier.setBudget(100_000)
        #expect(tier.tier.statistics().bytes <= 100_000)
        #expect(tier.tier.statistics().entries > 50)
    }

    /// Random inserts, hits, invalidations and budgets. The budget is never exceeded, and the sum of the entries found
    /// equals the charge.
    @Test(arguments: [1, 4, 16])
    func budgetIsNeverExceededAndNothingIsLost(_ shards: Int) {
        var random = FixedRandom(state: UInt64(shards))
        let tier = TierCase(budget: 200_000, shards: shards)
        var budget = 200_000
        var time = Sample.now
        for step in 0..<20_000 {
            let target = "/\(Int.random(in: 0..<600, using: &random))"
            switch Int.random(in: 0..<100, using: &random) {
            case 0:
                budget = Int.random(in: 0...300_000, using: &random)
                tier.tier.setBudget(budget)
            case 1: tier.tier.invalidate(Sample.key("k\(Int.random(in: 0..<50, using: &random))").digest)
            case 2: time = time + .milliseconds(200)
            case 3..<50:
                let body = Bytes(repeating: UInt8.random(in: 0...2, using: &random), count: 100 * (step % 30))
                tier.insert(target, body: body, key: "k\(step % 50)", life: Int64.random(in: 1...300, using: &random))
            default:
                if let hit = tier.ready(target, at: time) { #expect(time < hit.freshUntil) }
            }
            #expect(tier.tier.statistics().bytes <= budget)
        }
        #expect(tier.tier.statistics().entries > 0)
        tier.tier.setBudget(0)
        #expect(tier.tier.statistics() == figures(budget: 0))
    }

    // MARK: SIEVE

    @Test func entryThatIsUsedOutlivesAScan() {
        let tier = TierCase(budget: 300_000)
        let hot = (0..<50).map { "/hot/\($0)" }
        for target in hot { tier.insert(target, body: Bytes(repeating: 1, count: 500)) }
        for number in 0..<5000 {
            if number % 20 == 0 { for target in hot { _ = tier.ready(target) } }
            tier.insert("/scan/\(number)", body: Bytes(repeating: 1, count: 500))
        }
        #expect(hot.filter { tier.ready($0) != nil }.count == 50)
        #expect(tier.tier.statistics().bytes <= 300_000)
    }

    /// The hot entries are requested only before and after the scan, and the scan is many times larger than the tier.
    @Test func onePassOverEverythingDrivesOutNothing() {
        let tier = TierCase(budget: 300_000)
        let hot = (0..<100).map { "/hot/\($0)" }
        for target in hot { tier.insert(target, body: Bytes(repeating: 1, count: 500)) }
        for number in 0..<20_000 { tier.insert("/scan/\(number)", body: Bytes(repeating: 1, count: 500)) }
        #expect(hot.filter { tier.ready($0) != nil }.count == 100)
        let held = (0..<20_000).filter { tier.ready("/scan/\($0)") != nil }
        #expect(held == Array(0..<held.count), "only what found room came in")
        #expect(held.count > 50)
    }

    @Test func whatIsAskedForAgainComesInThoughMemoryIsFull() {
        let tier = TierCase(budget: 20 * TierCase.charge("/000", body: 1), shards: 1)
        for number in 100..<120 { tier.insert("/\(number)") }
        #expect(!tier.insert("/120"))
        #expect(tier.insert("/120"))
        #expect(tier.ready("/120") != nil)
        #expect(tier.ready("/100") == nil)
        #expect(tier.tier.statistics().entries == 20)
    }

    @Test func successorOfAnExpiredEntryIsLetInAtOnce() {
        let tier = TierCase(budget: 20 * TierCase.charge("/000", body: 1), shards: 1)
        tier.insert("/000", life: 1)
        for number in 101..<120 { tier.insert("/\(number)") }
        #expect(tier.ready("/000", at: Sample.now + .seconds(2)) == nil)
        tier.insert("/130")
        #expect(tier.tier.statistics().entries == 20, "another took its room")
        #expect(tier.insert("/000"))
    }

    @Test func withoutHitsTheOldestGoesFirst() {
        let tier = TierCase(budget: 20 * TierCase.charge("/000", body: 1), shards: 1)
        for number in 100..<130 { tier.wanted("/\(number)") }
        let held = (100..<130).filter { tier.ready("/\($0)") != nil }
        #expect(held == Array(110..<130))
    }

    @Test func markSavesAnEntryOnceOnly() {
        let tier = TierCase(budget: 10 * TierCase.charge("/000", body: 1), shards: 1)
        for number in 100..<110 { tier.insert("/\(number)") }
        #expect(tier.ready("/100") != nil)
        tier.wanted("/110")
        // 100 was marked and skipped; 101 was evicted.
        #expect(tier.tier.statistics().entries == 10)
        #expect(tier.ready("/101") == nil)
        // All others are marked, so the hand skips them, starts again at 100, whose mark is cleared, and evicts it.
        for number in 102..<111 { #expect(tier.ready("/\(number)") != nil) }
        tier.wanted("/111")
        #expect(tier.ready("/100") == nil)
        #expect((102..<112).filter { tier.ready("/\($0)") != nil }.count == 10)
    }

    @Test func invalidatedEntryGoesBeforeAUsedOne() {
        let tier = TierCase(budget: 10 * TierCase.charge("/000", body: 1), shards: 1)
        for number in 100..<110 {
            tier.insert("/\(number)")
            _ = tier.ready("/\(number)")
        }
        tier.tier.invalidate(Sample.key("/105").digest)
        tier.wanted("/110")
        #expect((100..<111).filter { tier.ready("/\($0)") != nil }.count == 10)
    }

    // MARK: The table

    /// Compares the table with a dictionary. The set of targets is small, so chains form, break and grow.
    @Test func tableFindsWhatADictionaryWouldFind() {
        var random = FixedRandom(state: 3)
        let tier = TierCase(budget: 1 << 24, shards: 1)
        var model: [String: UInt8] = [:]
        for step in 0..<30_000 {
            let target = "/\(Int.random(in: 0..<1500, using: &random))"
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let mark = UInt8(truncatingIfNeeded: step)
                tier.insert(target, body: [mark], key: target)
                model[target] = mark
            case 2:
                // The entry was found expired and therefore removed.
                let isHeld = tier.ready(target, at: Sample.now + .seconds(1000)) != nil
                #expect(!isHeld)
                model[target] = nil
            default:
                #expect(tier.ready(target)?.body.first == model[target])
            }
        }
        #expect(tier.tier.statistics().entries == model.count)
        for (target, mark) in model { #expect(tier.ready(target)?.body == [mark]) }
    }

    @Test func countersTellWhatHappened() {
        let tier = TierCase(budget: 1 << 20)
        let registry = CounterRegistry()
        tier.tier.register(in: registry)
        tier.insert("/a", life: 10)
        tier.insert("/b")
        tier.insert("/c", life: 0)
        tier.tier.invalidate(Sample.key("/b").digest)
        _ = tier.ready("/b")
        _ = tier.ready("/a", at: Sample.now + .seconds(10))
        tier.insert("/d")
        tier.tier.setBudget(8 * TierCase.charge("/d", body: 1))
        for number in 0..<8 { tier.insert("/\(number)") }
        tier.tier.setBudget(0)
        func value(_ family: MetricFamily) -> Double? {
            registry.snapshot().first { $0.family == family }?.value
        }
        #expect(value(CacheCounters.memoryInsertions) == 10)
        #expect(value(CacheCounters.memoryDeferrals) == 1)
        #expect(value(CacheCounters.memoryRefusals) == 1)
        #expect(value(CacheCounters.memoryInvalidations) == 1)
        #expect(value(CacheCounters.memoryExpirations) == 1)
        #expect(value(CacheCounters.memoryEvictions) == 8)
        #expect(value(CacheCounters.memoryBytes) == 0)
        #expect(registry.snapshot().count == CacheCounters.all.count)
    }

    // MARK: Threads

    /// Four threads fill, query, invalidate and resize at once. In any order, a hit carries the body of its own target,
    /// the budget holds at every check, and at the end nothing is charged.
    @Test func manyThreadsKeepTheRules() async {
        let tier = TierCase(budget: 300_000, shards: 8)
        let failures = CounterCell()
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask { @concurrent in
                    var random = FixedRandom(state: UInt64(worker) &+ 100)
                    for _ in 0..<8000 {
                        let number = Int.random(in: 0..<300, using: &random)
                        let mark = UInt8(truncatingIfNeeded: number)
                        switch Int.random(in: 0..<100, using: &random) {
                        case 0: tier.tier.setBudget(Int.random(in: 100_000...300_000, using: &random))
                        case 1: tier.tier.invalidate(Sample.key("\(number / 2)").digest)
                        case 2..<40:
                            tier.insert(
                                "/\(number)", body: Bytes(repeating: mark, count: 2000), key: "\(number / 2)",
                                life: Int64.random(in: 1...60, using: &random))
                        default:
                            let now = Sample.now + .seconds(Int64.random(in: 0...30, using: &random))
                            if let hit = tier.ready("/\(number)", at: now), hit.body.first != mark {
                                failures.add()
                            }
                        }
                        if tier.tier.statistics().bytes > 300_000 { failures.add() }
                    }
                }
            }
        }
        #expect(failures.current == 0)
        tier.tier.setBudget(0)
        #expect(tier.tier.statistics() == figures(budget: 0))
    }
}
