// Damaged entries are reported, removed and never served. Regular changes are not mistaken for damage.
import CSQLite
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct ScrubTests {
    /// Changes the closed database behind the store's back, as a flipped bit would.
    private func damage(_ bench: Bench, _ sql: String) throws {
        let connection = try DatabaseConnection(path: bench.path)
        defer { connection.close() }
        try connection.execute(sql)
    }

    private static let damages: [(String, String)] = [
        ("UPDATE entry SET body = CAST('x' || substr(body, 2) AS BLOB) WHERE id = 2", "body"),
        ("UPDATE entry SET head = CAST(substr(head, 1, 60) || 'x' || substr(head, 62) AS BLOB) WHERE id = 2", "row"),
        ("UPDATE entry SET label = label || ' ' WHERE id = 2", "row"),
        ("UPDATE entry SET size = size + 1 WHERE id = 2", "row"),
        ("UPDATE entry SET provider = 7 WHERE id = 2", "row"),
        ("UPDATE life SET freshUntil = freshUntil + 4294967296 WHERE id = 2", "life"),
        ("UPDATE life SET staleUntil = staleUntil - 1 WHERE id = 2", "life"),
        ("UPDATE life SET sum = sum + 1 WHERE id = 2", "life"),
        ("UPDATE life SET sums = sums + 1 WHERE id = 2", "body"),
        ("UPDATE life SET sums = NULL, sum = NULL, format = 0 WHERE id = 2", "row"),
    ]

    @Test(arguments: damages)
    func aRowThatIsNotWhatWasWrittenIsAMissIsToldAndGoes(_ sql: String, _ part: String) async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            let entries = (0..<3).map { bench.entry("\($0)", size: 700) }
            for entry in entries { #expect(await first.write(entry) == .stored) }
            await first.close()
            try damage(bench, sql)
            let store = try bench.open()
            #expect(try await store.read(entries[1].key) == nil)
            #expect(bench.count(StoreCounters.checksumErrors, part) == 1)
            for number in [0, 2] { #expect(try await sameEntry(store.read(entries[number].key), entries[number])) }
            await store.maintain()
            #expect(try await store.statistics().entries == 2)
            #expect(bench.log.messages == ["store.row.damaged"])
            #expect(bench.count(StoreCounters.setAside, "cache") == 0)
            // The entry is fetched anew, and found then.
            #expect(await store.write(entries[1]) == .stored)
            #expect(try await sameEntry(store.read(entries[1].key), entries[1]))
            await store.close()
        }
    }

    @Test(arguments: damages)
    func theScrubFindsWhatNobodyReads(_ sql: String, _ part: String) async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            for number in 0..<3 { #expect(await first.write(bench.entry("\(number)", size: 700)) == .stored) }
            await first.close()
            try damage(bench, sql)
            let store = try bench.open()
            await store.maintain()
            #expect(try await store.statistics().entries == 2)
            #expect(bench.count(StoreCounters.checksumErrors, part) == 1)
            #expect(bench.count(StoreCounters.scrubbed, "damaged") == 1)
            await store.close()
        }
    }

    @Test func aLargeBodyWithADamagedPieceIsCutThereAndGoes() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            let entry = bench.entry("a", size: 600_000)
            #expect(await first.write(entry) == .stored)
            await first.close()
            try Bench.flip(bench.bodyFile(), at: 5 * 65_536 + 77)
            let store = try bench.open()
            let large = try #require(try await store.open(entry.key)?.large)
            #expect(try await large.read(at: 0, atMost: 5 * 65_536) == Bytes(entry.body[..<262_144]))
            await #expect(throws: BodyFailure.self) { try await large.read(at: 5 * 65_536, atMost: 100) }
            #expect(bench.count(StoreCounters.checksumErrors, "piece") == 1)
            await store.maintain()
            #expect(try await store.open(entry.key) == nil)
            await store.close()
        }
    }

    @Test func theScrubLooksAtPiecesToo() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            for name in ["a", "b", "c"] { #expect(await first.write(bench.entry(name, size: 1_500_000)) == .stored) }
            await first.close()
            func path(_ id: Int) -> String {
                "\(bench.bodies)/\(bench.bodyFiles().first { $0.hasSuffix("/\(id)") } ?? "")"
            }
            try Bench.flip(path(2), at: 20 * 65_536)
            #expect(unlink(path(3)) == 0)
            let store = try bench.open()
            await store.maintain()
            #expect(try await store.statistics().entries == 1)
            #expect(bench.count(StoreCounters.checksumErrors, "piece") == 2)
            await store.maintain()
            await store.close()
            #expect(bench.bodyFiles().map { $0.split(separator: "/").last } == ["1"])
        }
    }

    @Test func whatChangesByTheBookKeepsItsChecksums() async throws {
        try await withStore { (store, bench) async throws in
            let entries = [500, 90_000, 400_000].map { bench.entry("\($0)", size: $0) }
            for entry in entries { #expect(await store.write(entry) == .stored) }
            let later = bench.time.wall() + .seconds(7000)
            bench.time.advance(by: .seconds(100))
            for entry in entries {
                store.touch(entry.key.digest)
                await store.updateFreshness(entry.key.digest, freshUntil: later, staleUntil: later + .seconds(9))
                var found = try #require(try await store.read(entry.key))
                #expect(found.freshUntil == later && found.staleUntil == later + .seconds(9))
                found.status = 298
                found.label = "another"
                #expect(await store.rewriteHead(found, ifReceivedAt: entry.responseTime))
                #expect(try await sameEntry(store.read(entry.key), found))
            }
            #expect(try await store.purge(.all, soft: true) == 3)
            for entry in entries {
                let found = try #require(try await store.read(entry.key))
                #expect(found.freshUntil == bench.time.wall() && found.body == entry.body)
            }
            await store.maintain()
            #expect(bench.count(StoreCounters.scrubbed, "damaged") == 0)
            #expect(bench.count(StoreCounters.scrubbed, "sound") == 3)
        }
    }

    @Test func aChangeDoesNotBlessWhatIsDamaged() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            let entries = (0..<3).map { bench.entry("\($0)") }
            for entry in entries { #expect(await first.write(entry) == .stored) }
            await first.close()
            try damage(bench, "UPDATE life SET version = 4, staleUntil = staleUntil + 1")
            let store = try bench.open()
            await store.updateFreshness(
                entries[0].key.digest, freshUntil: entries[0].freshUntil, staleUntil: entries[0].staleUntil)
            #expect(await !store.rewriteHead(entries[1], ifReceivedAt: entries[1].responseTime))
            _ = try await store.purge(.digest(entries[2].key.digest), soft: true)
            for entry in entries { #expect(try await store.read(entry.key) == nil) }
            await store.close()
        }
    }

    @Test func aLostNoteOfAParentIsWrittenAgain() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            let parent = Digest(of: Bytes(text: "parent"))
            let child = bench.entry("child", parents: [parent])
            #expect(await first.write(child) == .stored)
            await first.close()
            try damage(bench, "UPDATE parent SET digest = zeroblob(32)")
            let store = try bench.open()
            await store.maintain()
            #expect(bench.count(StoreCounters.checksumErrors, "parent") == 1)
            #expect(try await store.purge(.digest(parent), soft: false) == 1)
            #expect(try await store.read(child.key) == nil)
            await store.close()
        }
    }

    @Test func aPurgeByWordsTakesWhatHasLostItsName() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            let entry = bench.entry("a")
            #expect(await first.write(entry) == .stored)
            await first.close()
            try damage(bench, "UPDATE entry SET label = 'itunes search term=b'")
            let store = try bench.open()
            _ = try await store.purge(.term("term=a", provider: nil), soft: false)
            await store.maintain()
            #expect(try await store.statistics().entries == 0)
            await store.close()
        }
    }

    @Test func aSearchShowsNoOtherJSONAndTheRowIsMendedFromTheBody() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            let one = resultJSON("1", "Better Together", more: #","price":{"amount":1.29}"#)
            #expect(await first.write(bench.results("x", [one, resultJSON("2", "Better Days")])) == .stored)
            #expect(try await first.titles("better").count == 2)
            await first.close()
            let place = 1 + one.utf8.count - #"{"amount":1.29}}"#.utf8.count
            try damage(bench, "UPDATE result SET place = \(place), length = 15 WHERE title = 'Better Together'")
            let store = try bench.open()
            #expect(try await store.titles("better") == ["Better Days"])
            #expect(bench.count(StoreCounters.checksumErrors, "result") == 1)
            await store.maintain()
            #expect(try await Set(store.titles("better")) == ["Better Together", "Better Days"])
            await store.close()
        }
    }

    @Test func aPassGoesInSlicesOfIdleTimeAndBeginsAgainAfterADay() async throws {
        try await withStore { (store, bench) async throws in
            for number in 0..<200 {
                var entry = bench.entry("\(number)", size: 40_000)
                entry.staleUntil = bench.time.wall() + .seconds(864_000)
                #expect(await store.write(entry) == .stored)
            }
            func scrubbed() -> Int { bench.count(StoreCounters.scrubbed, "sound") }
            /// Waits until the writer has ended the slice that it is at. If one is overdue, it is ended too: the writer
            /// does it after the first of these jobs, and then takes the second.
            func settle() async {
                for _ in 0..<2 {
                    await handover { continuation in
                        let reply = Reply(continuation, late: { () })
                        if !store.shared.writes.insist(.commit(reply)) { reply.resume(returning: ()) }
                    }
                }
            }
            /// Lets the rest pass and then seconds, until this many entries were scrubbed. No slice is due before.
            /// Applying settings wakes the writer.
            /// - Returns: the number of slices.
            func slices(until count: Int, after rest: Duration) async throws -> Int {
                var slices = 0
                while scrubbed() < count {
                    let before = scrubbed()
                    bench.time.advance(by: slices == 0 ? rest : .seconds(1))
                    slices += 1
                    try await eventually("a slice is scrubbed") {
                        store.apply(StoreSettings(minFree: 0))
                        return scrubbed() != before
                    }
                    await settle()
                    #expect(scrubbed() - before <= ScrubUpkeep.bytesPerSlice / 40_000 + 1)
                }
                return slices
            }
            #expect(try await slices(until: 200, after: ScrubUpkeep.rest) >= 3)
            #expect(scrubbed() == 200)
            // The next pass begins a day later.
            bench.time.advance(by: .seconds(3600))
            await store.updateFreshness(Digest(of: []), freshUntil: bench.time.wall(), staleUntil: bench.time.wall())
            // The first of these turns ends the pass. In the others a pass that began too early would go on.
            for _ in 0..<3 {
                bench.time.advance(by: ScrubUpkeep.patience + ScrubUpkeep.pause)
                await settle()
            }
            #expect(scrubbed() == 200)
            #expect(try await slices(until: 400, after: .seconds(86_400)) >= 3)
        }
    }
}

