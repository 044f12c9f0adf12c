// Live searches: a client that does not wait sees each source when it arrives. The client may leave, come back, or
// cancel. In the end it has what a waiting client is answered.
import LarderCore
import LarderHTTP
import LarderTestSupport
import Testing

@Suite struct LiveScenarios {
    private let question = "/v1/search?q=fire&source=itunes,newsapi,dnd5e"

    private func withMarket(
        _ rest: String = "", time: any TimeSource = SystemTime(),
        _ body: (RunningLarder, Market) async throws -> Void
    ) async throws {
        let market = Market()
        defer { market.origin.stop() }
        // A source that the test holds back must not be late because of that.
        let patience = rest.contains("search:") ? "" : "search: { deadline: 5min }\n"
        let settings = market.configuration(key: true, [:], "fetch: { deadline: 10min }\n\(patience)\(rest)")
        try await withLarder(settings, time: time) { try await body($0, market) }
    }

    /// Begins a search and returns its path.
    private func begin(_ larder: RunningLarder, _ target: String, prefer: String = "respond-async") async throws
        -> String
    {
        let answer = try await larder.get(target, ("Prefer", prefer))
        #expect(answer.status == 202, "\(answer)")
        return try #require(answer["Location"])
    }

    private func state(_ larder: RunningLarder, _ path: String) async throws -> String? {
        try await larder.get(path).json()["state"]?.string
    }

    private func end(_ larder: RunningLarder, _ path: String) async throws -> JSONValue {
        try await larder.eventually("it ends") { try await state(larder, path) != "loading" }
        return try await larder.get(path).json()
    }

    private func members(_ value: JSONValue) -> [String] {
        ["state", "query", "sources", "count", "results"].map { name in value[name]?.raw.lossyText ?? "-" }
    }

    private static let empty = [
        "itunes": #"{"resultCount":0,"results":[]}"#, "newsapi": #"{"status":"ok","totalResults":0,"articles":[]}"#,
        "dnd5e": #"{"count":0,"results":[]}"#,
    ]

    @Test func eachSourceIsToldWhenItComesAndTheEndIsTheWaitingClientsAnswer() async throws {
        let gate = Gate()
        try await withMarket { larder, market async throws in
            market.set("dnd5e", .await(gate), .send(ok(Self.empty["dnd5e"] ?? "")))
            let begun = try await larder.get(question, ("Prefer", "respond-async"))
            #expect(begun.status == 202, "\(begun)")
            #expect(begun["Preference-Applied"] == "respond-async" && begun["Cache-Control"] == "no-store")
            let first = try begun.json()
            #expect(first["state"]?.string == "loading")
            let path = try #require(begun["Location"])
            #expect(path.hasPrefix("/v1/searches/") && path.count == 13 + 22, "\(path)")
            #expect(first["events"]?.string == path + "/events")
            let (before, after, fields) = try await larder.talk { client in
                var stream = try EventStream(client, path + "/events")
                var before: [String] = []
                for _ in 0..<3 { before.append(try stream.next()?.summary ?? "-") }
                return (before, stream, stream.head)
            }
            #expect(fields["Content-Type"] == "text/event-stream" && fields["Cache-Control"] == "no-store")
            #expect(before.first == "state loading")
            #expect(Set(before.dropFirst()) == ["source itunes results", "source newsapi results"])
            let meanwhile = try await larder.get(path)
            #expect(try meanwhile.json()["state"]?.string == "loading")
            #expect(try meanwhile.json()["count"]?.integer == 5, "\(meanwhile)")
            #expect(
                try meanwhile.json()["sources"]?.elements.map { $0["state"]?.string ?? "-" }
                    == ["results", "results", "loading"])
            gate.open()
            let rest = try await onOwnThread {
                var stream = after
                return try stream.rest()
            }
            #expect(rest.map(\.summary) == ["source dnd5e noResults", "state results"])
            #expect(rest.map(\.id) == ["4", "5"])
            let last = try await larder.get(path)
            let waited = try await larder.get(question)
            #expect(try members(last.json()) == members(waited.json()))
            #expect(last["Cache-Status"]?.hasPrefix("larder; fwd=uri-miss") == true, "\(last)")
            #expect(market.origin.requests.count == 3, "both cost one call for each source")
            let ends = try await larder.counter("larder_live_searches_total", #"state="results""#)
            #expect(ends == 1)
        }
    }

