// Large bodies in files: what a damaged file costs, when files are removed, and what a reader of a removed file keeps.
import CSQLite
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

private let roomy = StoreSettings(maxObject: 512 << 20, minFree: 0)

/// How a file comes to differ from what was written.
enum FileDamage: CaseIterable, Sendable {
    case cutShort, empty, flipped, missing, longer

    func apply(_ path: String) throws {
        switch self {
        case .cutShort: try #require(truncate(path, 40_000) == 0)
        case .empty: try #require(truncate(path, 0) == 0)
        case .flipped: try Bench.flip(path, at: 12_345)
        case .missing: try #require(unlink(path) == 0)
        case .longer: try #require(truncate(path, 1_000_000) == 0)
        }
    }
}

@Suite struct BodyFileTests {
    @Test(arguments: [16_384, 16_385])
    func aBodyAboveSixteenKibibytesLiesInAFile(size: Int) async throws {
        try await withStore(roomy) { (store, bench) async throws in
            let entry = bench.entry("a", size: size)
            #expect(await store.write(entry) == .stored)
            #expect(bench.bodyFiles().count == (size > 16_384 ? 1 : 0))
            if size > 16_384 { #expect(try readFile(bench.bodyFile()) == entry.body) }
        }
    }

    @Test(arguments: FileDamage.allCases, [100_000, 900_000])
    func aFileThatIsNotWhatWasWrittenIsAMissThatRemovesTheRow(damage: FileDamage, size: Int) async throws {
        try await withBench { (bench) async throws in
            let entry = bench.entry("a", size: size)
            let first = try bench.open(roomy)
            #expect(await first.write(entry) == .stored)
            await first.close()
            try damage.apply(bench.bodyFile())
            let store = try bench.open(roomy)
            #expect(try await store.open(entry.key) == nil)
            await store.maintain()
            #expect(try await store.statistics().entries == 0)
            #expect(bench.count(StoreCounters.checksumErrors, "piece") == 1)
            #expect(bench.bodyFiles().isEmpty)
            #expect(await store.write(entry) == .stored)
            #expect(try await sameEntry(store.read(entry.key), entry))
            await store.close()
        }
    }

    @Test func aFileOfAnotherBodyIsNotTakenForIt() async throws {
        try await withStore(roomy) { (store, bench) async throws in
            let entries = ["a", "b"].map { bench.entry($0, size: 100_000) }
            for entry in entries { #expect(await store.write(entry) == .stored) }
            let files = bench.bodyFiles().map { "\(bench.bodies)/\($0)" }
            try writeFile(files[0], try readFile(files[1]))
            var found = 0
            for entry in entries where try await store.read(entry.key) != nil { found += 1 }
            #expect(found == 1)
        }
    }

    enum Fate: CaseIterable { case replaced, purged, evicted, expired }

    @Test(arguments: Fate.allCases)
    func theFileOfARemovedRowIsGoneWhenTheRemovalIsAnswered(fate: Fate) async throws {
        try await withStore(StoreSettings(maxSize: 8 << 20, minFree: 0)) { (store, bench) async throws in
            #expect(await store.write(bench.entry("a", size: 900_000)) == .stored)
            let file = try bench.bodyFile()
            switch fate {
            case .replaced: #expect(await store.write(bench.entry("a", size: 100, seed: 1)) == .stored)
            case .purged: #expect(try await store.purge(.term("term=a", provider: nil), soft: false) == 1)
            case .evicted:
                bench.time.advance(by: .seconds(100))
                for number in 0..<12 {
                    #expect(await store.write(bench.entry("b\(number)", size: 900_000)) == .stored)
                }
            case .expired:
                bench.time.advance(by: .seconds(100_000))
                await store.maintain()
            }
            #expect(access(file, F_OK) != 0)
        }
    }

    @Test func aFileStaysWhereTheRemovalOfItsRowFails() async throws {
        try await withStore(roomy) { (store, bench) async throws in
            let entry = bench.entry("a", size: 200_000)
            #expect(await store.write(entry) == .stored)
            store.shared.faults.fail(with: SQLITE_BUSY, changesOnly: true)
            #expect(await store.write(bench.entry("a", size: 300_000, seed: 1)) == .refused(.busy))
            // The new file is gone with its transaction. The old file remains.
            #expect(try readFile(bench.bodyFile()) == entry.body)
            store.shared.faults.fail(with: nil)
        }
    }

    @Test func aFileThatAKillLeftBeforeItsRowIsSwept() async throws {
        try await withBench { (bench) async throws in
            let store = try bench.open(roomy)
            let kept = bench.entry("kept", size: 100_000)
            #expect(await store.write(kept) == .stored)
            // Upkeep commits as well. It must end before the writer is held.
            await store.maintain()
            // The writer is held before the commit: the file exists, the row does not.
            store.shared.faults.hold(true)
            let late = Task { await store.write(bench.entry("late", size: 300_000)) }
            while !store.shared.faults.isHolding { await Task.yield() }
            try await withBench { (copy) async throws in
                try bench.copyAsKilled(to: copy)
                #expect(copy.bodyFiles().count == 2)
                let after = try copy.open(roomy)
                #expect(try await after.read(bench.entry("late").key) == nil)
                await after.maintain()
                #expect(copy.bodyFiles().count == 1)
                #expect(copy.count(StoreCounters.sweptFiles) == 1)
                #expect(try await sameEntry(after.read(kept.key), kept))
                await after.close()
            }
            store.shared.faults.hold(false)
            _ = await late.value
            await store.close()
        }
    }

    @Test func theSweepLeavesABodyThatIsUnderWayAlone() async throws {
        try await withStore(roomy) { (store, bench) async throws in
            let entry = bench.entry("a", size: 700_000)
            let writer = try await store.begin(expecting: nil).get()
            #expect(await writer.append(Bytes(entry.body[..<400_000])) == .stored)
            await store.maintain()
            #expect(await writer.append(Bytes(entry.body[400_000...])) == .stored)
            #expect(await writer.complete(entry) == .stored)
            #expect(try await sameEntry(store.read(entry.key), entry))
        }
    }

    @Test func filesOfAnotherDatabaseAreSwept() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open(roomy)
            for number in 0..<20 { #expect(await first.write(bench.entry("\(number)", size: 70_000)) == .stored) }
            await first.close()
            for suffix in ["", "-wal", "-shm"] { unlink(bench.path + suffix) }
            let second = try bench.open(roomy)
            // The new entry gets the id of an old file.
            let entry = bench.entry("new", size: 80_000)
            #expect(await second.write(entry) == .stored)
            await second.maintain()
            #expect(bench.bodyFiles().count == 1)
            #expect(try await sameEntry(second.read(entry.key), entry))
            await second.close()
        }
    }

    @Test func aDatabaseThatIsSetAsideTakesItsFilesAlong() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open(roomy)
            #expect(await first.write(bench.entry("a", size: 100_000)) == .stored)
            await first.close()
            try writeFile(bench.path, Bytes(repeating: 0xAA, count: 100_000))
            let second = try bench.open(roomy)
            #expect(bench.count(StoreCounters.setAside, "cache") == 1)
            #expect(bench.bodyFiles().isEmpty)
            let names = Bench.names(in: bench.directory).filter { $0.contains(".corrupt-") }
            #expect(names.count == 2 && names.first?.hasPrefix("bodies.") == true)
            #expect(names[0].split(separator: "-").last == names[1].split(separator: "-").last)
            await second.close()
        }
    }

    @Test func filesOfADatabaseThatIsNoLongerKeptAreSwept() async throws {
        try await withBench { (bench) async throws in
            for number in 0..<4 {
                let store = try bench.open(roomy)
                #expect(await store.write(bench.entry("\(number)", size: 100_000)) == .stored)
                await store.maintain()
                await store.close()
                if number < 3 { try writeFile(bench.path, Bytes(repeating: 0xAA, count: 100_000)) }
                bench.time.advance(by: .seconds(10))
            }
            #expect(Bench.names(in: bench.directory).filter { $0.hasPrefix("bodies.corrupt-") }.count == 2)
            #expect(Bench.names(in: bench.bodies).count == 1)
        }
    }

    @Test func theSizeCountsFilesInBlocks() async throws {
        try await withStore(roomy) { (store, bench) async throws in
            let before = try await store.statistics().liveBytes
            for number in 0..<10 { #expect(await store.write(bench.entry("\(number)", size: 100_000)) == .stored) }
            let files = try await store.statistics().liveBytes - before
            #expect(files >= 10 * 102_400 && files < 10 * 102_400 + 200_000)
            #expect(try await store.purge(.all, soft: false) == 10)
            #expect(try await store.statistics().liveBytes < before + 200_000)
        }
    }

    @Test func aBodyUnderWayCountsAndGivesItsRoomBack() async throws {
        try await withStore(roomy) { (store, bench) async throws in
            let before = try await store.statistics().liveBytes
            func giveUp() async throws {
                let writer = try await store.begin(expecting: nil).get()
                #expect(await writer.append(Bench.body("x", 2 << 20, 1)) == .stored)
                #expect(try await store.statistics().liveBytes >= before + 2 << 20)
            }
            try await giveUp()
            // The writer's object may be released a moment after the call has returned.
            try await bench.eventually("the file is gone", in: store, rate: 0) { bench.bodyFiles().isEmpty }
            await store.maintain()
            #expect(try await store.statistics().liveBytes <= before + 65_536)
            #expect(bench.bodyFiles().isEmpty)
        }
    }

    @Test(arguments: [500_000, 5_000_000])
    func aFullDiskLeavesNoPartOfAFile(size: Int) async throws {
        try await withStore(roomy) { (store, bench) async throws in
            await store.limitPages(80)
            #expect(await store.write(bench.entry("a", size: size)) == .refused(.diskFull))
            #expect(bench.bodyFiles().isEmpty)
        }
    }

    @Test func aFullDiskLeavesNothingOfABodyThatStreams() async throws {
        try await withStore(roomy) { (store, bench) async throws in
            await store.limitPages(160)
            let writer = try await store.begin(expecting: nil).get()
            #expect(await writer.append(Bench.body("x", 300_000, 1)) == .stored)
            #expect(await writer.append(Bench.body("x", 900_000, 2)) == .refused(.diskFull))
            #expect(bench.bodyFiles().isEmpty)
            #expect(try await writer.written.read(at: 0, atMost: 9) == Bytes(Bench.body("x", 300_000, 1)[..<9]))
        }
    }

    @Test func bodiesWhoseDirectoryIsRemovedAreMissesAndNewOnesAreStored() async throws {
        try await withStore(roomy) { (store, bench) async throws in
            let old = bench.entry("old", size: 100_000)
            #expect(await store.write(old) == .stored)
            removeAll(bench.bodies)
            #expect(try await store.read(old.key) == nil)
            let new = bench.entry("new", size: 100_000)
            #expect(await store.write(new) == .stored)
            #expect(try await sameEntry(store.read(new.key), new))
            #expect(bench.bodyFiles().count == 1)
        }
    }

    @Test func descriptorsThatStayOpenAreBounded() async throws {
        try await withStore(roomy) { (store, bench) async throws in
            for number in 0..<(OpenBodies.kept + 40) {
                let entry = bench.entry("\(number)", size: 65_537)
                #expect(await store.write(entry) == .stored)
                #expect(try await store.read(entry.key) != nil)
            }
            let table = try #require(store.shared.bodies.withLock { $0 }).table
            #expect(table.count == OpenBodies.kept && table.used == 0)
            #expect(try await store.purge(.all, soft: false) == OpenBodies.kept + 40)
            #expect(table.count == 0)
        }
    }

    @Test func theLastDescriptorOfARemovedBodyIsClosedByTheWriter() {
        let table = OpenBodies()
        let told = Lock(0)
        table.onWriterWork.set { told.withLock { $0 += 1 } }
        _ = table.add(7, 1000, 8192, keeps: true)
        #expect(table.remove(7) == nil && table.uncounted == 8192)
        // `leave` does not return the descriptor for closing, because its caller may be a loop.
        #expect(table.leave(7) == nil)
        #expect(table.takeClosable() == 1000 && table.uncounted == 0 && told.withLock { $0 } == 1)
    }
}

