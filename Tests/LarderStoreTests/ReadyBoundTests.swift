// The bounds on the responses that are kept ready, and what happens to the body files that hold them.
import Glibc
import LarderCore
import LarderTestSupport
import Synchronization
import Testing

@testable import LarderStore

@Suite struct ReadyBoundTests {
    // MARK: Bounds

    @Test func nothingIsHeldOnceTheRowsAreWritten() async throws {
        try await withReady { (stand) async throws in
            let shared = stand.store.shared
            for number in 0..<10 { _ = try await stand.kept("a\(number)", size: 100_000) }
            _ = try await stand.look()
            try await stand.bench.eventually("nothing is under way", in: stand.store) {
                shared.writes.heldWeight == 0 && shared.reads.heldWeight == 0
                    && shared.readyBytes.load(ordering: .relaxed) == 0
            }
        }
    }

    @Test func rowsOfOtherSettingsGoForThoseOfThePresentOnes() async throws {
        try await withReady { (stand) async throws in
            let entry = stand.bench.entry("a")
            _ = await stand.store.write(entry)
            for number in 0..<8 { #expect(try await stand.keep(stand.row(entry, "/raw/api/a?\(number)"), of: entry)) }
            #expect(try await stand.keep(stand.row(entry, "/raw/api/a", mark: 8), of: entry))
            #expect(try stand.bench.readyRows() == 8)
        }
    }

    @Test func aFullStoreEvictsNothingForARow() async throws {
        var settings = StoreSettings(minFree: 0)
        settings.maxSize = 2 << 20
        try await withReady(settings) { (stand) async throws in
            let entry = stand.bench.entry("a")
            var last = await stand.store.write(entry)
            for number in 0..<200 where last == .stored {
                last = await stand.store.write(stand.bench.entry("b\(number)", size: 10_000))
                if stand.bench.count(StoreCounters.evicted, "unused") > 0 { break }
            }
            let before = stand.bench.count(StoreCounters.evicted, "unused")
            let newest = stand.bench.entry("newest")
            #expect(await stand.store.write(newest) == .stored)
            let after = stand.bench.count(StoreCounters.evicted, "unused")
            #expect(before > 0)
            _ = try await stand.keep(stand.row(newest), of: newest)
            #expect(stand.bench.count(StoreCounters.evicted, "unused") == after)
        }
    }

    @Test func aSmallDiskKeepsAnswersReadyUntilItIsShort() async throws {
        try await withReady(StoreSettings(minFree: 1 << 20)) { (stand) async throws in
            let files = stand.store.shared.files
            files.reckonedFreeDisk.set { _ in 12 << 20 }
            let entry = try await stand.kept()
            files.reckonedFreeDisk.set { _ in 9 << 20 }
            #expect(try await !stand.keep(stand.row(entry, "/raw/api/b"), of: entry))
            #expect(stand.store.shared.degraded.withLock { $0 } == nil)
        }
    }

    // MARK: The files

    /// The number of descriptors of this process that refer to this file (proc_pid_fd(5)).
    private static func descriptors(of path: String) -> Int {
        (0..<Int(sysconf(Int32(_SC_OPEN_MAX)))).prefix(4096).count { number in
            let target = Bytes(room: 4096) { buffer, count in
                count = max(0, readlink("/proc/self/fd/\(number)", buffer.baseAddress!, buffer.count))
            }
            return target.lossyText == path
        }
    }

    @Test func descriptorsThatAreOpenedAtOnceAreAllClosed() async throws {
        let place = TemporaryDirectory()
        place.write("cache.db", "something")
        let path = place.path + "/cache.db"
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<16 { group.addTask { _ = NoWaitFiles.descriptor(path) } }
        }
        #expect(Self.descriptors(of: path) == 1)
        NoWaitFiles.close(database: path)
        #expect(Self.descriptors(of: path) == 0)
    }

    @Test func aDatabaseThatIsDiscardedLeavesNoDescriptorBehindALink() async throws {
        let place = TemporaryDirectory()
        let real = place.path + "/real"
        #expect(mkdir(real, 0o700) == 0 && symlink(real, place.path + "/link") == 0)
        let bench = Bench(directory: place.path + "/link")
        let store = try bench.open()
        let stand = ReadyStand(store, bench)
        _ = try await stand.kept()
        #expect(try await stand.look() != nil)
        let kept = store.shared.files.keptDescriptors
        #expect(kept > 0)
        _ = store.shared.writes.insist(
            .damaged(
                generation: store.shared.gate.present,
                StoreError(code: 11, extendedCode: 11, doing: "a test", message: "made to fail")))
        try await bench.eventually("another database is there", in: store) { store.shared.gate.present > 0 }
        #expect(NoWaitFiles.count(database: real + "/cache.db") == 0)
        let entry = try await stand.kept("b")
        #expect(try await stand.look()?.response.body == entry.body)
        await store.close()
    }
}
