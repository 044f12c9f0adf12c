// A removal takes effect at once and is not lost, whatever the disk does. Nobody waits long for a disk that hangs.
import CSQLite
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

/// A fault that keeps the store from committing.
enum Trouble: CaseIterable, Sendable {
    case full, failing, readOnly, quota, locked, stalled

    var code: Int32? {
        switch self {
        case .full: SQLITE_FULL
        case .failing: SQLITE_IOERR | 3 << 8
        case .readOnly: SQLITE_READONLY
        case .quota: SQLITE_IOERR | 4 << 8
        case .locked, .stalled: nil
        }
    }
}

/// Another process's lock on the database, which waits for the store's own and is then held for this object's lifetime.
/// SQLite does not distinguish another process from another connection.
final class ForeignLock {
    private let connection: DatabaseConnection

    init(_ bench: Bench) throws {
        connection = try DatabaseConnection(path: bench.path)
        try connection.execute("PRAGMA busy_timeout = 60000; BEGIN IMMEDIATE")
    }

    func release() {
        try? connection.execute("ROLLBACK")
        connection.close()
    }
}

extension Bench {
    /// Lets bounded waits of these lengths end as soon as they have begun, because their clock is the test's own.
    func passing<Value: Sendable>(
        _ lengths: [BoundedWaits.Length], of store: SQLiteStore, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let isOver = Lock(false)
        async let value = {
            defer { isOver.withLock { $0 = true } }
            return try await body()
        }()
        while !isOver.withLock({ $0 }) {
            for length in lengths {
                guard let end = store.shared.waits.nextEnd(length) else { continue }
                let left = end - time.monotonic()
                if left > .zero { time.advance(by: left + .milliseconds(1)) }
            }
            await Task.yield()
        }
        return try await value
    }

    /// - Parameter rate: The milliseconds of test time that pass with each millisecond of real time. A thread that
    /// waits long for a processor must not end the lifetimes of entries. 0 if the condition needs no time to pass.
    func eventually(
        _ what: String, in store: SQLiteStore, rate: Int = 100, fileID: String = #fileID, line: Int = #line,
        _ holds: () async throws -> Bool
    ) async throws {
        let clock = SystemTime()
        var last = clock.monotonic()
        try await LarderTestSupport.eventually(what, fileID: fileID, line: line) {
            if try await holds() { return true }
            let now = clock.monotonic()
            if now >= last + .milliseconds(1) {
                last = now
                time.advance(by: .milliseconds(rate))
            }
            // The nudge makes the writer look at the clock.
            store.shared.writes.nudge()
            return false
        }
    }
}

@Suite struct RemovalTests {
    /// Makes the trouble, runs the body during it, and ends it.
    private func inTrouble(
        _ trouble: Trouble, _ store: SQLiteStore, _ bench: Bench, _ body: () async throws -> Void
    ) async throws {
        let lock = trouble == .locked ? try ForeignLock(bench) : nil
        store.shared.faults.fail(with: trouble.code)
        store.shared.faults.hold(trouble == .stalled)
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        lock?.release()
        store.shared.faults.fail(with: nil)
        store.shared.faults.hold(false)
        try result.get()
    }

