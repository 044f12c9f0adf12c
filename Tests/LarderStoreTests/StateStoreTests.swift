// The state database keeps what it confirmed.
import CSQLite
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct StateStoreTests {
    @Test func reservedCallsSurviveAndAreReadOldestFirstInTheirWindow() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.openState()
            let start = bench.time.wall()
            for seconds in [30, 10, 20] { try await first.reserveCall("itunes", at: start + .seconds(seconds)) }
            try await first.reserveCall("newsapi", at: start)
            await first.close()
            let second = try bench.openState()
            let calls = try await second.calls(of: "itunes", since: start + .seconds(20))
            #expect(calls == [start + .seconds(20), start + .seconds(30)])
            try await second.forgetCalls(before: start + .seconds(25))
            #expect(try await second.calls(of: "itunes", since: start) == [start + .seconds(30)])
            #expect(try await second.calls(of: "newsapi", since: start).isEmpty)
            #expect(!second.wasSetAside && second.lostAt == nil)
            await second.close()
        }
    }

    @Test func valuesAreKeptReplacedAndRemoved() async throws {
        try await withBench { (bench) async throws in
            let store = try bench.openState()
            #expect(try await store.value("suspension.itunes") == nil)
            try await store.setValue("suspension.itunes", [1, 2, 3])
            try await store.setValue("suspension.itunes", [])
            #expect(try await store.value("suspension.itunes") == [])
            try await store.setValue("suspension.itunes", nil)
            #expect(try await store.value("suspension.itunes") == nil)
            await store.close()
        }
    }

    @Test func valuesOfOneBeginningAreRemovedExceptSome() async throws {
        try await withBench { (bench) async throws in
            let store = try bench.openState()
            for name in ["account.a", "account.b", "accounts", "a"] { try await store.setValue(name, [1]) }
            try await store.removeValues(beginning: "account.", except: ["account.b"])
            #expect(try await store.value("account.a") == nil)
            for name in ["account.b", "accounts", "a"] { #expect(try await store.value(name) == [1], "\(name)") }
            await store.close()
        }
    }

    @Test func aSecretIsMadeOnceAndStays() async throws {
        try await withBench { (bench) async throws in
            let store = try bench.openState()
            let many = try await withThrowingTaskGroup(of: Bytes.self) { group in
                for _ in 0..<20 { group.addTask { try await store.secret("artwork", length: 32) } }
                var found: Set<Bytes> = []
                for try await secret in group { found.insert(secret) }
                return found
            }
            #expect(many.count == 1)
            await store.close()
            let again = try bench.openState()
            #expect(try await many == [again.secret("artwork", length: 32)])
            #expect(try await again.secret("other", length: 32) != again.secret("artwork", length: 32))
            await again.close()
        }
    }

    @Test func totalsAddUpAcrossRestarts() async throws {
        try await withBench { (bench) async throws in
            for _ in 0..<2 {
                let store = try bench.openState()
                await store.addTotals(["hits": 5, "misses": 1])
                await store.addTotals(["hits": 2])
                await store.close()
            }
            let store = try bench.openState()
            #expect(try await store.totals() == ["hits": 14, "misses": 2])
            await store.close()
        }
    }

    @Test func theFileCanBeReadByItsOwnerOnly() async throws {
        try await withBench { (bench) async throws in
            let store = try bench.openState()
            try await store.setValue("a", [1])
            for suffix in ["", "-wal"] {
                var status = stat()
                #expect(stat(bench.directory + "/state.db" + suffix, &status) == 0)
                #expect(status.st_mode & 0o777 == 0o600)
            }
            await store.close()
        }
    }

    @Test func aDamagedDatabaseIsSetAsideAndSaid() async throws {
        try await withBench { (bench) async throws in
            let path = bench.directory + "/state.db"
            try writeFile(path, Bytes(repeating: 0xAA, count: 8192))
            let store = try bench.openState()
            #expect(store.wasSetAside && store.lostAt == bench.time.wall())
            #expect(bench.log.messages == ["state.setAside"])
            try await store.reserveCall("itunes", at: bench.time.wall())
            await store.close()
            #expect(try DatabaseFiles(directory: bench.directory, name: "state").aside.count == 1)
        }
    }

    @Test func aDamagedPageMetAtTheStartFailsNothingAndTheRecordCountsAsLost() async throws {
        try await withBench { (bench) async throws in
            let path = bench.directory + "/state.db"
            let first = try bench.openState()
            _ = try await first.secret("artwork", length: 32)
            await first.close()
            let connection = try DatabaseConnection(path: path)
            let page = try connection.number("SELECT rootpage FROM sqlite_schema WHERE name = 'value'")
            connection.close()
            try writeFile(path, Bytes(repeating: 0xAA, count: 4096), at: (Int(try #require(page)) - 1) * 4096)
            let store = try bench.openState()
            // The daemon makes this call while it starts.
            #expect(try await store.secret("artwork", length: 32).count == 32)
            #expect(store.lostAt == bench.time.wall())
            #expect(bench.count(StoreCounters.setAside, "state") == 1)
            try await store.reserveCall("itunes", at: bench.time.wall())
            await store.close()
        }
    }

    @Test func anEmptyFileBesideACacheIsLostAndOneWithoutIsNew() async throws {
        try await withBench { (bench) async throws in
            func open() throws -> StateStore {
                try StateStore.open(
                    directory: bench.directory, cacheDirectory: bench.directory,
                    log: Logger(label: "test", sink: bench.log, time: bench.time), counters: bench.counters,
                    time: bench.time)
            }
            let path = bench.directory + "/state.db"
            // First no file at all, then an empty file without a cache.
            for round in 0..<2 {
                if round == 1 { try writeFile(path, []) }
                let store = try open()
                #expect(store.lostAt == nil && !store.wasSetAside)
                await store.close()
                for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
            }
            let cache = try bench.open()
            await cache.close()
            // A cache without a state file: somebody removed the file.
            await (try open()).close()
            #expect(truncate(path, 0) == 0)
            let store = try open()
            #expect(store.lostAt == bench.time.wall() && store.wasSetAside)
            await store.close()
            // The state stays lost over restarts.
            bench.time.advance(by: .seconds(10))
            let again = try open()
            #expect(again.lostAt == bench.time.wall() + .seconds(-10))
            await again.close()
        }
    }

    @Test func callsDatedAheadArePutAtNowAndTheOthersKeepTheirTimes() async throws {
        try await withBench { (bench) async throws in
            let store = try bench.openState()
            let now = bench.time.wall()
            for seconds in [-10, 0, 60, 3600] { try await store.reserveCall("itunes", at: now + .seconds(seconds)) }
            try await store.capCalls(at: now)
            #expect(try await store.calls(of: "itunes", since: .distantPast) == [now + .seconds(-10), now, now, now])
            await store.close()
        }
    }

    @Test func aLossDatedAheadBeginsAtTheFirstStartAndNotAnewAtTheNext() async throws {
        try await withBench { (bench) async throws in
            let path = bench.directory + "/state.db"
            for _ in 0..<2 {
                bench.time.advance(by: .seconds(1800))
                for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
                try writeFile(path, Bytes(repeating: 0xAA, count: 8192))
                await (try bench.openState()).close()
            }
            bench.time.advance(by: .seconds(-3600))
            let first = bench.time.wall()
            let store = try bench.openState()
            #expect(store.lostAt == first)
            await store.close()
            bench.time.advance(by: .seconds(60))
            let next = try bench.openState()
            #expect(next.lostAt == first)
            await next.close()
            let files = try DatabaseFiles(directory: bench.directory, name: "state")
            #expect(files.aside.count == 2, "both are kept")
        }
    }

    /// Does three jobs in one group.
    /// - Returns: The result of each job, in order.
    private func group(
        _ bench: Bench, failing: Int? = nil, before: (DatabaseConnection) throws -> Void,
        first: @escaping @Sendable () -> Void = {}
    ) throws -> [String] {
        let files = try DatabaseFiles(directory: bench.directory, name: "state")
        let connection = try StateSchema.open(files.path)
        try connection.execute("PRAGMA busy_timeout = 0")
        try before(connection)
        let queue = WorkQueue<StateJob>(capacity: 9, crowd: .max, threads: 1)
        let told = Lock<[String]>([])
        for number in 0..<3 {
            let job = StateJob(
                run: { (connection) throws(StoreError) in
                    guard number != failing else {
                        throw StoreError(
                            code: SQLITE_TOOBIG, extendedCode: SQLITE_TOOBIG, doing: "testing", message: "made to fail")
                    }
                    return { told.withLock { $0.append("\(number) done") } }
                },
                fail: { error in
                    if told.withLock({ $0.isEmpty }) { first() }
                    told.withLock { $0.append("\(number) \(error.code)") }
                })
            #expect(queue.offer(job))
        }
        queue.end()
        StateWriter(
            files: files, queue: queue, log: .silent, counters: bench.counters, time: bench.time, loss: Lock(nil),
            connection: connection, ended: {}
        ).run()
        return told.withLock { $0 }.sorted()
    }

    @Test func aGroupThatCannotBeginFailsAtOnceAndWaitsForTheLockOnce() async throws {
        try await withBench { (bench) async throws in
            let locking = FileLocking(bench.directory + "/state.db")
            defer { locking.unlock() }
            // The lock is released when the first job is reported. If each job had been tried alone, the other jobs
            // would succeed.
            let told = try group(bench, before: { _ in try locking.lock() }, first: { locking.unlock() })
            #expect(told == ["0 5", "1 5", "2 5"])
        }
    }

    @Test func aGroupThatCannotCommitFailsWhole() async throws {
        try await withBench { (bench) async throws in
            let faults = StoreFaults()
            faults.fail(with: SQLITE_FULL)
            let told = try group(bench, before: { $0.faults = faults }, first: { faults.fail(with: nil) })
            #expect(told == ["0 13", "1 13", "2 13"])
        }
    }

    /// Runs statements one after the other on a disk that refuses writes until one of them begins.
    /// - Returns: For each statement, whether the database counted as not writable when the statement ended.
    private func troubles(_ bench: Bench, _ statements: [String], mendedAt: Int) throws -> [Bool] {
        let files = try DatabaseFiles(directory: bench.directory, name: "state")
        let connection = try StateSchema.open(files.path)
        let faults = StoreFaults()
        connection.faults = faults
        let queue = WorkQueue<StateJob>(capacity: 9, crowd: .max, threads: 1)
        let trouble = Lock(StateTrouble())
        let found = Lock<[Bool]>([])
        @Sendable func offer(_ number: Int) {
            guard number < statements.count else { return queue.end() }
            faults.fail(with: number < mendedAt ? SQLITE_FULL : nil, changesOnly: true)
            let next: @Sendable () -> Void = {
                found.withLock { $0.append(trouble.withLock { $0.failure } != nil) }
                offer(number + 1)
            }
            let isIn = queue.insist(
                StateJob(
                    run: { (connection) throws(StoreError) in
                        try connection.execute(statements[number])
                        return next
                    },
                    fail: { _ in next() }))
            #expect(isIn)
        }
        offer(0)
        StateWriter(
            files: files, queue: queue, log: .silent, counters: bench.counters, time: bench.time, loss: Lock(nil),
            connection: connection, trouble: trouble, ended: {}
        ).run()
        return found.withLock { $0 }
    }

    @Test func aFullDiskIsTroubleUntilSomethingIsWritten() async throws {
        let insert = "INSERT INTO call (provider, at) VALUES ('a', 1)"
        try await withBench { (bench) async throws in
            let found = try troubles(
                bench, [insert, "SELECT * FROM call", "DELETE FROM call WHERE at < 0", insert], mendedAt: 3)
            #expect(found == [true, true, true, false])
        }
    }

    @Test func jobsThatOnlyReadDoNotKeepItFromLookingWhetherItCanBeWritten() async throws {
        try await withBench { (bench) async throws in
            let read = "SELECT * FROM call"
            // The check after the second job finds that the disk works again.
            let found = try troubles(
                bench, ["INSERT INTO call (provider, at) VALUES ('a', 1)", read, read], mendedAt: 2)
            #expect(found == [true, true, false])
        }
    }

    /// Each job of the group is done alone, because one of them fails.
    @Test func aGroupOnAFullDiskHasItLookOnceWhetherItCanBeWritten() async throws {
        try await withBench { (bench) async throws in
            let files = try DatabaseFiles(directory: bench.directory, name: "state")
            let connection = try StateSchema.open(files.path)
            let faults = StoreFaults()
            connection.faults = faults
            faults.fail(with: SQLITE_FULL, changesOnly: true)
            let queue = WorkQueue<StateJob>(capacity: 20, crowd: .max, threads: 1)
            let changes = Lock<[Int64]>([])
            let first = StateJob(
                run: { (connection) throws(StoreError) in
                    try connection.execute("INSERT INTO call (provider, at) VALUES ('a', 1)")
                    return {}
                },
                fail: { _ in
                    let failing = StateJob(
                        run: { (_) throws(StoreError) in
                            throw StoreError(
                                code: SQLITE_TOOBIG, extendedCode: SQLITE_TOOBIG, doing: "testing",
                                message: "made to fail")
                        }, fail: { _ in })
                    let reading = StateJob(
                        run: { (connection) throws(StoreError) in
                            changes.withLock { $0.append(connection.allChanges) }
                            return {}
                        }, fail: { _ in })
                    for job in [failing] + Array(repeating: reading, count: 9) { _ = queue.insist(job) }
                    queue.end()
                })
            #expect(queue.offer(first))
            StateWriter(
                files: files, queue: queue, log: .silent, counters: bench.counters, time: bench.time, loss: Lock(nil),
                connection: connection, ended: {}
            ).run()
            let seen = changes.withLock { $0 }
            #expect(seen.count == 9)
            // A check inserts a row and deletes it.
            #expect(try #require(seen.last) - (try #require(seen.first)) == 2, "\(seen)")
        }
    }

    @Test func aJobThatFailsSpoilsNoneOfItsGroup() async throws {
        try await withBench { (bench) async throws in
            #expect(try group(bench, failing: 1, before: { _ in }) == ["0 done", "1 18", "2 done"])
        }
    }

    @Test func aCallThatIsReleasedIsNotOnTheRecordAndItsTwinsAre() async throws {
        try await withBench { (bench) async throws in
            let store = try bench.openState()
            let start = bench.time.wall()
            for seconds in [0, 0, 1] { try await store.reserveCall("itunes", at: start + .seconds(seconds)) }
            try await store.reserveCall("newsapi", at: start)
            try await store.releaseCalls("itunes", at: [start])
            #expect(try await store.calls(of: "itunes", since: start) == [start, start + .seconds(1)])
            try await store.releaseCalls("itunes", at: [start + .seconds(7)])
            #expect(try await store.calls(of: "itunes", since: start).count == 2)
            #expect(try await store.calls(of: "newsapi", since: start) == [start])
            await store.close()
        }
    }

    @Test func damageMetWhileRunningLosesTheRecordButNoCallToCome() async throws {
        try await withBench { (bench) async throws in
            let path = bench.directory + "/state.db"
            let first = try bench.openState()
            for _ in 0..<50 { try await first.reserveCall("itunes", at: bench.time.wall()) }
            await first.close()
            // Only the index that finds a provider's calls is damaged, so opening the database cannot notice.
            let connection = try DatabaseConnection(path: path)
            let page = try connection.number("SELECT rootpage FROM sqlite_schema WHERE name = 'callProvider'")
            connection.close()
            try writeFile(path, Bytes(repeating: 0xAA, count: 4096), at: (Int(try #require(page)) - 1) * 4096)
            bench.time.advance(by: .seconds(60))
            let store = try bench.openState()
            #expect(!store.wasSetAside && store.lostAt == nil)
            try await store.reserveCall("itunes", at: bench.time.wall())
            #expect(store.lostAt == bench.time.wall())
            #expect(try await store.calls(of: "itunes", since: .init(milliseconds: 0)) == [bench.time.wall()])
            let lost = bench.time.wall()
            await store.close()
            bench.time.advance(by: .seconds(60))
            let next = try bench.openState()
            #expect(!next.wasSetAside && next.lostAt == lost)
            await next.close()
        }
    }

    @Test func aDatabaseFromALaterVersionIsRefusedAndLeftAlone() async throws {
        try await withBench { (bench) async throws in
            let path = bench.directory + "/state.db"
            let later = StateSchema.migrations + [.init(name: "9999-later", sql: "CREATE TABLE later (a) STRICT;")]
            do {
                let connection = try StateSchema.open(path, migrations: [later[0]])
                connection.close()
                let changed = try DatabaseConnection(path: path)
                try changed.execute("INSERT INTO migration (name) VALUES ('9999-later')")
                changed.close()
            }
            #expect(throws: StoreError.self) { try bench.openState() }
            #expect(try DatabaseFiles(directory: bench.directory, name: "state").aside.isEmpty)
        }
    }

    @Test func newStepsRunOnceOnAnOldDatabase() async throws {
        try await withBench { (bench) async throws in
            let path = bench.directory + "/state.db"
            let store = try bench.openState()
            await store.addTotals(["hits": 3])
            await store.close()
            let steps =
                StateSchema.migrations + [.init(name: "9998-test", sql: "CREATE TABLE more (a INTEGER) STRICT;")]
            for _ in 0..<2 {
                let connection = try StateSchema.open(path, migrations: steps)
                #expect(try connection.number("SELECT amount FROM total") == 3)
                #expect(try connection.number("SELECT count(*) FROM migration") == Int64(steps.count))
                connection.close()
            }
        }
    }

    @Test func aSecondDaemonIsRefused() async throws {
        try await withBench { (bench) async throws in
            let store = try bench.openState()
            let error = #expect(throws: StoreError.self) { try bench.openState() }
            #expect(error?.code == SQLITE_BUSY)
            await store.close()
            await #expect(throws: StoreError.self) { try await store.value("a") }
        }
    }

    @Test func callsReservedTogetherShareCommits() async throws {
        try await withBench { (bench) async throws in
            let store = try bench.openState()
            let now = bench.time.wall()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<300 { group.addTask { try await store.reserveCall("itunes", at: now) } }
                try await group.waitForAll()
            }
            #expect(try await store.calls(of: "itunes", since: now).count == 300)
            #expect(bench.count(StoreCounters.stateCommits) < 300)
            await store.close()
        }
    }
}

func writeFile(_ path: String, _ bytes: Bytes, at offset: Int = 0) throws {
    let descriptor = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    try #require(pwrite(descriptor, bytes, bytes.count, offset) == bytes.count)
}

func readFile(_ path: String) throws -> Bytes {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    var status = stat()
    try #require(fstat(descriptor, &status) == 0)
    return Bytes(room: Int(status.st_size)) { buffer, count in
        count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
    }
}

/// Another program that holds the write lock of a database.
private final class FileLocking: Sendable {
    private let path: String
    private let handle = Lock<OpaqueHandle?>(nil)

    private struct OpaqueHandle: @unchecked Sendable {
        // Used under the lock only.
        var pointer: OpaquePointer
    }

    init(_ path: String) { self.path = path }

    func lock() throws {
        var pointer: OpaquePointer?
        #expect(sqlite3_open(path, &pointer) == SQLITE_OK)
        let opened = try #require(pointer)
        #expect(sqlite3_exec(opened, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
        handle.withLock { $0 = OpaqueHandle(pointer: opened) }
    }

    func unlock() {
        handle.withLock { handle in
            if let handle { sqlite3_close(handle.pointer) }
            handle = nil
        }
    }
}
