// Room on the disk: what is estimated before a write, what is given back, and that a disk filled by others does not
// empty the cache.
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

private let mebi: Int64 = 1 << 20

@Suite struct DiskRoomTests {
    private let now = MonotonicTime(nanoseconds: 1_000_000_000_000)

    private func look(
        free: Int64, reusable: Int64 = 0, live: Int64 = 100 * mebi, log: Int64 = 0
    ) -> DiskLook {
        DiskLook(free: free, reusable: reusable, live: live, file: live + reusable, log: log)
    }

    @Test func aWriteIsReckonedInTheFileAndInTheLog() {
        var room = DiskRoom()
        #expect(room.verdict(mebi, look(free: 12 * mebi), minFree: 10 * mebi) == .fits)
        #expect(room.verdict(mebi, look(free: 12 * mebi - 1), minFree: 10 * mebi) != .fits)
        // A log at its full length needs no more room.
        #expect(room.verdict(2 * mebi, look(free: 12 * mebi, log: DiskRoom.logLength), minFree: 10 * mebi) == .fits)
        // Writes into free pages do not lengthen the file.
        let full = look(free: 10 * mebi, reusable: 3 * mebi, log: DiskRoom.logLength)
        #expect(room.verdict(3 * mebi, full, minFree: 10 * mebi) == .fits)
        // Pages that are only in the log will lengthen the file.
        var owing = look(free: 12 * mebi, log: DiskRoom.logLength)
        owing.file -= 2 * mebi
        #expect(room.verdict(mebi, owing, minFree: 10 * mebi) == .fitsIn(.init(all: mebi)))
    }

    @Test func whatDoesNotFitTakesThePlaceOfEntriesWithinABound() {
        var room = DiskRoom()
        let full = look(free: 10 * mebi, log: DiskRoom.logLength)
        #expect(room.verdict(mebi, full, minFree: 10 * mebi) == .fitsIn(.init(all: mebi)))
        #expect(room.verdict(DiskRoom.mostForOne + 1, full, minFree: 10 * mebi) == .refused)
        #expect(room.verdict(mebi, look(free: 10 * mebi), minFree: 10 * mebi) == .refused)
        #expect(!room.isShort)
        #expect(room.verdict(1, look(free: 10 * mebi - 1), minFree: 10 * mebi) == .refused)
        #expect(room.isShort)
    }

    @Test func whatWasRefusedIsRememberedUntilItWouldFit() {
        var room = DiskRoom()
        let full = look(free: 10 * mebi, log: DiskRoom.logLength)
        #expect(!room.hasRefused)
        room.refused(EntryRows.Cost(pages: 20 * mebi), now: now)
        room.refused(EntryRows.Cost(pages: mebi), now: now)
        // A small write fits; the large one does not.
        #expect(room.verdict(mebi, full, minFree: 10 * mebi) == .fitsIn(.init(all: mebi)))
        let later = now + DiskRoom.calm
        let inPlaceOfOthers = look(free: 20 * mebi, log: DiskRoom.logLength)
        #expect(room.verdict(20 * mebi, inPlaceOfOthers, minFree: 10 * mebi) == .fitsIn(.init(all: 10 * mebi)))
        let isStillShort = !room.wouldTakeRefused(inPlaceOfOthers, minFree: 10 * mebi, now: later)
        #expect(isStillShort)
        let wide = look(free: 30 * mebi, log: DiskRoom.logLength)
        let isTooSoon = !room.wouldTakeRefused(wide, minFree: 10 * mebi, now: now + (DiskRoom.calm - .milliseconds(1)))
        #expect(isTooSoon && room.hasRefused)
        let hasRoom = room.wouldTakeRefused(wide, minFree: 10 * mebi, now: later)
        #expect(hasRoom && !room.hasRefused)
    }

