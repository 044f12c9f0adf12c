// Hits from the database on the loop. Responses that the daemon kept ready are sent without a task, also in the next
// run. They are not sent if something newer is known, settings have changed, or another provider is asked.
import Glibc
import LarderCore
import LarderDaemon
import LarderTestSupport
import Testing

@Suite struct DiskHitScenarios {
    /// Answers each target with the number of its requests. A PUT request succeeds.
    private func origin(_ fields: String = "Cache-Control: max-age=86400\r\n", more: String = "") -> ScriptedOrigin {
        let counts = Lock<[String: Int]>([:])
        return ScriptedOrigin { request in
            if request.method != "GET" { return [.send(ok("changed"))] }
            let number = counts.withLock { counts -> Int in
                counts[request.target, default: 0] += 1
                return counts[request.target] ?? 0
            }
            let language = request.field("Accept-Language") ?? "none"
            let fields = request.target.hasSuffix("plain") ? "Cache-Control: max-age=86400\r\n" : fields
            return [.send(ok("answer \(number) \(language)\(more)", fields: fields))]
        }
    }

    private func configuration(_ origin: ScriptedOrigin, memory: String = "0") -> String {
        """
        cache: { memorySize: \(memory), minFree: 0 }
        providers: { api: { kind: passthrough, baseURL: "\(origin.base)" } }
        """
    }

    private func found(_ larder: RunningLarder) async throws -> Int {
        try await larder.counter("larder_store_ready_total", #"result="found""#)
    }

    /// Asks until a loop has answered from the database, and returns that answer.
    @discardableResult
    private func diskHit(
        _ larder: RunningLarder, _ target: String, _ fields: [(String, String)] = [], at address: String? = nil
    ) async throws -> WireResponse {
        let before = try await found(larder)
        let last = Lock<WireResponse?>(nil)
        try await larder.eventually("a loop answers \(target) from the database") {
            let response = try await larder.send("GET", target, fields: fields, to: address)
            last.withLock { $0 = response }
            return try await found(larder) > before
        }
        return try #require(last.withLock { $0 })
    }

    @Test(arguments: ["", String(repeating: "x", count: 20_000), String(repeating: "y", count: 150_000)])
    func withoutMemoryAHitIsReadOnTheLoopAndTold(_ more: String) async throws {
        let origin = origin(more: more)
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            _ = try await larder.get("/raw/api/a")
            let hit = try await diskHit(larder, "/raw/api/a")
            #expect(hit.text == "answer 1 none" + more)
            #expect(hit["Cache-Status"]?.hasPrefix("larder; hit; ttl=") == true, "\(hit.statusLine)")
            let id = try #require(hit["X-Request-Id"])
            #expect(try await larder.get("/v1/explain/\(id)").text.contains("It was read from the database."))
            let part = try await larder.get("/raw/api/a", ("Range", "bytes=0-5"))
            #expect(part.status == 206 && part.text == "answer")
            #expect(origin.requests.count == 1)
            #expect(try await larder.counter("larder_cache_total", #"provider="api",outcome="hit""#) > 0)
        }
    }

    @Test func theNextRunAnswersFromTheDatabaseAndThenFromMemory() async throws {
        let origin = origin()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        try await withLarder(configuration(origin), directory: directory) { larder in
            _ = try await larder.get("/raw/api/a")
            try await diskHit(larder, "/raw/api/a")
            try await larder.awaitCommits()
        }
        // The settings must not change between the runs. A change would make another mark.
        try await withLarder(configuration(origin), directory: directory) { (larder) async throws in
            let hit = try await diskHit(larder, "/raw/api/a")
            #expect(hit.text == "answer 1 none" && origin.requests.count == 1)
            let told = try await larder.get("/v1/explain/\(try #require(hit["X-Request-Id"]))").text
            #expect(told.contains(#""provider":"api""#) && told.contains("/a"), "\(told)")
        }
    }

