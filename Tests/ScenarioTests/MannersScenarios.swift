// Manners towards the APIs: budgets count only upstream calls and survive restarts, a failing provider rests, and a key
// is sent only to the API that it belongs to.
import Glibc
import LarderCore
import LarderDaemon
import LarderProviders
import LarderTestSupport
import Testing

@Suite struct MannersScenarios {
    private func itunes(_ origin: ScriptedOrigin, _ more: String) -> String {
        """
        providers:
          itunes:
            baseURL: "\(origin.base)"
        \(more)
        """
    }

    private func term(_ number: Int) -> String { "/v1/itunes/search?q=term\(number)" }

    @Test func theBudgetCountsCallsOnlyAndHoldsOverARestart() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let time = ManualTime()
        let configuration = itunes(origin, "    rate: 3/min\n    quota: off")
        try await withLarder(configuration, time: time, directory: directory) { larder in
            for _ in 0..<10 { #expect(try await larder.get(term(0)).status == 200) }
            for number in 1...2 { #expect(try await larder.get(term(number)).status == 200) }
            let spent = try await larder.get(term(3))
            #expect(spent.status == 429, "\(spent)")
            #expect(spent["Retry-After"] == "60")
            let hit = try await larder.get(term(0))
            #expect(hit.status == 200, "a hit needs no budget")
        }
        try await withLarder(configuration, time: time, directory: directory) { larder in
            let still = try await larder.get(term(3))
            #expect(still.status == 429, "a restart gave the budget back")
            time.advance(by: .seconds(61))
            #expect(try await larder.get(term(3)).status == 200)
        }
        #expect(origin.requests.count == 4)
    }

    @Test func theHopOfARedirectIsACallToo() async throws {
        let origin = ScriptedOrigin { request in
            request.target.hasPrefix("/search")
                ? [.send("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n")]
                : [.send(CacheScenarios.song)]
        }
        defer { origin.stop() }
        try await withLarder(itunes(origin, "    rate: 2/min\n    quota: off"), time: ManualTime()) { larder in
            let first = try await larder.get(term(0))
            #expect(first.status == 200)
            let second = try await larder.get(term(1))
            #expect(second.status == 429, "\(second)")
            #expect(origin.requests.count == 2)
        }
    }

    @Test func totalsOutliveARestart() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let configuration = itunes(origin, "    rate: off\n    quota: off")
        func totals(_ larder: RunningLarder) async throws -> [Int?] {
            let status = try await larder.get("/v1/status").json()
            let itunes = status["providers"]?.elements.first { $0["name"]?.string == "itunes" }
            return [itunes?["totals"]?["miss"]?.integer, itunes?["totals"]?["hit"]?.integer]
        }
        try await withLarder(configuration, directory: directory) { larder in
            for _ in 0..<3 { _ = try await larder.get(term(0)) }
            #expect(try await totals(larder) == [1, 2])
            // The stop does not wait long for commits, and the next run needs the answer.
            try await larder.eventually("everything is committed") {
                try await larder.counter("larder_store_uncommitted") == 0
            }
        }
        try await withLarder(configuration, directory: directory) { larder in
            #expect(try await totals(larder) == [1, 2])
            _ = try await larder.get(term(0))
            #expect(try await totals(larder) == [1, 3])
        }
    }

