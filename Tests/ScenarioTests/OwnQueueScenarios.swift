// An origin that is slow but healthy, with one connection allowed. Its callers wait in Larder's own queue. No client is
// told that the origin is late.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct OwnQueueScenarios {
    /// Six lists of six items each, and empty answers to searches.
    private static func body(_ target: String) -> String {
        let lists = [
            "topstories": 10, "newstories": 20, "beststories": 30, "askstories": 40, "showstories": 50,
            "jobstories": 60,
        ]
        if let first = lists.first(where: { target.contains($0.key) })?.value {
            return "\((first..<first + 6).map { $0 })"
        }
        guard let name = target.split(separator: "/").last, target.contains("/item/") else {
            return "{\"hits\":[],\"resultCount\":0,\"results\":[]}"
        }
        let id = name.prefix { $0 != "." }
        return #"{"by":"u","descendants":0,"id":\#(id),"score":1,"time":4000000000,"title":"story","type":"story"}"#
    }

    /// - Parameter time: the clock of the daemon and of all its waits.
    private func withNews(
        _ settings: String, _ origin: ScriptedOrigin, time: any TimeSource = SystemTime(),
        _ body: (RunningLarder) async throws -> Void
    ) async throws {
        defer { origin.stop() }
        let own = "maxConnections: 1, rate: off, quota: off"
        let configuration = """
            \(settings)
            providers:
              hackernews: { baseURL: "\(origin.base)/hn", searchURL: "\(origin.base)/hn", \(own) }
              itunes: { baseURL: "\(origin.base)", \(own) }
            """
        try await withLarder(configuration, time: time, timers: time) { larder in try await body(larder) }
    }

    /// The calls of all answers together take 10.5 s, which is longer than the deadline of one answer. That deadline is
    /// five times what the calls of one answer take. Time is real: with a clock that the origin moves, a short pause of
    /// one answer's task could last as long as many calls of the others.
    @Test func theTimeInOurQueueIsNotThatOfAnAnswerOfSeveralCalls() async throws {
        let origin = ScriptedOrigin { request in
            [.take(.milliseconds(250)), .send(ok(Self.body(request.target)))]
        }
        try await withNews("fetch: { deadline: 9s, queueTimeout: 5min }", origin) { larder in
            let answers = try await withThrowingTaskGroup { group in
                for list in ["top", "new", "best", "ask", "show", "job"] {
                    group.addTask { try await larder.get("/v1/hackernews/\(list)") }
                }
                return try await group.reduce(into: [WireResponse]()) { $0.append($1) }
            }
            for answer in answers {
                #expect(answer.status == 200, "\(answer)")
                #expect(try answer.json()["state"]?.string == "results", "\(answer.text)")
            }
            #expect(origin.requests.count == 42)
        }
    }

    /// By default both waits end after 10 s.
    @Test(arguments: ["300ms", "5min"])
    func aSearchWhoseSourcesWaitInOurQueueIsOverloadedWhicheverWaitEndsFirst(_ queueTimeout: String) async throws {
        let gate = Gate()
        defer { gate.open() }
        let origin = ScriptedOrigin { request in [.await(gate), .send(ok(Self.body(request.target)))] }
        let settings = """
            server: { loops: 1 }
            fetch: { queueTimeout: \(queueTimeout), deadline: 5min }
            search: { deadline: 300ms }
            """
        let time = ManualTime()
        try await withNews(settings, origin, time: time) { larder in
            async let one = larder.get("/raw/hackernews/v0/item/100.json")
            async let two = larder.get("/v1/itunes/search?q=other")
            try await larder.eventually("both have the one place") { origin.requests.count == 2 }
            async let asked = larder.get("/v1/search?q=jack&source=itunes,hn")
            try await larder.eventually("both sources wait") { try await larder.counter("larder_fetch_waiting") == 2 }
            // After this turn the loops have also reported that the sources wait.
            try await larder.giveLoopsATurn()
            time.advance(by: .milliseconds(300))
            try await larder.giveLoopsATurn()
            let answer = try await asked
            #expect(answer.status == 503, "\(answer)")
            #expect(answer["Retry-After"] == "2", "\(answer)")
            #expect(try answer.json()["class"]?.string == "overloaded", "\(answer.text)")
            gate.open()
            _ = try await (one, two)
        }
    }

    /// The list is slow. The first of its items never comes and holds the only place, for which the others wait. The
    /// end of the whole cuts off the first item, which itself never waited.
    @Test func anAnswerOfSeveralCallsThatLostItsTimeInOurQueueIsOverloaded() async throws {
        let time = ManualTime()
        let gate = Gate()
        defer { gate.open() }
        let origin = ScriptedOrigin { request in
            guard request.target.contains("topstories") else { return [.await(gate)] }
            return [.call { time.advance(by: .milliseconds(800)) }, .send(ok("\((1...30).map { $0 })"))]
        }
        let settings = "server: { loops: 1 }\nfetch: { deadline: 6s, queueTimeout: 200ms, sideBySide: 2 }"
        try await withNews(settings, origin, time: time) { larder in
            let isThere = Lock(false)
            async let asked = get("/v1/hackernews/top?limit=30", larder, isThere)
            while !isThere.withLock({ $0 }) {
                try await larder.eventually("an item waits, or the answer is there") {
                    if isThere.withLock({ $0 }) { return true }
                    return try await larder.counter("larder_fetch_waiting") == 1
                }
                time.advance(by: .milliseconds(200))
                try await larder.giveLoopsATurn()
            }
            let answer = try await asked
            #expect(answer.status == 503, "\(answer)")
            #expect(try answer.json()["class"]?.string == "overloaded", "\(answer.text)")
            #expect(answer["Retry-After"] != nil, "\(answer)")
            gate.open()
        }
    }

    /// Tells when the answer is there.
    private func get(_ target: String, _ larder: RunningLarder, _ isThere: Lock<Bool>) async throws -> WireResponse {
        defer { isThere.withLock { $0 = true } }
        return try await larder.get(target)
    }

    /// The second item waits in our queue for the first. This wait is added to the deadline. The second item never
    /// comes, although it has nearly all of that time.
    @Test func anOriginThatHadItsWholeDeadlineIsTimedOutThoughACallWaitedInOurQueue() async throws {
        let gate = Gate()
        defer { gate.open() }
        let origin = ScriptedOrigin { request in
            let answer = Act.send(ok(request.target.contains("topstories") ? "[1,2]" : Self.body(request.target)))
            return request.target.hasSuffix("/2.json") ? [.await(gate)] : [.take(.milliseconds(1200)), answer]
        }
        try await withNews("fetch: { deadline: 6s }", origin) { larder in
            let answer = try await larder.get("/v1/hackernews/top?limit=2")
            #expect(answer.text.contains("timedOut"), "\(answer.text)")
            #expect(!answer.text.contains("overloaded"), "\(answer.text)")
            gate.open()
        }
    }

    @Test func aSourceThatIsSlowItselfIsStillTimedOut() async throws {
        let gate = Gate()
        defer { gate.open() }
        let origin = ScriptedOrigin { request in
            let answer = Act.send(ok(Self.body(request.target)))
            return request.target.hasPrefix("/hn") ? [.await(gate), answer] : [answer]
        }
        let time = ManualTime()
        try await withNews("server: { loops: 1 }\nsearch: { deadline: 3s }", origin, time: time) { larder in
            // The other source's answer is stored, so that it cannot be late too.
            #expect(try await larder.get("/v1/itunes/search?q=jack").status == 200)
            async let asked = larder.get("/v1/search?q=jack&source=hn,itunes")
            try await larder.eventually("the slow source is asked") {
                origin.requests.contains { $0.target.hasPrefix("/hn") }
            }
            try await larder.giveLoopsATurn()
            time.advance(by: .seconds(3))
            try await larder.giveLoopsATurn()
            let answer = try await asked
            let news = try answer.json()["sources"]?.elements.first { $0["provider"]?.string == "hackernews" }
            #expect(news?["error"]?["class"]?.string == "timedOut", "\(answer.text)")
            gate.open()
        }
    }
}
