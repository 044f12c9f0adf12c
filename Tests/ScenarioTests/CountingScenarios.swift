// What is counted, and under which labels.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct CountingScenarios {
    @Test func anAnswerThatTheUpstreamConfirmedIsNoMiss() async throws {
        let origin = ScriptedOrigin { request in
            request.field("If-None-Match") == nil
                ? [.send(ok("body", fields: "Cache-Control: no-cache\r\nETag: \"one\"\r\n"))]
                : [.send("HTTP/1.1 304 Not Modified\r\nETag: \"one\"\r\n\r\n")]
        }
        defer { origin.stop() }
        let log = Lock("")
        let logger = Logger(label: "test", sink: KeptLog(log))
        let configuration = "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }"
        try await withLarder(configuration, log: logger) { larder in
            _ = try await larder.get("/raw/api/a")
            let second = try await larder.get("/raw/api/a")
            #expect(second["Cache-Status"]?.contains("fwd-status=304") == true && second.text == "body", "\(second)")
            func count(_ outcome: String) async throws -> Int {
                try await larder.counter("larder_cache_total", "provider=\"api\",outcome=\"\(outcome)\"")
            }
            #expect(try await count("revalidated") == 1)
            #expect(try await count("miss") == 1, "the first one only")
            let status = try await larder.get("/v1/status").json()
            let answers = status["providers"]?.elements.first { $0["name"]?.string == "api" }?["answers"]
            #expect(answers?["revalidated"]?.integer == 1 && answers?["miss"]?.integer == 1)
            #expect(log.withLock { $0 }.contains("outcome=revalidated"))
            let told = try await larder.get("/v1/explain/\(second["X-Request-Id"] ?? "")")
            #expect(told.text.contains("confirmed the stored answer"), "\(told)")
        }
    }

    @Test func anAnswerOverSeveralSourcesIsNoProvidersHit() async throws {
        let market = Market()
        defer { market.origin.stop() }
        try await withLarder(market.configuration()) { larder async throws in
            for _ in 0..<3 { #expect(try await larder.get("/v1/search?q=fire&source=itunes,newsapi").status == 200) }
            #expect(try await larder.counter("larder_merged_memory_hits_total") >= 1)
            let metrics = try await larder.get("/metrics").text
            #expect(!metrics.contains(#"provider="search""#))
        }
    }
}
