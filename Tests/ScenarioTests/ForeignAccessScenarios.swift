// Other programs and the databases: while the daemon runs none gets in, and what one leaves in the place of the log's
// index does no harm. A daemon that starts while another program has the cache's database open serves without it.
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@Suite struct ForeignAccessScenarios {
    private func origin() -> ScriptedOrigin {
        ScriptedOrigin { _ in [.send(ok("answer", fields: "Cache-Control: max-age=86400\r\n"))] }
    }

    private func launch(_ origin: ScriptedOrigin, in directory: TemporaryDirectory) -> LarderLaunch {
        LarderLaunch(
            """
            listen: ["127.0.0.1:0"]
            cache: { path: \(directory.path)/cache, minFree: 0, memorySize: 0 }
            state: { path: \(directory.path)/state }
            providers: { api: { kind: passthrough, baseURL: "\(origin.base)" } }
            """)
    }

    /// A lock of this process on the bytes that SQLite's shared lock takes (sqlite.org/lockingv3.html, os_unix.c).
    private static func lock(_ path: String, _ type: Int32) throws -> Int32? {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw WireError("cannot open \(path)") }
        var lock = flock()
        lock.l_type = Int16(type)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 0x4000_0002
        lock.l_len = 510
        if fcntl(descriptor, F_SETLK, &lock) == 0 { return descriptor }
        close(descriptor)
        return nil
    }

    private static func isHit(_ target: String, at address: String) throws -> Bool {
        try LarderProcess.get(target, at: address)["Cache-Status"]?.contains("hit") == true
    }

    @Test func whileTheDaemonRunsNoOtherProgramGetsIntoItsDatabases() async throws {
        let origin = origin()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let process = try LarderProcess(launch(origin, in: directory), in: directory)
        defer { process.end() }
        try await onOwnThread {
            let address = try process.listening(1)[0]
            #expect(try LarderProcess.get("/raw/api/a", at: address).status == 200)
            for name in ["cache/cache.db", "state/state.db"] {
                for type in [F_RDLCK, F_WRLCK] { #expect(try Self.lock("\(directory.path)/\(name)", type) == nil) }
            }
            #expect(try Self.isHit("/raw/api/a", at: address))
        }
    }

    /// The usual index of a log is a mapped file, and touching a page of it that was cut off ends a process.
    @Test(arguments: [0, 4096, 32_768])
    func anIndexOfTheLogThatIsCutEndsNothing(length: Int) async throws {
        let origin = origin()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let launch = launch(origin, in: directory)
        let indexes = ["cache/cache.db-shm", "state/state.db-shm"].map { "\(directory.path)/\($0)" }
        try await onOwnThread {
            func cut() throws {
                for path in indexes {
                    let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
                    #expect(descriptor >= 0 && ftruncate(descriptor, off_t(length)) == 0)
                    close(descriptor)
                }
            }
            let first = try LarderProcess(launch, in: directory)
            let address = try first.listening(1)[0]
            for number in 0..<20 {
                #expect(try LarderProcess.get("/raw/api/\(number)", at: address).status == 200)
                if number % 5 == 0 { try cut() }
            }
            try LarderProcess.awaitCommits(at: address)
            first.signal(SIGKILL)
            _ = try first.waitForEnd()
            try cut()
            let second = try LarderProcess(launch, in: directory)
            defer { second.end() }
            let again = try second.listening(1)[0]
            for number in 0..<20 { #expect(try Self.isHit("/raw/api/\(number)", at: again)) }
        }
    }

    @Test func aStartServesWithoutADatabaseThatAnotherProgramHasOpenAndTakesItLater() async throws {
        let origin = origin()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let launch = launch(origin, in: directory)
        try await onOwnThread {
            let first = try LarderProcess(launch, in: directory)
            let address = try first.listening(1)[0]
            #expect(try LarderProcess.get("/raw/api/a", at: address).status == 200)
            try LarderProcess.awaitCommits(at: address)
            first.signal(SIGTERM)
            #expect(try first.waitForEnd() == .exited(0))
            let held = try #require(try Self.lock("\(directory.path)/cache/cache.db", F_WRLCK))
            let second = try LarderProcess(launch, in: directory)
            defer { second.end() }
            let again = try second.listening(1)[0]
            #expect(try LarderProcess.get("/raw/api/b", at: again).text == "answer")
            let reason = try LarderProcess.get("/v1/status", at: again).json()["store"]?["degraded"]?.string ?? ""
            #expect(reason.contains("another program has it open"), "\(reason)")
            close(held)
            try blockUntil("the database is taken") { try LarderProcess.get("/healthz", at: again).text == "ok\n" }
            #expect(try Self.isHit("/raw/api/a", at: again), "what was stored is there")
        }
    }
}