    /// A body that lies in a file is asked for once more before.
    @Test(arguments: ["", String(repeating: "x", count: 20_000)])
    func whatTheDatabaseAnsweredOnTheLoopIsInMemoryThen(_ more: String) async throws {
        let origin = origin(more: more)
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        // One loop, since each loop has a connection of its own. Several targets, since a look that would have waited
        // takes the slow way, which puts its answer into memory too.
        let configuration = configuration(origin, memory: "1MiB") + "\nserver: { loops: 1 }"
        let targets = (0..<8).map { "/raw/api/\($0)" }
        try await withLarder(configuration, directory: directory) { larder in
            for target in targets { _ = try await larder.get(target) }
            try await larder.awaitCommits()
        }
        // The first hit of a run takes the slow way and is kept ready. The next run's first hit is read on the loop.
        try await withLarder(configuration, directory: directory) { larder in
            for target in targets { _ = try await larder.get(target) }
            try await larder.eventually("the rows are there") {
                let written = try await larder.counter("larder_store_ready_rows_total", #"result="written""#)
                let dropped = try await larder.counter("larder_store_ready_rows_total", #"result="dropped""#)
                return written > 0 && written + dropped >= targets.count
            }
            try await larder.awaitCommits()
        }
        try await withLarder(configuration, directory: directory) { larder in
            // A request for something else makes the loop ask for its connection.
            try await larder.eventually("the loop looks") {
                try await larder.counter("larder_store_ready_loops") > 0
            }
            var read: String?
            for target in targets where read == nil {
                _ = try await larder.get(target)
                if try await found(larder) > 0 { read = target }
            }
            let target = try #require(read, "a loop answers from the database")
            // A read that a commit overtakes puts nothing into memory.
            try await larder.eventually("memory has it") {
                let before = try await found(larder)
                #expect(try await larder.get(target).text == "answer 1 none" + more)
                return try await found(larder) == before
            }
            #expect(origin.requests.count == targets.count)
        }
    }

    @Test func anUnsafeRequestAndAPurgeAreSeenAtOnce() async throws {
        let origin = origin()
        defer { origin.stop() }
        let token = "nobody-guesses-a-token-such-as-this-one"
        try await withLarder(configuration(origin) + "\nadmin: { token: \(token) }") { larder in
            _ = try await larder.get("/raw/api/a")
            try await diskHit(larder, "/raw/api/a")
            _ = try await larder.send("PUT", "/raw/api/a", body: "x")
            #expect(try await larder.get("/raw/api/a").text == "answer 2 none")
            try await diskHit(larder, "/raw/api/a")
            let purge = try await larder.send(
                "DELETE", "/v1/cache?provider=api", fields: [("Authorization", "Bearer \(token)")])
            #expect(purge.status == 200)
            #expect(try await larder.get("/raw/api/a").text == "answer 3 none")
        }
    }

    @Test func aNewerAnswerIsSeenAtOnce() async throws {
        let origin = origin("Cache-Control: max-age=86400\r\n")
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            _ = try await larder.get("/raw/api/a")
            try await diskHit(larder, "/raw/api/a")
            for number in 2..<6 {
                let fresh = try await larder.get("/raw/api/a", ("Cache-Control", "no-cache"))
                #expect(fresh.text == "answer \(number) none")
                #expect(try await larder.get("/raw/api/a").text == "answer \(number) none")
            }
        }
    }

    @Test func aVariantIsNotGivenToWhomItWasNotChosenFor() async throws {
        let origin = origin("Cache-Control: max-age=86400\r\nVary: Accept-Language\r\n")
        defer { origin.stop() }
        try await withLarder(configuration(origin) + "\nserver: { loops: 1 }") { larder in
            _ = try await larder.get("/raw/api/a", ("Accept-Language", "de"))
            for _ in 0..<3 {
                #expect(try await larder.get("/raw/api/a", ("Accept-Language", "de")).text == "answer 1 de")
            }
            // With one loop, a ready row of the variant would be written before the row of this later target.
            try await diskHit(larder, "/raw/api/plain")
            #expect(try await larder.get("/raw/api/a", ("Accept-Language", "fr")).text == "answer 2 fr")
        }
    }

    @Test func aCodedFormIsGivenToWhomItWasChosenFor() async throws {
        let origin = origin("Cache-Control: max-age=86400\r\nVary: Accept-Encoding\r\n")
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            _ = try await larder.get("/raw/api/a")
            let gzip = ("Accept-Encoding", "gzip")
            _ = try await larder.get("/raw/api/a", gzip)
            let old = [
                try await diskHit(larder, "/raw/api/a").text, try await diskHit(larder, "/raw/api/a", [gzip]).text,
            ]
            // The PUT removes both variants.
            _ = try await larder.send("PUT", "/raw/api/a", body: "x")
            let new = [try await larder.get("/raw/api/a").text, try await larder.get("/raw/api/a", gzip).text]
            #expect(!old.contains { new.contains($0) }, "\(old) \(new)")
        }
    }