/// The times of the scrub, by value.
@Suite struct ScrubTimeTests {
    @Test func aStoreThatIsWrittenEverySecondIsLookedAtOnceAMinute() {
        let start = MonotonicTime(nanoseconds: 0)
        var scrub = ScrubUpkeep(now: start)
        var slices: [MonotonicTime] = []
        for second in 1...1000 {
            let now = start + .seconds(second)
            guard now >= scrub.due(lastWrite: now) else { continue }
            #expect(scrub.isOverdue(now))
            slices.append(now)
            scrub.at = now + ScrubUpkeep.pause
        }
        #expect(slices.first == start + ScrubUpkeep.rest + ScrubUpkeep.patience)
        for (former, next) in zip(slices, slices.dropFirst()) { #expect(next - former == .seconds(60)) }
        #expect(slices.count == 6)
    }

    @Test func anIdleStoreIsLookedAtAsSoonAsItIsDue() {
        let start = MonotonicTime(nanoseconds: 0)
        let scrub = ScrubUpkeep(now: start)
        #expect(scrub.due(lastWrite: start) == scrub.at)
        #expect(scrub.due(lastWrite: scrub.at) == scrub.at + ScrubUpkeep.pause)
        #expect(!scrub.isOverdue(scrub.at + ScrubUpkeep.pause))
    }

    private func withEntries(_ body: (StoreWriter, Bench) async throws -> Void) async throws {
        try await withBench { (bench) async throws in
            let store = try bench.open()
            for number in 0..<30 { #expect(await store.write(bench.entry("\(number)", size: 500)) == .stored) }
            await store.close()
            try await withWriter(bench) { (writer, _) async throws in try await body(writer, bench) }
        }
    }

    @Test func theWriterScrubsThoughItIsNeverIdle() async throws {
        try await withEntries { (writer, bench) async throws in
            for _ in 0..<660 {
                bench.time.advance(by: .seconds(1))
                writer.upkeep.wrote(at: bench.time.monotonic())
                writer.work(isIdle: false, afterJobs: true)
            }
            #expect(bench.count(StoreCounters.scrubbed, "sound") == 30)
        }
    }

    @Test func aSliceIsBoundedInTimeAndGetsOn() async throws {
        try await withEntries { (writer, bench) async throws in
            bench.time.leap(by: ScrubUpkeep.budget)
            writer.scrubSlice()
            #expect(bench.count(StoreCounters.scrubbed, "sound") == 1)
            writer.scrubSlice()
            bench.time.leap(by: .zero)
            #expect(bench.count(StoreCounters.scrubbed, "sound") == 2)
        }
    }

    @Test func whatTheScrubWritesIsNoUseOfTheStore() async throws {
        try await withBench { (bench) async throws in
            try SchemaFour.make(bench.path, [bench.entry("a", size: 500)], now: bench.time.wall())
            try await withWriter(bench) { (writer, _) async throws in
                let used = writer.upkeep.lastWrite
                bench.time.advance(by: Upkeep.settleTime)
                writer.scrubSlice(isHurried: true)
                #expect(bench.count(StoreCounters.scrubbed, "summed") > 0)
                #expect(writer.upkeep.lastWrite == used)
            }
        }
    }
}
