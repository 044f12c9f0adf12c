// An invalidation holds, and requests are answered, in every state of the cache's disk: the disk is full, files are
// deleted, or the daemon is killed in between.
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@Suite struct InvalidationScenarios {
    private static let token = "nobody-guesses-a-token-such-as-this-one"

    /// Counts its answers. The first answer of a target becomes the old one when something is put there.
    private func origin() -> ScriptedOrigin {
        let counts = Lock<[String: Int]>([:])
        return ScriptedOrigin { request in
            if request.method != "GET" { return [.send(ok("changed"))] }
            let number = counts.withLock { counts -> Int in
                counts[request.target, default: 0] += 1
                return counts[request.target] ?? 0
            }
            let more = request.target.hasSuffix("large") ? String(repeating: "x", count: 600_000) : ""
            return [.send(ok("answer \(number) \(more)", fields: "Cache-Control: max-age=86400\r\n"))]
        }
    }

    /// - Parameter more: settings of the cache. Without a `patience` setting, reads wait however busy the machine is.
    private func launch(
        _ origin: ScriptedOrigin, in directory: TemporaryDirectory, _ more: String = "", memory: String = "0"
    ) -> LarderLaunch {
        LarderLaunch(
            """
            listen: ["127.0.0.1:0"]
            cache: { path: \(directory.path)/cache, minFree: 0, memorySize: \(memory)\(more) }
            state: { path: \(directory.path)/state }
            admin: { token: \(Self.token) }
            providers: { api: { kind: passthrough, baseURL: "\(origin.base)" } }
            """)
    }

    private enum Invalidation: CaseIterable {
        case put, purgeURL, purgeTerm, purgeProvider

        var request: String {
            let order =
                switch self {
                case .put: "PUT /raw/api/a HTTP/1.1\r\nContent-Length: 1"
                case .purgeURL: "DELETE /v1/cache?url=/raw/api/a HTTP/1.1"
                case .purgeTerm: "DELETE /v1/cache?term=/a HTTP/1.1"
                case .purgeProvider: "DELETE /v1/cache?provider=api HTTP/1.1"
                }
            let body = self == .put ? "x" : ""
            return order + "\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n\r\n" + body
        }
    }

    private struct Stand {
        let larder: LarderProcess
        let address: String

        init(_ launch: LarderLaunch, _ directory: TemporaryDirectory) throws {
            larder = try LarderProcess(launch, in: directory)
            address = try larder.listening(1)[0]
        }

        func get(_ target: String) throws -> WireResponse { try LarderProcess.get(target, at: address) }

        func say(_ request: String) throws -> WireResponse {
            let client = try WireClient(address)
            try client.send(request)
            return try client.receive()
        }

        /// - Parameter old: the number of the last answer before the invalidation.
        func expectNotOld(_ when: Comment, old: Int = 1) throws {
            for _ in 0..<2 {
                let number = try Self.number(get("/raw/api/a"))
                #expect(number > old, when)
            }
        }

        /// The number in the origin's answer.
        static func number(_ answer: WireResponse) throws -> Int {
            let words = answer.text.split(separator: " ")
            return try #require(words.first == "answer" ? words.dropFirst().first.flatMap { Int($0) } : nil)
        }

        /// Whether every answer that counts as stored is in the database.
        func isCommitted() throws -> Bool {
            try get("/metrics").text.split(separator: "\n").contains("larder_store_uncommitted 0")
        }

        func store(_ name: String) throws -> JSONValue? { try get("/v1/status").json()["store"]?[name] }

        func kill() throws {
            larder.signal(SIGKILL)
            _ = try larder.waitForEnd()
        }
    }

    @Test(.enabled(if: FullDiskScenarios.mayMount, "a small disk needs the right to mount"))
    func anInvalidationHoldsOnAFullDiskAndOverAKill() async throws {
        for invalidation in Invalidation.allCases {
            let origin = origin()
            defer { origin.stop() }
            let directory = TemporaryDirectory()
            let disk = try #require(FullDiskScenarios.SmallDisk(in: directory, megabytes: 8))
            let launch = launch(origin, in: directory)
            try await onOwnThread {
                let stand = try Stand(launch, directory)
                #expect(try stand.get("/raw/api/a").text.hasPrefix("answer 1 "))
                #expect(try stand.get("/raw/api/a")["Cache-Status"]?.contains("hit") == true)
                // The daemon reports its figures after the commit. Then the log cannot grow any more.
                #expect(try stand.store("entries")?.integer == 1)
                try disk.fill(leaving: 0)
                #expect(try stand.get("/raw/api/a").text.hasPrefix("answer 1 "), "it is still there")
                #expect(try stand.say(invalidation.request).status == 200)
                try stand.expectNotOld("at once")
                #expect(try stand.store("pendingRemovals")?.integer ?? 0 > 0, "\(invalidation): the disk took it")
                try stand.kill()

                let next = try Stand(launch, directory)
                try next.expectNotOld("after a restart, the disk still full")
                disk.empty()
                try blockUntil("all is written") { try next.store("pendingRemovals")?.integer == 0 }
                try next.expectNotOld("with room again")
                try next.kill()
                let last = try Stand(launch, directory)
                try last.expectNotOld("after another restart")
            }
        }
    }

    /// What is in memory alone has no row that tells in which folder it lies.
    @Test(
        .enabled(if: FullDiskScenarios.mayMount, "a small disk needs the right to mount"),
        arguments: ["DELETE /raw/api/d/", "MOVE /raw/api/d/", "COPY /raw/api/d/"])
    func aRemovedFolderTakesWhatAFullDiskDidNotTake(_ change: String) async throws {
        let origin = origin()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let disk = try #require(FullDiskScenarios.SmallDisk(in: directory, megabytes: 8))
        let launch = launch(origin, in: directory, memory: "16MiB")
        try await onOwnThread {
            let stand = try Stand(launch, directory)
            #expect(try stand.get("/raw/api/warm").status == 200)
            try blockUntil("it is committed") { try stand.isCommitted() }
            try disk.fill(leaving: 0)
            // The store takes the first answer before it learns that the disk is full.
            let target = change.hasPrefix("COPY") ? "/raw/api/e/k" : "/raw/api/d/k"
            #expect(try stand.get(target).text.hasPrefix("answer 1 "))
            #expect(try stand.get(target)["Cache-Status"]?.contains("hit") == true, "memory has it")
            try blockUntil("the disk refused it") { try stand.isCommitted() }
            let destination = "Destination: http://localhost/raw/api/e/"
            let answer = try stand.say("\(change) HTTP/1.1\r\nHost: localhost\r\n\(destination)\r\n\r\n")
            #expect(answer.status == 200)
            #expect(try stand.get(target).text.hasPrefix("answer 2 "))
            try stand.kill()
        }
    }

    @Test(arguments: [true, false])
    func anAnswerTooLargeToBeKeptLeavesNoOlderOne(_ tellsItsLength: Bool) async throws {
        let count = Lock(0)
        let origin = ScriptedOrigin { _ in
            let number = count.withLock { count -> Int in
                count += 1
                return count
            }
            if number == 1 { return [.send(ok("old", fields: "Cache-Control: max-age=86400\r\n"))] }
            let body = String(repeating: "x", count: 600_000)
            if tellsItsLength { return [.send(ok(body, fields: "Cache-Control: max-age=86400\r\n"))] }
            let size = String(body.utf8.count, radix: 16)
            return [
                .send(
                    "HTTP/1.1 200 OK\r\nCache-Control: max-age=86400\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "\(size)\r\n\(body)\r\n0\r\n\r\n")
            ]
        }
        defer { origin.stop() }
        try await withLarder(
            "cache: { maxObject: 100 KiB }\nproviders: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }"
        ) { larder async throws in
            #expect(try await larder.get("/raw/api/a").text == "old")
            #expect(try await larder.get("/raw/api/a").text == "old")
            #expect(try await larder.get("/raw/api/a", ("Cache-Control", "no-cache")).body.count == 600_000)
            #expect(try await larder.get("/raw/api/a").body.count == 600_000)
        }
    }

    /// The file is deleted before the invalidation, or between the invalidation and the kill.
    @Test(arguments: ["cache.db-wal", "cache.mark"], [true, false])
    func anInvalidationHoldsOverAKillThoughAFileOfTheCacheIsDeleted(_ name: String, _ isBefore: Bool) async throws {
        for invalidation in [Invalidation.put, .purgeProvider] {
            let origin = origin()
            defer { origin.stop() }
            let directory = TemporaryDirectory()
            let launch = launch(origin, in: directory)
            try await onOwnThread {
                let first = try Stand(launch, directory)
                #expect(try first.get("/raw/api/a").text.hasPrefix("answer 1 "))
                try blockUntil("it is committed") { try first.isCommitted() }
                // The entries are now in the database's own file.
                first.larder.signal(SIGTERM)
                #expect(try first.larder.waitForEnd() == .exited(0))
                let second = try Stand(launch, directory)
                #expect(try second.get("/raw/api/a").text.hasPrefix("answer 1 "))
                if isBefore { unlink("\(directory.path)/cache/\(name)") }
                #expect(try second.say(invalidation.request).status == 200)
                if !isBefore { unlink("\(directory.path)/cache/\(name)") }
                try second.kill()
                let third = try Stand(launch, directory)
                try third.expectNotOld("after a kill: \(name), \(invalidation)")
            }
        }
    }

    @Test func aCacheDirectoryThatIsRemovedIsMadeAnew() async throws {
        let origin = origin()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let launch = launch(origin, in: directory)
        try await onOwnThread {
            let stand = try Stand(launch, directory)
            #expect(try stand.get("/raw/api/a").status == 200)
            let place = "\(directory.path)/cache"
            // The directory is moved away in one step. While its files are removed one by one, the daemon may make
            // some of them anew.
            let away = "\(directory.path)/removed"
            #expect(rename(place, away) == 0)
            try blockUntil("the directory is removed") {
                for name in ["cache.db", "cache.db-wal", "cache.mark", "cache.lock"] {
                    unlink("\(away)/\(name)")
                }
                return rmdir(away) == 0
            }
            // The answer counts as stored until the daemon looks at its files, as when it is asked for its figures.
            #expect(try stand.get("/raw/api/b").text.hasPrefix("answer 1 "))
            try blockUntil("it is there again") {
                _ = try stand.get("/raw/api/c")
                // The daemon reports its figures after the commit.
                _ = try stand.store("entries")
                // Check the file first. Until it exists, the removed database may still answer from its open files.
                guard access("\(place)/cache.db", F_OK) == 0 else { return false }
                let isHit = try stand.get("/raw/api/c")["Cache-Status"]?.contains("hit") == true
                return try stand.store("entries")?.integer ?? 0 >= 1 && isHit
            }
            #expect(try stand.get("/healthz").text == "ok\n")
            stand.larder.signal(SIGTERM)
            #expect(try stand.larder.waitForEnd() == .exited(0))
            let next = try Stand(launch, directory)
            let status = try next.get("/raw/api/c")["Cache-Status"] ?? ""
            #expect(status.contains("hit"), "it holds over a restart: \(status)")
        }
    }
}
