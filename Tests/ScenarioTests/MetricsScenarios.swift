// What Prometheus shows of a miss and of a provider's budget.
import LarderTestSupport
import Testing

@Suite struct MetricsScenarios {
    private func lines(_ larder: RunningLarder) async throws -> [String] {
        try await larder.get("/metrics").text.split(separator: "\n").map(String.init)
    }

    @Test func aMissIsTimedAtTheClientAndByStageUpstream() async throws {
        let origin = ScriptedOrigin { _ in [.send(ok("x", fields: "Cache-Control: max-age=60\r\n"))] }
        defer { origin.stop() }
        try await withLarder(#"providers: { api: { kind: passthrough, baseURL: "\#(origin.base)" } }"#) { larder in
            _ = try await larder.get("/raw/api/a")
            let seen = try await lines(larder)
            #expect(seen.contains(#"larder_request_duration_seconds_count{provider="api",outcome="miss"} 1"#))
            for stage in ["name", "connect", "answer", "body"] {
                #expect(
                    seen.contains(#"larder_upstream_duration_seconds_count{provider="api",stage="\#(stage)"} 1"#))
            }
            #expect(!seen.contains { $0.contains(#"stage="tls""#) })
        }
    }

    @Test func aSecondCallOverTheSameConnectionHasNoTimesBeforeItsRequest() async throws {
        let origin = ScriptedOrigin { _ in [.send(ok("x", fields: "Cache-Control: no-store\r\n"))] }
        defer { origin.stop() }
        try await withLarder(
            """
            server: { loops: 1 }
            providers: { api: { kind: passthrough, baseURL: "\(origin.base)" } }
            """
        ) { larder in
            _ = try await larder.get("/raw/api/a")
            _ = try await larder.get("/raw/api/a")
            let seen = try await lines(larder)
            #expect(seen.contains(#"larder_upstream_duration_seconds_count{provider="api",stage="connect"} 1"#))
            #expect(seen.contains(#"larder_upstream_duration_seconds_count{provider="api",stage="answer"} 2"#))
        }
    }

    @Test func whatIsLeftOfALimitIsAGauge() async throws {
        let origin = ScriptedOrigin { _ in [.send(ok("x", fields: "Cache-Control: no-store\r\n"))] }
        defer { origin.stop() }
        let provider = #"{ kind: passthrough, baseURL: "\#(origin.base)", quota: 5/day }"#
        try await withLarder("providers: { api: \(provider) }") { larder in
            _ = try await larder.get("/raw/api/a")
            let seen = try await lines(larder)
            #expect(seen.contains(#"larder_budget_limit_calls{provider="api",limit="quota"} 5"#))
            #expect(seen.contains(#"larder_budget_left_calls{provider="api",limit="quota"} 4"#))
            #expect(seen.contains(#"larder_provider_reachable{provider="api"} 1"#))
        }
    }

    @Test func theProcessIsToldUnderPrometheusOwnNames() async throws {
        try await withLarder { larder in
            let names = try await lines(larder).compactMap { $0.split(separator: " ").first.map(String.init) }
            for name in [
                "process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds", "process_max_fds",
                "process_start_time_seconds",
            ] { #expect(names.contains(name)) }
        }
    }
}
