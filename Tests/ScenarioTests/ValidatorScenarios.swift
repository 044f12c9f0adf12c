// What a 304 may do to a stored answer. It confirms only the answer that it names. An answer that it makes depend on
// request fields does not stay available to every request (RFC 9111 §4.1, §4.3.4).
import LarderCore
import LarderTestSupport
import Testing

@Suite struct ValidatorScenarios {
    private func configuration(_ origin: ScriptedOrigin) -> String {
        "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }"
    }
    private static let lifetime = "Cache-Control: max-age=60, must-revalidate\r\n"

    private static func notModified(_ fields: String) -> [Act] {
        [.send("HTTP/1.1 304 Not Modified\r\n\(fields)\r\n")]
    }

    @Test func a304WithAnotherTagNeverConfirmsTheStoredBody() async throws {
        let isChanged = Lock(false)
        let origin = ScriptedOrigin { request in
            guard isChanged.withLock({ $0 }) else {
                return [.send(ok("one", fields: Self.lifetime + "ETag: \"one\"\r\n"))]
            }
            if request.field("If-None-Match") != nil { return Self.notModified(Self.lifetime + "ETag: \"two\"\r\n") }
            return [.send(ok("two", fields: Self.lifetime + "ETag: \"two\"\r\n"))]
        }
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(configuration(origin), time: time) { larder in
            #expect(try await larder.get("/raw/api/a").text == "one")
            isChanged.withLock { $0 = true }
            time.advance(by: .seconds(61))
            let answer = try await larder.get("/raw/api/a")
            #expect(answer.text == "two", "\(answer)")
            #expect(answer["ETag"] == "\"two\"", "\(answer)")
            #expect(
                origin.requests.map { $0.field("If-None-Match") } == [nil, "\"one\"", nil],
                "it is asked again without a condition")
            for _ in 0..<2 {
                let hit = try await larder.get("/raw/api/a")
                #expect(hit.text == "two", "\(hit)")
                #expect(hit["Cache-Status"] == "larder; hit; ttl=60", "\(hit)")
            }
            #expect(origin.requests.count == 3)
        }
    }

    @Test func anErrorThatFollowsA304WithAnotherTagReplacesNothing() async throws {
        let isChanged = Lock(false)
        let lifetime = "Cache-Control: max-age=600\r\n"
        let origin = ScriptedOrigin { request in
            guard isChanged.withLock({ $0 }) else {
                return [.send(ok("one", fields: lifetime + "ETag: \"one\"\r\n"))]
            }
            if request.field("If-None-Match") != nil { return Self.notModified("ETag: \"two\"\r\n") }
            return [.send(ok("error", status: "500 Internal Server Error", fields: lifetime))]
        }
        defer { origin.stop() }
        try await withLarder(configuration(origin), time: ManualTime()) { larder in
            #expect(try await larder.get("/raw/api/a").text == "one")
            isChanged.withLock { $0 = true }
            _ = try await larder.get("/raw/api/a", ("Cache-Control", "no-cache"))
            #expect(origin.requests.map { $0.field("If-None-Match") } == [nil, "\"one\"", nil])
            let kept = try await larder.get("/raw/api/a", ("Cache-Control", "only-if-cached"))
            #expect(kept.text == "one", "\(kept)")
        }
    }

    @Test func a304ToARequestWithoutAConditionIsNoAnswer() async throws {
        let origin = ScriptedOrigin { _ in Self.notModified("ETag: \"one\"\r\n") }
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            let answer = try await larder.get("/raw/api/a")
            try BadInputScenarios.expectProblem(answer, 502, "an unasked 304")
        }
    }

    @Test func a304ThatBringsAnotherVaryTakesTheAnswerFromWhereEveryRequestFindsIt() async throws {
        let origin = ScriptedOrigin { request in
            let tag = "ETag: \"one\"\r\n"
            if request.field("If-None-Match") != nil {
                return Self.notModified(Self.lifetime + tag + "Vary: X-Who\r\n")
            }
            return [.send(ok("for \(request.field("X-Who") ?? "nobody")", fields: Self.lifetime + tag))]
        }
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(configuration(origin), time: time) { larder in
            #expect(try await larder.get("/raw/api/a", ("X-Who", "anna")).text == "for anna")
            let shared = try await larder.get("/raw/api/a", ("X-Who", "bert"))
            #expect(shared.text == "for anna", "nothing said yet that it is anna's: \(shared)")
            time.advance(by: .seconds(61))
            let validated = try await larder.get("/raw/api/a", ("X-Who", "anna"))
            #expect(validated.text == "for anna", "\(validated)")
            #expect(origin.requests.last?.field("If-None-Match") == "\"one\"")
            for _ in 0..<2 {
                let other = try await larder.get("/raw/api/a", ("X-Who", "bert"))
                #expect(other.text == "for bert", "\(other)")
                // From here on bert has his own answer.
                time.advance(by: .seconds(1))
            }
        }
    }
}
