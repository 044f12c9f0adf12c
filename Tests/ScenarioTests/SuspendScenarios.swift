// A provider that a person suspends: no call is made to it, and `/v1/status` reports this and what happened before.
import LarderCore
import LarderDaemon
import LarderTestSupport
import Testing

@Suite struct SuspendScenarios {
    private static let authority = [("Authorization", "Bearer open-sesame-0123456789")]
    private static let admin = "\nadmin: { token: open-sesame-0123456789 }"

    private func status(_ larder: RunningLarder, _ name: String) async throws -> JSONValue {
        let status = try await larder.get("/v1/status").json()
        return try #require(status["providers"]?.elements.first { $0["name"]?.string == name })
    }

    private func suspend(
        _ larder: RunningLarder, _ name: String = "itunes", _ query: String = ""
    ) async throws -> WireResponse {
        try await larder.send("POST", "/v1/providers/\(name)/suspend\(query)", fields: Self.authority)
    }

    @Test func noCallIsMadeUntilTheTimeIsOver() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(BasicScenarios.itunes(origin) + Self.admin, time: time) { larder in
            let answer = try await suspend(larder)
            #expect(answer.status == 200, "\(answer)")
            #expect(try answer.json()["suspended"]?.string == "itunes")
            let refused = try await larder.get("/v1/itunes/search?q=one")
            #expect(refused.status == 503 && refused.text.contains("suspended by hand"), "\(refused)")
            #expect(origin.requests.isEmpty)
            time.advance(by: .seconds(601))
            #expect(try await larder.get("/v1/itunes/search?q=one").status == 200)
            let recent = try #require(try await status(larder, "itunes")["recent"]?.elements.map { $0 })
            let events = recent.compactMap { $0["event"]?.string }
            #expect(events.contains("suspended") && events.contains("resumed"), "\(events)")
            #expect(recent.last?["detail"]?.string?.contains("by hand until") == true)
        }
    }

    @Test func aPassThroughRestsTooAndAResumeEndsIt() async throws {
        let origin = ScriptedOrigin(answering: ok("thing"))
        defer { origin.stop() }
        try await withLarder("providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }" + Self.admin) {
            larder async throws in
            #expect(try await suspend(larder, "api", "?for=1h").status == 200)
            #expect(try await status(larder, "api")["state"]?.string == "suspended")
            #expect(try await larder.get("/raw/api/a").status == 503)
            let resumed = try await larder.send("POST", "/v1/providers/api/resume", fields: Self.authority)
            #expect(resumed.status == 200)
            #expect(try await larder.get("/raw/api/a").text == "thing")
        }
    }

    @Test func itNeedsAuthorityAKnownNameAndASensibleTime() async throws {
        try await withLarder(Self.admin) { larder async throws in
            #expect(try await larder.send("POST", "/v1/providers/itunes/suspend").status == 401)
            #expect(try await suspend(larder, "itune").status == 404)
            for length in ["0s", "25h", "soon"] {
                let answer = try await suspend(larder, "itunes", "?for=\(length)")
                #expect(answer.status == 400, "\(answer)")
                #expect(try answer.json()["parameter"]?.string == "for")
            }
        }
    }
}
