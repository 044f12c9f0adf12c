// Bodies written and read piece by piece: their bytes, who keeps them, and what remains of abandoned bodies.
import CSQLite
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

/// Settings for large bodies.
private func roomy(_ size: Int64 = 1 << 30, object: Int64 = 512 << 20) -> StoreSettings {
    StoreSettings(maxSize: size, maxObject: object, minFree: 0)
}

/// Reads a whole body in steps of an odd length.
private func bytes(of body: any LargeBody, step: Int = 100_003) async throws -> Bytes {
    var out = Bytes()
    while Int64(out.count) < body.length { out += try await body.read(at: Int64(out.count), atMost: step) }
    return out
}

private func write(_ store: SQLiteStore, _ entry: StoredResponse, pieces: Int) async throws {
    let writer = try await store.begin(expecting: nil).get()
    for start in stride(from: 0, to: entry.body.count, by: pieces) {
        let piece = Bytes(entry.body[start..<min(start + pieces, entry.body.count)])
        #expect(await writer.append(piece) == .stored)
    }
    #expect(await writer.complete(entry) == .stored)
}

private func isAbsent(_ store: SQLiteStore, _ key: CacheKey) async -> Bool {
    do { return try await store.open(key) == nil } catch { return false }
}

@Suite struct LargeBodyTests {
    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 262_144, 262_145, 1 << 20, 3_000_001])
    func aBodyInPiecesIsReadBackWholeAndOpened(size: Int) async throws {
        try await withStore(roomy()) { (store, bench) async throws in
            for pieces in [7001, 65_536, 1_500_000] where size / pieces < 500 {
                let entry = bench.entry("a\(pieces)", size: size)
                try await write(store, entry, pieces: pieces)
                #expect(try await sameEntry(store.read(entry.key), entry))
                let opened = try #require(try await store.open(entry.key))
                #expect(opened.bodyLength == Int64(size))
                #expect((opened.large != nil) == (size > SQLiteStore.openSize))
                if let large = opened.large {
                    #expect(opened.body.isEmpty)
                    #expect(try await bytes(of: large) == entry.body)
                    #expect(try await large.read(at: 65_530, atMost: 20) == Bytes(entry.body[65_530..<65_550]))
                    #expect(try await large.read(at: Int64(size) - 1, atMost: 20).count == 1)
                    await #expect(throws: BodyFailure.self) { try await large.read(at: Int64(size), atMost: 1) }
                } else {
                    #expect(opened.body == entry.body)
                }
            }
        }
    }

    @Test func writersThatInterleaveMixNothingAndNothingIsSeenBeforeTheEnd() async throws {
        try await withStore(roomy()) { (store, bench) async throws in
            let entries = (0..<8).map { bench.entry("\($0)", size: 700_000 + $0 * 200_001) }
            await withTaskGroup(of: Void.self) { group in
                for (number, entry) in entries.enumerated() {
                    group.addTask {
                        guard case .success(let writer) = await store.begin(expecting: nil) else {
                            Issue.record("refused"); return
                        }
                        let step = 10_000 + number * 40_000
                        for start in stride(from: 0, to: entry.body.count, by: step) {
                            let piece = Bytes(entry.body[start..<min(start + step, entry.body.count)])
                            #expect(await writer.append(piece) == .stored)
                            #expect(writer.written.length == Int64(start + piece.count))
                            let last = try? await writer.written.read(at: Int64(start), atMost: piece.count)
                            #expect(last.map { !$0.isEmpty && piece.starts(with: $0) } == true)
                        }
                        #expect(await isAbsent(store, entry.key))
                        #expect(await writer.complete(entry) == .stored)
                    }
                }
            }
            for entry in entries { #expect(try await sameEntry(store.read(entry.key), entry)) }
            #expect(try await store.statistics().entries == 8)
        }
    }

    enum Fate: CaseIterable { case replaced, purged, evicted }

    @Test(arguments: Fate.allCases)
    func whoReadsABodyGetsItsBytesAfterItsEntryIsGone(fate: Fate) async throws {
        try await withStore(roomy(16 << 20)) { (store, bench) async throws in
            let entry = bench.entry("a", size: 3_000_000)
            try await write(store, entry, pieces: 500_000)
            let body = try #require(try await store.open(entry.key)?.large)
            switch fate {
            case .replaced: #expect(await store.write(bench.entry("a", size: 10, seed: 1)) == .stored)
            case .purged: #expect(try await store.purge(.all, soft: false) == 1)
            case .evicted:
                bench.time.advance(by: .seconds(100))
                for number in 0..<30 {
                    #expect(await store.write(bench.entry("other\(number)", size: 900_000)) == .stored)
                }
            }
            await store.maintain()
            #expect(try await store.open(entry.key)?.bodyLength != Int64(entry.body.count))
            #expect(try await bytes(of: body) == entry.body)
            let live = try await store.statistics().liveBytes
            #expect(live > 3_000_000)
        }
    }

    @Test func aPinnedBodyIsSweptWhenItsLastReaderLeaves() async throws {
        try await withStore(roomy()) { (store, bench) async throws in
            let entry = bench.entry("a", size: 5_000_000)
            #expect(await store.write(entry) == .stored)
            func readAfterPurge() async throws {
                let body = try #require(try await store.open(entry.key)?.large)
                #expect(try await store.purge(.all, soft: false) == 1)
                await store.maintain()
                #expect(try await store.statistics().liveBytes > 5_000_000)
                #expect(try await bytes(of: body) == entry.body)
            }
            try await readAfterPurge()
            // The job that the last reader queued on leaving comes before this write.
            #expect(await store.write(bench.entry("b")) == .stored)
            try await untilSwept(store, below: 1 << 20)
        }
    }

    /// The writer sweeps a slice after each turn of work, so a few turns must suffice.
    private func untilSwept(_ store: SQLiteStore, below limit: Int64) async throws {
        for _ in 0..<50 {
            if try await store.statistics().liveBytes < limit { return }
            await store.updateFreshness(Digest(of: []), freshUntil: .init(seconds: 0), staleUntil: .init(seconds: 0))
        }
        Issue.record("not swept")
    }

    @Test func whatIsGivenUpStaysReadableForItsReadersAndIsThenSwept() async throws {
        try await withStore(roomy()) { (store, bench) async throws in
            let body = Bench.body("x", 2_000_000, 1)
            func abandonWithReader() async throws {
                let writer = try await store.begin(expecting: 2_000_000).get()
                #expect(await writer.append(body) == .stored)
                let written = writer.written
                writer.abandon()
                #expect(await writer.append(body) == .refused(.failed))
                #expect(await writer.complete(bench.entry("x")) == .refused(.failed))
                await store.maintain()
                #expect(try await bytes(of: written) == body)
            }
            func release() async throws {
                let writer = try await store.begin(expecting: nil).get()
                #expect(await writer.append(body) == .stored)
            }
            try await abandonWithReader()
            try await untilSwept(store, below: 1 << 20)
            try await release()
            try await untilSwept(store, below: 1 << 20)
            #expect(try await store.statistics().entries == 0)
        }
    }

    /// The part is still in the queue when its body is abandoned. The work before it lets the writer sweep between the
    /// end of the body and its part.
    @Test(arguments: [0, 2_000_000])
    func aPartThatIsWrittenAfterItsBodyWasGivenUpIsSwept(before: Int) async throws {
        try await withStore(roomy()) { (store, bench) async throws in
            #expect(await store.write(bench.entry("a")) == .stored)
            func giveUp() async throws {
                let writer = try await store.begin(expecting: nil).get()
                if before > 0 { #expect(await writer.append(Bench.body("x", before, 1)) == .stored) }
                store.shared.faults.hold(true)
                let held = Task { await store.write(bench.entry("a", seed: 1)) }
                while !store.shared.faults.isHolding { await Task.yield() }
                let late = try await bench.passing([.part], of: store) {
                    await writer.append(Bench.body("y", 400_000, 1))
                }
                #expect(late == .pending)
                #expect(await writer.append(Bench.body("z", 400_000, 1)) == .refused(.failed), "it waits no more")
                writer.abandon()
                store.shared.faults.hold(false)
                _ = await held.value
            }
            try await giveUp()
            // The writer sweeps a slice after each turn of work.
            var left = bench.bodyFiles().count
            for _ in 0..<50 where left > 0 {
                let never = WallTime(seconds: 0)
                await store.updateFreshness(Digest(of: []), freshUntil: never, staleUntil: never)
                left = bench.bodyFiles().count
            }
            #expect(left == 0)
        }
    }

    @Test func aBodyUnderWayAtACrashIsSweptAtTheNextStart() async throws {
        try await withBench { (bench) async throws in
            let store = try bench.open(roomy())
            let writer = try await store.begin(expecting: nil).get()
            #expect(await writer.append(Bench.body("x", 5_000_000, 1)) == .stored)
            let kept = bench.entry("kept", size: 2_500_000)
            try await write(store, kept, pieces: 300_000)
            try await withBench { (copy) async throws in
                try bench.copyAsKilled(to: copy)
                let after = try copy.open(roomy())
                await after.maintain()
                #expect(try await after.statistics().liveBytes < 4 << 20)
                #expect(try await sameEntry(after.read(kept.key), kept))
                await after.close()
            }
            await store.close()
            #expect(await writer.append(Bench.body("x", 100_000, 1)) == .refused(.closed))
        }
    }

    @Test func theLogAndTheTailStayBoundedWhileALargeBodyIsWrittenAndRead() async throws {
        try await withStore(roomy()) { (store, bench) async throws in
            let piece = Bench.body("x", 1 << 20, 1)
            let writer = try await store.begin(expecting: 256 << 20).get()
            var largest: Int64 = 0
            for number in 0..<256 {
                #expect(await writer.append(piece) == .stored)
                let place = Int64(number) << 20 | 5
                #expect(try await writer.written.read(at: place, atMost: 10) == Bytes(piece[5..<15]))
                largest = max(largest, try await store.statistics().walBytes)
            }
            #expect(largest > 0 && largest < 64 << 20)
            var entry = bench.entry("a")
            entry.body = []
            #expect(await writer.complete(entry) == .stored)
            let opened = try #require(try await store.open(entry.key))
            #expect(opened.bodyLength == 256 << 20)
            #expect(try await opened.large?.read(at: 200 << 20, atMost: 1 << 30).count == StoredBody.readSize)
            #expect(try await store.statistics().byProvider["itunes"]?.bytes == 256 << 20)
        }
    }

    @Test func aBodyThatTurnsOutTooLargeIsRefusedAndLeavesNothing() async throws {
        try await withStore(roomy(object: 1_000_000)) { (store, bench) async throws in
            guard case .failure(.tooLarge) = await store.begin(expecting: 1_000_001) else {
                Issue.record("begun"); return
            }
            func grow() async throws {
                let writer = try await store.begin(expecting: nil).get()
                #expect(await writer.append(Bench.body("x", 999_999, 1)) == .stored)
                #expect(await writer.append([1, 2]) == .refused(.tooLarge))
                #expect(await writer.append([1]) == .refused(.tooLarge))
                #expect(await writer.complete(bench.entry("x")) == .refused(.tooLarge))
                #expect(try await bytes(of: writer.written) == Bench.body("x", 999_999, 1))
            }
            try await grow()
            try await untilSwept(store, below: 500_000)
            #expect(bench.count(StoreCounters.writes, "tooLarge") == 2)
        }
    }

    @Test func roomIsMadeAsABodyGrowsAndOneThatFindsNoneIsRefused() async throws {
        let cap: Int64 = 8 << 20
        try await withStore(roomy(cap)) { (store, bench) async throws in
            for number in 0..<7 { #expect(await store.write(bench.entry("\(number)", size: 900_000)) == .stored) }
            let entry = bench.entry("large", size: 5_000_000)
            bench.time.advance(by: .seconds(10))
            try await write(store, entry, pieces: 400_000)
            #expect(try await sameEntry(store.read(entry.key), entry))
            #expect(try await store.statistics().liveBytes <= cap)
            #expect(bench.count(StoreCounters.evicted, "unused") > 0)
            let first = try await store.begin(expecting: nil).get()
            let second = try await store.begin(expecting: nil).get()
            var outcomes: [WriteOutcome] = []
            for _ in 0..<20 {
                outcomes.append(await first.append(Bench.body("x", 400_000, 1)))
                outcomes.append(await second.append(Bench.body("y", 400_000, 1)))
            }
            #expect(outcomes.contains(.refused(.noRoom)))
            #expect(try await store.statistics().liveBytes <= cap)
            first.abandon()
            second.abandon()
            #expect(await store.write(bench.entry("after", size: 900_000)) == .stored)
        }
    }

    @Test func aDiskThatFillsUpAmidABodyRefusesItAndServiceGoesOn() async throws {
        try await withStore(roomy()) { (store, bench) async throws in
            let kept = bench.entry("kept", size: 400_000)
            #expect(await store.write(kept) == .stored)
            await store.limitPages(800)
            func fill() async throws {
                let writer = try await store.begin(expecting: nil).get()
                var outcome = WriteOutcome.stored
                var count = 0
                while outcome == .stored, count < 50 {
                    outcome = await writer.append(Bench.body("x", 300_000, UInt8(count)))
                    count += 1
                }
                #expect(outcome == .refused(.diskFull))
                #expect(await writer.complete(bench.entry("x")) == .refused(.diskFull))
                let start = try await writer.written.read(at: 0, atMost: 1000)
                #expect(start == Bytes(Bench.body("x", 300_000, 0)[..<1000]))
                #expect(try await bytes(of: #require(store.open(kept.key)?.large)) == kept.body)
            }
            try await fill()
            await store.limitPages(1_000_000)
            bench.time.advance(by: .seconds(6))
            #expect(await store.write(bench.entry("small")) == .stored)
            try await untilSwept(store, below: 1 << 20)
        }
    }

    @Test func aBodyOfADatabaseThatWasSetAsideIsNeverTheNewOnes() async throws {
        try await withStore(roomy()) { (store, bench) async throws in
            let entry = bench.entry("a", size: 1_000_000)
            #expect(await store.write(entry) == .stored)
            let unread = bench.entry("unread", size: 16_000)
            #expect(await store.write(unread) == .stored)
            await store.maintain()
            let body = try #require(try await store.open(entry.key)?.large)
            let writer = try await store.begin(expecting: nil).get()
            try writeFile(bench.path, Bytes(repeating: 0xAA, count: Int(try await store.statistics().fileBytes)))
            // One look-up meets the damage. Later look-ups find a new database.
            #expect(try await store.read(unread.key) == nil)
            let other = bench.entry("a", size: 1_000_000, seed: 1)
            #expect(await store.write(other) == .stored)
            #expect(await writer.append(Bench.body("x", 3_000_000, 1)) == .refused(.failed))
            #expect(try await bytes(of: body) == entry.body, "whoever reads it goes on")
            #expect(try await sameEntry(store.read(entry.key), other))
            #expect(bench.count(StoreCounters.setAside, "cache") == 1)
        }
    }

    @Test(arguments: [500, 100_000, 600_000])
    func aHeadIsRewrittenWhileItsBodyStays(size: Int) async throws {
        try await withStore(roomy()) { (store, bench) async throws in
            let entry = bench.entry("a", size: size)
            #expect(await store.write(entry) == .stored)
            var changed = entry
            changed.fields = ["Content-Type": "application/json", "ETag": "\"a\"", "X-New": "1"]
            changed.responseTime = entry.responseTime + .seconds(50)
            changed.freshUntil = entry.freshUntil + .seconds(50)
            changed.label = "another"
            #expect(await store.rewriteHead(changed, inPlaceOf: entry))
            #expect(try await sameEntry(store.read(entry.key), changed))
            // A second response to a question about the old entry comes too late.
            #expect(await !store.rewriteHead(entry, inPlaceOf: entry))
            #expect(try await sameEntry(store.read(entry.key), changed))
            #expect(await !store.rewriteHead(bench.entry("absent"), inPlaceOf: entry))
        }
    }

    @Test func aNotModifiedNeverFreshensANewerBody() async throws {
        // freshener: rewriteHead(old time) …        replacer: write(new time)      whichever comes first,
        // in the end the replacer's body has the replacer's head
        try await withStore(roomy()) { (store, bench) async throws in
            for round in 0..<30 {
                let old = bench.entry("a", size: 300_000, seed: UInt8(round))
                #expect(await store.write(old) == .stored)
                bench.time.advance(by: .seconds(1))
                let new = bench.entry("a", size: 300_001, seed: UInt8(round))
                var freshened = old
                freshened.label = "freshened"
                await withTaskGroup(of: Void.self) { [freshened] group in
                    group.addTask { _ = await store.rewriteHead(freshened, inPlaceOf: old) }
                    group.addTask { #expect(await store.write(new) == .stored) }
                }
                #expect(try await sameEntry(store.read(new.key), new))
            }
        }
    }

    @Test func bodiesThatAreReplacedAllTheTimeAreOpenedWholeEachTime() async throws {
        // writer: replace a, sweep the old pieces, replace a, …
        // reader:       open a, read all of it, open a, …           each is one of the versions, whole
        try await withStore(roomy()) { (store, bench) async throws in
            let versions = (0..<4).map { bench.entry("a", size: 300_000 + $0 * 150_000, seed: UInt8($0)) }
            #expect(await store.write(versions[0]) == .stored)
            let bodies = Set(versions.map(\.body))
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        for _ in 0..<60 {
                            guard let large = try? await store.open(versions[0].key)?.large,
                                let found = try? await bytes(of: large, step: 262_144), bodies.contains(found)
                            else {
                                Issue.record("not one of them"); continue
                            }
                        }
                    }
                }
                group.addTask {
                    for round in 0..<60 { #expect(await store.write(versions[round % 4]) == .stored) }
                }
            }
            try await untilSwept(store, below: 2 << 20)
        }
    }

    @Test func aBodyWhoseLastPieceIsLostIsAMiss() async throws {
        try await withBench { (bench) async throws in
            let entry = bench.entry("a", size: 1_000_000)
            let first = try bench.open(roomy())
            #expect(await first.write(entry) == .stored)
            await first.close()
            #expect(truncate(try bench.bodyFile(), 15 * 65_536) == 0)
            let second = try bench.open(roomy())
            #expect(await isAbsent(second, entry.key))
            #expect(bench.count(StoreCounters.checksumErrors, "piece") == 1)
            await second.close()
        }
    }

    @Test func bodiesUnderWayAreBounded() async throws {
        try await withStore(roomy()) { (store, bench) async throws in
            var writers: [any BodyWriter] = []
            for _ in 0..<SQLiteStore.bodyWriterLimit { writers.append(try await store.begin(expecting: nil).get()) }
            guard case .failure(.overloaded) = await store.begin(expecting: nil) else {
                Issue.record("one too many"); return
            }
            writers.removeLast()
            _ = try await store.begin(expecting: nil).get()
        }
    }
}

/// Large bodies whose pieces are damaged, or whose disk hangs.
@Suite struct LargeBodyTroubleTests {
    /// Runs a test with a store opened on one large body, one piece of which is damaged.
    private func withDamage(
        _ piece: Int, _ body: (SQLiteStore, StoredResponse, Bench) async throws -> Void
    ) async throws {
        try await withBench { (bench) async throws in
            let entry = bench.entry("a", size: 1_000_000)
            let first = try bench.open()
            #expect(await first.write(entry) == .stored)
            await first.close()
            try Bench.flip(bench.bodyFile(), at: piece * 65_536)
            let second = try bench.open()
            try await body(second, entry, bench)
            await second.close()
        }
    }

    @Test func aBodyWhoseFirstPieceIsDamagedIsAMiss() async throws {
        try await withDamage(0) { (store, entry, bench) async throws in
            #expect(try await store.open(entry.key) == nil)
            #expect(bench.count(StoreCounters.checksumErrors, "piece") == 1)
            #expect(await store.write(entry) == .stored)
            #expect(try await store.open(entry.key) != nil)
        }
    }

    @Test func aBodyCannotBeginInADamagedPiece() async throws {
        try await withDamage(3) { (store, entry, _) async throws in
            let large = try #require(try await store.open(entry.key)?.large)
            #expect(await large.canBegin(at: 3 * 65_536 - 1))
            #expect(await !large.canBegin(at: 3 * 65_536 + 100))
            #expect(await !large.canBegin(at: 1_000_000))
        }
    }
}