    @Test func aSearchIsReadOnTheLoopToo() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin) + "\ncache: { memorySize: 0, minFree: 0 }") { larder in
            let first = try await larder.get(CacheScenarios.search)
            let hit = try await diskHit(larder, CacheScenarios.search)
            #expect(hit.body == first.body && hit["ETag"] == first["ETag"])
            #expect(origin.requests.count == 1)
        }
    }

    @Test func anotherProvidersAnswerIsNotGivenWhereListenersChangePlaces() async throws {
        let (one, two) = (origin(more: " of one"), origin(more: " of two"))
        defer {
            one.stop()
            two.stop()
        }
        let directory = TemporaryDirectory()
        let configuration = """
            cache: { memorySize: 0, minFree: 0 }
            providers:
              one: { kind: passthrough, baseURL: "\(one.base)" }
              two: { kind: passthrough, baseURL: "\(two.base)" }
            """
        func listen(_ first: String, _ second: String) -> [String] {
            ["\"127.0.0.1:0\""]
                + [first, second].map { "{ address: \"unix:\(directory.path)/\($0)\", provider: \($0) }" }
        }
        for listen in [listen("one", "two"), listen("two", "one")] {
            try await withLarder(configuration, listen: listen, directory: directory) { larder in
                for name in ["one", "two"] {
                    let address = try #require(larder.addresses.first { $0.hasSuffix("/\(name)") })
                    for _ in 0..<4 {
                        #expect(try await larder.get("/a", at: address).text == "answer 1 none of \(name)")
                    }
                    try await diskHit(larder, "/a", at: address)
                }
                try await larder.awaitCommits()
            }
        }
    }

    @Test func otherSettingsAreInForceWithTheNextRequest() async throws {
        let origin = origin()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        try await withLarder(configuration(origin), directory: directory) { larder in
            _ = try await larder.get("/raw/api/a")
            try await diskHit(larder, "/raw/api/a")
            let before = try await found(larder)
            directory.write(
                "larder.yaml", "listen: [\"127.0.0.1:0\"]\n" + configuration(origin) + "\nserver: { idleTimeout: 71s }")
            await larder.daemon.reload()
            // The slow way makes the ready response again, once.
            #expect(try await larder.get("/raw/api/a").text == "answer 1 none")
            #expect(try await found(larder) == before)
            try await diskHit(larder, "/raw/api/a")
        }
    }

    @Test func aTargetThatNamesAKeyIsNotWrittenDown() async throws {
        let origin = ScriptedOrigin { _ in
            [
                .send(
                    ok(#"{"status":"ok","totalResults":0,"articles":[]}"#, fields: "Content-Type: application/json\r\n")
                )
            ]
        }
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let configuration = """
            cache: { memorySize: 0, minFree: 0 }
            providers: { newsapi: { baseURL: "\(origin.base)", key: ourownkeyourownkey } }
            """
        try await withLarder(configuration, directory: directory) { larder in
            for _ in 0..<4 {
                let answer = try await larder.get("/raw/newsapi/v2/everything?q=a&apiKey=theclientsownkey")
                #expect(answer.status == 200, "\(answer.statusLine)")
            }
            for _ in 0..<2 { _ = try await larder.get("/raw/newsapi/v2/everything?q=a") }
            try await diskHit(larder, "/raw/newsapi/v2/everything?q=a")
            try await larder.awaitCommits()
        }
        for name in ["cache.db", "cache.db-wal"] {
            let file = try? Bytes(contentsOf: "\(directory.path)/cache/\(name)")
            #expect(file?.lossyText.contains("theclientsownkey") != true)
        }
    }
}

extension Bytes {
    fileprivate init(contentsOf path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw WireError("no \(path)") }
        defer { close(descriptor) }
        var all = Bytes()
        var piece = Bytes(repeating: 0, count: 65_536)
        while true {
            let got = read(descriptor, &piece, piece.count)
            guard got > 0 else { break }
            all += piece[..<got]
        }
        self = all
    }
}
