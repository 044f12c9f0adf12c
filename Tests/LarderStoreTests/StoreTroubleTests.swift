// What the writer and the clock of bounded waits do when a commit fails or is late in between, by value. The tests call
// the writer's parts themselves, without its thread.
import CSQLite
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

/// Runs a test with a writer that has no thread.
func withWriter(_ bench: Bench, _ body: (StoreWriter, StoreShared) async throws -> Void) async throws {
    let shared = StoreShared(
        files: try DatabaseFiles(directory: bench.directory, name: "cache"), settings: StoreSettings(minFree: 0),
        counters: bench.counters, log: Logger(label: "test", sink: bench.log, time: bench.time), time: bench.time)
    let writer = StoreWriter(shared, try StoreWriter.openDatabase(shared.files))
    writer.database?.connection.faults = shared.faults
    writer.database?.connection.wait(as: shared.ending.locks)
    defer {
        writer.database?.connection.close()
        shared.files.unlock()
    }
    try await body(writer, shared)
}

@Suite struct StoreTroubleTests {
    @Test func aGroupThatCannotBeginIsRefusedAtOnceAndWaitsForTheLockOnce() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, shared) async throws in
                let lock = try ForeignLock(bench)
                defer { lock.release() }
                shared.ending.locks.shorten()
                let wrote = (0..<3).map { number in
                    Task { await SQLiteStore.write(WriteOrder(entry: bench.entry("\(number)")), to: shared) }
                }
                while shared.writes.count < 3 { await Task.yield() }
                var seen = 0
                guard case .jobs(let jobs) = shared.writes.take(upTo: 9, seen: &seen) else {
                    Issue.record("no jobs are there")
                    return
                }
                #expect(jobs.count == 3)
                writer.perform(jobs)
                for task in wrote { #expect(await task.value == .refused(.busy)) }
                #expect(shared.ending.locks.waitedClosing == LockPatience.closing)
            }
        }
    }

    /// A wait that, when told to lapse, runs a closure. The closure can let a commit be quick at that moment.
    private final class Wait: Lapsing {
        let isGiven = false
        private let meanwhile: @Sendable () -> Void
        init(_ meanwhile: @escaping @Sendable () -> Void = {}) { self.meanwhile = meanwhile }
        func lapse() { meanwhile() }
    }

    /// One turn of the clock's thread.
    private func turn(_ waits: BoundedWaits) -> Int {
        var told = 0
        waits.end()
        waits.run { told += 1 }
        return told
    }

    @Test func commitsThatAreQuickWhileTheyAreFoundStalledAreNotStalled() {
        let time = ManualTime()
        let waits = BoundedWaits(patience: .milliseconds(250), time: time)
        waits.add(Wait(), .write)
        waits.add(Wait { waits.wasQuick() }, .read)
        time.advance(by: .milliseconds(250))
        #expect(turn(waits) == 0)
        #expect(waits.isLate && !waits.isStalled)
        time.advance(by: .milliseconds(1000))
        #expect(turn(waits) == 0)
        #expect(!waits.isLate && !waits.isStalled)
    }

    @Test func commitsThatAreLateForLongAreStalledUntilOneIsQuick() {
        let time = ManualTime()
        let waits = BoundedWaits(patience: .milliseconds(250), time: time)
        waits.add(Wait(), .write)
        time.advance(by: .milliseconds(250))
        #expect(turn(waits) == 0)
        time.advance(by: .milliseconds(1000))
        #expect(turn(waits) == 1)
        #expect(waits.isStalled)
        waits.wasQuick()
        #expect(!waits.isLate && !waits.isStalled)
    }

    @Test func aPartThatWasLateLetsNoOtherBodyWaitForAStoreThatStands() {
        let time = ManualTime()
        let waits = BoundedWaits(patience: .milliseconds(50), time: time)
        waits.add(Wait(), .part)
        time.advance(by: .seconds(1))
        #expect(turn(waits) == 0)
        #expect(waits.isLate)
        time.advance(by: .milliseconds(200))
        #expect(turn(waits) == 1)
        let lapsed = Lock(false)
        waits.add(Wait { lapsed.withLock { $0 = true } }, .part)
        #expect(lapsed.withLock { $0 }, "at once")
    }

    @Test func aShortPatienceBreaksNoBodyOff() {
        let waits = BoundedWaits(patience: .milliseconds(1), time: ManualTime())
        #expect(waits.span(.stretch) == .seconds(2) && waits.span(.search) == .seconds(2))
        #expect(waits.span(.read) == .milliseconds(5))
        waits.patience = .milliseconds(250)
        #expect(waits.span(.stretch) == .seconds(50) && waits.span(.search) == .seconds(10))
    }

    @Test func whatHasEndedWhenItIsToldIsNoReason() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (_, shared) async throws in
                shared.degrade("it was so") { false }
                #expect(shared.degraded.withLock { $0 } == nil && bench.log.messages.isEmpty)
                shared.degrade("it is so") { true }
                #expect(shared.degraded.withLock { $0 } == "it is so")
            }
        }
    }

    /// What may happen to a pending mark between two starts.
    enum Loss: CaseIterable, Sendable {
        case none, absent, empty, notOpenable, notReadable

        func happen(to path: String) throws {
            if self == .none { return }
            #expect(unlink(path) == 0)
            switch self {
            case .none, .absent: break
            case .empty: try writeFile(path, [])
            case .notOpenable: mkdir(path, 0o700)
            case .notReadable: mkfifo(path, 0o600)
            }
        }
    }

    @Test(arguments: Loss.allCases)
    func aPendingMarkCostsTheDatabaseOnceWhateverIsLeftOfIt(_ loss: Loss) async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            let old = bench.entry("a")
            let other = bench.entry("b")
            for entry in [old, other] { #expect(await first.write(entry) == .stored) }
            first.shared.faults.fail(with: SQLITE_FULL)
            let outcome = await first.remove(.digest(old.key.digest), soft: false, provider: "itunes")
            if case .pending(_, isKept: true) = outcome {} else { Issue.record("\(outcome)") }
            await first.close()
            try loss.happen(to: bench.mark)
            let second = try bench.open()
            #expect(try await second.read(old.key) == nil)
            #expect(bench.log.messages.contains("store.setAside"))
            #expect(await second.write(other) == .stored)
            await second.close()
            #expect(try !bench.isPending())
            let third = try bench.open()
            #expect(try await sameEntry(third.read(other.key), other), "once is enough")
            #expect(bench.count(StoreCounters.setAside, "cache") == 1)
            await third.close()
        }
    }

    // MARK: A disk that does not answer

    /// The name of the calling thread.
    private static var thread: String {
        let descriptor = open("/proc/thread-self/comm", O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        let name = Bytes(room: 32) { buffer, count in
            count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
        }
        return name.filter { $0 != 0x0A }.lossyText
    }

    @Test func whoAsksForTheStatusDoesNotLookAtTheDisk() async throws {
        try await withStore { (store, bench) async throws in
            #expect(await store.write(bench.entry("a")) == .stored)
            let threads = Lock<Set<String>>([])
            store.shared.files.beforeLook.set { threads.withLock { _ = $0.insert(Self.thread) } }
            #expect(try await store.statistics().fileBytes > 0)
            store.shared.files.beforeLook.set(nil)
            let others = threads.withLock { $0 }.subtracting(["store-r0", "store-r1", "store-w"])
            #expect(others.isEmpty, "nor does the clock of those who wait")
        }
    }

    @Test func aDiskThatStandsStillHoldsUpNoStatus() async throws {
        try await withStore { (store, bench) async throws in
            #expect(await store.write(bench.entry("a")) == .stored)
            let before = try await store.statistics()
            let isHeld = Lock(true)
            let bell = WorkQueue<Int>(capacity: 1, crowd: 1, threads: 8)
            store.shared.files.beforeLook.set {
                var seen = 0
                while isHeld.withLock({ $0 }) { _ = bell.take(upTo: 1, timeout: .milliseconds(20), seen: &seen) }
            }
            let told = try await bench.passing([.read], of: store) { try await store.statistics() }
            isHeld.withLock { $0 = false }
            store.shared.files.beforeLook.set(nil)
            #expect(told.degraded == "reads take longer than 250ms")
            #expect(told.fileBytes == before.fileBytes, "as it was seen last")
        }
    }

    /// Lets a wait for a commit lapse.
    private func beLate(_ shared: StoreShared, _ bench: Bench) {
        shared.waits.add(Wait(), .write)
        bench.time.advance(by: shared.waits.span(.write))
        _ = turn(shared.waits)
        #expect(shared.waits.isLate)
    }

    @Test func theLookWhetherCommitsAreQuickWritesToTheDisk() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, shared) async throws in
                _ = try writer.database?.connection.number("PRAGMA wal_checkpoint(TRUNCATE)")
                #expect(shared.files.sizes.log == 0)
                beLate(shared, bench)
                writer.retryRemovals(isIdle: true)
                #expect(shared.files.sizes.log > 0)
                #expect(!shared.waits.isLate)
            }
        }
    }

    @Test func aCommitOfNothingDoesNotCountAsQuick() async throws {
        try await withBench { (bench) async throws in
            try await withWriter(bench) { (writer, shared) async throws in
                beLate(shared, bench)
                let connection = try #require(writer.database?.connection)
                try writer.transact(connection) { () throws(StoreError) in }
                #expect(shared.waits.isLate)
            }
        }
    }
}
