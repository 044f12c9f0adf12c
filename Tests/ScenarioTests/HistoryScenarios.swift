// `/v1/history`: what was answered, when, and what it saved, also over restarts.
import LarderCore
import LarderDaemon
import LarderTestSupport
import Testing

@Suite struct HistoryScenarios {
    private static let target = "/v1/itunes/search?q=jack"

    private func withOrigin(_ body: (ScriptedOrigin) async throws -> Void) async throws {
        let origin = ScriptedOrigin { _ in [.send(CacheScenarios.song)] }
        defer { origin.stop() }
        try await body(origin)
    }

    private func points(_ larder: RunningLarder, _ span: String = "hour") async throws -> [JSONValue] {
        try await larder.get("/v1/history?span=\(span)").json()["points"]?.elements.map { $0 } ?? []
    }

    private func sum(_ points: [JSONValue], _ outcome: String) -> Int {
        points.reduce(0) { $0 + ($1["requests"]?[outcome]?.integer ?? 0) }
    }

    @Test func aMissAndHitsStandInTheirSlots() async throws {
        try await withOrigin { origin in
            let time = ManualTime()
            try await withLarder(BasicScenarios.itunes(origin), time: time) { larder async throws in
                _ = try await larder.get(Self.target)
                larder.daemon.noteHistory()
                time.advance(by: .seconds(5))
                for _ in 0..<3 { _ = try await larder.get(Self.target) }
                larder.daemon.noteHistory()
                let answer = try await larder.get("/v1/history")
                #expect(answer["Cache-Control"] == "no-store")
                let body = try answer.json()
                #expect(body["span"]?.string == "hour" && body["stepSeconds"]?.integer == 5, "\(answer)")
                let shown = try await points(larder)
                #expect(shown.map { $0["at"]?.string } == ["2026-01-01T00:00:00Z", "2026-01-01T00:00:05Z"])
                #expect(shown[0]["requests"]?["miss"]?.integer == 1 && shown[0]["upstream"]?["itunes"]?.integer == 1)
                #expect(sum(shown, "hit") == 3 && sum(shown, "none") == 0, "\(answer)")
                #expect(shown[1]["open"]?.bool == true && shown[0]["open"] == nil)
                #expect(shown.allSatisfy { $0["errors"]?.integer == 0 })
                #expect(shown[0]["p50"]?.double != nil && shown[0]["p99"]?.double != nil)
                #expect(body["saved"]?["itunes"]?.integer == 3, "\(answer)")
            }
        }
    }

    @Test func figuresSurviveARestartAndTheTimeBetweenIsAGap() async throws {
        try await withOrigin { origin in
            let (time, directory) = (ManualTime(), TemporaryDirectory())
            let configuration = BasicScenarios.itunes(origin)
            try await withLarder(configuration, time: time, directory: directory) { larder async throws in
                for _ in 0..<2 { _ = try await larder.get(Self.target) }
            }
            time.advance(by: .seconds(7200))
            try await withLarder(configuration, time: time, directory: directory) { larder async throws in
                #expect(try await points(larder).map { $0["at"]?.string } == ["2026-01-01T02:00:00Z"])
                let month = try await points(larder, "month")
                #expect(month.map { $0["at"]?.string } == ["2026-01-01T00:00:00Z", "2026-01-01T02:00:00Z"])
                let days = try await points(larder, "days")
                #expect(days.map { $0["at"]?.string } == month.map { $0["at"]?.string })
                #expect(sum(days, "miss") == 1 && sum(days, "hit") == 1)
                #expect(sum(month, "miss") == 1 && sum(month, "hit") == 1)
                #expect(try await larder.get("/v1/history").json()["saved"]?["itunes"]?.integer == 1)
            }
        }
    }

    @Test func aFailedRequestIsCountedAndAPageOfTheDaemonIsNot() async throws {
        try await withOrigin { origin in
            try await withLarder(BasicScenarios.itunes(origin), time: ManualTime()) { larder async throws in
                for _ in 0..<2 { _ = try await larder.get(Self.target) }
                origin.stop()
                #expect(try await larder.get("/v1/itunes/search?q=other").status == 502)
                #expect(try await larder.get("/v1/search?q=another&source=itunes").status == 502)
                #expect(try await larder.get("/v1/itunes/search").status == 400)
                _ = try await larder.get("/v1/status")
                let shown = try await points(larder)
                #expect(["miss", "hit", "failed", "none"].map { sum(shown, $0) } == [1, 1, 2, 0])
                #expect(shown.reduce(0) { $0 + ($1["errors"]?.integer ?? 0) } == 2)
            }
        }
    }

    @Test func anAnswerOfTheUpstreamIsNoFailedRequestWhateverItsStatus() async throws {
        let origin = ScriptedOrigin(answering: "HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\noops")
        defer { origin.stop() }
        let settings = "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }"
        try await withLarder(settings) { larder async throws in
            #expect(try await larder.get("/raw/api/a").status == 500)
            let shown = try await points(larder)
            #expect(sum(shown, "miss") == 1 && sum(shown, "failed") == 0)
            #expect(shown.reduce(0) { $0 + ($1["errors"]?.integer ?? 0) } == 1)
        }
    }

    @Test func anIdleDaemonWritesNoFigures() async throws {
        try await withLarder(time: ManualTime()) { larder async throws in
            _ = try await larder.get("/healthz")
            let before = try await larder.counter("larder_state_commits_total")
            for _ in 0..<3 {
                larder.daemon.noteHistory()
                await larder.daemon.saveHistory()
            }
            #expect(try await larder.counter("larder_state_commits_total") == before)
        }
    }

    @Test(arguments: [("span=day", "invalidParameter"), ("spam=hour", "unknownParameter")])
    func whatIsNoSpanIsRefused(_ query: String, _ code: String) async throws {
        try await withLarder { larder async throws in
            let answer = try await larder.get("/v1/history?\(query)")
            try BadInputScenarios.expectProblem(answer, 400, query)
            #expect(try answer.json()["code"]?.string == code)
        }
    }

    @Test func aLiveSearchIsCountedWithItsOutcomeWhenItEnds() async throws {
        try await InterfaceScenarios.withSamples { larder in
            let begun = try await larder.get("/v1/search?q=dragon&source=dnd5e", ("Prefer", "respond-async"))
            let path = try #require(begun["Location"])
            try await larder.eventually("it ends") { try await larder.get(path).json()["state"]?.string != "loading" }
            try await larder.eventually("it is counted") {
                try await larder.counter("larder_server_requests_total", #"outcome="miss""#) == 1
            }
        }
    }
}
