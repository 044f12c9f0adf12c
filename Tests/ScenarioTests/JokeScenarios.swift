// Jokes through the whole daemon: many readers cost few calls, no two consecutive readers get the same joke, and the
// pool continues when the service fails.
import LarderCore
import LarderOrigin
import LarderProviders
import LarderTestSupport
import Testing

@Suite struct JokeScenarios {
    /// An API of the make that is still in service. Each random joke differs from the others.
    private static func endless(_ count: Lock<Int>) -> OriginSource {
        .custom { request in
            guard request.path.hasPrefix("/chucknorris/jokes/random") else { return nil }
            let number = count.withLock { count in
                count += 1
                return count
            }
            let body =
                #"{"categories":[],"id":"id-\#(number)","value":"Joke \#(number)","created_at":"2020-01-05 13:42:24.6"}"#
            return OriginAnswer(fields: ["Content-Type": "application/json"], body: Bytes(text: body))
        }
    }

    /// A call may take very long on a slow machine.
    private static let patient = "fetch: { queueTimeout: 5min, deadline: 5min }"

    private func withJokes(
        _ source: OriginSource = .samples, more: String = "", time: any TimeSource = SystemTime(),
        directory: TemporaryDirectory = TemporaryDirectory(), _ body: (RunningLarder, OriginServer) async throws -> Void
    ) async throws {
        let origin = try OriginServer(source: source)
        try origin.start()
        defer { origin.stop() }
        let settings = """
            providers:
              jokes: { baseURL: "\(origin.baseURL(for: "jokes"))"\(more) }
              dnd5e: { baseURL: "\(origin.baseURL(for: "dnd5e"))" }
            \(Self.patient)
            """
        try await withLarder(settings, time: time, directory: directory) { larder in try await body(larder, origin) }
    }

    private func titles(_ answer: WireResponse) throws -> [String] {
        #expect(answer.status == 200, "\(answer)")
        return try answer.json()["results"]?.elements.compactMap { $0["title"]?.string } ?? []
    }