/// Body files that loops read.
@Suite struct BodyFileLookTests {
    @Test func aLoopReadsAFileThatIsInMemory() async throws {
        try await withReady { (stand) async throws in
            let entry = try await stand.kept(size: 100_000)
            #expect(try await stand.look()?.response.body == entry.body)
        }
    }

    /// The kernel starts to read a cold file even for a read that does not wait (preadv2(2)), and the pages may arrive
    /// before the read returns. Such a try proves nothing and is repeated.
    @Test(.enabled(if: dropsPages, "this file system keeps its pages"))
    func aColdFileIsNotWaitedForOnALoop() async throws {
        try await withReady { (stand) async throws in
            _ = try await stand.kept(size: 100_000)
            #expect(try await stand.look() != nil)
            let before = stand.cold
            let file = Glibc.open(try stand.bench.bodyFile(), O_RDWR)
            defer { close(file) }
            try await eventually("a look-up meets the cold file") {
                if Self.drop(file) { _ = stand.once("/raw/api/a") }
                return stand.cold > before
            }
            #expect(stand.cold == before + 1)
        }
    }

    @Test func aFileThatWouldBeWaitedForIsLeftToTheReaders() async throws {
        try await withReady { (stand) async throws in
            let entry = try await stand.kept(size: 100_000)
            #expect(try await stand.look() != nil)
            // The connection keeps the pages of the database, so only the file is read.
            stand.readers.refuseAll(true)
            #expect(stand.ends("cold"))
            #expect(try await sameEntry(stand.store.read(entry.key), entry))
        }
    }