    @Test func aSpentBudgetAnswersWithWhatIsStale() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let time = ManualTime()
        let configuration = itunes(origin, "    rate: off\n    quota: 1/day\n    ttl: 60s")
        try await withLarder(configuration, time: time) { larder in
            _ = try await larder.get(term(0))
            time.advance(by: .seconds(7200))
            let covered = try await larder.get(term(0), ("Cache-Control", "no-cache"))
            #expect(covered.status == 200, "\(covered)")
            #expect(covered["Cache-Status"]?.hasPrefix("larder; hit; ttl=-") == true)
            let source = try covered.json()["sources"]?.elements.first { _ in true }
            #expect(source?["error"]?["class"]?.string == "limited")
            #expect(origin.requests.count == 1)
        }
    }

    @Test func aLimitedProviderRestsAndIsTriedOnceWhenTheRestIsOver() async throws {
        let moods = CacheScenarios.Moods()
        moods.set("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        let origin = ScriptedOrigin { _ in moods.current.withLock { $0 } }
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(itunes(origin, "    rate: off\n    quota: off"), time: time) { larder in
            #expect(try await larder.get(term(0)).status == 429)
            for number in 1...5 { #expect(try await larder.get(term(number)).status == 429) }
            #expect(origin.requests.count == 1, "a resting provider is not called")
            let status = try await larder.get("/v1/status").json()
            let itunes = status["providers"]?.elements.first { $0["name"]?.string == "itunes" }
            #expect(itunes?["state"]?.string == "suspended")
            moods.set(CacheScenarios.song)
            time.advance(by: .seconds(10))
            #expect(try await larder.get(term(6)).status == 200)
            #expect(try await larder.get(term(7)).status == 200)
            #expect(origin.requests.count == 3)
        }
    }

    @Test func aSuspensionIsEndedByHandWithAuthority() async throws {
        let moods = CacheScenarios.Moods()
        moods.set("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        let origin = ScriptedOrigin { _ in moods.current.withLock { $0 } }
        defer { origin.stop() }
        let configuration =
            itunes(origin, "    rate: off\n    quota: off") + "\nadmin: { token: \"open-sesame-0123456789\" }"
        try await withLarder(configuration) { larder in
            #expect(try await larder.get(term(0)).status == 429)
            moods.set(CacheScenarios.song)
            let resume = "/v1/providers/itunes/resume"
            #expect(try await larder.send("POST", resume).status == 401)
            let wrong = try await larder.send("POST", resume, fields: [("Authorization", "Bearer open")])
            #expect(wrong.status == 401)
            let right = try await larder.send(
                "POST", resume, fields: [("Authorization", "Bearer open-sesame-0123456789")])
            #expect(right.status == 200, "\(right)")
            #expect(try await larder.get(term(0)).status == 200)
        }
    }

    @Test func anImageFetchThatEndsLeavesTheTrialCallAlone() async throws {
        let moods = CacheScenarios.Moods()
        let trial = Gate()
        let origin = ScriptedOrigin { request in
            request.target.hasPrefix("/image") ? [.hold] : moods.current.withLock { $0 }
        }
        defer { origin.stop() }
        let time = ManualTime()
        let configuration = itunes(origin, "    rate: off\n    quota: off\n    imageHosts: [\"\(origin.base)\"]")
        try await withLarder(configuration, time: time) { larder in
            moods.set("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            #expect(try await larder.get(term(0)).status == 429)
            time.advance(by: .seconds(10))
            moods.set([.await(trial), .send(CacheScenarios.song)])
            let prober = try WireClient(larder.address)
            try prober.send("GET \(term(1)) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await larder.eventually("the trial is under way") { origin.requests.count == 2 }
            let handle = larder.daemon.artworkSigner.handle(provider: "itunes", url: "\(origin.base)/image.png")
            var viewer: WireClient? = try WireClient(larder.address)
            try viewer?.send("GET /v1/artwork/\(handle) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await larder.eventually("the image is under way") { origin.requests.count == 3 }
            viewer?.resetAtEnd()
            viewer = nil
            try await larder.eventually("the image is given up") {
                try await larder.counter("larder_flights_abandoned_total") == 1
            }
            moods.set(CacheScenarios.song)
            #expect(try await larder.get(term(2)).status == 429, "a second trial beside the first")
            #expect(origin.requests.count == 3)
            trial.open()
            let answer = try await onOwnThread { [prober] in try prober.receive() }
            #expect(answer.status == 200, "\(answer)")
        }
    }

    @Test func aFailureIsRememberedNoLongerThanItSaysItself() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let time = ManualTime()
        let configuration = itunes(origin, "    rate: 1/min\n    quota: off\nfetch: { failurePause: 1h }")
        try await withLarder(configuration, time: time) { larder in
            _ = try await larder.get(term(0))
            time.advance(by: .seconds(50))
            let spent = try await larder.get(term(1))
            #expect(spent["Retry-After"] == "10", "\(spent)")
            time.advance(by: .seconds(11))
            #expect(try await larder.get(term(1)).status == 200)
        }
    }

    @Test func anotherSitesPageReachesNoUpstreamThroughALandingPath() async throws {
        let origin = ScriptedOrigin(answering: ok("a"))
        defer { origin.stop() }
        let configuration = "providers: { shop: { kind: passthrough, baseURL: \"\(origin.base)\" } }"
        let listen = [#""127.0.0.1:0""#, #"{ address: "127.0.0.1:0", provider: shop }"#]
        let fields = [
            ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"),
        ]
        try await withLarder(configuration, listen: listen) { larder in
            let landing = try await larder.send("GET", "/", fields: fields)
            #expect(landing.status == 200, "\(landing)")
            let root = try await larder.send("GET", "/", fields: fields, to: larder.daemon.addresses[1])
            #expect(root.status == 403, "\(root)")
            #expect(origin.requests.isEmpty, "a foreign page spent a call")
        }
    }

    static let headlines = """
        {"status":"ok","totalResults":1,"articles":[{"source":{"id":null,"name":"Paper"},"author":null,
        "title":"Rain","description":"It rains.","url":"https://example.org/rain","urlToImage":null,
        "publishedAt":"2026-01-01T00:00:00Z","content":null}]}
        """

    @Test func theKeyIsSentInTheHeaderAndIsNowhereElse() async throws {
        let secret = "0123456789abcdef-very-secret"
        let origin = ScriptedOrigin { _ in [.send(ok(Self.headlines, fields: "Content-Type: application/json\r\n"))] }
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let lines = Lock("")
        let configuration = "providers: { newsapi: { baseURL: \"\(origin.base)/v2\", key: \"env:SECRET_OF_NEWS\" } }"
        try await withLarder(
            configuration, directory: directory, environment: ["SECRET_OF_NEWS": secret],
            log: Logger(label: "test", threshold: .debug, sink: KeptLog(lines))
        ) { larder in
            let answer = try await larder.get("/v1/news/headlines?country=us")
            #expect(answer.status == 200, "\(answer)")
            #expect(origin.requests.first?.field("X-Api-Key") == secret)
            #expect(origin.requests.first?.target.contains(secret) == false)
            let status = try await larder.get("/v1/status")
            let metrics = try await larder.get("/metrics")
            for shown in [answer, status, metrics] { #expect(!shown.description.contains(secret)) }
            // What was never written says nothing.
            try await larder.eventually("everything is committed") {
                try await larder.counter("larder_store_uncommitted") == 0
            }
        }
        #expect(!lines.withLock { $0 }.contains(secret))
        for file in ["cache/cache.db", "cache/cache.db-wal", "state/state.db", "state/state.db-wal"] {
            // A log need not exist. The database itself must.
            if file.hasSuffix("-wal"), access("\(directory.path)/\(file)", F_OK) != 0 { continue }
            let bytes = try readFile("\(directory.path)/\(file)")
            #expect(!bytes.isEmpty && !bytes.contains(sequence: Bytes(text: secret)), "the key is in \(file)")
        }
    }

    @Test func withoutAKeyThereIsAClearErrorAndNoCall() async throws {
        let origin = ScriptedOrigin(answering: ok(Self.headlines))
        defer { origin.stop() }
        try await withLarder("providers: { newsapi: { baseURL: \"\(origin.base)/v2\" } }") { larder in
            for target in [
                "/v1/news/headlines?country=us", "/v1/search?q=rain&source=news", "/raw/newsapi/everything?q=a",
            ] {
                let answer = try await larder.get(target)
                #expect(answer.status == 503, "\(answer)")
                #expect(try answer.json()["class"]?.string == "notConfigured")
            }
            #expect(origin.requests.isEmpty)
        }
    }
}

/// Keeps every line with its values.
struct KeptLog: LogSink {
    let text: Lock<String>
    init(_ text: Lock<String>) { self.text = text }
    func write(_ line: LogLine) {
        let values = line.values.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
        text.withLock { $0 += "\(line.message) \(values)\n" }
    }
}

func readFile(_ path: String) throws -> Bytes {
    guard let file = fopen(path, "r") else { throw WireError("cannot read \(path)") }
    defer { fclose(file) }
    var bytes = Bytes()
    var buffer = Bytes(repeating: 0, count: 1 << 16)
    while true {
        let count = fread(&buffer, 1, buffer.count, file)
        if count == 0 { return bytes }
        bytes += buffer[..<count]
    }
}

extension Array where Element == UInt8 {
    func contains(sequence wanted: [UInt8]) -> Bool {
        guard count >= wanted.count, let first = wanted.first else { return false }
        for place in indices where self[place] == first && place + wanted.count <= count {
            if self[place..<place + wanted.count].elementsEqual(wanted) { return true }
        }
        return false
    }
}