    @Test func aHundredReadersCostFewCallsAndNoTwoRunningGetTheSame() async throws {
        let time = ManualTime()
        try await withJokes(Self.endless(Lock(0)), time: time) { larder, origin in
            let all = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        let answer = try await larder.get("/v1/jokes/random")
                        #expect(answer["Cache-Control"] == "no-store", "\(answer)")
                        return try titles(answer).joined()
                    }
                }
                var all: [String] = []
                for try await title in group { all.append(title) }
                return all
            }
            #expect(all.count == 100)
            #expect(Set(all).count >= 4)
            let calls = origin.requests(to: "/chucknorris/jokes/random")
            #expect((4...5).contains(calls), "\(calls) calls")

            // Now the readers come one after the other.
            var before: String?
            for round in 1...40 {
                let title = try titles(await larder.get("/v1/jokes/random")).joined()
                #expect(title != before, "round \(round)")
                before = title
            }
            // A refill has begun before the answer that caused it is sent.
            func settle() async throws {
                try await larder.eventually("no refill is under way") {
                    try await larder.counter("larder_flights_under_way") == 0
                }
            }
            try await settle()
            // The first readers may all have waited for the first jokes. Then nobody has asked for one more.
            let early = origin.requests(to: "/chucknorris/jokes/random")
            #expect((4...5).contains(early), "no time has passed: \(early) calls")
            time.advance(by: .seconds(11))
            _ = try await larder.get("/v1/jokes/random")
            try await settle()
            #expect(origin.requests(to: "/chucknorris/jokes/random") == early + 1, "one more call")
            #expect(try await larder.counter("larder_pool_draws_total", #"provider="jokes""#) == 141)
            #expect(try await larder.counter("larder_pool_refills_total", #"provider="jokes""#) == early - 2)
        }
    }

    @Test func aPoolIsFilledWithinTheBudget() async throws {
        try await withJokes(Self.endless(Lock(0)), more: ", rate: 2/min", time: ManualTime()) { larder, origin in
            for _ in 0..<30 { _ = try titles(await larder.get("/v1/jokes/random")) }
            #expect(origin.requests(to: "/chucknorris/") == 2)
            let status = try await larder.get("/v1/status")
            #expect(status.status == 200)
        }
    }

    @Test func withTheServiceDownThePoolGoesOnAndSaysSo() async throws {
        let time = ManualTime()
        let directory = TemporaryDirectory()
        try await withJokes(Self.endless(Lock(0)), time: time, directory: directory) { larder, origin in
            let first = try await larder.get("/v1/jokes/random")
            #expect(try first.json()["sources"]?.elements.first { _ in true }?["stale"]?.bool == false)
            origin.script("/chucknorris", Array(repeating: .closed, count: 500))
            // First past the freshness, then past the time in which stale jokes are answered at once.
            for wait in [Duration.seconds(2 * 3600), .seconds(3 * 86_400)] {
                time.advance(by: wait)
                var before: String?
                for _ in 0..<10 {
                    let answer = try await larder.get("/v1/jokes/random")
                    let title = try titles(answer).joined()
                    #expect(title != before)
                    before = title
                    #expect(
                        try answer.json()["sources"]?.elements.first { _ in true }?["stale"]?.bool == true, "\(answer)")
                }
            }
        }
        // A restart with another base URL, at which no service answers.
        let closed = LoopbackPort()
        try await withLarder(
            "providers: { jokes: { baseURL: \"http://127.0.0.1:\(closed.number)\" } }", time: time,
            directory: directory
        ) { larder in
            let nothing = try await larder.get("/v1/jokes/random")
            #expect(nothing.status == 502, "another origin's pool is not this one's: \(nothing)")
        }
    }

    @Test func aPoolOutlivesARestartAndGoesWithAPurge() async throws {
        let directory = TemporaryDirectory()
        let origin = try OriginServer(source: Self.endless(Lock(0)))
        try origin.start()
        defer { origin.stop() }
        let settings =
            "providers: { jokes: { baseURL: \"\(origin.baseURL(for: "jokes"))\" } }\nadmin: { token: 0123456789abcdef }"
        try await withLarder(settings, directory: directory) { larder in
            _ = try await larder.get("/v1/jokes/random")
            // The stop does not wait long for commits, and the next run needs the pool.
            try await larder.eventually("everything is committed") {
                try await larder.counter("larder_store_uncommitted") == 0
            }
        }
        let calls = origin.requests(to: "/chucknorris/")
        origin.script("/chucknorris", Array(repeating: .closed, count: 500))
        try await withLarder(settings, directory: directory) { larder in
            let cached = try await larder.get("/v1/jokes/random", ("Cache-Control", "only-if-cached"))
            #expect(try titles(cached).count == 1)
            #expect(origin.requests(to: "/chucknorris/") == calls)
            let purged = try await larder.send(
                "DELETE", "/v1/cache?provider=jokes", fields: [("Authorization", "Bearer 0123456789abcdef")])
            #expect(purged.status == 200, "\(purged)")
            #expect(try await larder.get("/v1/jokes/random", ("Cache-Control", "only-if-cached")).status == 504)
            #expect(try await larder.get("/v1/jokes/random").status == 502)
        }
    }

    @Test func severalJokesAtOnceAreDifferentOnes() async throws {
        try await withJokes { larder, _ in
            let four = try titles(await larder.get("/v1/jokes/random?limit=4"))
            #expect(four.count >= 3 && Set(four).count == four.count)
            let none = try await larder.get("/v1/jokes/random?category=no-such")
            #expect(none.status == 404, "\(none)")
            let animals = try await larder.get("/v1/jokes/random?category=animal").json()
            #expect(
                animals["results"]?.elements.first { _ in true }?["genres"]?.elements.first { _ in true }?.string
                    == "animal")
        }
    }

    @Test func jokesAreSearchedListedAndNamed() async throws {
        try await withJokes { larder, origin in
            let found = try titles(await larder.get("/v1/jokes/search?q=Cache"))
            #expect(found == ["Chuck Norris needs no cache: nothing dares to expire."])
            #expect(try titles(await larder.get("/v1/search?q=cache&source=jokes")) == found)
            #expect(origin.requests(to: "/chucknorris/jokes/search") == 1, "both are one question")
            #expect(try titles(await larder.get("/v1/jokes/search?q=chuck&category=animal")).count == 2)
            #expect(try titles(await larder.get("/v1/jokes/categories")) == ["animal", "dev", "explicit", "food"])
            let first = try #require(
                try await larder.get("/v1/jokes/search?q=cache").json()["results"]?.elements.first { _ in true })
            let id = try #require(first["id"]?.string?.split(separator: ":").last)
            #expect(try titles(await larder.get("/v1/jokes/\(id)")) == found)
            #expect(try await larder.get("/v1/jokes/unknown").status == 404)
            let short = try await larder.get("/v1/search?q=ab&source=jokes")
            #expect(short.status == 400 && origin.requests(to: "/chucknorris/jokes/search") == 2)
            #expect(try short.json()["code"]?.string == "termLength")
            let table = try await larder.get("/v1/search?q=ab")
            #expect(table.status != 400, "whoever names no source is not told of this one's limits: \(table)")
        }
    }

    @Test func rawRandomJokesComeFromThePoolTooAndOthersAreNeverKept() async throws {
        try await withJokes(Self.endless(Lock(0)), time: ManualTime()) { larder, origin in
            var before = Bytes()
            for _ in 0..<20 {
                let raw = try await larder.get("/raw/jokes/jokes/random")
                #expect(raw.status == 200 && raw.body != before, "\(raw)")
                #expect(raw["Cache-Control"] == "no-store" && raw["Content-Type"] == "application/json", "\(raw)")
                before = raw.body
            }
            // Four calls fill the pool. Half of the jokes were dealt at once, so one more call follows. No further call
            // is made before the next refill is due.
            try await larder.eventually("one more call") { origin.requests(to: "/chucknorris/") >= 5 }
            #expect(origin.requests(to: "/chucknorris/") == 5, "no time has passed")
            let one = try await larder.get("/raw/jokes/jokes/random?name=Ada")
            let two = try await larder.get("/raw/jokes/jokes/random?name=Ada")
            #expect(one.body != two.body && one["Cache-Status"]?.contains("bypass") == true, "\(one)")
            #expect(origin.requests(to: "/chucknorris/") == 7)
            let asked = try #require(origin.log(of: "/chucknorris/").last)
            #expect(asked.fields.first("Accept") == "application/json")
        }
    }

    // MARK: icndb

    @Test func aMirrorOfTheDeadMakeIsSpokenWith() async throws {
        let origin = try OriginServer(source: .samples)
        try origin.start()
        defer { origin.stop() }
        let settings = """
            providers: { jokes: { baseURL: "\(origin.root)/icndb", dialect: icndb } }
            \(Self.patient)
            """
        try await withLarder(settings, time: ManualTime()) { larder in
            var before: String?
            for _ in 0..<30 {
                let title = try titles(await larder.get("/v1/jokes/random")).joined()
                #expect(title != before && !title.contains("&amp;") && !title.contains("&quot;"))
                before = title
            }
            try await larder.eventually("one more call") { origin.requests(to: "/icndb/jokes/random/10") >= 2 }
            #expect(origin.requests(to: "/icndb/jokes/random/10") == 2, "no time has passed")
            #expect(try titles(await larder.get("/v1/jokes/random?category=nerdy")).count == 1)
            #expect(
                try titles(await larder.get("/v1/jokes/search?q=boots")).first?.contains("Norris & his boots") == true)
            #expect(try titles(await larder.get("/v1/jokes/categories")) == ["explicit", "nerdy"])
            #expect(try titles(await larder.get("/v1/jokes/3")).count == 1)
            #expect(try await larder.get("/v1/jokes/9999").status == 404, "said under status 200")
            let raw = try await larder.get("/raw/jokes/jokes/random")
            #expect(try raw.json()["value"]?["id"]?.integer != nil, "\(raw)")
        }
    }

    // MARK: Recordings

    @Test(.enabled(if: !Recording.all.isEmpty))
    func everyRecordingPassesThroughTheDaemon() async throws {
        let origin = try Recording.plain.get()
        let recordings = origin.recordings.filter { $0.api == "chucknorris" || $0.api == "icndb" }
        #expect(recordings.count == 9)
        for recording in recordings {
            let settings = """
                providers:
                  jokes:
                    baseURL: "\(origin.baseURL(only: recording.file))"
                    dialect: \(recording.api)
                    rate: off
                """
            let bytes = try readFile("\(Recording.folder)/\(recording.file)")
            let name =
                recording.path.contains("categories")
                ? "categories" : recording.path.contains("search") ? "search" : "random"
            let typed = "/v1/jokes/\(name)\(name == "search" ? "?q=anything" : "")"
            try await withLarder(settings) { larder in
                let raw = try await larder.get(
                    "/raw/jokes\(recording.path)\(recording.query.isEmpty ? "" : "?\(recording.query)")")
                #expect(raw.status == recording.status && raw.body == bytes, "\(recording.file): \(raw)")
                let first = try await larder.get(typed)
                guard recording.status == 200 else {
                    #expect(first.status == 400, "\(first)")
                    return #expect(try first.json()["detail"]?.string?.contains("between 3 and 120") == true)
                }
                let root = try JSON.parse(bytes)
                let records = JSONRecords.of(root)
                let titles = try titles(first)
                #expect(titles.count == (name == "random" ? 1 : records.count), "\(recording.file): \(first)")
                #expect(titles.allSatisfy { !$0.contains("&quot;") })
                let second = try await larder.get(typed)
                #expect(second["Cache-Status"]?.contains("hit") == true, "\(recording.file): \(second)")
                #expect((second.body == first.body) == (name != "random" || records.count == 1))
            }
        }
    }

    /// The records of a body in any of the API's shapes.
    private enum JSONRecords {
        static func of(_ root: JSONValue) -> [JSONValue] {
            let list = root.kind == .array ? root : root["result"] ?? root["value"]
            guard let list, list.kind == .array else { return [root] }
            return Array(list.elements)
        }
    }
}
