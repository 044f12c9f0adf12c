// With `semantics: ttl` the configuration alone decides how long an answer lives and when it may be served after a
// failure. The response's own directives and validators affect neither.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct OwnRulesScenarios {
    private func configuration(_ origin: ScriptedOrigin) -> String {
        """
        providers:
          api: { kind: passthrough, baseURL: "\(origin.base)", semantics: ttl, ttl: 60s, staleFor: 1h, staleWhileRefresh: 0s }
        cache: { jitter: 0 }
        fetch: { failurePause: 10s }
        """
    }

    @Test(arguments: ["no-cache", "private", "no-store", "max-age=1, must-revalidate"])
    func anExpiredAnswerIsFetchedAnewAndLivesItsConfiguredTimeAgain(_ control: String) async throws {
        let count = Lock(0)
        let origin = ScriptedOrigin { _ in
            let number = count.withLock { count -> Int in
                count += 1
                return count
            }
            let fields =
                "Cache-Control: \(control)\r\nETag: \"tag\"\r\nLast-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n"
            return [.send(ok("answer \(number)", fields: fields))]
        }
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(configuration(origin), time: time) { larder in
            for turn in 1...3 {
                let fetched = try await larder.get("/raw/api/a")
                #expect(fetched.text == "answer \(turn)", "\(fetched)")
                time.advance(by: .seconds(59))
                for _ in 0..<2 {
                    let hit = try await larder.get("/raw/api/a")
                    #expect(hit.text == "answer \(turn)", "\(hit)")
                    #expect(hit["Cache-Status"] == "larder; hit; ttl=1", "\(hit)")
                }
                time.advance(by: .seconds(1))
            }
            #expect(origin.requests.count == 3)
            for request in origin.requests {
                #expect(request.field("If-None-Match") == nil, "\(request.head)")
                #expect(request.field("If-Modified-Since") == nil, "\(request.head)")
            }
        }
    }

    @Test(arguments: ["429 Too Many Requests", "403 Forbidden"])
    func aRefusalIsCoveredByWhatIsStaleAndRememberedForAMoment(_ status: String) async throws {
        let moods = CacheScenarios.Moods()
        let origin = ScriptedOrigin { _ in moods.current.withLock { $0 } }
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(configuration(origin), time: time) { larder in
            moods.set(ok("good", fields: "Cache-Control: no-cache\r\n"))
            #expect(try await larder.get("/raw/api/a").text == "good")
            time.advance(by: .seconds(70))
            moods.set(ok("refused", status: status))
            for _ in 0..<3 {
                let covered = try await larder.get("/raw/api/a")
                #expect(covered.status == 200, "\(covered)")
                #expect(covered.text == "good")
                #expect(
                    covered["Cache-Status"] == "larder; fwd=stale; ttl=-10; detail=configuredTTL", "\(covered)")
                #expect(covered["Age"] == "70")
            }
            #expect(origin.requests.count == 2, "the failure is remembered for fetch.failurePause")
            // After the window nothing is served in place of a failure.
            time.advance(by: .seconds(3600))
            let bare = try await larder.get("/raw/api/a")
            #expect(bare.statusLine == "HTTP/1.1 \(status)", "\(bare)")
        }
    }

    @Test(arguments: ["429 Too Many Requests", "403 Forbidden"])
    func aRefusalWithNothingToCoverForItIsPassedOnAsItIs(_ status: String) async throws {
        let origin = ScriptedOrigin(
            answering: ok("refused", status: status, fields: "Content-Type: text/plain\r\nX-Mark: 1\r\n"))
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(configuration(origin), time: time) { larder in
            let answer = try await larder.get("/raw/api/a")
            #expect(answer.statusLine == "HTTP/1.1 \(status)", "\(answer)")
            #expect(answer.text == "refused")
            #expect(answer["X-Mark"] == "1")
            #expect(answer["Cache-Status"]?.contains("stored") == false, "\(answer)")
        }
    }
}
