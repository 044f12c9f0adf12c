// How a daemon starts and stops, and what it leaves behind in its process.
import LarderCore
import LarderIO
import LarderTestSupport
import Testing

@testable import LarderDaemon
@testable import LarderEngine
@testable import LarderStore

@Suite struct DaemonEndTests {
    private struct Weakly {
        weak var loop: EventLoop?
    }

    @Test func aStoppedDaemonKeepsNoLoopAndSoNoDescriptor() async throws {
        var left: [Weakly] = []
        let origin = ScriptedOrigin { _ in [.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")] }
        defer { origin.stop() }
        let providers = "providers:\n  itunes:\n    baseURL: \"\(origin.base)\""
        try await withLarder(providers) { larder in
            _ = try await larder.get("/v1/search?q=song&source=itunes")
            _ = try await larder.get("/v1/status")
            left = (larder.daemon.loops + [larder.daemon.homeLoop]).map { Weakly(loop: $0) }
        }
        #expect(left.count > 1)
        // A thread or a task that has ended its work may still be about to release its last reference.
        try await eventually("the daemon keeps no loop") { left.compactMap(\.loop?.name) == [] }
    }

    /// A foreign lock on a database, held by another connection.
    private final class ForeignLock {
        private let connection: LarderStore.DatabaseConnection
        init(_ path: String) throws {
            connection = try LarderStore.DatabaseConnection(path: path)
            try connection.execute("BEGIN IMMEDIATE")
        }
        deinit { connection.close() }
    }

    @Test func aStopWaitsBrieflyForTheLocksOfOthersOnBothDatabases() async throws {
        let directory = TemporaryDirectory()
        var locks: [ForeignLock] = []
        var ends: [StoreEnding] = []
        try await withLarder(directory: directory) { larder in
            ends = [larder.daemon.engine.cache.store.shared.ending, larder.daemon.parts.state.ending]
            locks = [
                try ForeignLock(directory.path + "/cache/cache.db"),
                try ForeignLock(directory.path + "/state/state.db"),
            ]
            // The end has a total to save and a use of an entry to note.
            larder.daemon.engine.counters.cell(EngineCounters.outcomes, "itunes", "hit").add()
            larder.daemon.engine.cache.store.touch(Digest(of: [1]))
        }
        #expect(locks.count == 2)
        for end in ends {
            let waited = end.locks.waitedClosing
            #expect(waited > .zero && waited <= LockPatience.closingInAll)
        }
    }

    private final class KeptLines: LogSink {
        private let lines = Lock<[LogLine]>([])
        func write(_ line: LogLine) { lines.withLock { $0.append(line) } }
        var said: [LogLine] { lines.withLock { $0 } }
    }

    @Test func aStopGivesUpWaitingForADiskThatNeverAnswers() async throws {
        let log = KeptLines()
        var faults: StoreFaults?
        try await withLarder(
            log: Logger(label: "test", sink: log, time: SystemTime()), stopPatience: .milliseconds(50)
        ) { larder in
            larder.daemon.engine.cache.store.touch(Digest(of: [1]))
            faults = larder.daemon.engine.cache.store.shared.faults
            faults?.hold(true)
        }
        let line = log.said.first { $0.message == "the stop waits no longer: what was not written is lost" }
        #expect(line.map { "\($0)".contains("the cache database") } == true)
        faults?.hold(false)
    }

    /// SQLITE_FULL, SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_WRITE (sqlite.org/rescode.html).
    @Test(arguments: [13, 4874, 778])
    func aFullDiskAtTheStartIsSaidInPlainWords(code: Int32) {
        let error = StoreError(code: code & 0xFF, extendedCode: code, doing: "opening", message: "disk I/O error")
        let said = Daemon.openingFailed(error, "/var/lib/larder")
        #expect(said.hasPrefix("the disk of /var/lib/larder (state.path) is full"))
    }

    @Test func aLockedStateDatabaseIsToldByTheProbes() async throws {
        let directory = TemporaryDirectory()
        let time = ManualTime()
        try await withLarder(time: time, directory: directory) { larder in
            #expect(try await larder.get("/healthz").text == "ok\n")
            let lock = try ForeignLock(directory.path + "/state/state.db")
            let state = larder.daemon.parts.state
            let set = Task { try? await state.setValue("a", [1]) }
            while state.degraded == nil {
                time.advance(by: .milliseconds(100))
                await Task.yield()
            }
            #expect(try await larder.get("/healthz").text == "degraded\n")
            #expect(try await larder.counter("larder_state_degraded") == 1)
            let status = try await larder.get("/v1/status").json()
            #expect(status["state"]?["degraded"]?.string != nil)
            withExtendedLifetime(lock) {}
            state.expectClose()
            await set.value
        }
    }
}
