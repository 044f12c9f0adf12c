// A spent quota and a lack of inodes are told as what they are, and rows are stored where only files cannot be made.
import CSQLite
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct DiskErrorTests {
    @Test func aSpentQuotaIsToldAsSuch() {
        let ofFile = StoreError.ofDisk(EDQUOT, doing: "writing")
        #expect(ofFile.reason == "the disk quota of this user is spent")
        #expect(ofFile.isDiskFull)
        let write = SQLITE_IOERR | 3 << 8
        let ofDatabase = StoreError(
            code: SQLITE_IOERR, extendedCode: write, doing: "writing", message: "disk I/O error")
        #expect(ofDatabase.told(EDQUOT).reason == "the disk quota of this user is spent")
        #expect(ofDatabase.told(EDQUOT).isDiskFull)
        #expect(ofDatabase.told(EIO).reason == "writing failed: disk I/O error")
        #expect(ofDatabase.told(EBADF).reason == "writing failed: disk I/O error: Bad file descriptor")
        #expect(StoreError.ofDisk(ENOSPC, doing: "writing").reason == "the disk is full")
    }

    @Test func withoutInodesRowsAreStoredAndTheReasonIsTold() async throws {
        try await withStore { (store, bench) async throws in
            store.shared.files.simulatedInodes.withLock { $0 = 0 }
            #expect(await store.write(bench.entry("large", size: 200_000)) == .refused(.diskFull))
            let degraded = try await store.statistics().degraded
            #expect(degraded == "the file system has no inodes left for another file")
            let small = bench.entry("small")
            #expect(await store.write(small) == .stored)
            #expect(try await sameEntry(store.read(small.key), small))
            #expect(try await store.statistics().degraded == degraded, "it is so until a file can be made")
            store.shared.files.simulatedInodes.withLock { $0 = nil }
            let large = bench.entry("large", size: 200_000)
            #expect(await store.write(large) == .stored)
            #expect(try await sameEntry(store.read(large.key), large))
            #expect(try await store.statistics().degraded == nil)
        }
    }

    @Test func withoutInodesFilesAreEvictedForTheNextOnes() async throws {
        try await withStore { (store, bench) async throws in
            let old = (0..<3).map { bench.entry("old\($0)", size: 200_000) }
            for entry in old { #expect(await store.write(entry) == .stored) }
            let small = bench.entry("small")
            #expect(await store.write(small) == .stored)
            store.shared.files.simulatedInodes.withLock { $0 = 0 }
            #expect(await store.write(bench.entry("large", size: 200_000)) == .refused(.diskFull))
            #expect(bench.bodyFiles().count < 3)
            #expect(try await sameEntry(store.read(small.key), small), "a row gives no inode")
        }
    }
}