    @Test(arguments: Trouble.allCases)
    func whatIsRemovedIsGoneWhateverTheDiskDoes(_ trouble: Trouble) async throws {
        try await withStore { (store, bench) async throws in
            let old = bench.entry("a")
            let child = bench.entry("c", parents: [old.key.digest])
            for entry in [old, child] { #expect(await store.write(entry) == .stored) }
            try await inTrouble(trouble, store, bench) {
                let outcome = try await bench.passing([.write], of: store) {
                    await store.remove(.digest(old.key.digest), soft: false, provider: "itunes")
                }
                guard case .pending(_, isKept: true) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(try await store.read(old.key) == nil)
                #expect(try await store.open(old.key) == nil)
                #expect(try await store.read(child.key) == nil, "what was made from it goes along")
                #expect(try await store.statistics().pendingRemovals == 1)
                #expect(bench.count(StoreCounters.removals, "mark") == 1)
                #expect(try bench.isPending())
            }
            try await bench.eventually("it is written", in: store) { store.pendingRemovals == 0 }
            try await bench.eventually("the mark says so", in: store) { try !bench.isPending() }
            #expect(try await store.read(old.key) == nil)
            #expect(try await store.read(child.key) == nil)
            #expect(try await store.statistics().entries == 0)
            // Storing goes on, and an entry stored now stays.
            try await bench.eventually("it is stored", in: store) { await store.write(old) == .stored }
            #expect(try await sameEntry(store.read(old.key), old))
            #expect(bench.log.messages.filter { $0 == "store.removals.pending" }.count <= 1)
        }
    }

    @Test func aRemovalThatTheDatabaseDidNotTakeHoldsOverARestart() async throws {
        try await withBench { (bench) async throws in
            let entries = (0..<6).map { bench.entry("\($0)", label: "GET https://x/\($0)") }
            let other = bench.entry("other", provider: "api", label: "GET https://y/other")
            let kept = bench.entry("kept", label: "GET https://x/kept")
            let first = try bench.open()
            for entry in entries + [other, kept] { #expect(await first.write(entry) == .stored) }
            first.shared.faults.fail(with: SQLITE_FULL)
            for (selector, soft) in [
                (PurgeSelector.digest(entries[0].key.digest), false), (.url("https://x/1", provider: "itunes"), false),
                (.term("x/2", provider: nil), false), (.provider("api"), false), (.digest(entries[3].key.digest), true),
            ] {
                let outcome = await first.remove(selector, soft: soft, provider: nil)
                if case .pending(_, isKept: true) = outcome {} else { Issue.record("\(selector): \(outcome)") }
            }
            for entry in entries[0...2] + [other] { #expect(try await first.read(entry.key) == nil) }
            let soft = try #require(try await first.read(entries[3].key))
            #expect(soft.freshUntil <= bench.time.wall())
            #expect(try await sameEntry(first.read(kept.key), kept))
            await first.close()

            let second = try bench.open()
            for entry in entries + [other, kept] { #expect(try await second.read(entry.key) == nil) }
            #expect(bench.count(StoreCounters.setAside, "cache") == 1)
            #expect(bench.log.messages.contains("store.setAside"))
            #expect(try await second.statistics().setAside?.contains("before all removals were committed") == true)
            #expect(await second.write(entries[0]) == .stored)
            await second.close()

            // Once is enough.
            let third = try bench.open()
            #expect(try await sameEntry(third.read(entries[0].key), entries[0]))
            #expect(bench.count(StoreCounters.setAside, "cache") == 1)
            await third.close()
        }
    }

    @Test func whatNeitherDatabaseNorMarkTakesIsGoneAndSaysThatItMayComeBack() async throws {
        try await withStore { (store, bench) async throws in
            let old = bench.entry("a")
            #expect(await store.write(old) == .stored)
            store.shared.faults.fail(with: SQLITE_IOERR)
            store.shared.faults.failMark(true)
            let outcome = await store.remove(.digest(old.key.digest), soft: false, provider: "itunes")
            if case .pending(_, isKept: false) = outcome {} else { Issue.record("\(outcome)") }
            #expect(try await store.read(old.key) == nil)
            #expect(bench.count(StoreCounters.removals, "memory") == 1)
            #expect(bench.log.messages.contains("store.removals.unkept"))
            #expect(try !bench.isPending())
            store.shared.faults.failMark(false)
            let again = await store.remove(.digest(old.key.digest), soft: false, provider: "itunes")
            if case .pending(_, isKept: true) = again {} else { Issue.record("\(again)") }
            #expect(try bench.isPending())
            store.shared.faults.fail(with: nil)
        }
    }

    @Test func aRemovalIsAnsweredThoughEvenTheMarkStandsStill() async throws {
        try await withStore { (store, bench) async throws in
            let old = bench.entry("a")
            #expect(await store.write(old) == .stored)
            store.shared.faults.hold(true)
            store.shared.faults.holdMark(true)
            let outcome = try await bench.passing([.write, .removal], of: store) {
                await store.remove(.digest(old.key.digest), soft: false, provider: "itunes")
            }
            if case .pending(_, isKept: false) = outcome {} else { Issue.record("\(outcome)") }
            #expect(try await store.read(old.key) == nil)
            store.shared.faults.hold(false)
            store.shared.faults.holdMark(false)
            try await bench.eventually("it is written", in: store) { store.pendingRemovals == 0 }
            #expect(try await store.read(old.key) == nil)
        }
    }

    @Test(arguments: [SQLITE_FULL, SQLITE_IOERR])
    func anAnswerThatIsNotStoredLeavesNoOlderOneBehind(_ code: Int32) async throws {
        try await withStore { (store, bench) async throws in
            let old = bench.entry("a")
            let other = bench.entry("b")
            for entry in [old, other] { #expect(await store.write(entry) == .stored) }
            store.shared.faults.fail(with: code)
            let new = bench.entry("a", seed: 1)
            guard case .refused = await store.write(new) else {
                Issue.record("it was stored")
                return
            }
            #expect(try await store.read(old.key) == nil)
            #expect(try await sameEntry(store.read(other.key), other))
            // A response without a predecessor leaves no tombstone.
            _ = await store.write(bench.entry("never"))
            #expect(store.pendingRemovals == 1)
            store.shared.faults.fail(with: nil)
            try await bench.eventually("it is written", in: store) { store.pendingRemovals == 0 }
            #expect(try await store.statistics().entries == 1)
        }
    }

    @Test func anAnswerWaitsForItsCommitABoundedTimeAndIsStoredAfterwards() async throws {
        try await withStore { (store, bench) async throws in
            let old = bench.entry("a")
            #expect(await store.write(old) == .stored)
            store.shared.faults.hold(true)
            let new = bench.entry("a", seed: 1)
            let outcome = try await bench.passing([.write], of: store) { await store.write(new) }
            #expect(outcome == .pending)
            #expect(try await store.read(old.key) == nil, "the older one is no more answered")
            try await bench.eventually("it is told", in: store) { try await store.statistics().degraded != nil }
            #expect(try await store.statistics().degraded == "commits take longer than 250ms")
            store.shared.faults.hold(false)
            try await bench.eventually("it is stored", in: store) { try await store.read(new.key) != nil }
            #expect(try await sameEntry(store.read(new.key), new))
            try await bench.eventually("it has recovered", in: store) { try await store.statistics().degraded == nil }
            #expect(await store.write(bench.entry("b")) == .stored)
        }
    }

    @Test func whatIsRemovedWhileItsWriteStandsStillIsNotStored() async throws {
        try await withStore { (store, bench) async throws in
            store.shared.faults.hold(true)
            let isWanted = Lock(true)
            let entry = bench.entry("a")
            let outcome = try await bench.passing([.write], of: store) {
                async let first = store.write(bench.entry("held"))
                // This write waits behind the first, which holds the writer up.
                let second = await store.write(entry, supersedes: true) { isWanted.withLock { $0 } }
                return (await first, second)
            }
            #expect(outcome == (.pending, .pending))
            isWanted.withLock { $0 = false }
            _ = try await bench.passing([.write], of: store) {
                await store.remove(.digest(entry.key.digest), soft: false, provider: nil)
            }
            store.shared.faults.hold(false)
            try await bench.eventually("it is written", in: store) { store.pendingRemovals == 0 }
            #expect(try await store.read(entry.key) == nil)
            #expect(try await store.statistics().entries <= 1)
        }
    }

    @Test func aLookUpThatStandsStillIsAMiss() async throws {
        try await withStore(StoreSettings(minFree: 0, readers: 1)) { (store, bench) async throws in
            let entry = bench.entry("a")
            #expect(await store.write(entry) == .stored)
            let isHeld = Lock(true)
            store.shared.faults.holdReads { isHeld.withLock { $0 } }
            let found = try await bench.passing([.read], of: store) { try await store.read(entry.key) == nil }
            #expect(found)
            #expect(bench.count(StoreCounters.late, "lookUp") == 1)
            let told = try await bench.passing([.read], of: store) { try await store.statistics().degraded }
            #expect(told == "reads take longer than 250ms")
            isHeld.withLock { $0 = false }
            store.shared.faults.holdReads(nil)
            #expect(try await sameEntry(store.read(entry.key), entry))
        }
    }

    @Test func aDirectoryThatIsRemovedIsMadeAnewThoughNothingFails() async throws {
        try await withStore { (store, bench) async throws in
            #expect(await store.write(bench.entry("a")) == .stored)
            // The writer has just checked its files. Until its next look what it commits is lost.
            await store.maintain()
            removeAll(bench.directory)
            #expect(await store.write(bench.entry("b")) == .stored)
            try await bench.eventually("it is noticed", in: store) { access(bench.path, F_OK) == 0 }
            try await bench.eventually("it is made anew", in: store) { store.shared.files.isInPlace }
            #expect(bench.log.messages.contains("store.degraded"))
            #expect(try await store.read(bench.entry("b").key) == nil)
            let entry = bench.entry("c")
            #expect(await store.write(entry) == .stored)
            #expect(access(bench.path, F_OK) == 0)
            #expect(try await sameEntry(store.read(entry.key), entry))
            #expect(try await store.statistics().degraded == nil)
            let error = #expect(throws: StoreError.self) { try bench.open() }
            #expect(error?.code == SQLITE_BUSY, "the new directory is locked too")
        }
    }

    @Test func aDirectoryThatAnotherDaemonHasTakenIsLeftToIt() async throws {
        try await withStore { (store, bench) async throws in
            #expect(await store.write(bench.entry("a")) == .stored)
            await store.maintain()
            removeAll(bench.directory)
            mkdir(bench.directory, 0o700)
            let other = try bench.open()
            let theirs = bench.entry("theirs")
            #expect(await other.write(theirs) == .stored)
            // Asking for the state of the store makes the writer look.
            _ = try await store.statistics()
            let word = await store.write(bench.entry("b"))
            #expect(word == .refused(.failed))
            #expect(try await store.read(theirs.key) == nil)
            #expect(try await store.statistics().degraded?.contains("another larder") == true)
            #expect(try await sameEntry(other.read(theirs.key), theirs))
            await other.close()
            try await bench.eventually("it is ours", in: store) { await store.write(bench.entry("b")) == .stored }
            #expect(try await sameEntry(store.read(theirs.key), theirs))
        }
    }
}

/// The tombstones by value.
@Suite struct RemovalsTests {
    private let now = WallTime(seconds: 1_800_000_000)

    private func digest(_ number: Int) -> Digest { Digest(of: Bytes(text: "\(number)")) }

    private func isRemoved(_ removals: Removals, _ number: Int, _ provider: String) -> Bool {
        var verdict = Removals.Verdict()
        removals.verdict(
            id: 1, digest: digest(number),
            EntryFacts(provider: provider, label: "GET https://x", layer: .raw, receivedAt: nil), into: &verdict)
        return verdict.isRemoved
    }

    @Test func atItsBoundTheWholeProviderIsRemoved() {
        var removals = Removals()
        for number in 0..<Removals.mostExact {
            _ = removals.add(.digest(digest(number)), isSoft: false, provider: "api", at: now, RemovalTicket())
        }
        #expect(!isRemoved(removals, -1, "api"))
        let made = removals.add(.digest(digest(-2)), isSoft: false, provider: "api", at: now)
        #expect(made.selector == .provider("api"))
        #expect(made.tickets.count == Removals.mostExact)
        #expect(removals.count == 1)
        #expect(isRemoved(removals, -1, "api"))
        #expect(isRemoved(removals, 7, "api"))
        #expect(!isRemoved(removals, -1, "other"))
        for number in 0..<Removals.mostExact * 3 {
            _ = removals.add(.digest(digest(number)), isSoft: false, provider: "api", at: now)
        }
        #expect(removals.count == 1, "and takes no more room")
    }

    @Test func atItsBoundWithoutAProviderEverythingIs() {
        var removals = Removals()
        for number in 0...Removals.mostExact {
            _ = removals.add(.digest(digest(number)), isSoft: false, provider: nil, at: now)
        }
        #expect(removals.count == 1)
        #expect(isRemoved(removals, -1, "other"))
    }

    @Test func termsAndURLsAreBoundedToo() {
        var removals = Removals()
        for number in 0..<1000 {
            _ = removals.add(.term("term \(number)", provider: "api"), isSoft: false, provider: nil, at: now)
        }
        #expect(removals.count <= Removals.mostWide * 2)
        #expect(isRemoved(removals, 1, "api"))
    }

    @Test func whatIsRemovedOnceMoreIsNotSettledByTheFirst() {
        var removals = Removals()
        let first = removals.add(.digest(digest(1)), isSoft: false, provider: "api", at: now)
        removals.markDue(first.number)
        let second = removals.add(.digest(digest(1)), isSoft: false, provider: "api", at: now)
        let isSettledEarly = removals.settle(first)
        #expect(isSettledEarly == nil)
        #expect(isRemoved(removals, 1, "api"))
        removals.markDue(second.number)
        let isSettled = removals.settle(second)
        #expect(isSettled != nil)
        #expect(removals.isEmpty)
    }

    /// The newer response's transaction is under way when it is late, and commits afterwards.
    private func lateAnswer(
        afterRemoval isSoft: Bool, isDue: Bool, _ ticket: RemovalTicket? = nil
    ) -> PendingRemovals {
        let removals = PendingRemovals()
        let entry = StoredResponse(
            key: CacheKey(layer: .raw, provider: "api", endpoint: "a", parameters: []), layer: .raw, provider: "api",
            endpoint: "a", requestTime: now, responseTime: now, freshUntil: now, staleUntil: now, label: "")
        removals.settle { removals in
            let held = removals.add(.digest(entry.key.digest), isSoft: isSoft, provider: "api", at: now, ticket)
            if isDue { removals.markDue(held.number) }
            _ = removals.supersede(entry.key.digest, of: "api", by: 5, at: now)
            return [removals.settle(held), removals.replaced(entry.key.digest, by: 5)]
        }
        return removals
    }

    @Test(arguments: [true, false])
    func aRemovalOlderThanALateAnswerEndsWithItsCommit(_ isSoft: Bool) {
        #expect(lateAnswer(afterRemoval: isSoft, isDue: true).count == 0, "the newer answer would be removed")
    }

    @Test func whoWaitsForARemovalThatALateAnswerEndsIsTold() {
        let ticket = RemovalTicket()
        _ = lateAnswer(afterRemoval: false, isDue: true, ticket)
        #expect(ticket.isDone)
    }

    @Test(arguments: [true, false])
    func aRemovalThatMayMeanALateAnswerOutlastsItsCommit(_ isSoft: Bool) {
        #expect(lateAnswer(afterRemoval: isSoft, isDue: false).count == 1)
    }

    @Test func whatIsStoredAfterAWalkHasBegunStays() {
        var removals = Removals()
        let made = removals.add(.provider("api"), isSoft: false, provider: nil, at: now)
        removals.begin(made.number, last: 10)
        for (id, expected) in [(10, true), (11, false)] as [(Int64, Bool)] {
            var verdict = Removals.Verdict()
            removals.verdict(
                id: id, digest: digest(1), EntryFacts(provider: "api", label: "", layer: .raw, receivedAt: nil),
                into: &verdict)
            #expect(verdict.isRemoved == expected)
        }
    }

    @Test(arguments: [
        PurgeSelector.all, .digest(Digest(of: [1])), .provider("api"), .term("ärzte", provider: nil),
        .term("x", provider: "api"), .url("https://x/?a=b", provider: "api"),
    ])
    func anotherHostIsToldTheSameRemoval(_ selector: PurgeSelector) throws {
        for isSoft in [false, true] {
            let read = try #require(RemovalOrder(encoded: RemovalOrder(selector: selector, isSoft: isSoft).encoded))
            #expect(read.selector == selector && read.isSoft == isSoft)
        }
        #expect(RemovalOrder(encoded: [1, 0, 0]) == nil)
    }
}