    @Test func freePagesAreNoRoomForAFile() {
        var room = DiskRoom()
        var full = look(free: 11 * mebi, reusable: 30 * mebi, log: DiskRoom.logLength)
        full.bodies = 3 * mebi
        #expect(room.verdict(mebi, files: mebi, full, minFree: 10 * mebi) == .fits)
        let missing = DiskRoom.Shortage(all: 3 * mebi, files: 3 * mebi)
        #expect(room.verdict(mebi, files: 4 * mebi, full, minFree: 10 * mebi) == .fitsIn(missing))
        #expect(!missing.isMet(pages: 30 * mebi, files: 3 * mebi - 1) && missing.isMet(pages: 0, files: 3 * mebi))
        // The shortage is more than all files together.
        #expect(room.verdict(mebi, files: 5 * mebi, full, minFree: 10 * mebi) == .refused)
        // Removing files makes room for pages too.
        full.reusable = 0
        full.file = full.live
        let both = DiskRoom.Shortage(all: 2 * mebi, files: mebi)
        #expect(room.verdict(mebi, files: 2 * mebi, full, minFree: 10 * mebi) == .fitsIn(both))
        #expect(both.isMet(pages: 0, files: 2 * mebi) && both.isMet(pages: mebi, files: mebi))
    }

    @Test func aFileThatWasRefusedIsNotFoundToFitInFreePages() {
        var room = DiskRoom()
        room.refused(EntryRows.Cost(pages: 0, files: 5 * mebi), now: now)
        let pages = look(free: 11 * mebi, reusable: 30 * mebi, log: DiskRoom.logLength)
        let fitsInPages = room.wouldTakeRefused(pages, minFree: 10 * mebi, now: now + DiskRoom.calm)
        #expect(!fitsInPages)
        let wide = look(free: 15 * mebi, log: DiskRoom.logLength)
        let fits = room.wouldTakeRefused(wide, minFree: 10 * mebi, now: now + DiskRoom.calm)
        #expect(fits)
    }

    @Test func whatIsHeldForNothingGoesBackBeforeAnyEntry() {
        var room = DiskRoom()
        #expect(room.relief(look(free: 5 * mebi, reusable: 9 * mebi, log: 1), minFree: 10 * mebi, now: now) == .cutLog)
        let pages = look(free: 5 * mebi, reusable: 9 * mebi)
        #expect(room.relief(pages, minFree: 10 * mebi, now: now) == .giveBack(5 * mebi))
        #expect(room.relief(look(free: 9 * mebi), minFree: 10 * mebi, now: now) == .evict(mebi))
        #expect(room.relief(look(free: 10 * mebi), minFree: 10 * mebi, now: now) == .nothing)
    }

