// An API that reports its remaining calls in `RateLimit`. The report may lower the budget but never raises it.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct RateLimitScenarios {
    private static func origin(_ fields: String) -> ScriptedOrigin {
        ScriptedOrigin { _ in [.send(ok("answer", fields: "Cache-Control: max-age=1\r\n\(fields)"))] }
    }

    private static func configuration(_ origin: ScriptedOrigin, _ more: String = "") -> String {
        "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\"\(more) } }"
    }

    @Test func anAPIThatHasNoCallsLeftIsNotAskedBeforeItsReset() async throws {
        let origin = Self.origin("RateLimit: \"minute\";r=0;t=60\r\nRateLimit-Policy: \"minute\";q=10;w=60\r\n")
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(Self.configuration(origin), time: time) { larder in
            #expect(try await larder.get("/raw/api/a").status == 200)
            let refused = try await larder.get("/raw/api/b")
            #expect(refused.status == 429 && refused["Retry-After"] == "60", "\(refused)")
            #expect(origin.requests.count == 1)
            time.advance(by: .seconds(61))
            #expect(try await larder.get("/raw/api/b").status == 200)
        }
    }

    @Test func whatOneClientsCredentialsHaveLeftBindsNobodyElse() async throws {
        let origin = Self.origin("RateLimit: \"default\";r=0;t=60;pk=:dXNlcjE=:\r\n")
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin)) { (larder) async throws in
            #expect(try await larder.get("/raw/api/a", ("Authorization", "Bearer one")).status == 200)
            #expect(try await larder.get("/raw/api/b", ("Authorization", "Bearer two")).status == 200)
            #expect(try await larder.get("/raw/api/c").status == 200)
        }
    }

    @Test func whatIsLeftIsToldWithItsPolicyInTheStatus() async throws {
        let origin = Self.origin("RateLimit: \"day\";r=7;t=3600\r\nRateLimit-Policy: \"day\";q=500;w=86400\r\n")
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin)) { larder in
            _ = try await larder.get("/raw/api/a")
            let status = try await larder.get("/v1/status").json()
            let provider = status["providers"]?.elements.first { $0["name"]?.string == "api" }
            let credits = provider?["budget"]?["dayCredits"]
            #expect(credits?["remaining"]?.integer == 7 && credits?["limit"]?.integer == 500, "\(credits as Any)")
        }
    }

    @Test func itNeverRaisesTheBudgetOfTheConfiguration() async throws {
        let origin = Self.origin("RateLimit: \"day\";r=1000;t=3600\r\n")
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin, ", rate: 1/min")) { larder in
            let first = try await larder.get("/raw/api/a")
            let second = try await larder.get("/raw/api/b")
            #expect([first.status, second.status] == [200, 429])
        }
    }
}