    /// Whether the file system of the tests drops pages when it is told to. A file system in memory keeps them.
    private static let dropsPages: Bool = {
        var template = Array("/tmp/larder-store-XXXXXX".utf8CString)
        let file = mkstemp(&template)
        guard file >= 0 else { return false }
        defer {
            unlink(template)
            close(file)
        }
        let bytes = Bytes(repeating: 7, count: 100_000)
        guard write(file, bytes, bytes.count) == bytes.count else { return false }
        return (0..<100).contains { _ in Self.drop(file) }
    }()

    /// Drops the file from the page cache. Returns whether it is gone from there.
    private static func drop(_ file: Int32) -> Bool {
        // The pages are written back first, because only clean pages are dropped.
        fsync(file)
        return posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0 && !isResident(file)
    }

    /// Whether the kernel holds the first page of the file (mincore(2)). A read without waiting is no substitute,
    /// because it fetches the page.
    private static func isResident(_ file: Int32) -> Bool {
        let page = mmap(nil, 4096, PROT_READ, MAP_SHARED, file, 0)
        guard let page, page != MAP_FAILED else { return true }
        defer { munmap(page, 4096) }
        var state: UInt8 = 1
        return mincore(page, 4096, &state) != 0 || state & 1 != 0
    }

    /// Updating the time of last access may wait for the disk.
    @Test(arguments: [true, false])
    func aFileIsOpenedSoThatReadsNoteNoTime(waits: Bool) async throws {
        try await withStore(roomy) { (store, bench) async throws in
            let entry = bench.entry("a", size: 100_000)
            #expect(await store.write(entry) == .stored)
            let files = try #require(store.shared.bodies.withLock { $0 })
            let id = try #require(Int64(bench.bodyFile().split(separator: "/").last ?? ""))
            // From here on the file's name is in the kernel's cache, and a loop can open the file without waiting.
            guard case .file = files.borrow(id, keeps: false, waits: true) else {
                Issue.record("it is there")
                return
            }
            files.leave(id)
            guard case .file(let file) = files.borrow(id, keeps: false, waits: waits) else {
                // Without openat2 (openat2(2)), in an old kernel or behind a system call filter, the readers open the
                // file.
                let why = NoWaitVFS.openCached(files.opened(), files.name(id))
                #expect(!waits && [-ENOSYS, -EPERM].contains(why))
                return
            }
            #expect(NoWaitVFS.leavesAccessTime(file))
            files.leave(id)
        }
    }

