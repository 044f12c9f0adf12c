// A trace that a client began continues upstream, and appears in the log and in explanations. It changes no answer.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct TraceScenarios {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = ("traceparent", "00-\(trace)-00f067aa0ba902b7-01")
    private static let state = ("tracestate", "rojo=1")

    private func withOrigin(
        _ body: (RunningLarder, ScriptedOrigin) async throws -> Void
    ) async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in try await body(larder, origin) }
    }

    @Test func theTraceGoesOnUpstreamWithAParentOfItsOwn() async throws {
        try await withOrigin { larder, origin in
            _ = try await larder.get(CacheScenarios.search, Self.parent, Self.state)
            let request = try #require(origin.requests.last)
            let parent = try #require(request.field("traceparent"))
            #expect(parent.hasPrefix("00-\(Self.trace)-") && parent.hasSuffix("-01"))
            #expect(!parent.contains("00f067aa0ba902b7"))
            #expect(request.field("tracestate") == "rojo=1")
        }
    }

    @Test func noTraceIsMadeUp() async throws {
        try await withOrigin { larder, origin in
            _ = try await larder.get(CacheScenarios.search)
            #expect(origin.requests.last?.field("traceparent") == nil)
        }
    }

    @Test func anInvalidTraceIsNotSentOn() async throws {
        try await withOrigin { larder, origin in
            _ = try await larder.get(CacheScenarios.search, ("traceparent", "00-nothing"), Self.state)
            #expect(origin.requests.last?.field("traceparent") == nil)
            #expect(origin.requests.last?.field("tracestate") == nil)
        }
    }

    @Test func anExplanationTellsTheTrace() async throws {
        try await withOrigin { larder, _ in
            let answer = try await larder.get(CacheScenarios.search, Self.parent, Self.state)
            let explanation = try await larder.get("/v1/explain/\(answer["X-Request-Id"] ?? "")").json()
            #expect(explanation["trace"]?.string == Self.trace)
        }
    }

    @Test func memoryAnswersARequestWithATrace() async throws {
        try await withOrigin { larder, origin in
            for _ in 0..<2 { _ = try await larder.get(CacheScenarios.search) }
            let before = try await larder.counter("larder_memory_hits_total", #"provider="itunes""#)
            let answer = try await larder.get(CacheScenarios.search, Self.parent, Self.state)
            #expect(answer.status == 200)
            #expect(try await larder.counter("larder_memory_hits_total", #"provider="itunes""#) == before + 1)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func aTraceSelectsNoVariant() async throws {
        let origin = ScriptedOrigin(
            answering: "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n"
                + "Cache-Control: max-age=600\r\nVary: traceparent\r\n\r\nsame")
        defer { origin.stop() }
        let settings = "providers: { own: { kind: passthrough, baseURL: \"\(origin.base)\" } }"
        try await withLarder(settings) { larder in
            _ = try await larder.get("/raw/own/a", Self.parent, Self.state)
            #expect(origin.requests.last?.field("traceparent")?.contains(Self.trace) == true)
            let other = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
            _ = try await larder.get("/raw/own/a", ("traceparent", other))
            #expect(origin.requests.count == 1)
        }
    }
}
