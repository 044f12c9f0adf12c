// Whose fault a failure is. What one client supplies (a path, a session, an odd question, another form of the answer)
// suspends nobody's provider; a provider that fails is still suspended.
import LarderCore
import LarderDaemon
import LarderTestSupport
import Testing

@Suite struct BlameScenarios {
    private static let page = "<html><head><title>Not Found</title></head></html>"
    private static let absent = ok(
        page, status: "404 Not Found", fields: "Content-Type: text/html\r\nCache-Control: max-age=30\r\n")

    /// An iTunes that answers songs to searches, 500 to a lone quote, 404 with a page to unknown paths, and JSONP.
    private static func songs(_ mood: Lock<String?> = Lock(nil)) -> ScriptedOrigin {
        ScriptedOrigin { request in
            if let answer = mood.withLock({ $0 }) { return [.send(answer)] }
            guard request.target.hasPrefix("/search?") else { return [.send(absent)] }
            if request.target.contains("%27") { return [.send(ok("", status: "500 Oops"))] }
            if request.target.contains("callback=f") { return [.send(ok("f(\(BasicScenarios.song));"))] }
            return [.send(CacheScenarios.song)]
        }
    }

    private func state(_ larder: RunningLarder, _ name: String = "itunes") async throws -> String? {
        let status = try await larder.get("/v1/status").json()
        return status["providers"]?.elements.first { $0["name"]?.string == name }?["state"]?.string
    }

    private func trials(_ larder: RunningLarder, _ name: String = "itunes") async throws -> Int {
        try await larder.counter("larder_trials_total", "provider=\"\(name)\"")
    }

    @Test func wrongPathsSuspendNobodyAndAreKeptForTheirOriginsMaxAge() async throws {
        let origin = Self.songs()
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(BasicScenarios.itunes(origin), time: time) {
            larder async throws in
            for path in ["searchLOL", "serch", "searchh", "lookupp", "x"] {
                let wrong = try await larder.get("/raw/itunes/\(path)")
                #expect(wrong.status == 404 && wrong.text == Self.page, "\(wrong)")
            }
            #expect(try await state(larder) == "ready")
            #expect(try await larder.get("/v1/itunes/search?q=one").status == 200)
            let asked = origin.requests.count
            time.advance(by: .seconds(20))
            #expect(try await larder.get("/raw/itunes/searchLOL").status == 404)
            #expect(origin.requests.count == asked, "the absence is remembered")
            time.advance(by: .seconds(11))
            #expect(try await larder.get("/raw/itunes/searchLOL").status == 404)
            #expect(origin.requests.count == asked + 1)
        }
    }

    @Test func anAbsenceIsKeptNoLongerThanTheSettingForAbsences() async throws {
        let long = Self.absent.replacing("max-age=30", with: "max-age=86400")
        let origin = ScriptedOrigin(answering: long)
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(BasicScenarios.itunes(origin, "    negativeTTL: 60s"), time: time) {
            larder async throws in
            #expect(try await larder.get("/raw/itunes/searchLOL").status == 404)
            time.advance(by: .seconds(59))
            #expect(try await larder.get("/raw/itunes/searchLOL").status == 404)
            #expect(origin.requests.count == 1)
            time.advance(by: .seconds(2))
            #expect(try await larder.get("/raw/itunes/searchLOL").status == 404)
            #expect(origin.requests.count == 2)
        }
    }

    @Test func oddQuestionsSuspendNobodyWhileAnotherQuestionWorks() async throws {
        let origin = Self.songs()
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) {
            larder async throws in
            #expect(try await larder.get("/v1/itunes/search?q=one").status == 200)
            for number in 0..<3 { #expect(try await larder.get("/v1/itunes/search?q='\(number)").status == 502) }
            try await larder.eventually("the known question was asked again") {
                origin.requests.filter { $0.target.contains("term=one") }.count == 2
            }
            for number in 3..<9 { #expect(try await larder.get("/v1/itunes/search?q='\(number)").status == 502) }
            #expect(try await larder.get("/v1/itunes/search?q=two").status == 200)
            #expect(try await trials(larder) == 1, "a trial holds for a while")
            #expect(try await state(larder) == "ready")
        }
    }

    @Test func aProviderThatFailsTheKnownQuestionTooIsSuspended() async throws {
        let mood = Lock<String?>(nil)
        let origin = Self.songs(mood)
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) {
            larder async throws in
            #expect(try await larder.get("/v1/itunes/search?q=one").status == 200)
            mood.withLock { $0 = ok("", status: "500 Oops") }
            for number in 0..<3 { #expect(try await larder.get("/v1/itunes/search?q=new\(number)").status == 502) }
            try await larder.eventually("it is suspended") { try await state(larder) == "suspended" }
            #expect(origin.requests.count == 5 && origin.requests.last?.target.contains("term=one") == true)
            #expect(try await larder.get("/v1/itunes/search?q=two").status == 503)
        }
    }

    @Test func aWrongPathNeitherUsesUpTheTrialNorEndsTheSuspension() async throws {
        let mood = Lock<String?>(ok("", status: "500 Oops"))
        let origin = Self.songs(mood)
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(BasicScenarios.itunes(origin), time: time) {
            larder async throws in
            for number in 0..<3 { #expect(try await larder.get("/v1/itunes/search?q=new\(number)").status == 502) }
            #expect(try await state(larder) == "suspended")
            mood.withLock { $0 = nil }
            time.advance(by: .seconds(10))
            #expect(try await larder.get("/raw/itunes/searchLOL").status == 404)
            #expect(try await state(larder) == "probing")
            #expect(try await larder.get("/v1/itunes/search?q=one").status == 200)
            #expect(try await state(larder) == "ready")
        }
    }

    @Test func scriptsAndOtherFormsPassAndCountForNothing() async throws {
        let origin = Self.songs()
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) {
            larder async throws in
            for number in 0..<5 {
                let script = try await larder.get("/raw/itunes/search?term=t\(number)&callback=f")
                #expect(script.status == 200 && script.text == "f(\(BasicScenarios.song));", "\(script)")
            }
            let again = try await larder.get("/raw/itunes/search?term=t0&callback=f")
            #expect(again["Cache-Status"]?.contains("hit") == true, "\(again)")
            #expect(try await state(larder) == "ready")
            #expect(
                try await larder.counter("larder_upstream_calls_total", "provider=\"itunes\",class=\"broken\"") == 0)
        }
    }

    @Test func xmlAndEmptyAnswersOfAnAPIPassAsTheyCame() async throws {
        let feed = "<?xml version=\"1.0\"?><rss/>"
        let origin = ScriptedOrigin { request in
            if request.target.contains("print=silent") { return [.send("HTTP/1.1 204 No Content\r\n\r\n")] }
            return [.send(ok(feed, fields: "Content-Type: application/rss+xml\r\n"))]
        }
        defer { origin.stop() }
        try await withLarder(
            "providers: { hackernews: { baseURL: \"\(origin.base)\", searchURL: \"\(origin.base)\" } }"
        ) {
            larder async throws in
            for number in 0..<4 {
                let answer = try await larder.get("/raw/hackernews/rss/\(number)")
                #expect(answer.status == 200 && answer.text == feed, "\(answer)")
                let silent = try await larder.get("/raw/hackernews/v0/item/\(number).json?print=silent")
                #expect(silent.status == 204, "\(silent)")
            }
            #expect(try await state(larder, "hackernews") == "ready")
        }
    }
}