    @Test func aFileThatIsMadeIsReadWithoutNotingTheTime() async throws {
        try await withStore(roomy) { (store, _) async throws in
            let files = try #require(store.shared.bodies.withLock { $0 })
            let made = try files.create(4711)
            defer { close(made) }
            #expect(NoWaitVFS.leavesAccessTime(made))
        }
    }

    @Test func loopsReadTheDatabaseWithoutNotingTheTime() async throws {
        try await withReady { (stand) async throws in
            _ = try await stand.kept(size: 1000)
            _ = try await stand.look()
            for name in ["cache.db", "cache.db-wal"] {
                let file = try #require(NoWaitFiles.known(stand.bench.directory + "/" + name), "\(name)")
                #expect(NoWaitVFS.leavesAccessTime(file), "\(name)")
            }
        }
    }

    @Test func anotherUsersFileIsOpenedAllTheSame() {
        var asked: [Int32] = []
        let file = NoWaitVFS.withoutAccessTime { flags in
            asked.append(flags)
            return flags == 0 ? 7 : -EPERM
        }
        #expect(file == 7 && asked.count == 2)
        #expect(NoWaitVFS.withoutAccessTime { _ in -ENOENT } == -ENOENT)
    }

    @Test func aFileThatIsMissingIsNotAnsweredByALoop() async throws {
        try await withReady { (stand) async throws in
            _ = try await stand.kept(size: 100_000)
            // Neither a loop nor a reader has the file open yet.
            stand.store.shared.bodies.withLock { $0 }?.table.closeAll()
            #expect(unlink(try stand.bench.bodyFile()) == 0)
            #expect(try await stand.look() == nil)
            #expect(stand.bench.count(StoreCounters.ready, "failed") >= 1)
        }
    }
}