    @Test func entriesGiveOnceAndWaitForItToShow() {
        var room = DiskRoom()
        let short = look(free: 4 * mebi)
        #expect(room.relief(short, minFree: 10 * mebi, now: now) == .evict(4 * mebi))
        room.evicted(4 * mebi)
        #expect(room.relief(short, minFree: 10 * mebi, now: now) == .evict(2 * mebi))
        room.evicted(2 * mebi)
        for _ in 0..<600 { #expect(room.relief(short, minFree: 10 * mebi, now: now) == .nothing) }
        #expect(room.lookAgainAt == now + DiskRoom.showing)
        #expect(room.relief(short, minFree: 10 * mebi, now: now + DiskRoom.showing) != .nothing)
    }

    @Test func whereEntriesCannotHelpNoneGoes() {
        var room = DiskRoom()
        #expect(room.relief(look(free: 0, live: 15 * mebi), minFree: 10 * mebi, now: now) == .nothing)
        #expect(room.relief(look(free: 0), minFree: 1 << 60, now: now) == .nothing)
    }

    @Test func othersWhoGoOnFillingGetHalfAnHourAtMost() {
        var room = DiskRoom()
        var given: Int64 = 0
        for step in 0..<119 {
            let at = now + DiskRoom.showing * step
            guard case .evict(let bytes) = room.relief(look(free: 7 * mebi), minFree: 10 * mebi, now: at) else {
                continue
            }
            given += bytes
            room.evicted(bytes)
        }
        #expect(given <= 50 * mebi && given > 45 * mebi)
        let later = now + DiskRoom.window
        #expect(room.relief(look(free: 7 * mebi), minFree: 10 * mebi, now: later) == .evict(3 * mebi))
    }

    // MARK: In the store

    /// Simulates a disk of this capacity, of which others use the given number of bytes.
    private func disk(_ store: SQLiteStore, _ bench: Bench, _ capacity: Int64, others: Lock<Int64>) {
        store.shared.files.reckonedFreeDisk.set { own in
            max(0, capacity - own - bench.bytesOfBodies() - others.withLock { $0 })
        }
    }

    @Test func aDiskThatOthersFillCostsNoMoreThanWhatIsMissing() async throws {
        let settings = StoreSettings(minFree: 20 * mebi)
        try await withStore(settings) { (store, bench) async throws in
            for number in 0..<1500 { #expect(await store.write(bench.entry("\(number)", size: 16_000)) == .stored) }
            // Purges half of the entries, which leaves free pages.
            _ = try await store.purge(.term("term=1", provider: nil), soft: false)
            let before = try await store.statistics()
            let others = Lock<Int64>(0)
            disk(store, bench, 100 * mebi, others: others)
            // Now 6 MiB are missing, and the free pages hold more than that.
            others.withLock { $0 = 100 * mebi - before.fileBytes - before.walBytes - 14 * mebi }
            for number in 0..<600 {
                if await store.write(bench.entry("more \(number)", size: 1000)) == .stored { break }
            }
            await store.maintain()
            let after = try await store.statistics()
            #expect(after.entries >= before.entries)
            #expect(bench.count(StoreCounters.evicted, "unused") == 0)
            #expect(try #require(store.shared.files.freeDisk) >= 20 * mebi)
            #expect(await store.write(bench.entry("again", size: 1000)) == .stored)
        }
    }

    /// Room for a file of 1 MiB is missing. The least recently used entries are small and cannot give this room.
    @Test(arguments: [0, 3])
    func onlyFilesMakeRoomForAFile(files: Int) async throws {
        try await withStore(StoreSettings(minFree: 20 * mebi)) { (store, bench) async throws in
            for number in 0..<300 { #expect(await store.write(bench.entry("\(number)", size: 16_000)) == .stored) }
            bench.time.advance(by: .seconds(100))
            for number in 0..<files {
                #expect(await store.write(bench.entry("file \(number)", size: 2 << 20)) == .stored)
            }
            await store.maintain()
            let before = try await store.statistics()
            let own = before.fileBytes + before.walBytes + bench.bytesOfBodies()
            let free = 20 * mebi + mebi / 2
            disk(store, bench, 200 * mebi, others: Lock(200 * mebi - own - free))
            for turn in 0..<4 {
                let entry = bench.entry("new \(turn)", size: 1 << 20)
                #expect(await store.write(entry) == (files > 0 ? .stored : .refused(.diskFull)))
                if files == 0 { continue }
                #expect(try #require(store.shared.files.freeDisk) >= 20 * mebi)
            }
            for number in 0..<300 { #expect(try await store.read(bench.entry("\(number)").key) != nil) }
        }
    }

    /// Leaves half a mebibyte above the 20 MiB that must stay free.
    private func fill(_ store: SQLiteStore, _ bench: Bench) async throws {
        await store.maintain()
        let before = try await store.statistics()
        let own = before.fileBytes + before.walBytes + bench.bytesOfBodies()
        disk(store, bench, 200 * mebi, others: Lock(200 * mebi - own - 20 * mebi - mebi / 2))
    }

    @Test func filesBehindManySmallEntriesMakeRoomWithinAFewTries() async throws {
        try await withStore(StoreSettings(minFree: 20 * mebi)) { (store, bench) async throws in
            for number in 0..<1600 { #expect(await store.write(bench.entry("\(number)", size: 100)) == .stored) }
            bench.time.advance(by: .seconds(100))
            #expect(await store.write(bench.entry("file", size: 2 << 20)) == .stored)
            try await fill(store, bench)
            var outcomes: [WriteOutcome] = []
            for turn in 0..<4 { outcomes.append(await store.write(bench.entry("new \(turn)", size: 1 << 20))) }
            #expect(outcomes.contains(.stored))
        }
    }

    @Test func aFileThatWasUsedAMomentAgoIsNotTheFirstToMakeRoom() async throws {
        try await withStore(StoreSettings(minFree: 20 * mebi)) { (store, bench) async throws in
            for name in ["used", "unused"] {
                #expect(await store.write(bench.entry(name, size: 2 << 20)) == .stored)
                bench.time.advance(by: .seconds(100))
            }
            try await fill(store, bench)
            store.touch(bench.entry("used").key.digest)
            #expect(await store.write(bench.entry("new", size: 1 << 20)) == .stored)
            #expect(try await store.read(bench.entry("used").key) != nil)
            #expect(try await store.read(bench.entry("unused").key) == nil)
        }
    }

    @Test func refusalsDoNotEmptyTheCacheWhereEvictionCannotHelp() async throws {
        try await withStore(StoreSettings(minFree: 20 * mebi)) { (store, bench) async throws in
            for number in 0..<500 { #expect(await store.write(bench.entry("\(number)", size: 3000)) == .stored) }
            await store.maintain()
            disk(store, bench, 100 * mebi, others: Lock(99 * mebi))
            for number in 0..<600 {
                #expect(await store.write(bench.entry("more \(number)", size: 1000)) == .refused(.diskFull))
            }
            await store.maintain()
            #expect(try await store.statistics().entries == 500)
            #expect(bench.count(StoreCounters.evicted, "unused") == 0)
        }
    }

    @Test func aBodyLargerThanTheRoomIsNotBegunAndOneThatGrowsStopsInTime() async throws {
        try await withStore(StoreSettings(minFree: 2 * mebi)) { (store, bench) async throws in
            let others = Lock<Int64>(0)
            disk(store, bench, 24 * mebi, others: others)
            guard case .failure(let refusal) = await store.begin(expecting: 22 * mebi) else {
                Issue.record("it was begun")
                return
            }
            #expect(refusal == .diskFull)
            let writer = try await store.begin(expecting: nil).get()
            let piece = Bytes(repeating: 7, count: 1 << 20)
            var outcome = WriteOutcome.stored
            for _ in 0..<30 where outcome == .stored {
                outcome = await writer.append(piece)
                #expect(try #require(store.shared.files.freeDisk) >= mebi)
            }
            #expect(outcome == .refused(.diskFull))
            writer.abandon()
        }
    }

    /// Whether this user may mount a file system.
    private static let mayMount: Bool = {
        var template = Array("/tmp/larder-store-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return false }
        defer { rmdir(template) }
        guard mount("tmpfs", template, "tmpfs", 0, "size=1m") == 0 else { return false }
        umount2(template, Int32(MNT_DETACH))
        return true
    }()

    @Test(.enabled(if: mayMount, "a small disk needs the right to mount"))
    func onARealDiskOfTwentyFourMebibytesSomethingStaysFree() async throws {
        try await withBench { (bench) async throws in
            try #require(mount("tmpfs", bench.directory, "tmpfs", 0, "size=24m") == 0)
            defer { umount2(bench.directory, Int32(MNT_DETACH)) }
            let minFree = 24 * mebi / 10
            let store = try bench.open(StoreSettings(minFree: minFree))
            for number in 0..<40 {
                guard case .success(let writer) = await store.begin(expecting: nil) else { continue }
                let entry = bench.entry("\(number)", size: 3_000_000)
                var outcome = WriteOutcome.stored
                for start in stride(from: 0, to: entry.body.count, by: 500_000) where outcome == .stored {
                    outcome = await writer.append(Bytes(entry.body[start..<min(start + 500_000, entry.body.count)]))
                }
                if outcome == .stored { _ = await writer.complete(entry) } else { writer.abandon() }
                #expect(try #require(store.shared.files.freeDisk) >= minFree / 2)
            }
            // The store still stores, in place of older entries.
            await store.maintain()
            #expect(try await store.statistics().entries > 0)
            #expect(await store.write(bench.entry("small")) == .stored)
            await store.close()
        }
    }
}
