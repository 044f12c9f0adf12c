// A person types: each letter sends a request, and only the last request matters.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct TypingScenarios {
    /// With a clock that stands still, no pause of this length ends.
    static let longPause = "search: { debounce: 10s }"
    /// Without a pause. No call ends by its own limit while a test waits for the end of its connection.
    static let longLimits = "fetch: { deadline: 10min }\nsearch: { debounce: 0s, deadline: 5min }"

    static func configuration(_ origin: ScriptedOrigin, _ rest: String = longPause) -> String {
        BasicScenarios.itunes(origin) + "\n" + rest
    }

    static func target(_ term: String, _ more: String = "") -> String {
        "/v1/search?source=itunes&q=\(PercentCoding.encode(term))\(more)"
    }

    /// Sends a request in a session. Returns when the daemon has begun to handle it.
    static func begin(
        _ larder: RunningLarder, _ target: String, session: String = "tab-1", _ fields: (String, String)...
    ) async throws -> Task<WireResponse, any Error> {
        let before = try await larder.counter("larder_session_requests_total")
        let task = Task { try await larder.send("GET", target, fields: [("X-Larder-Session", session)] + fields) }
        try await larder.eventually("the request is in hand") {
            try await larder.counter("larder_session_requests_total") > before
        }
        return task
    }

    @Test func twentyLettersCostOneCall() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let term = "jack johnson banana!"
        try await withLarder(Self.configuration(origin), time: ManualTime()) { larder in
            var asked: [Task<WireResponse, any Error>] = []
            for count in 1...19 { asked.append(try await Self.begin(larder, Self.target("\(term.prefix(count))"))) }
            let last = try await Self.begin(larder, Self.target(term), ("X-Larder-Debounce", "0")).value
            #expect(last.status == 200, "\(last)")
            for (number, one) in asked.enumerated() {
                let answer = try await one.value
                #expect(answer.status == 409, "\(number): \(answer)")
                #expect(answer["Content-Type"] == "application/problem+json")
                #expect(try answer.json()["type"]?.string?.hasSuffix("superseded") == true, "\(answer)")
                #expect(try answer.json()["retryable"]?.bool == false)
            }
            #expect(origin.requests.count == 1)
            #expect(try await larder.counter("larder_superseded_total") == 19)
            let unanswered = try await larder.counter("larder_cache_total", #"provider="itunes",outcome="none""#)
            #expect(unanswered == 0, "what was replaced is no failure of the provider's")
            #expect(try await larder.counter("larder_sessions") == 1)
        }
    }

    @Test func aPauseThatNobodyEndsIsFollowedByTheCall() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin, "search: { debounce: 20ms }")) { larder in
            let answer = try await larder.get(Self.target("jack"), ("X-Larder-Session", "tab-1"))
            #expect(answer.status == 200, "\(answer)")
            #expect(try await larder.counter("larder_debounced_total", #"result="passed""#) == 1)
            let plain = try await larder.get(Self.target("johnson"))
            #expect(plain.status == 200)
            #expect(
                try await larder.counter("larder_debounced_total", #"result="passed""#) == 1, "no session, no pause")
        }
    }

    @Test func aStopWaitsForNoPause() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        var held: Task<WireResponse, any Error>?
        try await withLarder(Self.configuration(origin), time: ManualTime()) { larder in
            held = try await Self.begin(larder, Self.target("jack"))
        }
        let answer = try await held?.value
        #expect(answer?.status == 200, "\(String(describing: answer))")
        #expect(origin.requests.count == 1)
    }

    @Test func whatIsStoredIsAnsweredAtOnceAndSupersedesToo() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin), time: ManualTime()) { larder in
            _ = try await larder.get(Self.target("jack"))
            let waiting = try await Self.begin(larder, Self.target("jack j"))
            let hit = try await larder.get(Self.target("jack"), ("X-Larder-Session", "tab-1"))
            #expect(hit["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(hit)")
            #expect(try await waiting.value.status == 409)
            let order = try await larder.get(Self.target("jack", "&sort=name"), ("X-Larder-Session", "tab-1"))
            #expect(order.status == 200, "another order of what is stored needs no call: \(order)")
            #expect(origin.requests.count == 1)
            #expect(try await larder.counter("larder_debounced_total", #"result="spared""#) == 1)
        }
    }

    @Test func anOlderQuestionThatArrivesLateLeavesTheNewerOneItsPlace() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .send(CacheScenarios.song)] }
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin, "search: { debounce: 0s }")) { larder in
            let newer = try await Self.begin(larder, Self.target("jack"), session: "tab-1;seq=4")
            let late = try await larder.get(Self.target("jac"), ("X-Larder-Session", "tab-1;seq=3"))
            #expect(late.status == 409, "\(late)")
            gate.open()
            #expect(try await newer.value.status == 200)
            #expect(origin.requests.count == 1)
            #expect(try await larder.counter("larder_superseded_total") == 1)
        }
    }

    @Test(arguments: [
        "tab-1;", "tab-1;seq=", "tab-1;seq=-1", "tab-1;seq=1;seq=2", "tab-1;n=1", "tab-1;seq=1234567890123456",
    ])
    func aNumberThatIsNoneIsRefused(_ value: String) async throws {
        try await withLarder("providers: {}") { larder in
            let answer = try await larder.get(Self.target("jack"), ("X-Larder-Session", value))
            #expect(answer.status == 400, "\(answer)")
            #expect(try answer.json()["parameter"]?.string == "X-Larder-Session", "\(answer)")
        }
    }

    @Test func sessionsDoNotDisturbEachOther() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .send(CacheScenarios.song)] }
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin, "search: { debounce: 0s }")) { larder in
            let one = try await Self.begin(larder, Self.target("jack"), session: "tab-1")
            let other = try await Self.begin(larder, Self.target("johnson"), session: "tab-2")
            gate.open()
            #expect(try await one.value.status == 200)
            #expect(try await other.value.status == 200)
            #expect(try await larder.counter("larder_superseded_total") == 0)
        }
    }

    @Test func theSameQuestionAgainIsAnsweredFromTheSameFetch() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .send(CacheScenarios.song)] }
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin, "search: { debounce: 0s }")) { larder in
            let one = try await Self.begin(larder, Self.target("jack"))
            let again = try await Self.begin(larder, Self.target("jack"))
            try await larder.eventually("it has joined") { try await larder.counter("larder_joined_total") == 1 }
            gate.open()
            #expect(try await one.value.status == 200)
            #expect(try await again.value.status == 200)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func eachRequestHasItsOwnPauseAlsoWhereItRepeatsAQuestion() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin), time: ManualTime()) { larder in
            let patient = try await Self.begin(larder, Self.target("jack"))
            let hasty = try await Self.begin(larder, Self.target("jack"), ("X-Larder-Debounce", "0")).value
            #expect(hasty.status == 200, "\(hasty)")
            #expect(
                try await larder.counter("larder_debounced_total", #"result="passed""#) == 0, "nobody's pause is over")
            // This request ends the other one's pause.
            _ = try await larder.get(Self.target("jack", "&sort=name"), ("X-Larder-Session", "tab-1"))
            #expect(try await patient.value.status == 409)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func theFetchOfWhoWasSupersededIsDropped() async throws {
        let left = Lock(false)
        let origin = ScriptedOrigin { request in
            request.target.contains("term=jack&") || request.target.hasSuffix("term=jack")
                ? [.hold, .call { left.withLock { $0 = true } }] : [.send(CacheScenarios.song)]
        }
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin, Self.longLimits)) { larder in
            let old = try await Self.begin(larder, Self.target("jack"))
            try await larder.eventually("the origin has it") { origin.requests.count == 1 }
            let new = try await larder.get(Self.target("jack j"), ("X-Larder-Session", "tab-1"))
            #expect(new.status == 200, "\(new)")
            #expect(try await old.value.status == 409)
            try await larder.eventually("the connection of the old one is closed") { left.withLock { $0 } }
            #expect(try await larder.counter("larder_flights_abandoned_total") > 0)
            try await larder.eventually("nothing of it is left") {
                try await larder.counter("larder_flights_under_way") == 0
            }
        }
    }

    @Test func aSharedFetchGoesOnForTheOthers() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .send(CacheScenarios.song)] }
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin, "search: { debounce: 0s }")) { larder in
            let mine = try await Self.begin(larder, Self.target("jack"))
            try await larder.eventually("the origin has it") { origin.requests.count == 1 }
            async let theirs = larder.get(Self.target("jack"))
            try await larder.eventually("it has joined") { try await larder.counter("larder_joined_total") == 1 }
            let newer = try await Self.begin(larder, Self.target("johnson"))
            #expect(try await mine.value.status == 409)
            gate.open()
            let answer = try await theirs
            #expect(answer.status == 200, "\(answer)")
            #expect(try await newer.value.status == 200)
            #expect(try await larder.counter("larder_flights_abandoned_total") == 0)
            #expect(origin.requests.count == 2)
        }
    }

    @Test func aSearchThatGoesOnWithoutItsClientIsSupersededToo() async throws {
        let left = Lock(false)
        let origin = ScriptedOrigin { request in
            request.target.contains("term=jack&") || request.target.hasSuffix("term=jack")
                ? [.hold, .call { left.withLock { $0 = true } }] : [.send(CacheScenarios.song)]
        }
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin, Self.longLimits)) { larder in
            let begun = try await larder.get(
                Self.target("jack"), ("X-Larder-Session", "tab-1"), ("Prefer", "respond-async"))
            #expect(begun.status == 202, "\(begun)")
            let location = try #require(begun["Location"])
            try await larder.eventually("the origin has it") { origin.requests.count == 1 }
            let newer = try await larder.get(Self.target("jack j"), ("X-Larder-Session", "tab-1"))
            #expect(newer.status == 200, "\(newer)")
            #expect(try await larder.get(location).json()["state"]?.string == "cancelled")
            try await larder.eventually("the origin's connection is closed") { left.withLock { $0 } }
        }
    }

    @Test func whateverASupersededSearchWaitsForItIsCancelledAndNeverFailed() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin), time: ManualTime()) { larder in
            var first = ""
            // Either the search or its pause may be the first to learn of the newer question.
            for number in 1...100 {
                let begun = try await larder.get(
                    Self.target("jack \(number)"), ("X-Larder-Session", "tab-1"), ("Prefer", "respond-async"))
                #expect(begun.status == 202, "\(begun)")
                if first.isEmpty { first = try #require(begun["Location"]) }
            }
            try await larder.eventually("all but the last have ended") {
                let ends = ["cancelled", "failed"].map { #"state="\#($0)""# }
                let counts = [
                    try await larder.counter("larder_live_searches_total", ends[0]),
                    try await larder.counter("larder_live_searches_total", ends[1]),
                ]
                return counts[0] + counts[1] == 99
            }
            #expect(try await larder.counter("larder_live_searches_total", #"state="failed""#) == 0)
            let sources = try await larder.get(first).json()["sources"]
            #expect(sources?.elements.map { $0["state"]?.string } == ["cancelled"])
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func theRefreshOfAStaleAnswerIsHeldBackToo() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let time = ManualTime()
        let configuration = BasicScenarios.itunes(origin, "    ttl: 60s") + "\n" + Self.longPause
        try await withLarder(configuration, time: time) { larder in
            _ = try await larder.get(Self.target("jack"))
            time.advance(by: .seconds(100))
            let stale = try await larder.get(Self.target("jack"), ("X-Larder-Session", "tab-1"))
            #expect(stale["Cache-Status"]?.hasPrefix("larder; hit; ttl=-") == true, "\(stale)")
            let waiting = try await Self.begin(larder, Self.target("jack j"))
            try await larder.eventually("the refresh is not wanted any more") {
                try await larder.counter("larder_debounced_total", #"result="spared""#) == 1
            }
            #expect(origin.requests.count == 1)
            // This supersedes the waiting request, so the daemon need not wait for it.
            _ = try await larder.get(Self.target("jack"), ("X-Larder-Session", "tab-1"))
            #expect(try await waiting.value.status == 409)
        }
    }

    @Test(arguments: ["", "a b", "a,b", "\u{22}a\u{22}", String(repeating: "a", count: 65), "\u{E9}"])
    func aNameThatIsNoTokenIsRefused(_ name: String) async throws {
        try await withLarder { larder in
            let answer = try await larder.get("/v1/search?q=jack", ("X-Larder-Session", name))
            try BadInputScenarios.expectProblem(answer, 400, "session \(name)")
            #expect(try answer.json()["parameter"]?.string == "X-Larder-Session")
        }
    }

    @Test(arguments: ["", "soon", "-1s", "11s", "5", "0, 0"])
    func aPauseThatIsNoneIsRefused(_ pause: String) async throws {
        try await withLarder { larder in
            let answer = try await larder.get(
                "/v1/search?q=jack", ("X-Larder-Session", "tab-1"), ("X-Larder-Debounce", pause))
            try BadInputScenarios.expectProblem(answer, 400, "debounce \(pause)")
            #expect(try answer.json()["parameter"]?.string == "X-Larder-Debounce")
        }
    }
}

@Suite struct ProvisionalScenarios {
    private func ask(
        _ larder: RunningLarder, _ target: String, _ fields: (String, String)...
    ) async throws -> WireResponse {
        try await larder.send(
            "GET", target, fields: [("X-Larder-Session", "tab-1"), ("Prefer", "provisional")] + fields)
    }

    @Test func whatIsStoredForAPrefixIsShownOnceAndMarked() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { request in
            request.target.contains("jack%20johnson") || request.target.contains("jack+johnson")
                ? [.await(gate), .send(CacheScenarios.song)] : [.send(CacheScenarios.song)]
        }
        defer { origin.stop() }
        try await withLarder(TypingScenarios.configuration(origin, "search: { debounce: 0s }")) { larder in
            _ = try await larder.get(TypingScenarios.target("jack j"))
            let early = try await ask(larder, TypingScenarios.target("jack johnson"))
            #expect(early.status == 200, "\(early)")
            let envelope = try early.json()
            #expect(envelope["provisional"]?.bool == true)
            #expect(envelope["provisionalTerm"]?.string == "jack j")
            #expect(envelope["query"]?["q"]?.string == "jack johnson")
            #expect(envelope["count"]?.integer == 1)
            #expect(early["Cache-Control"] == "no-store")
            #expect(early["Preference-Applied"] == "provisional")
            #expect(early["Cache-Status"]?.hasSuffix("detail=provisional") == true, "\(early)")
            try await larder.eventually("the fetch is under way") { origin.requests.count == 2 }
            let again = try await TypingScenarios.begin(
                larder, TypingScenarios.target("jack johnson"), ("Prefer", "provisional"))
            gate.open()
            let answer = try await again.value
            #expect(answer.status == 200)
            #expect(try answer.json()["provisional"] == nil, "\(answer)")
            #expect(origin.requests.count == 2)
            #expect(try await larder.counter("larder_superseded_total") == 0)
            let hit = try await ask(larder, TypingScenarios.target("jack johnson"))
            #expect(try hit.json()["provisional"] == nil)
            #expect(try await larder.counter("larder_provisional_total") == 1)
        }
    }

    @Test func nobodyGetsOneUnasked() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(TypingScenarios.configuration(origin, "search: { debounce: 0s }")) { larder in
            _ = try await larder.get(TypingScenarios.target("jack"))
            func target(_ letter: String) -> String { TypingScenarios.target("jack \(letter)") }
            let noWish = try await larder.get(target("a"), ("X-Larder-Session", "tab-1"))
            let noSession = try await larder.get(target("b"), ("Prefer", "provisional"))
            let noCache = try await ask(larder, target("c"), ("Cache-Control", "no-cache"))
            for answer in [noWish, noSession, noCache] {
                #expect(answer.status == 200)
                #expect(try answer.json()["provisional"] == nil, "\(answer)")
            }
            let other = try await ask(larder, "/v1/itunes/search?q=jack+d&country=de")
            #expect(try other.json()["provisional"] == nil, "another store is another question: \(other)")
            #expect(origin.requests.count == 5)
        }
    }

    @Test func theFetchBehindItEndsWithANewerQuestion() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(TypingScenarios.configuration(origin), time: ManualTime()) { larder in
            _ = try await larder.get("/v1/itunes/search?q=jack")
            let early = try await ask(larder, "/v1/itunes/search?q=jack+joh")
            #expect(try early.json()["provisionalTerm"]?.string == "jack", "\(early)")
            let hit = try await ask(larder, "/v1/itunes/search?q=jack")
            #expect(try hit.json()["provisional"] == nil)
            try await larder.eventually("the call was spared") {
                try await larder.counter("larder_debounced_total", #"result="spared""#) == 1
            }
            #expect(origin.requests.count == 1)
        }
    }

    @Test func aTermThatAProviderCannotSearchCostsNoCall() async throws {
        let origin = ScriptedOrigin(answering: "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")
        defer { origin.stop() }
        let configuration = "providers: { jokes: { baseURL: \"\(origin.base)\", rate: off, quota: off } }"
        try await withLarder(configuration) { larder in
            // A person counts characters. Each of these characters is several code points.
            for term in ["ab", "e\u{301}e\u{301}", "👩‍🚀👩‍🚀"] {
                for target in ["/v1/search?source=jokes&q=", "/v1/jokes/search?q="] {
                    let answer = try await larder.get(target + PercentCoding.encode(term))
                    try BadInputScenarios.expectProblem(answer, 400, "\(term) \(target)")
                    #expect(try answer.json()["type"]?.string?.hasSuffix("termLength") == true)
                }
            }
            #expect(origin.requests.isEmpty)
            let status = try await larder.get("/v1/status").json()
            let jokes = status["providers"]?.elements.first { $0["name"]?.string == "jokes" }
            #expect(jokes?["minimumTerm"]?.integer == 3)
        }
    }
}