    @Test func whatIsAtHandIsAnsweredAtOnce() async throws {
        try await withMarket { larder, market async throws in
            let waited = try await larder.get(question)
            let atOnce = try await larder.get(question, ("Prefer", "respond-async"))
            #expect(atOnce.status == 200 && atOnce.body == waited.body, "\(atOnce)")
            #expect(atOnce["Preference-Applied"] == nil)
            let anew = try await larder.get(question, ("Prefer", "respond-async"), ("Cache-Control", "no-cache"))
            #expect(anew.status == 202, "the client wants nothing that is stored")
        }
    }

    @Test func whoWaitsAWhileGetsTheWholeWhereItComesInTime() async throws {
        try await withMarket { larder, market async throws in
            let whole = try await larder.get(question, ("Prefer", "respond-async, wait=60"))
            #expect(whole.status == 200, "\(whole)")
            #expect(whole["Preference-Applied"] == "wait=60" && whole["Location"] == nil)
            #expect(whole["ETag"] != nil && whole["Cache-Status"]?.contains("uri-miss") == true)
            #expect(try await larder.counter("larder_live_searches") == 0, "nobody knows its id")
            let gate = Gate()
            market.set("itunes", .await(gate), .send(ok(Self.empty["itunes"] ?? "")))
            let late = try await larder.get("/v1/itunes/search?q=slow", ("Prefer", "wait=1, respond-async"))
            #expect(late.status == 202 && late["Preference-Applied"] == "respond-async", "\(late)")
            gate.open()
            let last = try await end(larder, try #require(late["Location"]))
            #expect(last["state"]?.string == "noResults")
            market.set("itunes", .send(ok("", status: "500 Oops")))
            let failed = try await larder.get("/v1/itunes/search?q=bad", ("Prefer", "wait=60, respond-async"))
            try BadInputScenarios.expectProblem(failed, 502, "a waiting client gets the problem itself")
            let outcomes = try await larder.counter("larder_cache_total", #"provider="itunes",outcome="miss""#)
            #expect(outcomes == 2, "each answer is counted once")
        }
    }

    @Test func aTypedRouteLivesToo() async throws {
        try await withMarket { larder, _ async throws in
            let path = try await begin(larder, "/v1/itunes/search?q=fire&limit=2")
            let last = try await end(larder, path)
            let waited = try await larder.get("/v1/itunes/search?q=fire&limit=2").json()
            #expect(members(last) == members(waited))
            let refused = try await larder.get("/v1/itunes/search?nonsense=1", ("Prefer", "respond-async"))
            try BadInputScenarios.expectProblem(refused, 400, "what is wrong is told at once")
        }
    }

    @Test func aSourceThatIsLateMakesItPartialAndNothingFoundIsNoFailure() async throws {
        let gate = Gate()
        try await withMarket("search: { deadline: 100ms }") { larder, market async throws in
            for target in ["/v1/itunes/search?q=fire", "/v1/news/everything?q=fire&sort=relevance"] {
                #expect(try await larder.get(target).status == 200)
            }
            market.set("dnd5e", .await(gate), .send(ok(Self.empty["dnd5e"] ?? "")))
            let path = try await begin(larder, question)
            let last = try await end(larder, path)
            #expect(last["state"]?.string == "partial")
            let late = try #require(last["sources"]?.elements.map { $0 }.last)
            #expect(late["error"]?["class"]?.string == "timedOut")
            gate.open()
        }
        try await withMarket { larder, market async throws in
            for (api, body) in Self.empty { market.set(api, .send(ok(body))) }
            let path = try await begin(larder, question)
            let last = try await end(larder, path)
            #expect(last["state"]?.string == "noResults" && last["count"]?.integer == 0)
        }
    }

    @Test func whenEverySourceFailsTheProblemIsThere() async throws {
        try await withMarket { larder, market async throws in
            market.set("itunes", .send(ok("", status: "403 Forbidden")))
            market.set("newsapi", .close)
            market.set("dnd5e", .send(ok("<html>")))
            let path = try await begin(larder, question)
            let last = try await end(larder, path)
            #expect(last["state"]?.string == "failed")
            #expect(last["problem"]?["status"]?.integer == 429 && last["problem"]?["class"]?.string == "limited")
            #expect(last["sources"]?.elements.allSatisfy { $0["state"]?.string == "failed" } == true)
            let events = try await larder.talk { client in
                var stream = try EventStream(client, path + "/events")
                return try stream.rest()
            }
            #expect(events.count == 5 && events.last?.summary == "state failed")
            let problem = try JSON.parse(try #require(events.last).data)["problem"]
            #expect(problem?["class"]?.string == "limited")
        }
    }

    @Test func cancellingDropsTheFetchThatNobodyElseWaitsFor() async throws {
        let asked = Gate()
        let left = Gate()
        try await withMarket { larder, market async throws in
            market.set("dnd5e", .call { asked.open() }, .hold, .call { left.open() })
            let path = try await begin(larder, question)
            try await onOwnThread { asked.wait() }
            try await larder.eventually("the others have come") {
                try await larder.get(path).json()["count"]?.integer == 5
            }
            let events = Task {
                try await larder.talk { client in
                    var stream = try EventStream(client, path, fields: "Accept: text/event-stream\r\n")
                    return try stream.rest().map(\.summary)
                }
            }
            try await larder.eventually("it listens") { try await larder.counter("larder_event_streams") == 1 }
            let cancelled = try await larder.send("DELETE", path)
            #expect(cancelled.status == 200)
            #expect(try cancelled.json()["state"]?.string == "cancelled", "\(cancelled)")
            try await onOwnThread { left.wait() }
            let told = try await events.value
            #expect(told.first == "state loading" && told.last == "state cancelled" && told.count == 4)
            let kept = try await larder.get(path).json()
            #expect(kept["state"]?.string == "cancelled" && kept["count"]?.integer == 5, "what came stays")
            #expect(
                kept["sources"]?.elements.map { $0["state"]?.string ?? "-" } == ["results", "results", "cancelled"])
            #expect(try await larder.send("DELETE", path).status == 200, "twice is once")
            #expect(try await larder.counter("larder_live_searches_total", #"state="cancelled""#) == 1)
            #expect(try await larder.counter("larder_flights_abandoned_total") >= 1)
        }
    }

    @Test func cancellingLeavesTheFetchThatOthersWaitFor() async throws {
        let gate = Gate()
        try await withMarket { larder, market async throws in
            market.set("dnd5e", .await(gate), .send(ok(Self.empty["dnd5e"] ?? "")))
            let path = try await begin(larder, question)
            // Only the fetch that is held can be joined then.
            try await larder.eventually("the others have come") {
                try await larder.get(path).json()["count"]?.integer == 5
            }
            let joined = try await larder.counter("larder_joined_total")
            async let other = larder.get(question)
            try await larder.eventually("they share it") { try await larder.counter("larder_joined_total") > joined }
            #expect(try await larder.send("DELETE", path).status == 200)
            gate.open()
            let answer = try await other
            #expect(try answer.json()["state"]?.string == "results", "\(answer)")
            #expect(market.calls("dnd5e") == 1)
        }
    }

    @Test func whoBeganItMayLeaveAndItGoesOn() async throws {
        let gate = Gate()
        try await withMarket { larder, market async throws in
            market.set("dnd5e", .await(gate), .send(ok(Self.empty["dnd5e"] ?? "")))
            // `get` closes its connection when it has the answer.
            let path = try await begin(larder, question)
            try await larder.eventually("nobody is there") { try OpenSockets.count(at: larder.address) <= 1 }
            gate.open()
            let last = try await end(larder, path)
            #expect(last["state"]?.string == "results")
        }
    }

    @Test func aClientThatLeavesWhileItWaitsHasCancelled() async throws {
        let asked = Gate()
        let left = Gate()
        try await withMarket { larder, market async throws in
            market.set("itunes", .call { asked.open() }, .hold, .call { left.open() })
            try await larder.talk { client in
                try client.send(
                    "GET /v1/itunes/search?q=fire HTTP/1.1\r\nHost: localhost\r\nPrefer: respond-async, wait=60\r\n\r\n"
                )
                client.resetAtEnd()
                asked.wait()
            }
            try await onOwnThread { left.wait() }
            try await larder.eventually("nothing is kept") { try await larder.counter("larder_live_searches") == 0 }
        }
    }

    @Test func aHundredSubscribersSeeTheSame() async throws {
        let gate = Gate()
        try await withMarket { larder, market async throws in
            market.set("dnd5e", .await(gate), .send(ok(Self.empty["dnd5e"] ?? "")))
            let path = try await begin(larder, question)
            let all = try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        try await larder.talk { client in
                            var stream = try EventStream(client, path + "/events")
                            return try stream.rest().map { "\($0.id) \($0.summary) \($0.data.count)" }
                        }
                    }
                }
                try await larder.eventually("all listen") { try await larder.counter("larder_event_streams") == 100 }
                gate.open()
                var all: [[String]] = []
                for try await one in group { all.append(one) }
                return all
            }
            #expect(Set(all).count == 1 && all[0].count == 5, "\(all[0])")
            try await larder.eventually("their streams have ended") {
                try await larder.counter("larder_event_streams") == 0
            }
            #expect(market.origin.requests.count == 3)
        }
    }

    @Test func whoComesAgainGetsWhatItMissed() async throws {
        try await withMarket { larder, _ async throws in
            let path = try await begin(larder, question)
            _ = try await end(larder, path)
            let rest = try await larder.talk { client in
                var stream = try EventStream(client, path + "/events", fields: "Last-Event-ID: 3\r\n")
                return try stream.rest().map(\.id)
            }
            #expect(rest == ["4", "5"])
            let all = try await larder.get(path + "/events", ("Last-Event-ID", "5"))
            #expect(all.status == 204, "a browser stops to ask")
            let head = try await larder.send("HEAD", path + "/events")
            #expect(head.status == 200 && head["Content-Type"] == "text/event-stream", "\(head)")
            #expect(try await larder.counter("larder_event_streams") == 0)
        }
    }

    @Test func theBookIsBoundedAndForgets() async throws {
        let gate = Gate()
        let time = ManualTime()
        try await withMarket("search: { liveMax: 2, liveKeep: 60s }", time: time) { larder, market async throws in
            let unknown = try await larder.get("/v1/searches/AAAAAAAAAAAAAAAAAAAAAA")
            try BadInputScenarios.expectProblem(unknown, 404, "no such id")
            let first = try await begin(larder, "/v1/search?q=one&source=itunes")
            _ = try await end(larder, first)
            market.set("itunes", .await(gate), .send(ok(Self.empty["itunes"] ?? "")))
            let second = try await begin(larder, "/v1/search?q=two&source=itunes")
            let third = try await begin(larder, "/v1/search?q=three&source=itunes")
            #expect(try await larder.get(first).status == 404, "the oldest that had ended made room")
            let refused = try await larder.get("/v1/search?q=four&source=itunes", ("Prefer", "respond-async"))
            try BadInputScenarios.expectProblem(refused, 503, "all are under way")
            #expect(refused["Retry-After"] != nil)
            gate.open()
            _ = try await end(larder, second)
            _ = try await end(larder, third)
            time.advance(by: .seconds(61))
            #expect(try await larder.get(second).status == 404)
            #expect(try await larder.counter("larder_live_searches_dropped_total") == 1)
            #expect(try await larder.counter("larder_live_searches_refused_total") == 1)
        }
    }

    @Test func eventStreamsAreBounded() async throws {
        let gate = Gate()
        try await withMarket("server: { maxEventStreams: 1 }") { larder, market async throws in
            market.set("dnd5e", .await(gate), .send(ok(Self.empty["dnd5e"] ?? "")))
            let path = try await begin(larder, question)
            let isFull = try await larder.talk { [address = larder.address] client in
                let first = try EventStream(client, path + "/events")
                let second = try EventStream(try WireClient(address), path + "/events")
                return first.head.status == 200 && second.head.status == 503
            }
            #expect(isFull)
            // The first connection is closed now. The daemon notices this at a sign of life or at the next event.
            gate.open()
            try await larder.eventually("its stream has ended") {
                try await larder.counter("larder_event_streams") == 0
            }
            let third = try await larder.talk { try EventStream($0, path + "/events").head.status }
            #expect(third == 200, "its place is free")
        }
    }

    @Test func aQuietStreamIsNoIdleness() async throws {
        let gate = Gate()
        func server(_ limits: String) -> String { "server: { loops: 1\(limits) }" }
        try await withMarket(server("")) { larder, market async throws in
            market.set("dnd5e", .await(gate), .send(ok(Self.empty["dnd5e"] ?? "")))
            let path = try await begin(larder, question)
            let (first, stream) = try await larder.talk { client in
                var stream = try EventStream(client, path + "/events")
                return (try stream.next()?.summary, stream)
            }
            // The limits are short only now: a slow machine could need longer for the request.
            let short = server(", idleTimeout: 2s, headTimeout: 2s, writeTimeout: 2s")
            await larder.reload(market.configuration(key: true, [:], short))
            // An idle connection of another client times out in the meantime, twice.
            for _ in 0..<2 {
                let idle = try await larder.talk { $0 }
                #expect(try await onOwnThread { try idle.isClosed() })
            }
            gate.open()
            let rest = try await onOwnThread {
                var stream = stream
                return try stream.rest().map(\.summary)
            }
            #expect(first == "state loading" && rest.count == 4 && rest.last == "state results", "\(rest)")
        }
    }

    /// Every client that has the id may cancel the search, and every client here may ask for an explanation.
    @Test func neitherExplanationNorLogNamesASearch() async throws {
        let market = Market()
        defer { market.origin.stop() }
        let lines = Lock("")
        let log = Logger(label: "test", threshold: .debug, sink: KeptLog(lines))
        try await withLarder(market.configuration(key: true, [:], "log: { access: all }"), log: log) { larder in
            let path = try await begin(larder, question)
            let id = path.dropFirst("/v1/searches/".count)
            for target in [path, path + "/", path.replacing("searches", with: "%73earches"), "/v1/searches/\(id)/no"] {
                let answer = try await larder.get(target)
                let request = try #require(answer["X-Request-Id"])
                let explained = try await larder.get("/v1/explain/\(request)")
                #expect(explained.status == 200 && !explained.text.contains(id), "\(target): \(explained)")
                #expect(try explained.json()["path"]?.string == "/v1/searches/…")
            }
            let logged = lines.withLock { $0 }
            #expect(logged.contains("/v1/searches/…") && !logged.contains(id))
        }
    }

    @Test func theDescriptionNamesItsRoutes() async throws {
        try await withMarket { larder, _ async throws in
            let paths = try #require(try await larder.get("/openapi.json").json()["paths"])
            #expect(paths["/v1/searches/{id}"]?["delete"] != nil)
            #expect(paths["/v1/searches/{id}/events"]?["get"]?["responses"]?["204"] != nil)
            #expect(paths["/v1/search"]?["get"]?["responses"]?["202"] != nil)
        }
    }

    @Test func aStopEndsSearchesAndStreamsAtOnce() async throws {
        let gate = Gate()
        let market = Market()
        defer {
            gate.open()
            market.origin.stop()
        }
        market.set("dnd5e", .await(gate), .send(ok(Self.empty["dnd5e"] ?? "")))
        let told = Lock<[Task<[String], any Error>]>([])
        let clock = ContinuousClock()
        let began = Lock<ContinuousClock.Instant?>(nil)
        let limits = "server: { drainTimeout: 5min }\nfetch: { deadline: 10min }\nsearch: { deadline: 5min }"
        try await withLarder(market.configuration(key: true, [:], limits)) { larder in
            let path = try await begin(larder, question)
            for _ in 0..<5 {
                let task = Task {
                    try await larder.talk { client in
                        var stream = try EventStream(client, path + "/events")
                        return try stream.rest().map(\.summary)
                    }
                }
                told.withLock { $0.append(task) }
            }
            try await larder.eventually("they listen") { try await larder.counter("larder_event_streams") == 5 }
            try await larder.eventually("two have come") {
                try await larder.get(path).json()["count"]?.integer == 5
            }
            began.withLock { $0 = clock.now }
        }
        let took = try #require(began.withLock { $0 }).duration(to: clock.now)
        #expect(took < .seconds(200), "the drain did not wait for them: \(took)")
        for task in told.withLock({ $0 }) {
            let events = try await task.value
            #expect(events.last == "state cancelled" && events.count == 4, "\(events)")
        }
    }

    @Test func a202ThatAStopEndsIsTheLastOfItsConnection() async throws {
        let asked = Gate()
        let told = Lock<Task<WireResponse, any Error>?>(nil)
        try await withMarket("server: { drainTimeout: 5min }") { larder, market async throws in
            market.set("dnd5e", .call { asked.open() }, .hold)
            let task = Task {
                try await larder.talk { client in
                    try client.send(
                        "GET /v1/search?q=fire&source=dnd5e HTTP/1.1\r\nHost: localhost\r\n"
                            + "Prefer: respond-async, wait=60\r\n\r\n")
                    return try client.receive()
                }
            }
            told.withLock { $0 = task }
            try await onOwnThread { asked.wait() }
        }
        let answer = try #require(try await told.withLock { $0 }?.value)
        #expect(answer.status == 202 && answer["Connection"] == "close", "\(answer)")
        #expect(answer["Location"]?.hasPrefix("/v1/searches/") == true)
    }

    @Test func aNewerSearchOfTheSessionCancelsTheOlder() async throws {
        let asked = Gate()
        let left = Gate()
        try await withMarket { larder, market async throws in
            market.set("dnd5e", .call { asked.open() }, .hold, .call { left.open() })
            let session = [("X-Larder-Session", "a"), ("X-Larder-Debounce", "0"), ("Prefer", "respond-async")]
            let older = try await larder.send("GET", "/v1/search?q=fire&source=dnd5e", fields: session)
            #expect(older.status == 202, "\(older)")
            try await onOwnThread { asked.wait() }
            let newer = try await larder.send("GET", "/v1/search?q=fire&source=itunes", fields: session)
            #expect(newer.status == 202, "\(newer)")
            try await onOwnThread { left.wait() }
            let olderEnd = try await end(larder, try #require(older["Location"]))
            let newerEnd = try await end(larder, try #require(newer["Location"]))
            #expect(olderEnd["state"]?.string == "cancelled")
            #expect(newerEnd["state"]?.string == "results")
        }
    }

    @Test func otherSitesCannotBeginOrCancel() async throws {
        try await withMarket { larder, market async throws in
            let path = try await begin(larder, question)
            for fields in [[("Origin", "http://evil.example")], [("Sec-Fetch-Site", "cross-site")]] {
                #expect(try await larder.send("DELETE", path, fields: fields).status == 403)
                #expect(try await larder.send("GET", path + "/events", fields: fields).status == 403)
                let begun = try await larder.send("GET", question, fields: fields + [("Prefer", "respond-async")])
                #expect(begun.status == 403)
            }
            #expect(try await state(larder, path) != "cancelled")
        }
    }
}
